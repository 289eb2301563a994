//! The same part of a schema document in prose.

use vitrine_contract::schema::{Connector, SchemaDocument, StreamRow};

use super::super::record::label;
use super::super::text::{Lines, call, cut, instant, literal, name, plural};
use super::onward::{BY_NAME, Listers, Onward, a_record};
use super::shape::{Connections, Form, Head, Part, Shape, Streams, names};
use super::{facts, flags};
use crate::ids::told;

pub(super) fn document(document: &SchemaDocument, shape: &Shape<'_>) -> String {
    let mut text = format!(
        "{}, {}\n",
        plural(document.connectors.len(), "connector"),
        plural(document.stream_count, "stream row")
    );
    if shape.streams.has_flags() {
        let legend: Vec<String> = flags::LEGEND.iter().map(|(flag, means)| format!("{flag} {means}")).collect();
        text.line(format_args!("legend: {}", legend.join("; ")));
    }
    if let Some(args) = shape.next(document) {
        let shows = match shape.onward {
            Onward::Streams | Onward::Nowhere => "fields, filters, sorts and aggregations",
            Onward::Fields => "all of one connection, this or another",
            Onward::Full => "more of it",
        };
        text.line(format_args!("next: {} for {shows}", call("schema", &args)));
    }
    for (at, shown) in document.connectors.iter().take(shape.connectors).enumerate() {
        text += &connector(at, shown, shape);
    }
    if document.connectors.len() > shape.connectors {
        text.line(format_args!(
            "{} more not listed",
            plural(document.connectors.len() - shape.connectors, "connector")
        ));
    }
    text
}

fn connector(at: usize, connector: &Connector, shape: &Shape<'_>) -> String {
    let mut text = format!(
        "connector_key {} {}\n",
        name(label(&connector.connector_key)),
        literal(label(&connector.display_name))
    );
    text += &connections(at, connector, shape);
    let left_out = match shape.streams {
        Streams::Fields(form, part) => {
            for row in &connector.streams {
                text += &full_row(row, shape, form, part);
            }
            !shape.is_led_on_once() && connector.streams.iter().any(|row| shape.leaves_out(row))
        }
        Streams::Rows => {
            for row in &connector.streams {
                text += &heading(row, shape);
            }
            false
        }
        Streams::Names(most) => {
            let names = names(connector);
            let listed = &names[..names.len().min(most)];
            if !listed.is_empty() {
                text.line(format_args!("  streams: {}", list(listed)));
            }
            if names.len() > most {
                text.line(format_args!("  {} more stream names not listed", names.len() - most));
            }
            names.len() > most
        }
    };
    if left_out {
        text += &led_on(connector, shape);
    }
    text
}

fn led_on(connector: &Connector, shape: &Shape<'_>) -> String {
    let mut text = String::new();
    let Some(args) = shape.onward.args(connector) else {
        text.line(format_args!("  {BY_NAME}"));
        return text;
    };
    if matches!(shape.streams, Streams::Fields(_, Part::Last(_))) {
        text.line(format_args!("  the first ones, as many as fit: {}", call("schema", &args)));
        if let Some(args) = a_record(connector) {
            text.line(format_args!("  what a record has of them: {}", call("query_records", &args)));
        }
    } else {
        text.line(format_args!("  next: {}", call("schema", &args)));
    }
    text
}

fn connections(at: usize, connector: &Connector, shape: &Shape<'_>) -> String {
    let all = &connector.granted_connections;
    let listed: Vec<String> = all
        .iter()
        .take(shape.connections.most())
        .map(|connection| match shape.connections {
            Connections::Labelled => {
                let fresh = match (&connection.freshness.captured_at, shape.streams) {
                    (Some(captured_at), Streams::Fields(..)) => format!(" (up to {})", instant(cut(captured_at, 40))),
                    _ => String::new(),
                };
                format!("{} {}{fresh}", name(&connection.connection_id), literal(label(&connection.display_name)))
            }
            Connections::Ids | Connections::Few(_) => name(&connection.connection_id).into_owned(),
        })
        .collect();
    let mut text = format!("  connection_id: {}", listed.join(", "));
    if all.len() > listed.len() {
        text += &more(all.len() - listed.len(), Some(all.len()));
        if let Some(args) = shape.listers.args(at, listed.len()) {
            let may = if matches!(shape.listers, Listers::Index) { "the index may list more" } else { "more of them" };
            text.extend(["; ", may, ": ", &call("schema", &args)]);
        }
    }
    text.push('\n');
    text
}

fn heading(row: &StreamRow, shape: &Shape<'_>) -> String {
    let about = row.description.as_deref().filter(|_| shape.head != Head::Slim);
    let about = about.map_or_else(String::new, |d| format!(" {}", literal(cut(d, 160))));
    let ids = &row.connection_ids[..row.connection_ids.len().min(shape.connections.most())];
    let others = more(row.connection_ids.len() - ids.len(), None);
    let of = if ids.is_empty() { String::new() } else { format!(" of {}{others}", list(ids)) };
    let records = |count| format!(" {}", plural(usize::try_from(count).unwrap_or(usize::MAX), "record"));
    format!("- stream {}{of}:{}{about}\n", name(&row.name), row.record_count.map_or_else(String::new, records))
}

/// A row with its fields, and all it can do unless it is slim.
fn full_row(row: &StreamRow, shape: &Shape<'_>, form: Form, part: Part) -> String {
    let mut text = heading(row, shape);
    if shape.head != Head::Slim {
        text += &abilities(row, shape.head);
    }
    let (line, listed) = fields(row, form, part);
    text += &line;
    if let Some(facts) = shape.facts {
        text += &facts::lines(row, facts);
    }
    let others = flags::count(row) - listed;
    if others > 0 {
        text.line(format_args!("  {others} more fields not listed"));
    }
    text
}

fn abilities(row: &StreamRow, head: Head) -> String {
    let mut text = String::new();
    text.line(format_args!(
        "  {}primary_key: {}; cursor_field: {}{}",
        told(&row.semantics).map_or_else(String::new, |semantics| format!("{}; ", name(semantics))),
        list(head.of(&row.primary_key)),
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
        "  sort: {}{}; count: {}; {}search modes: {}",
        list(head.of(&row.sort)),
        beyond(head, row.sort.len()),
        list(head.of(&row.count)),
        row.projection.map_or_else(String::new, yes),
        list(head.of(&row.search_modes)),
    ));
    let related = head.of(&row.expand_capabilities).iter().map(|e| {
        format!(
            "{} ({} {}, {} each unless asked for, at most {})",
            name(&e.name),
            name(&e.cardinality),
            name(&e.stream),
            e.default_limit,
            e.max_limit
        )
    });
    let related: Vec<String> = related.collect();
    text.line(format_args!(
        "  expand: {}{}; aggregate: count, and a= below",
        if related.is_empty() { "none".to_owned() } else { related.join(", ") },
        beyond(head, row.expand_capabilities.len()),
    ));
    if !row.views.is_empty() {
        let views = head.of(&row.views).iter().map(|view| match head {
            Head::Whole => format!("{} ({})", name(&view.id), list(&view.fields)),
            Head::Brief | Head::Slim => format!("{} ({})", name(&view.id), plural(view.fields.len(), "field")),
        });
        let views: Vec<String> = views.collect();
        text.line(format_args!("  views: {}{}", views.join("; "), beyond(head, row.views.len())));
    }
    text
}

/// The line of a row's fields; and how many it lists.
fn fields(row: &StreamRow, form: Form, part: Part) -> (String, usize) {
    let mut text = String::new();
    if form == Form::Names {
        let names = flags::names(row);
        let listed = part.of(&names);
        let which = if matches!(part, Part::Last(_)) { "the last fields" } else { "fields" };
        text.line(format_args!("  {which}, by name alone: {}", list(listed)));
        return (text, listed.len());
    }
    let fields = flags::fields(row);
    let fields = part.of(&fields);
    let shown: Vec<String> = match form {
        Form::Each => fields.iter().map(|(field, flags)| format!("{}[{}]", name(field), flags::shown(flags))).collect(),
        Form::ByFlags | Form::Names => {
            let groups = flags::groups(fields).into_iter();
            groups.map(|(flags, names)| format!("[{}] {}", flags::shown(flags), list(&names))).collect()
        }
    };
    if form == Form::Each {
        text.line(format_args!("  fields: {}", shown.join(", ")));
    } else {
        text.line(format_args!("  fields by flags: {}", shown.join("; ")));
    }
    (text, fields.len())
}

/// That a list goes on, where it does.
fn beyond(head: Head, all: usize) -> String {
    more(all.saturating_sub(head.most()), None)
}

fn more(others: usize, of: Option<usize>) -> String {
    match (others, of) {
        (0, _) => String::new(),
        (_, Some(all)) => format!(" and {others} more of {all}"),
        (_, None) => format!(" and {others} more"),
    }
}

/// Names, each quoted unless it is plainly one.
fn list(names: &[impl AsRef<str>]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<_> = names.iter().map(|shown| name(shown.as_ref())).collect();
    shown.join(", ")
}
