//! That much of a schema document, as JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vitrine_contract::schema::{Connector, GrantedConnection, SchemaDocument, StreamRow};

use super::super::json::Object;
use super::super::record::label;
use super::super::text;
use super::flags;
use super::onward::{BY_NAME, a_record};
use super::shape::{Connections, Form, Head, Part, Shape, Streams, names};
use crate::ids::told;

const MAX_DESCRIPTION_CHARS: usize = 160;
/// What most rows and connectors take.
const AROUND_BYTES: usize = 512;

impl Shape<'_> {
    /// The document, this much of it.
    pub(super) fn document(&self, document: &SchemaDocument) -> String {
        let shown = document.connectors.len().min(self.connectors);
        let all = document.connectors[..shown].iter().enumerate();
        let connectors: Vec<String> = all.map(|(at, connector)| self.connector(at, connector)).collect();
        let mut data = Object::with_capacity(connectors.iter().map(String::len).sum::<usize>() + AROUND_BYTES);
        data.text("object", "schema");
        data.text("detail", "compact");
        data.insert("bearer", &document.bearer);
        data.insert_list("connectors", connectors.iter().map(String::as_str));
        data.insert("connector_count", &document.connectors.len());
        data.insert("stream_count", &document.stream_count);
        if shown < document.connectors.len() {
            data.insert("connectors_omitted", &(document.connectors.len() - shown));
        }
        if self.streams.has_flags() {
            data.insert("legend", &BTreeMap::from(flags::LEGEND));
        }
        if let Some(args) = self.next(document) {
            data.insert("next", &schema(&args));
        }
        data.finish()
    }

    fn connector(&self, at: usize, connector: &Connector) -> String {
        let mut shown = Object::with_capacity(AROUND_BYTES);
        shown.text("connector_key", label(&connector.connector_key));
        shown.text("display_name", label(&connector.display_name));
        if matches!(self.streams, Streams::Fields(..)) && self.head != Head::Slim {
            shown.insert("source", &connector.source);
        }
        let most = self.connections.most();
        let listed: Vec<String> = connector.granted_connections.iter().take(most).map(|c| self.connection(c)).collect();
        shown.insert_list("granted_connections", listed.iter().map(String::as_str));
        if connector.granted_connections.len() > most {
            shown.insert("connection_count", &connector.granted_connections.len());
            if let Some(args) = self.listers.args(at, most) {
                shown.insert("connections_next", &schema(&args));
            }
        }
        let left_out = match self.streams {
            Streams::Fields(form, part) => {
                self.rows(&mut shown, connector, Some((form, part)));
                connector.streams.iter().any(|row| self.leaves_out(row))
            }
            Streams::Rows => {
                self.rows(&mut shown, connector, None);
                false
            }
            Streams::Names(most) => {
                let names = names(connector);
                shown.insert("stream_names", &names[..names.len().min(most)]);
                if names.len() > most {
                    shown.insert("stream_names_omitted", &(names.len() - most));
                }
                names.len() > most
            }
        };
        if left_out {
            self.lead_on(&mut shown, connector);
        }
        shown.finish()
    }

    fn lead_on(&self, shown: &mut Object, connector: &Connector) {
        if matches!(self.streams, Streams::Fields(..)) && self.is_led_on_once() {
            return;
        }
        match self.onward.args(connector) {
            Some(args) => shown.insert("next", &schema(&args)),
            None => shown.text("note", BY_NAME),
        }
        if matches!(self.streams, Streams::Fields(_, Part::Last(_)))
            && let Some(args) = a_record(connector)
        {
            shown.insert("read", &json!({ "tool": "query_records", "args": args }));
        }
    }

    fn connection(&self, connection: &GrantedConnection) -> String {
        if self.connections != Connections::Labelled {
            return text::json(&connection.connection_id);
        }
        let mut shown = Object::with_capacity(AROUND_BYTES);
        shown.text("connection_id", &connection.connection_id);
        shown.text("display_name", label(&connection.display_name));
        if matches!(self.streams, Streams::Fields(..)) {
            if let Some(grant_id) = &connection.grant_id {
                shown.text("grant_id", grant_id);
            }
            shown.insert("freshness", &connection.freshness);
        }
        shown.finish()
    }

    fn rows(&self, shown: &mut Object, connector: &Connector, fields: Option<(Form, Part)>) {
        let rows: Vec<String> = connector.streams.iter().map(|row| self.row(row, fields)).collect();
        shown.insert_list("streams", rows.iter().map(String::as_str));
    }

    fn row(&self, row: &StreamRow, fields: Option<(Form, Part)>) -> String {
        let mut shown = Object::with_capacity(AROUND_BYTES);
        shown.text("name", &row.name);
        if self.head != Head::Slim
            && let Some(description) = &row.description
        {
            shown.text("description", text::cut(description, MAX_DESCRIPTION_CHARS));
        }
        let most = self.connections.most();
        if !row.connection_ids.is_empty() {
            shown.insert("connection_ids", &row.connection_ids[..row.connection_ids.len().min(most)]);
        }
        if row.connection_ids.len() > most {
            shown.insert("connection_count", &row.connection_ids.len());
        }
        if let Some(record_count) = &row.record_count {
            shown.insert("record_count", record_count);
        }
        let Some((form, part)) = fields else { return shown.finish() };
        if self.head != Head::Slim {
            self.head(&mut shown, row);
        }
        let omitted = flags::count(row) - list_fields(&mut shown, row, form, part);
        if omitted > 0 {
            shown.insert("fields_omitted", &omitted);
        }
        shown.finish()
    }

    fn head(&self, shown: &mut Object, row: &StreamRow) {
        if row.last_updated.is_some() || row.record_count.is_some() {
            shown.insert("last_updated", &row.last_updated);
        }
        if let Some(semantics) = told(&row.semantics) {
            shown.text("semantics", semantics);
        }
        shown.insert("primary_key", self.head.of(&row.primary_key));
        shown.insert("cursor_field", &row.cursor_field);
        if !row.views.is_empty() {
            if self.head == Head::Whole {
                shown.insert("views", &row.views);
            } else {
                let named = self.head.of(&row.views).iter();
                let views: Vec<Value> = named.map(|v| json!({ "id": v.id, "field_count": v.fields.len() })).collect();
                shown.insert("views", &views);
            }
        }
        shown.insert("sort", self.head.of(&row.sort));
        shown.insert("count", self.head.of(&row.count));
        if let Some(projection) = &row.projection {
            shown.insert("projection", projection);
        }
        shown.insert("search_modes", self.head.of(&row.search_modes));
        shown.insert("expand_capabilities", self.head.of(&row.expand_capabilities));
        for (counted, all) in [
            ("view_count", row.views.len()),
            ("sort_count", row.sort.len()),
            ("expand_count", row.expand_capabilities.len()),
        ] {
            if all > self.head.most() {
                shown.insert(counted, &all);
            }
        }
    }
}

/// Adds the fields of a row; how many were listed.
fn list_fields(shown: &mut Object, row: &StreamRow, form: Form, part: Part) -> usize {
    if form == Form::Names {
        let names = flags::names(row);
        let listed = part.of(&names);
        shown.insert(if matches!(part, Part::Last(_)) { "last_field_names" } else { "field_names" }, listed);
        return listed.len();
    }
    let fields = flags::fields(row);
    let fields = part.of(&fields);
    let mut listed = Object::with_capacity(AROUND_BYTES);
    if form == Form::Each {
        for (name, flags) in fields {
            listed.insert(name, flags.as_ref());
        }
        shown.insert_json("fields", &listed.finish());
    } else {
        for (flags, names) in flags::groups(fields) {
            listed.insert(flags, &names);
        }
        shown.insert_json("fields_by_flags", &listed.finish());
    }
    fields.len()
}

fn schema(args: &Value) -> Value {
    json!({ "tool": "schema", "args": args })
}
