//! Grants: immutable consent, explicit in everything.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use vitrine_contract::schema::SourceRef;
use vitrine_contract::{ident, time};

use crate::catalog::Catalog;
use crate::declaration::{Declaration, Stream};

/// The contract's version of a grant document.
pub const GRANT_VERSION: &str = "0.1.0";
/// What a grant is for when nobody said otherwise.
pub const DEFAULT_PURPOSE: &str = "https://pdpp.dev/purpose/personal_ai_assistant";

/// What one client may read of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The form of this document.
    pub version: String,
    /// Its identity.
    pub grant_id: String,
    /// When it was given.
    pub issued_at: String,
    /// When it ends by itself.
    pub expires_at: Option<String>,
    /// Whose records.
    pub subject: Subject,
    /// Who may read.
    pub client: Client,
    /// Of which source.
    pub source: SourceRef,
    /// From which revision of its declaration.
    pub source_declaration: DeclarationRef,
    /// What for.
    pub purpose_code: String,
    /// `continuous` or `single_use`.
    pub access_mode: AccessMode,
    /// What may be read.
    pub streams: Vec<Selection>,
}

/// Whose records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The owner's identity.
    pub id: String,
}

/// Who may read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// The client's identity.
    pub client_id: String,
    /// What it calls itself.
    #[serde(default)]
    pub client_display: ClientDisplay,
}

/// What a client calls itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClientDisplay {
    /// Its name.
    #[serde(default)]
    pub name: String,
}

/// The declaration a grant was issued from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclarationRef {
    /// Its revision.
    pub version: String,
}

/// How long access lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessMode {
    /// Until it is revoked or expires.
    #[default]
    Continuous,
    /// For one access token.
    SingleUse,
}

/// What may be read of one stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The stream.
    pub name: String,
    /// The connections.
    pub instance_ids: Vec<String>,
    /// The fields.
    pub fields: Arc<BTreeSet<String>>,
    /// The time span; absent: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_constraint: Option<TimeConstraint>,
    /// The records; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Arc<BTreeSet<String>>>,
}

impl Selection {
    /// Whether both speak of the same stream of some connection.
    fn overlaps(&self, other: &Self) -> bool {
        self.name == other.name && self.instance_ids.iter().any(|id| other.instance_ids.contains(id))
    }
}

/// A time span on one field: from `since` on, up to but not including `until`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeConstraint {
    /// The field it is measured on.
    pub field: String,
    /// First instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// First instant after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// A grant as asked for: what is left out means everything, and is made explicit when issued.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantRequest {
    /// The client's name, or its identity when it is already known.
    #[serde(default)]
    pub client_id: Option<String>,
    /// What the client calls itself.
    #[serde(default)]
    pub client_name: Option<String>,
    /// The source, by short name or URI; may be left out when the connections tell.
    #[serde(default)]
    pub source: Option<String>,
    /// Connections for every stream that names none; empty means all of the source's.
    #[serde(default)]
    pub connections: Vec<String>,
    /// The streams; empty means all.
    #[serde(default)]
    pub streams: Vec<StreamRequest>,
    /// First instant, for every stream that names none.
    #[serde(default)]
    pub since: Option<String>,
    /// First instant after the span.
    #[serde(default)]
    pub until: Option<String>,
    /// When the grant ends by itself.
    #[serde(default)]
    pub expires_at: Option<String>,
    /// What for.
    #[serde(default)]
    pub purpose_code: Option<String>,
    /// How long access lasts.
    #[serde(default)]
    pub access_mode: AccessMode,
}

/// A stream as asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamRequest {
    /// Its name, or `*` for all.
    pub name: String,
    /// Only these fields.
    #[serde(default)]
    pub fields: Option<Vec<String>>,
    /// The fields of this view.
    #[serde(default)]
    pub view: Option<String>,
    /// Only this span.
    #[serde(default)]
    pub time_range: Option<TimeRange>,
    /// Only these records.
    #[serde(default)]
    pub resources: Option<Vec<String>>,
    /// Only these connections.
    #[serde(default)]
    pub instance_ids: Option<Vec<String>>,
    /// Whether the client can do without it. Said by clients, kept by nobody.
    #[serde(default)]
    pub necessity: Option<String>,
}

/// A span as asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeRange {
    /// First instant.
    #[serde(default)]
    pub since: Option<String>,
    /// First instant after it.
    #[serde(default)]
    pub until: Option<String>,
}

impl TimeRange {
    /// Whether it leaves nothing out.
    fn is_open(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }
}

/// Why a grant cannot be issued as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GrantRefused(pub String);

/// Who issues, to whom, and under which name.
#[derive(Debug, Clone)]
pub struct Issue {
    /// The new grant's identity.
    pub grant_id: String,
    /// The owner's identity.
    pub subject: String,
    /// The client's identity.
    pub client_id: String,
    /// What the client calls itself.
    pub client_name: String,
    /// When.
    pub now: Timestamp,
}

impl Grant {
    /// Whether it has ended by itself.
    pub fn expired(&self, now: Timestamp) -> bool {
        self.expires_at.as_deref().and_then(time::parse).is_some_and(|end| end <= now)
    }

    /// Every connection it reaches, once.
    pub fn connections(&self) -> BTreeSet<&str> {
        self.streams.iter().flat_map(|s| s.instance_ids.iter().map(String::as_str)).collect()
    }

    /// Makes a request explicit against the source's present declaration: no wildcards, no views,
    /// every field and connection named.
    pub fn issue(request: &GrantRequest, catalog: &Catalog, issue: Issue) -> Result<Self, GrantRefused> {
        let declaration = source_of(request, catalog)?;
        let all: Vec<&str> =
            catalog.connections_of(&declaration.connector_key).map(|c| c.connection_id.as_ref()).collect();
        let default_connections = if request.connections.is_empty() {
            all.iter().map(|id| (*id).to_owned()).collect()
        } else {
            known_connections(&request.connections, &all, &declaration.connector_key)?
        };
        let mut streams = Vec::new();
        for asked in request.selected(declaration) {
            let stream = declaration.stream(&asked.name).ok_or_else(|| {
                refused(format!("Source `{}` has no stream `{}`.", declaration.connector_key, asked.name))
            })?;
            let connections = match &asked.instance_ids {
                Some(ids) => known_connections(ids, &all, &declaration.connector_key)?,
                None => default_connections.clone(),
            };
            let selection = select(stream, &asked, request, connections)?;
            if streams.iter().any(|known: &Selection| known.overlaps(&selection)) {
                return Err(refused(format!("Stream `{}` is named twice. Name it once for a connection.", asked.name)));
            }
            streams.push(selection);
        }
        if streams.is_empty() {
            return Err(refused(format!(
                "No stream of source `{}` has a time to limit it by. Grant it without a time span.",
                declaration.connector_key
            )));
        }
        if streams.iter().all(|s| s.instance_ids.is_empty()) {
            return Err(refused(format!("Source `{}` has no connection yet.", declaration.connector_key)));
        }
        let expires_at = request.expires_at.as_deref().map(|end| instant(end, "expires_at")).transpose()?;
        Ok(Self {
            version: GRANT_VERSION.into(),
            grant_id: issue.grant_id,
            issued_at: time::format(issue.now),
            expires_at: expires_at.map(time::format),
            subject: Subject { id: issue.subject },
            client: Client { client_id: issue.client_id, client_display: ClientDisplay { name: issue.client_name } },
            source: SourceRef { kind: declaration.source_kind.clone(), id: declaration.source_id.clone() },
            source_declaration: DeclarationRef { version: declaration.version.clone() },
            purpose_code: request.purpose_code.clone().unwrap_or_else(|| DEFAULT_PURPOSE.into()),
            access_mode: request.access_mode,
            streams,
        })
    }
}

fn refused(message: impl Into<String>) -> GrantRefused {
    GrantRefused(message.into())
}

fn source_of<'a>(request: &GrantRequest, catalog: &'a Catalog) -> Result<&'a Declaration, GrantRefused> {
    if let Some(source) = &request.source {
        return catalog
            .sources
            .iter()
            .map(|s| s.declaration.as_ref())
            .find(|d| d.connector_key == *source || d.source_id == *source)
            .ok_or_else(|| refused(format!("There is no source `{source}`. Register its declaration first.")));
    }
    let named = request.connections.iter().chain(request.streams.iter().flat_map(|s| s.instance_ids.iter().flatten()));
    let mut sources: Vec<&Declaration> = Vec::new();
    for id in named {
        let connection = catalog.connection(id).ok_or_else(|| refused(format!("There is no connection `{id}`.")))?;
        if !sources.iter().any(|d| d.connector_key == connection.source.declaration.connector_key) {
            sources.push(&connection.source.declaration);
        }
    }
    match sources.as_slice() {
        [one] => Ok(one),
        [] => Err(refused("Name the connections, or the source, that the grant is about.")),
        _ => Err(refused("One grant is about one source. Issue a package to cover several.")),
    }
}

fn known_connections(asked: &[String], known: &[&str], source: &str) -> Result<Vec<String>, GrantRefused> {
    let mut ids: Vec<String> = Vec::new();
    for id in asked {
        if !known.contains(&id.as_str()) {
            return Err(refused(format!("Source `{source}` has no connection `{id}`.")));
        }
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    Ok(ids)
}

impl GrantRequest {
    /// The streams it is about, each by its name. A wildcard under a time span means those that have a time to
    /// limit them by: the others would be granted for all time.
    pub(crate) fn selected(&self, declaration: &Declaration) -> Vec<StreamRequest> {
        let all = |template: &StreamRequest| {
            let limited = !self.range_of(template).is_open();
            let meant = declaration.streams.values().filter(|s| !limited || s.consent_time_field.is_some());
            meant.map(|s| StreamRequest { name: s.name.clone(), ..template.clone() }).collect::<Vec<_>>()
        };
        if self.streams.is_empty() {
            return all(&StreamRequest::default());
        }
        self.streams.iter().flat_map(|s| if s.name == "*" { all(s) } else { vec![s.clone()] }).collect()
    }

    fn range_of(&self, stream: &StreamRequest) -> TimeRange {
        let whole = || TimeRange { since: self.since.clone(), until: self.until.clone() };
        stream.time_range.clone().unwrap_or_else(whole)
    }
}

fn select(
    stream: &Stream,
    asked: &StreamRequest,
    request: &GrantRequest,
    instance_ids: Vec<String>,
) -> Result<Selection, GrantRefused> {
    let range = request.range_of(asked);
    Ok(Selection {
        name: stream.name.clone(),
        instance_ids,
        fields: Arc::new(fields(stream, asked)?),
        time_constraint: constraint(stream, range)?,
        resources: resources(stream, asked)?.map(Arc::new),
    })
}

fn fields(stream: &Stream, asked: &StreamRequest) -> Result<BTreeSet<String>, GrantRefused> {
    let declared = || stream.fields.iter().map(|f| f.name.clone()).collect::<BTreeSet<_>>();
    let mut fields: BTreeSet<String> = match (&asked.fields, &asked.view) {
        (Some(_), Some(_)) => {
            return Err(refused(format!("Stream `{}`: name `fields` or a `view`, not both.", stream.name)));
        }
        (Some(names), None) => names.iter().cloned().collect(),
        (None, Some(view)) => stream
            .views
            .iter()
            .find(|v| v.id == *view)
            .map(|v| v.fields.iter().cloned().collect())
            .ok_or_else(|| refused(format!("Stream `{}` has no view `{view}`.", stream.name)))?,
        (None, None) => declared(),
    };
    if let Some(unknown) = fields.iter().find(|name| stream.field(name).is_none()) {
        return Err(refused(format!("Stream `{}` has no field `{unknown}`.", stream.name)));
    }
    if !stream.select_fields && fields.len() < stream.fields.len() {
        return Err(refused(format!("Stream `{}` can only be granted with all its fields.", stream.name)));
    }
    fields.extend(stream.required.iter().cloned());
    Ok(fields)
}

fn constraint(stream: &Stream, range: TimeRange) -> Result<Option<TimeConstraint>, GrantRefused> {
    if range.is_open() {
        return Ok(None);
    }
    let field = stream.consent_time_field.clone().ok_or_else(|| {
        refused(format!(
            "Stream `{}` has no time to limit it by. Grant it without a time span, or leave it out.",
            stream.name
        ))
    })?;
    let since = range.since.map(|text| instant(&text, "since")).transpose()?;
    let until = range.until.map(|text| instant(&text, "until")).transpose()?;
    if let (Some(since), Some(until)) = (since, until)
        && since >= until
    {
        return Err(refused("`since` must be before `until`."));
    }
    Ok(Some(TimeConstraint { field, since: since.map(time::format), until: until.map(time::format) }))
}

fn resources(stream: &Stream, asked: &StreamRequest) -> Result<Option<BTreeSet<String>>, GrantRefused> {
    let Some(ids) = &asked.resources else { return Ok(None) };
    if !stream.select_resources {
        return Err(refused(format!("Stream `{}` cannot be granted record by record.", stream.name)));
    }
    if let Some(bad) = ids.iter().find(|id| !ident::is_record_id(id)) {
        return Err(refused(format!("`{bad}` is not a record id. Use ids that a list returned.")));
    }
    Ok(Some(ids.iter().cloned().collect()))
}

fn instant(text: &str, name: &str) -> Result<Timestamp, GrantRefused> {
    time::parse(text)
        .ok_or_else(|| refused(format!("`{name}` must be a time such as 2026-03-12T09:41:00Z, or a date.")))
}
