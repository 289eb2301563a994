//! What a ceremony can give, and what the owner makes of it.
//!
//! An [`Offer`] is the most that may come of a request: one explicit grant a connection. The owner
//! can only cut it down, so a [`Candidate`] never holds more than was asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use vitrine_contract::time;

use super::client::OAuthClient;
use super::details::Detail;
use crate::catalog::Catalog;
use crate::grant::{AccessMode, Grant, GrantRefused, GrantRequest, Issue, Selection, TimeConstraint};
use crate::owner::OWNER_ID;
use crate::token::TokenDigest;

/// The purpose that needs a yes of its own.
pub const AI_TRAINING: &str = "https://pdpp.dev/purpose/ai_training";
/// Stands in for an id that only an approved grant gets.
const UNISSUED: &str = "grt_unissued";

/// The most a ceremony can give.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The catalog it was made from.
    pub catalog_version: i64,
    /// One grant a connection, in order.
    pub items: Vec<Offered>,
    /// Whether the choice is wholly the owner's, because the client named nothing.
    open_ended: bool,
}

/// A grant on offer.
#[derive(Debug, Clone)]
pub struct Offered {
    /// What the owner's choice names it by: its connection, numbered when asked for twice.
    pub key: String,
    /// The connection.
    pub connection_id: String,
    /// The grant, as wide as it may become.
    pub grant: Grant,
}

/// What the owner has picked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choices {
    /// The fields of each stream of each grant on offer.
    pub picked: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// First day.
    pub since: Option<String>,
    /// First day after the span.
    pub until: Option<String>,
    /// How long the grant lasts.
    pub lasting: Lasting,
    /// Whether the owner agreed to training in so many words.
    pub training: bool,
}

/// How long a grant lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lasting {
    /// One access token.
    Once,
    /// A day.
    Day,
    /// Seven days.
    Week,
    /// Thirty days.
    Month,
    /// A year.
    Year,
    /// Until the owner ends it.
    #[default]
    UntilEnded,
}

impl Lasting {
    /// Every choice, shortest first.
    pub const ALL: [Self; 6] = [Self::Once, Self::Day, Self::Week, Self::Month, Self::Year, Self::UntilEnded];

    /// As a form writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
            Self::UntilEnded => "until_ended",
        }
    }

    /// Reads it back.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lasting| lasting.as_str() == word)
    }

    fn end(self, now: Timestamp) -> Option<Timestamp> {
        let hours = match self {
            Self::Once | Self::UntilEnded => return None,
            Self::Day => 24,
            Self::Week => 7 * 24,
            Self::Month => 30 * 24,
            Self::Year => 365 * 24,
        };
        now.checked_add(hours.hours()).ok()
    }
}

/// What would be granted, and the mark by which it is recognised.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The grants, with ids that are not theirs yet.
    pub grants: Vec<Grant>,
    /// What each was cut from.
    pub keys: Vec<String>,
    /// The same for the same selection over the same catalog, and different otherwise.
    pub revision: String,
    /// Whether the grants go into a package.
    pub packaged: bool,
}

/// Why the owner's choice makes no grant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unready {
    /// Nothing is picked.
    #[error("Nothing is picked. Pick at least one connection and one stream of it.")]
    Nothing,
    /// The time span cannot be read, or is empty.
    #[error("{0}")]
    Span(String),
    /// The purpose is training, and the owner has not agreed to that.
    #[error("This client wants to train AI models with your records. Agree to that in so many words, or refuse.")]
    Training,
}

impl Offer {
    /// What the details, or the lack of them, lead to at most.
    pub fn make(
        details: Option<&[Detail]>,
        client: &OAuthClient,
        catalog: &Catalog,
        now: Timestamp,
    ) -> Result<Self, GrantRefused> {
        let issue = || Issue {
            grant_id: UNISSUED.to_owned(),
            subject: OWNER_ID.to_owned(),
            client_id: client.client_id.clone(),
            client_name: client.name.clone(),
            now,
        };
        let mut items: Vec<Offered> = Vec::new();
        let requests: Vec<GrantRequest> = match details {
            Some(details) => details.iter().cloned().map(Detail::into_request).collect(),
            None => catalog
                .connections
                .iter()
                .map(|c| GrantRequest { connections: vec![c.connection_id.to_string()], ..GrantRequest::default() })
                .collect(),
        };
        for request in requests {
            let whole = Grant::issue(&request, catalog, issue())?;
            let connections: Vec<String> = whole.connections().into_iter().map(str::to_owned).collect();
            for connection_id in connections {
                let taken = items.iter().filter(|item| item.connection_id == connection_id).count();
                let key = if taken == 0 { connection_id.clone() } else { format!("{connection_id}~{}", taken + 1) };
                items.push(Offered { key, grant: of_connection(&whole, &connection_id), connection_id });
            }
        }
        Ok(Self { catalog_version: catalog.version, items, open_ended: details.is_none() })
    }

    /// Everything on offer, for as long as it was asked for.
    pub fn everything(&self) -> Choices {
        let fields = |s: &Selection| (s.name.clone(), s.fields.as_ref().clone());
        let streams = |item: &Offered| (item.key.clone(), item.grant.streams.iter().map(fields).collect());
        let once = self.items.iter().any(|item| item.grant.access_mode == AccessMode::SingleUse);
        Choices {
            picked: self.items.iter().map(streams).collect(),
            lasting: if once { Lasting::Once } else { Lasting::UntilEnded },
            ..Choices::default()
        }
    }

    /// Whether any part of it is for training.
    pub fn trains(&self) -> bool {
        self.items.iter().any(|item| item.grant.purpose_code == AI_TRAINING)
    }

    /// What is left of the offer when the owner has chosen.
    pub fn cut(&self, choices: &Choices, catalog: &Catalog, now: Timestamp) -> Result<Candidate, Unready> {
        let span = Span::read(choices)?;
        let (mut grants, mut keys) = (Vec::new(), Vec::new());
        for item in &self.items {
            let Some(picked) = choices.picked.get(&item.key) else { continue };
            let mut grant = item.grant.clone();
            grant.streams = cut_streams(item, picked, &span, catalog)?;
            if grant.streams.is_empty() {
                continue;
            }
            if choices.lasting == Lasting::Once {
                grant.access_mode = AccessMode::SingleUse;
            }
            grant.expires_at = choices.lasting.end(now).map(time::format);
            grants.push(grant);
            keys.push(item.key.clone());
        }
        if grants.is_empty() {
            return Err(Unready::Nothing);
        }
        let revision = self.revision(&grants, choices.lasting);
        let packaged = self.open_ended || grants.len() > 1;
        Ok(Candidate { grants, keys, revision, packaged })
    }

    fn revision(&self, grants: &[Grant], lasting: Lasting) -> String {
        let mut digest = Sha256::new();
        digest.update(format!("{}\n{}\n", self.catalog_version, lasting.as_str()));
        for grant in grants {
            let Grant { source, source_declaration, purpose_code, access_mode, streams, .. } = grant;
            let said = (source, source_declaration, purpose_code, access_mode, streams);
            digest.update(serde_json::to_vec(&said).unwrap_or_default());
            digest.update("\n");
        }
        TokenDigest::from_bytes(digest.finalize().into()).to_hex()
    }
}

fn of_connection(whole: &Grant, connection_id: &str) -> Grant {
    let mut grant = whole.clone();
    grant.streams.retain(|s| s.instance_ids.iter().any(|id| id == connection_id));
    for selection in &mut grant.streams {
        selection.instance_ids = vec![connection_id.to_owned()];
    }
    grant
}

fn cut_streams(
    item: &Offered,
    picked: &BTreeMap<String, BTreeSet<String>>,
    span: &Span,
    catalog: &Catalog,
) -> Result<Vec<Selection>, Unready> {
    let connection = catalog.connection(&item.connection_id);
    let mut streams = Vec::new();
    for offered in &item.grant.streams {
        let declared = connection.and_then(|connection| connection.stream(&offered.name));
        let (Some(fields), Some(declared)) = (picked.get(&offered.name), declared) else { continue };
        let mut selection = offered.clone();
        if declared.select_fields {
            let kept = |name: &&String| fields.contains(*name) || declared.required.contains(*name);
            selection.fields = Arc::new(offered.fields.iter().filter(kept).cloned().collect());
        }
        if let Some(field) = &declared.consent_time_field {
            selection.time_constraint = span.within(field, offered.time_constraint.as_ref())?;
        }
        streams.push(selection);
    }
    Ok(streams)
}

/// The time span the owner chose.
struct Span {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Span {
    fn read(choices: &Choices) -> Result<Self, Unready> {
        let instant = |text: &Option<String>| {
            let read = |text: &String| {
                time::parse(text).ok_or_else(|| Unready::Span(format!("{text} is not a day. Write it as 2026-01-31.")))
            };
            text.as_ref().map(read).transpose()
        };
        let span = Self { since: instant(&choices.since)?, until: instant(&choices.until)? };
        match (span.since, span.until) {
            (Some(since), Some(until)) if since >= until => {
                Err(Unready::Span("The first day must lie before the last.".to_owned()))
            }
            _ => Ok(span),
        }
    }

    /// The part of what was asked for that lies in this span.
    fn within(&self, field: &str, asked: Option<&TimeConstraint>) -> Result<Option<TimeConstraint>, Unready> {
        let bound = |text: Option<&String>| text.and_then(|text| time::parse(text));
        let since = bound(asked.and_then(|asked| asked.since.as_ref())).max(self.since);
        let until = [bound(asked.and_then(|asked| asked.until.as_ref())), self.until].into_iter().flatten().min();
        if since.is_none() && until.is_none() {
            return Ok(None);
        }
        if let (Some(since), Some(until)) = (since, until)
            && since >= until
        {
            let message = "The span you chose and the one the client asked for have no day in common.";
            return Err(Unready::Span(message.to_owned()));
        }
        let (since, until) = (since.map(time::format), until.map(time::format));
        Ok(Some(TimeConstraint { field: field.to_owned(), since, until }))
    }
}
