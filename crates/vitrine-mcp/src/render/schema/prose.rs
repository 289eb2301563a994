//! The same part of a schema document in prose.

use vitrine_contract::schema::{Connector, SchemaDocument, StreamRow};

use super::super::record::label;
use super::super::text::{Lines, call, cut, instant, literal, name, plural};
use super::shape::{Connections, Shape, Streams, names};
use super::{BY_NAME, facts, flags, narrower};
use crate::ids::told;

pub(super) fn document(document: &SchemaDocument, shape: Shape) -> String {
    let mut text = format!(
        "{}, {}\n",
        plural(document.connectors.len(), "connector"),
        plural(document.stream_count, "stream row")
    );
    if matches!(shape.streams, Streams::Fields(_)) {
        let legend: Vec<String> = flags::LEGEND.iter().map(|(flag, means)| format!("{flag} {means}")).collect();
        text.line(format_args!("legend: {}", legend.join("; ")));
    } else {
        text += "next: schema({\"stream\":\"<name>\"}) for fields, filters, sorts and aggregations\n";
    }
    for shown in document.connectors.iter().take(shape.connectors) {
        text += &connector(shown, shape);
    }
    if document.connectors.len() > shape.connectors {
        text.line(format_args!(
            "{} more not listed",
            plural(document.connectors.len() - shape.connectors, "connector")
        ));
    }
    text
}

fn connector(connector: &Connector, shape: Shape) -> String {
    let mut text = format!(
        "connector_key {} {}\n",
        name(label(&connector.connector_key)),
        literal(label(&connector.display_name))
    );
    text += &connections(connector, shape);
    let mut left_out = false;
    match shape.streams {
        Streams::Fields(most) => {
            for row in &connector.streams {
                let (lines, cut) = full_row(row, shape, most);
                left_out |= cut;
                text += &lines;
            }
        }
        Streams::Rows => {
            for row in &connector.streams {
                text += &heading(row, shape);
            }
        }
        Streams::Names(most) => {
            let names = names(connector);
            let listed = &names[..names.len().min(most)];
            if !listed.is_empty() {
                text.line(format_args!("  streams: {}", list(listed)));
            }
            if names.len() > most {
                left_out = true;
                text.line(format_args!("  {} more stream names not listed", names.len() - most));
            }
        }
    }
    if left_out && shape.last {
        text.line(format_args!("  {BY_NAME}"));
    } else if left_out && let Some(args) = narrower(connector, shape.streams) {
        text.line(format_args!("  next: {}", call("schema", &args)));
    }
    text
}

fn connections(connector: &Connector, shape: Shape) -> String {
    let all = &connector.granted_connections;
    let listed: Vec<String> = all
        .iter()
        .take(shape.connections.most())
        .map(|connection| match shape.connections {
            Connections::Labelled => {
                let fresh = match (&connection.freshness.captured_at, shape.streams) {
                    (Some(captured_at), Streams::Fields(_)) => format!(" (up to {})", instant(cut(captured_at, 40))),
                    _ => String::new(),
                };
                format!("{} {}{fresh}", name(&connection.connection_id), literal(label(&connection.display_name)))
            }
            Connections::Ids | Connections::Few(_) => name(&connection.connection_id).into_owned(),
        })
        .collect();
    let more = all.len().saturating_sub(listed.len());
    let more = if more > 0 { format!(" and {more} more of {}", all.len()) } else { String::new() };
    format!("  connection_id: {}{more}\n", listed.join(", "))
}

fn heading(row: &StreamRow, shape: Shape) -> String {
    let about = row.description.as_deref().map_or_else(String::new, |d| format!(" {}", literal(cut(d, 160))));
    let most = shape.connections.most();
    let ids = &row.connection_ids[..row.connection_ids.len().min(most)];
    let more = row.connection_ids.len() - ids.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let of = if ids.is_empty() { String::new() } else { format!(" of {}{more}", list(ids)) };
    let records = |count| format!(" {}", plural(usize::try_from(count).unwrap_or(usize::MAX), "record"));
    format!("- stream {}{of}:{}{about}\n", name(&row.name), row.record_count.map_or_else(String::new, records))
}

/// A row with all it can do; and whether fields were left out.
fn full_row(row: &StreamRow, shape: Shape, most: usize) -> (String, bool) {
    let mut text = heading(row, shape);
    text.line(format_args!(
        "  {}primary_key: {}; cursor_field: {}{}",
        told(&row.semantics).map_or_else(String::new, |semantics| format!("{}; ", name(semantics))),
        list(&row.primary_key),
        name(row.cursor_field.as_deref().unwrap_or("none")),
        // Whoever counts records knows that there was none.
        row.last_updated
            .as_deref()
            .map(instant)
            .or(row.record_count.map(|_| "never".into()))
            .map_or_else(String::new, |at| format!("; last_updated: {at}")),
    ));
    let yes = |yes| format!("projection with fields: {}; ", if yes { "yes" } else { "no" });
    text.line(format_args!(
        "  sort: {}; count: {}; {}search modes: {}",
        list(&row.sort),
        list(&row.count),
        row.projection.map_or_else(String::new, yes),
        list(&row.search_modes),
    ));
    let related: Vec<String> = row
        .expand_capabilities
        .iter()
        .map(|e| {
            format!(
                "{} ({} {}, {} each unless asked for, at most {})",
                name(&e.name),
                name(&e.cardinality),
                name(&e.stream),
                e.default_limit,
                e.max_limit
            )
        })
        .collect();
    text.line(format_args!(
        "  expand: {}; aggregate: count, and a= below",
        if related.is_empty() { "none".to_owned() } else { related.join(", ") }
    ));
    if !row.views.is_empty() {
        let views: Vec<String> = row.views.iter().map(|v| format!("{} ({})", name(&v.id), list(&v.fields))).collect();
        text.line(format_args!("  views: {}", views.join("; ")));
    }
    let fields = flags::fields(row);
    let listed: Vec<String> =
        fields.iter().take(most).map(|(field, flags)| format!("{}[{}]", name(field), flags::shown(flags))).collect();
    text.line(format_args!("  fields: {}", listed.join(", ")));
    let rest = &fields[listed.len()..];
    let by_name: Vec<&str> = rest.iter().take(shape.by_name).map(|(field, _)| *field).collect();
    if !by_name.is_empty() {
        text.line(format_args!("  more fields, by name alone: {}", list(&by_name)));
    }
    if let Some(facts) = shape.facts {
        text += &facts::lines(row, facts);
    }
    let more = rest.len() - by_name.len();
    if more > 0 {
        text.line(format_args!("  {more} more fields not listed"));
    }
    (text, more > 0)
}

/// Names, each quoted unless it is plainly one.
fn list(names: &[impl AsRef<str>]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<_> = names.iter().map(|shown| name(shown.as_ref())).collect();
    shown.join(", ")
}
