//! The schema document: an index when it is wide, every capability when it is narrow.

mod flags;
mod prose;
mod shape;

use serde_json::{Value, json};
use vitrine_contract::schema::{Connector, SchemaDocument};

use super::json::Object;
use super::{Frame, most_rows};
use crate::answer::Answer;
use crate::budget::Budget;
use shape::{Connections, Shape, Streams};

/// A grant of at most this much keeps to the ordinary budget of a channel.
const ORDINARY: (usize, usize, usize) = (50, 10, 200);
/// What stands around a document.
const AROUND_BYTES: usize = 256;
/// Connection ids listed where they cannot all be.
const FEW: usize = 12;

/// Compact discovery. As much as fits: every capability, else rows, else names.
pub(crate) fn index(document: &SchemaDocument, frame: Frame<'_>) -> Answer {
    let at = |shape: Shape, budget| render(document, shape, frame).with_budgets(budget, budget);
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

/// One stream of one connection, with each field's own schema. The text holds what the flags say.
pub(crate) fn full(document: &SchemaDocument, frame: Frame<'_>) -> Answer {
    let compact = stream(document, frame);
    let mut structured = Object::with_capacity(compact.structured.len());
    structured.insert("data", document);
    let whole = Answer::new(compact.text.clone(), frame.finish(structured)).with_budgets(Budget::CHANNEL, Budget::WIDE);
    if whole.fits() {
        return whole;
    }
    let most = most_fields(document);
    let at = |fields| {
        let narrowed = render(document, Shape::new(Streams::Fields(fields), Connections::Few(FEW)), frame);
        Answer::new(compact.text.clone(), narrowed.structured).with_budgets(Budget::CHANNEL, Budget::WIDE)
    };
    most_rows(most, at).1
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
