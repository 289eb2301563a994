//! What is left to do before a client can read.

use serde::Serialize;
use vitrine_engine::port::Store as _;
use vitrine_server::clients::{Client, Here};

use crate::cli::Place;
use crate::fault::Fault;
use crate::grants;
use crate::opened::Opened;

/// Why a client cannot start yet, and what to type.
#[derive(Debug, Serialize)]
pub(super) struct Next {
    pub(super) why: String,
    pub(super) commands: Vec<String>,
}

/// What is left to do, if anything. A grant that was named must be one that can be read under.
pub(super) async fn next(
    client: Client,
    grant: Option<&str>,
    place: &Place,
    here: &Here,
    writing: bool,
) -> Result<Option<Next>, Fault> {
    let opened = Opened::existing(place)?;
    let (name, key) = (client.name(), client.key());
    let Some(opened) = opened else {
        return match grant {
            Some(grant) => {
                let directory = crate::opened::embedded(place)?;
                let message = format!("There is no store in {}, and no grant `{grant}`.", directory.display());
                Err(Fault::configuration(message))
            }
            None => Ok(Some(Next::no_records(name, here))),
        };
    };
    if let Some(grant) = grant {
        return grants::check(&opened, here, grant).await.map(|()| None);
    }
    let active = opened.active_grants().await?;
    Ok(match active.as_slice() {
        [_] => None,
        [] if opened.store.catalog().await?.connections.is_empty() => Some(Next::no_records(name, here)),
        [] => Some(Next {
            why: format!("{name} cannot start it yet, since no grant is active. Next:"),
            commands: vec![grant_create(name, here)],
        }),
        several => {
            let choose = |(id, _): &grants::Active| {
                let write: &[&str] = if writing { &["--write"] } else { &[] };
                here.command(&[&["setup", key], write, &["--grant", id]].concat())
            };
            Some(Next {
                why: format!("{name} cannot start it yet, since {} grants are active. Choose one:", several.len()),
                commands: several.iter().map(choose).collect(),
            })
        }
    })
}

impl Next {
    fn no_records(name: &str, here: &Here) -> Self {
        let import = here.command(&["import", "KIND", "PATH", "--name", "NAME"]);
        Self {
            why: format!("{name} cannot start it yet, since there are no records and no grant. Next:"),
            commands: vec![import, grant_create(name, here)],
        }
    }

    pub(super) fn words(&self) -> String {
        let commands: Vec<String> = self.commands.iter().map(|command| format!("\n  {command}")).collect();
        format!("{}\n{}", self.why, commands.concat())
    }
}

fn grant_create(name: &str, here: &Here) -> String {
    here.command(&["grant", "create", "--client", name])
}
