//! `vitrine grant`: who may read what.

use clap::Subcommand;
use jiff::Timestamp;
use serde_json::json;
use vitrine_contract::time;
use vitrine_engine::grant::{GrantRequest, StreamRequest};
use vitrine_engine::owner::{Issued, OwnerError};
use vitrine_server::owner::shown::{self, GrantShown};

use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::{Output, lines};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Give a grant, and print the token that reads under it
    Create(Create),
    /// List every grant ever given
    List,
    /// Show a grant or package
    Show {
        /// The grant's or package's id
        id: String,
    },
    /// End a grant or package
    Revoke {
        /// The grant's or package's id
        id: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// Who may read
    #[arg(long, value_name = "NAME")]
    client: String,
    /// Only this account; several make a package [default: all]
    #[arg(long, value_name = "ID")]
    connection: Vec<String>,
    /// Only this stream, or only these fields of it [default: all]
    #[arg(long, value_name = "STREAM[:FIELD,…]", value_parser = stream)]
    stream: Vec<StreamRequest>,
    /// Only records from this instant on
    #[arg(long, value_name = "TIME", value_parser = instant)]
    since: Option<Timestamp>,
    /// Only records before this instant
    #[arg(long, value_name = "TIME", value_parser = instant)]
    until: Option<Timestamp>,
}

pub(crate) async fn run(command: Command, opened: &Opened, output: Output) -> Result<(), Fault> {
    let (owner, clock) = (opened.owner(), &opened.clock);
    match command {
        Command::Create(Create { client, connection, stream, since, until }) => {
            if since.zip(until).is_some_and(|(since, until)| since >= until) {
                return Err(Fault::usage("--since must be before --until"));
            }
            let request = GrantRequest {
                client_name: Some(client),
                connections: connection,
                streams: stream,
                since: since.map(time::format),
                until: until.map(time::format),
                ..GrantRequest::default()
            };
            let issued = owner.give_package(&request).await?;
            output.result(&issued, || issued_words(&issued))?;
        }
        Command::List => {
            let grants = shown::grants(&owner, clock).await?;
            output.result(&grants, || lines(&grants, line))?;
        }
        Command::Show { id } => match shown::grant(&owner, clock, &id).await {
            Ok(grant) => output.result(&grant, || detail(&grant))?,
            Err(OwnerError::NotFound(_)) => {
                let package = shown::package(&owner, clock, &id)
                    .await
                    .map_err(|_| OwnerError::NotFound(format!("There is no grant or package `{id}`.")))?;
                output.result(&package, || lines(&package.grants, detail))?;
            }
            Err(error) => return Err(error.into()),
        },
        Command::Revoke { id } => {
            owner.revoke(&id).await?;
            output.result(&json!({ "id": id, "revoked": true }), || format!("revoked {id}"))?;
        }
    }
    Ok(())
}

fn issued_words(issued: &Issued) -> String {
    let mut words: Vec<String> = issued.grant_package_id.iter().map(|id| format!("package {id}")).collect();
    words.extend(issued.grants.iter().map(|grant| format!("grant {} of {}", grant.grant_id, grant.connection_id)));
    words.push(format!("access token, shown only now: {}", issued.access_token));
    words.join("\n")
}

fn line(shown: &GrantShown) -> String {
    let streams: Vec<&str> = shown.grant.streams.iter().map(|stream| stream.name.as_str()).collect();
    let client = &shown.grant.client.client_display.name;
    format!("{}\t{}\t{client}\t{}", shown.grant.grant_id, shown.status.as_str(), streams.join(", "))
}

fn detail(shown: &GrantShown) -> String {
    let streams = lines(&shown.grant.streams, |stream| {
        let fields: Vec<&str> = stream.fields.iter().map(String::as_str).collect();
        let span = stream.time_constraint.as_ref().map_or_else(String::new, |time| {
            let since = time.since.as_deref().unwrap_or("the beginning");
            format!(", {} from {since} until {}", time.field, time.until.as_deref().unwrap_or("now on"))
        });
        format!("  {} of {}: {}{span}", stream.name, stream.instance_ids.join(", "), fields.join(", "))
    });
    format!("{}\n{streams}", line(shown))
}

fn stream(text: &str) -> Result<StreamRequest, String> {
    let (name, fields) = match text.split_once(':') {
        None => (text, None),
        Some((name, fields)) => (name, Some(fields.split(',').map(|field| field.trim().to_owned()).collect())),
    };
    let empty = |fields: &Vec<String>| fields.iter().any(String::is_empty);
    if name.is_empty() || fields.as_ref().is_some_and(empty) {
        return Err("write it as messages, or as messages:id,subject".to_owned());
    }
    Ok(StreamRequest { name: name.to_owned(), fields, ..StreamRequest::default() })
}

fn instant(text: &str) -> Result<Timestamp, String> {
    time::parse(text).ok_or_else(|| "write a time such as 2026-03-12T09:41:00Z, or a date".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_may_name_its_fields() {
        assert_eq!(stream("messages").unwrap().fields, None);
        let narrowed = stream("messages:id, subject").unwrap();
        assert_eq!((narrowed.name.as_str(), narrowed.fields.unwrap().len()), ("messages", 2));
        for wrong in ["", ":id", "messages:", "messages:id,,subject"] {
            assert!(stream(wrong).is_err(), "{wrong}");
        }
    }
}
