//! Under which grant an agent on this machine reads.

use vitrine_contract::ErrorCode;
use vitrine_engine::Caller;
use vitrine_engine::token::TokenKind;
use vitrine_server::clients::Here;

use crate::fault::Fault;
use crate::opened::Opened;

/// A grant or package, with the name of its client.
pub(crate) type Active = (String, String);

/// Refuses a grant or package that cannot be read under, and tells which can.
pub(crate) async fn check(opened: &Opened, here: &Here, id: &str) -> Result<(), Fault> {
    let Err(error) = Caller::from_grant_or_package(&*opened.store, id, opened.clock.now()).await else {
        return Ok(());
    };
    if is_token(id) {
        let active = opened.active_grants().await?;
        let why = "--grant takes the id of a grant or package, and this looks like a token.";
        return Err(Fault::configuration(format!("{why} {}", choice(&active, here))));
    }
    let why = match error.code {
        ErrorCode::AuthenticationError => format!("There is no grant or package `{id}`."),
        ErrorCode::GrantRevoked => format!("`{id}` was revoked."),
        ErrorCode::GrantExpired => format!("`{id}` has expired."),
        _ => return Err(Fault::configuration(error.message)),
    };
    let active = opened.active_grants().await?;
    Err(Fault::configuration(format!("{why} {}", choice(&active, here))))
}

/// The one grant or package that is active; several are listed, for the caller to choose.
pub(crate) async fn only(opened: &Opened, here: &Here) -> Result<String, Fault> {
    let active = opened.active_grants().await?;
    match active.as_slice() {
        [(id, _)] => Ok(id.clone()),
        [] => Err(Fault::configuration(choice(&active, here))),
        _ => Err(Fault::configuration(format!("Several grants are active. {}", choice(&active, here)))),
    }
}

/// Whether this could be a token, which is not to be repeated.
fn is_token(id: &str) -> bool {
    [TokenKind::Owner, TokenKind::Client, TokenKind::McpPackage].iter().any(|kind| id.trim().starts_with(kind.prefix()))
}

fn choice(active: &[Active], here: &Here) -> String {
    if active.is_empty() {
        let create = here.command(&["grant", "create", "--client", "NAME"]);
        return format!("There is no active grant. Make one with `{create}`.");
    }
    let lines: Vec<String> = active.iter().map(|(id, client)| format!("  --grant {id}   {client}")).collect();
    format!("Choose one:\n{}", lines.join("\n"))
}
