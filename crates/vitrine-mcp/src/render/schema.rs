//! The schema document: an index when it is wide, every capability when it is narrow.

mod facts;
mod fit;
mod flags;
mod onward;
mod prose;
mod shape;
mod structured;

use vitrine_contract::schema::{SchemaDocument, StreamRow};

use super::Frame;
use super::json::Object;
use crate::answer::Answer;
use crate::budget::Budget;
use facts::Facts;
use fit::most;
use onward::{Listers, Onward, listing_streams, sure_ids};
use shape::{Connections, Form, Head, Part, Shape, Streams};

/// A grant of at most this much keeps to the ordinary budget of a channel.
const ORDINARY: (usize, usize, usize) = (50, 10, 200);
/// What stands around a document.
const AROUND_BYTES: usize = 256;
/// Connection ids listed where they cannot all be, unless there is room for more.
const FEW: usize = 12;
/// Fields of each row below which what is told around them gives way.
const LEAST_FIELDS: usize = 8;

/// Compact discovery, of everything or of one connection. As much as fits: every capability, else rows, else names.
pub(crate) fn index(document: &SchemaDocument, of_connection: bool, frame: Frame<'_>) -> Answer {
    let onward = if of_connection { Onward::Nowhere } else { Onward::from_index(document) };
    let at = |shape: Shape<'_>, budget| render(document, &shape, frame).with_budgets(budget, budget);
    let shape = |streams, connections| Shape::new(streams, connections, onward);
    let names = Streams::Names(usize::MAX);
    let narrow = [
        (Streams::FIELDS, Connections::Labelled, Budget::CHANNEL),
        (Streams::Rows, Connections::Labelled, Budget::CHANNEL),
        (names, Connections::Labelled, Budget::CHANNEL),
        (names, Connections::Ids, Budget::CHANNEL),
    ];
    let wide = [(names, Connections::Labelled, Budget::WIDE), (names, Connections::Ids, Budget::WIDE)];
    let may_show_fields = Budget::CHANNEL.room(0).take(field_chars(document));
    let narrow = narrow.into_iter().skip(usize::from(!may_show_fields));
    for (streams, connections, budget) in narrow {
        let answer = at(shape(streams, connections), budget);
        if answer.fits() {
            return answer;
        }
    }
    let listing = listing_streams(document);
    let few = |ids| Shape { listers: Listers::Streams(&listing), ..shape(names, Connections::Few(ids)) };
    if is_ordinary(document) && at(few(FEW), Budget::CHANNEL).fits() {
        return most(most_ids(document), |ids| at(few(ids), Budget::CHANNEL)).1;
    }
    for (streams, connections, budget) in wide {
        let answer = at(shape(streams, connections), budget);
        if answer.fits() {
            return answer;
        }
    }
    let (ids, answer) = most(most_ids(document), |ids| at(few(ids), Budget::WIDE));
    if ids > 0 {
        return answer;
    }
    // Not even the names fit: as many of each connector as do, and the others counted.
    let longest = document.connectors.iter().map(|connector| shape::names(connector).len()).max().unwrap_or(0);
    let bare = |names| Shape { streams: Streams::Names(names), ..few(1) };
    let (listed, answer) = most(longest, |names| at(bare(names), Budget::WIDE));
    if listed > 0 {
        return answer;
    }
    most(document.connectors.len(), |connectors| at(Shape { connectors, ..bare(0) }, Budget::WIDE)).1
}

/// One stream, with what each of its fields can do. Labels give way first, then the fields of views, then fields.
pub(crate) fn stream(document: &SchemaDocument, of_connection: bool, frame: Frame<'_>) -> Answer {
    let at = |shape: Shape<'_>| render(document, &shape, frame);
    let is_one = rows(document).count() == 1;
    let onward = if of_connection || is_one { Onward::Full } else { Onward::Fields };
    let whole = Shape::new(Streams::FIELDS, Connections::Labelled, onward);
    let listers = if of_connection { Listers::Nowhere } else { Listers::Index };
    let few = Shape { connections: Connections::Few(sure_ids(document, None)), listers, ..whole };
    let brief = Shape { head: Head::Brief, ..few };
    if Budget::CHANNEL.room(0).take(field_chars(document)) {
        for shape in [whole, Shape { connections: Connections::Ids, ..whole }, few, brief] {
            let answer = at(shape);
            if answer.fits() {
                return more_ids(document, shape, answer, at);
            }
        }
    }
    let form = if is_one { Form::ByFlags } else { Form::Each };
    let first = |shape: Shape<'static>, fields| at(shape.with_fields(form, Part::First(fields)));
    let slim = Shape { head: Head::Slim, ..brief };
    let shape = if first(brief, LEAST_FIELDS).fits() { brief } else { slim };
    let (fields, answer) = most(most_fields(document), |fields| first(shape, fields));
    if fields > 0 || is_one {
        return answer;
    }
    // The same name in very many sources: which they are, to choose one.
    let bare = Shape { streams: Streams::Names(1), connections: Connections::Few(1), ..slim };
    let (connectors, answer) = most(document.connectors.len(), |connectors| at(Shape { connectors, ..bare }));
    if connectors < document.connectors.len() { answer } else { more_ids(document, bare, answer, at) }
}

/// The same with the connections that there still is room for.
fn more_ids<'a>(
    document: &SchemaDocument,
    shape: Shape<'a>,
    answer: Answer,
    at: impl Fn(Shape<'a>) -> Answer,
) -> Answer {
    let all = most_ids(document);
    if shape.connections.most() >= all {
        return answer;
    }
    let (ids, more) = most(all, |ids| at(Shape { connections: Connections::Few(ids), ..shape }));
    if ids > shape.connections.most() { more } else { answer }
}

/// One stream of one connection, with each field's own schema. The text holds what the flags say, and the values that
/// fields take.
pub(crate) fn full(document: &SchemaDocument, frame: Frame<'_>) -> Answer {
    let text = full_text(document);
    let mut structured = Object::with_capacity(text.len());
    structured.insert("data", document);
    let whole = frame.finish(structured);
    let structured = if Budget::WIDE.holds_text(&whole) {
        whole
    } else {
        let at = |shape: Shape<'_>| Answer::new(String::new(), render_structured(document, &shape, frame));
        listed_compactly(document, |shape| at(shape).with_budgets(Budget::CHANNEL, Budget::WIDE)).structured
    };
    Answer::new(text, structured).with_budgets(Budget::CHANNEL, Budget::WIDE)
}

/// As much as fits: all facts, else fewer, else none.
fn full_text(document: &SchemaDocument) -> String {
    let at = |shape: Shape<'_>| Answer::new(prose::document(document, &shape), String::new());
    if Budget::CHANNEL.room(0).take(field_chars(document)) {
        let whole = Shape::new(Streams::FIELDS, Connections::Labelled, Onward::Fields);
        for facts in [Facts::All, Facts::Values] {
            for head in [Head::Whole, Head::Brief] {
                let answer = at(Shape { facts: Some(facts), head, ..whole });
                if answer.fits() {
                    return answer.text;
                }
            }
        }
    }
    listed_compactly(document, at).text
}

/// The fields with their flags, each or together, else by name alone; else the names of the last, since a compact
/// schema has those of the first.
fn listed_compactly(document: &SchemaDocument, at: impl Fn(Shape<'static>) -> Answer) -> Answer {
    let whole = Shape::new(Streams::FIELDS, Connections::Labelled, Onward::Fields);
    let brief = Shape { head: Head::Brief, ..whole };
    for shape in [whole, brief, brief.with_fields(Form::ByFlags, Part::ALL), brief.with_fields(Form::Names, Part::ALL)]
    {
        let answer = at(shape);
        if answer.fits() {
            return answer;
        }
    }
    let last = |shape: Shape<'static>, fields| at(shape.with_fields(Form::Names, Part::Last(fields)));
    let shape = if last(brief, 0).fits() { brief } else { Shape { head: Head::Slim, ..brief } };
    most(most_fields(document), |fields| last(shape, fields)).1
}

fn render(document: &SchemaDocument, shape: &Shape<'_>, frame: Frame<'_>) -> Answer {
    Answer::new(prose::document(document, shape), render_structured(document, shape, frame))
}

fn render_structured(document: &SchemaDocument, shape: &Shape<'_>, frame: Frame<'_>) -> String {
    let data = shape.document(document);
    let mut structured = Object::with_capacity(data.len() + AROUND_BYTES);
    structured.insert_json("data", &data);
    frame.finish(structured)
}

fn is_ordinary(document: &SchemaDocument) -> bool {
    let connections: usize = document.connectors.iter().map(|connector| connector.granted_connections.len()).sum();
    let names: usize = document.connectors.iter().map(|connector| shape::names(connector).len()).sum();
    connections <= ORDINARY.0 && document.connectors.len() <= ORDINARY.1 && names <= ORDINARY.2
}

fn rows(document: &SchemaDocument) -> impl Iterator<Item = &StreamRow> {
    document.connectors.iter().flat_map(|connector| &connector.streams)
}

fn most_fields(document: &SchemaDocument) -> usize {
    rows(document).map(flags::count).max().unwrap_or(0)
}

fn most_ids(document: &SchemaDocument) -> usize {
    document.connectors.iter().map(|connector| connector.granted_connections.len()).max().unwrap_or(0)
}

/// What the names of all fields take, at least.
fn field_chars(document: &SchemaDocument) -> usize {
    rows(document).flat_map(flags::names).map(|name| name.chars().count()).sum()
}
