//! An in-memory resource server that answers like ours, or like another provider.

mod catalog;
mod reads;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use vitrine_contract::Fields;
use vitrine_contract::error::Candidates;
use vitrine_contract::{ApiError, CandidateConnection, ErrorCode, Record, Warning};

/// What was asked, in order: `records messages cin_work`.
#[derive(Clone, Default)]
pub(crate) struct Calls {
    reads: Arc<Mutex<Vec<String>>>,
    limits: Arc<Mutex<Vec<Option<u64>>>>,
}

impl Calls {
    pub(crate) fn note(&self, read: &str, stream: &str, connection_id: Option<&str>) {
        self.reads.lock().unwrap().push(format!("{read} {stream} {}", connection_id.unwrap_or("-")));
    }

    pub(crate) fn note_limit(&self, limit: Option<u64>) {
        self.limits.lock().unwrap().push(limit);
    }

    /// The limits of pages that were asked for, in order.
    pub(crate) fn limits(&self) -> Vec<Option<u64>> {
        self.limits.lock().unwrap().clone()
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.reads.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.all().len()
    }
}

#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) id: String,
    pub(crate) connector: String,
    pub(crate) label: String,
}

#[derive(Clone)]
pub(crate) struct Stream {
    pub(crate) connector: String,
    pub(crate) name: String,
    /// Field, its type, and the JSON Schema beside it.
    pub(crate) fields: Vec<(String, String, Value)>,
    pub(crate) expand: Vec<String>,
    /// Each with the fields it selects.
    pub(crate) views: Vec<(String, Vec<String>)>,
    /// The connections that have it; all of the source, if none is named.
    pub(crate) only_of: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) connection: String,
    pub(crate) stream: String,
    pub(crate) id: String,
    pub(crate) data: Value,
    pub(crate) deleted: bool,
}

/// What the provider fails to serve.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outage {
    Schema,
    FieldWindows,
    /// Sends every field, whatever was asked for.
    Projection,
    /// Says no more of a stream than its name and fields.
    Metadata,
}

/// What the provider takes `limit` for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Limit {
    #[default]
    OfPage,
    OfConnection,
    Nothing,
}

#[derive(Clone, Default)]
pub(crate) struct Fake {
    pub(crate) connections: Vec<Connection>,
    pub(crate) streams: Arc<Mutex<Vec<Stream>>>,
    pub(crate) rows: Vec<Row>,
    /// Another provider: no resume cursors, no previews.
    pub(crate) foreign: bool,
    /// One grant over several connections merges them; a package asks which.
    pub(crate) package: bool,
    pub(crate) outage: Option<Outage>,
    pub(crate) limit: Limit,
    pub(crate) fail_with: Option<ApiError>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) calls: Calls,
}

pub(crate) const LONG_WORD: &str = "The committee met again and decided nothing. ";

impl Fake {
    /// A person with two mail accounts and a notebook.
    pub(crate) fn person() -> Self {
        let mut fake = Self { package: true, ..Self::default() };
        fake.connection("cin_work", "gmail", "Work Gmail");
        fake.connection("cin_home", "gmail", "Home Gmail");
        fake.connection("cin_notes", "notebook", "Notebook");
        let mail = ["id", "subject", "sender", "body", "received_at", "size"];
        fake.stream("gmail", "messages", &mail, &["attachments"]);
        fake.stream("gmail", "attachments", &["id", "message_id", "name", "content_blob"], &[]);
        fake.stream("notebook", "notes", &["id", "title", "text", "sent_at"], &[]);
        for n in 0..40 {
            fake.row(
                "cin_work",
                "messages",
                &format!("w{n:02}"),
                mail_data(n, "Quarterly report", "team@work.example"),
            );
        }
        for n in 0..3 {
            fake.row("cin_home", "messages", &format!("h{n:02}"), mail_data(n, "Dinner on Friday", "mum@home.example"));
        }
        let body = format!("{} the zebra clause is here. {}", LONG_WORD.repeat(200), LONG_WORD.repeat(200));
        let long = json!({"id": "long", "subject": "Minutes", "sender": "clerk@work.example", "body": body,
            "received_at": "2026-03-12T09:41:00Z", "size": 18_000});
        fake.row("cin_work", "messages", "long", long);
        let blob =
            json!({"blob_id": "blb_1", "mime_type": "image/png", "size_bytes": 12_345, "sha256": "ab".repeat(32)});
        fake.row(
            "cin_work",
            "attachments",
            "a1",
            json!({"id": "a1", "message_id": "w00", "name": "chart.png", "content_blob": blob}),
        );
        let note = json!({"id": "n1", "text": "Buy zebra food", "sent_at": "2026-04-01T08:00:00Z"});
        fake.row("cin_notes", "notes", "n1", note);
        fake
    }

    /// One account of one source, whose records are `rows`.
    pub(crate) fn single(rows: Vec<Value>) -> Self {
        let mut fake = Self::default();
        fake.connection("cin_one", "source", "The Source");
        fake.stream("source", "things", &["id", "body"], &[]);
        for (n, data) in rows.into_iter().enumerate() {
            fake.row("cin_one", "things", &format!("t{n:03}"), data);
        }
        fake
    }

    pub(crate) fn connection(&mut self, id: &str, connector: &str, label: &str) {
        self.connections.push(Connection { id: id.into(), connector: connector.into(), label: label.into() });
    }

    pub(crate) fn stream(&mut self, connector: &str, name: &str, fields: &[&str], expand: &[&str]) {
        let fields = fields.iter().map(|field| ((*field).to_owned(), "string".to_owned(), json!({"type": "string"})));
        self.streams.lock().unwrap().push(Stream {
            connector: connector.into(),
            name: name.into(),
            fields: fields.collect(),
            expand: expand.iter().map(|relationship| (*relationship).to_owned()).collect(),
            views: Vec::new(),
            only_of: Vec::new(),
        });
    }

    pub(crate) fn row(&mut self, connection: &str, stream: &str, id: &str, data: Value) {
        self.rows.push(Row {
            connection: connection.into(),
            stream: stream.into(),
            id: id.into(),
            data,
            deleted: false,
        });
    }

    pub(crate) fn foreign(mut self) -> Self {
        self.foreign = true;
        self
    }

    fn refusal(&self) -> Result<(), ApiError> {
        self.fail_with.clone().map_or(Ok(()), Err)
    }

    /// The connection a read means, or which it could have meant.
    fn scope(&self, stream: &str, connection_id: Option<&str>) -> Result<(), ApiError> {
        self.refusal()?;
        if let Some(id) = connection_id {
            let known = self.connections.iter().any(|connection| connection.id == id);
            let refused =
                || ApiError::new(ErrorCode::ConnectionNotGranted, "This connection is not granted. Call schema.");
            return if known { Ok(()) } else { Err(refused()) };
        }
        if !self.package || self.connections.len() < 2 {
            return Ok(());
        }
        let mut listed: Vec<CandidateConnection> = self
            .connections
            .iter()
            .map(|connection| CandidateConnection {
                connection_id: connection.id.clone(),
                connector_key: connection.connector.clone(),
                display_name: connection.label.clone(),
                grant_id: Some(format!("grt_{}", connection.id)),
                has_stream: Some(self.has_stream(&connection.connector, stream)),
            })
            .collect();
        listed.sort_by_key(|candidate| candidate.has_stream == Some(false));
        let total = listed.len();
        listed.truncate(12);
        Err(ApiError::new(ErrorCode::AmbiguousConnection, "Several connections are granted. Pass connection_id.")
            .retry_with("connection_id")
            .candidates(Candidates { listed, total }))
    }

    fn has_stream(&self, connector: &str, stream: &str) -> bool {
        self.streams.lock().unwrap().iter().any(|known| known.connector == connector && known.name == stream)
    }

    /// Rows of a page for a `limit`.
    fn page_rows(&self, limit: Option<u64>) -> usize {
        let limit = usize::try_from(limit.unwrap_or(25)).unwrap();
        match self.limit {
            Limit::OfPage => limit,
            Limit::OfConnection => limit * self.connections.len(),
            Limit::Nothing => 50,
        }
    }

    fn label(&self, connection: &str) -> (String, String) {
        let found = self.connections.iter().find(|known| known.id == connection);
        found.map(|known| (known.connector.clone(), known.label.clone())).unwrap_or_default()
    }

    fn record_of(&self, row: &Row, fields: Option<&[String]>) -> Record {
        let mut data = row.data.clone();
        if let (Some(wanted), Some(object)) =
            (fields.filter(|_| self.outage != Some(Outage::Projection)), data.as_object_mut())
        {
            object.retain(|name, _| name == "id" || wanted.iter().any(|field| field == name));
        }
        let (connector, label) = self.label(&row.connection);
        Record {
            object: vitrine_contract::record::Tag::default(),
            id: row.id.clone(),
            stream: row.stream.as_str().into(),
            connection_id: row.connection.as_str().into(),
            connector_key: (!row.deleted).then(|| connector.as_str().into()),
            display_name: (!row.deleted).then(|| label.as_str().into()),
            data: (!row.deleted).then(|| Fields::from_json(data.to_string()).unwrap()),
            deleted: row.deleted,
            deleted_at: row.deleted.then(|| "2026-05-02T00:00:00Z".to_owned()),
            emitted_at: "2026-05-01T00:00:00Z".to_owned(),
            expanded: std::collections::BTreeMap::new(),
            cut: Vec::new(),
        }
    }
}

fn mail_data(n: usize, subject: &str, sender: &str) -> Value {
    json!({
        "id": n.to_string(), "subject": format!("{subject} {n}"), "sender": sender,
        "body": format!("Dear all, number {n} is attached."), "received_at": format!("2026-01-{:02}T10:00:00Z", n % 28 + 1),
        "size": n * 10,
    })
}
