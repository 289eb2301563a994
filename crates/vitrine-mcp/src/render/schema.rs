//! The schema document: an index when it is wide, every capability when it is narrow.

mod facts;
mod flags;
mod prose;
mod shape;

use serde_json::{Value, json};
use vitrine_contract::schema::{Connector, SchemaDocument};

use super::json::Object;
use super::{Frame, most_rows};
use crate::answer::Answer;
use crate::budget::Budget;
use facts::Facts;
use shape::{Connections, Shape, Streams};

/// A grant of at most this much keeps to the ordinary budget of a channel.
const ORDINARY: (usize, usize, usize) = (50, 10, 200);
/// What stands around a document.
const AROUND_BYTES: usize = 256;
/// Connection ids listed where they cannot all be.
const FEW: usize = 12;

/// Compact discovery, of everything or of one connection. As much as fits: every capability, else rows, else names.
pub(crate) fn index(document: &SchemaDocument, of_connection: bool, frame: Frame<'_>) -> Answer {
    let at = |shape: Shape, budget| {
        render(document, Shape { last: of_connection, ..shape }, frame).with_budgets(budget, budget)
    };
    let narrow = [
        Shape::new(Streams::Fields(usize::MAX), Connections::Labelled),
        Shape::new(Streams::Rows, Connections::Labelled),
        Shape::new(Streams::Names(usize::MAX), Connections::Labelled),
        Shape::new(Streams::Names(usize::MAX), Connections::Ids),
    ];
    let few = Shape::new(Streams::Names(usize::MAX), Connections::Few(FEW));
    let ordinary = is_ordinary(document).then_some((few, Budget::CHANNEL));
    let wide = [narrow[2], narrow[3], few, Shape::new(Streams::Names(usize::MAX), Connections::Few(1))];
    let attempts = narrow.map(|shape| (shape, Budget::CHANNEL)).into_iter().chain(ordinary);
    for (shape, budget) in attempts.chain(wide.map(|shape| (shape, Budget::WIDE))) {
        let answer = at(shape, budget);
        if answer.fits() {
            return answer;
        }
    }
    // Not even the names fit: as many of each connector as do, and the others counted.
    let longest = document.connectors.iter().map(|connector| shape::names(connector).len()).max().unwrap_or(0);
    let (listed, answer) =
        most_rows(longest, |names| at(Shape::new(Streams::Names(names), Connections::Few(1)), Budget::WIDE));
    if listed > 0 {
        return answer;
    }
    let bare = Shape::new(Streams::Names(0), Connections::Few(1));
    most_rows(document.connectors.len(), |connectors| at(Shape { connectors, ..bare }, Budget::WIDE)).1
}

/// One stream, with what each of its fields can do.
pub(crate) fn stream(document: &SchemaDocument, frame: Frame<'_>) -> Answer {
    let at = |shape| render(document, shape, frame);
    for connections in [Connections::Labelled, Connections::Ids, Connections::Few(FEW)] {
        let answer = at(Shape::new(Streams::Fields(usize::MAX), connections));
        if answer.fits() {
            return answer;
        }
    }
    let most = most_fields(document);
    let (fields, answer) = most_rows(most, |fields| at(Shape::new(Streams::Fields(fields), Connections::Few(FEW))));
    if fields > 0 {
        return answer;
    }
    // The same name in very many sources: which they are, to choose one.
    let bare = Shape::new(Streams::Names(1), Connections::Few(1));
    most_rows(document.connectors.len(), |connectors| at(Shape { connectors, ..bare })).1
}

/// One stream of one connection, with each field's own schema. The text holds what the flags say, and the values that
/// fields take.
pub(crate) fn full(document: &SchemaDocument, frame: Frame<'_>) -> Answer {
    let text = full_text(document);
    let mut structured = Object::with_capacity(text.len());
    structured.insert("data", document);
    let whole = Answer::new(text.clone(), frame.finish(structured)).with_budgets(Budget::CHANNEL, Budget::WIDE);
    if whole.fits() {
        return whole;
    }
    let at = |fields| {
        let shape = Shape { last: true, ..Shape::new(Streams::Fields(fields), Connections::Few(FEW)) };
        Answer::new(text.clone(), render(document, shape, frame).structured).with_budgets(Budget::CHANNEL, Budget::WIDE)
    };
    most_rows(most_fields(document), at).1
}

/// As much as fits: all facts, else fewer, else some of the fields by name alone.
fn full_text(document: &SchemaDocument) -> String {
    let all = Shape { last: true, ..Shape::new(Streams::Fields(usize::MAX), Connections::Labelled) };
    for facts in [Some(Facts::All), Some(Facts::Values), None] {
        let text = prose::document(document, Shape { facts, ..all });
        if Budget::CHANNEL.holds_text(&text) {
            return text;
        }
    }
    let few = Shape { connections: Connections::Few(FEW), ..all };
    let at = |fields, by_name| {
        Answer::new(prose::document(document, Shape { streams: fields, by_name, ..few }), String::new())
    };
    let most = most_fields(document);
    let (_, named) = most_rows(most, |fields| at(Streams::Fields(fields), usize::MAX));
    if named.fits() {
        return named.text;
    }
    most_rows(most, |names| at(Streams::Fields(0), names)).1.text
}

fn render(document: &SchemaDocument, shape: Shape, frame: Frame<'_>) -> Answer {
    let data = shape.document(document);
    let mut structured = Object::with_capacity(data.len() + AROUND_BYTES);
    structured.insert_json("data", &data);
    Answer::new(prose::document(document, shape), frame.finish(structured))
}

fn is_ordinary(document: &SchemaDocument) -> bool {
    let connections: usize = document.connectors.iter().map(|connector| connector.granted_connections.len()).sum();
    let names: usize = document.connectors.iter().map(|connector| shape::names(connector).len()).sum();
    connections <= ORDINARY.0 && document.connectors.len() <= ORDINARY.1 && names <= ORDINARY.2
}

fn most_fields(document: &SchemaDocument) -> usize {
    let rows = document.connectors.iter().flat_map(|connector| &connector.streams);
    rows.map(|row| row.fields.len().max(row.field_capabilities.len())).max().unwrap_or(0)
}

/// What to say where no call shows more.
const BY_NAME: &str = "What is not listed can be asked for by name all the same.";

/// The call that shows what this connector's part leaves out.
fn narrower(connector: &Connector, streams: Streams) -> Option<Value> {
    let connection_id = &connector.granted_connections.first()?.connection_id;
    match streams {
        Streams::Fields(_) => {
            let stream = &connector.streams.first()?.name;
            Some(json!({ "stream": stream, "connection_id": connection_id, "detail": "full" }))
        }
        Streams::Rows | Streams::Names(_) => Some(json!({ "connection_id": connection_id })),
    }
}
