//! Records, alone and in pages.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use vitrine_contract::record::Tag;
use vitrine_contract::request::{ReadRequest, RecordRequest, RecordsRequest};
use vitrine_contract::{Expanded, Fields, List, Record};

use super::members::{Members, is_object};
use super::{CONNECTION_ID, RECORD_ID, Read, list, unreadable};

const ROWS: &[&str] = &["data"];
/// Relations of relations are followed this far, so that no answer is deeper than the stack.
const LEVELS: u8 = 3;

/// What the request already says about the records it gets.
#[derive(Clone, Copy)]
struct Known<'a> {
    stream: &'a str,
    connection_id: Option<&'a str>,
    levels: u8,
}

/// A page of records, or of changes.
pub(in super::super) fn records(body: &str, asked: &ReadRequest, request: &RecordsRequest) -> Read<List<Record>> {
    let members = Members::of_answer(body)?.unwrapped(|members| members.array(ROWS).is_some());
    let Some(rows) = members.array(ROWS) else { return unreadable("a list without `data`") };
    let known = Known { stream: &request.stream, connection_id: request.connection_id.as_deref(), levels: LEVELS };
    let rows = list::rows(rows, |row| one(row, known))?;
    Ok(list::page(&members, asked, rows, list::meta(&members)))
}

/// One record.
pub(in super::super) fn record(body: &str, request: &RecordRequest) -> Read<Record> {
    let known = Known { stream: &request.stream, connection_id: request.connection_id.as_deref(), levels: LEVELS };
    // Alone, an `id` could be a field of the payload.
    let is_one =
        |members: &Members<'_>| members.id(RECORD_ID).is_some() && members.raw(&["data"]).is_some_and(is_object);
    read(&Members::of_answer(body)?.unwrapped(is_one), known)
}

fn one(json: &RawValue, known: Known<'_>) -> Read<Record> {
    Members::of(json).map_or_else(|| unreadable("a record that is not an object"), |members| read(&members, known))
}

fn read(members: &Members<'_>, known: Known<'_>) -> Read<Record> {
    let Some(id) = members.id(RECORD_ID) else { return unreadable("a record without `id`") };
    let stream = members.text(&["stream"]).unwrap_or_else(|| known.stream.to_owned());
    let connection_id =
        members.text(CONNECTION_ID).or_else(|| known.connection_id.map(str::to_owned)).unwrap_or_default();
    let expanded = match members.object(&["expanded"]).filter(|_| known.levels > 0) {
        Some(all) => expanded(&all, &connection_id, known.levels - 1)?,
        None => BTreeMap::new(),
    };
    Ok(Record {
        object: Tag::default(),
        id,
        connector_key: members.read(&["connector_key"]),
        display_name: members.read(&["display_name"]),
        data: members.raw(&["data"]).filter(|data| is_object(data)).and_then(fields),
        deleted: members.read(&["deleted"]).unwrap_or_default(),
        deleted_at: members.text(&["deleted_at"]),
        emitted_at: members.text(&["emitted_at"]).unwrap_or_default(),
        expanded,
        stream: stream.into(),
        connection_id: connection_id.into(),
        cut: Vec::new(),
    })
}

fn fields(data: &RawValue) -> Option<Fields> {
    Fields::from_json(data.get().to_owned()).ok()
}

fn expanded(all: &Members<'_>, connection_id: &str, levels: u8) -> Read<BTreeMap<String, Expanded>> {
    // A related record that does not name its stream is of the one the relationship is called after.
    let known = |name| Known { stream: name, connection_id: Some(connection_id), levels };
    all.iter().map(|(name, related)| Ok((name.to_owned(), relation(related, known(name))?))).collect()
}

/// A list of records, or for `has_one` a record or null.
fn relation(related: &RawValue, known: Known<'_>) -> Read<Expanded> {
    let Some(members) = Members::of(related) else { return Ok(Expanded::One(None)) };
    match members.array(ROWS) {
        Some(rows) => Ok(Expanded::Many {
            object: Tag::default(),
            has_more: members.read(&["has_more"]).unwrap_or_default(),
            data: list::rows(rows, |row| one(row, known))?,
        }),
        None => Ok(Expanded::One(Some(Box::new(read(&members, known)?)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str) -> Read<List<Record>> {
        let request = RecordsRequest { stream: "m".into(), connection_id: Some("c".into()), ..Default::default() };
        records(body, &ReadRequest::Records(request.clone()), &request)
    }

    #[test]
    fn a_payload_keeps_its_text() {
        let data = r#"{"n":18446744073709551617,"f":1.10,"e":1E5,"z":-0.0,"s":"\u00e9","o":{"b":1, "a":[ ]}}"#;
        let list = page(&format!(r#"{{"data":[{{"id":"1","data":{data}}}]}}"#)).unwrap();
        assert_eq!(list.data[0].data.as_ref().unwrap().json(), data);
    }

    #[test]
    fn every_spelling_of_an_identity_is_understood() {
        for row in [
            r#"{"id":"1","connector_instance_id":"x"}"#,
            r#"{"record_id":"1","connection_id":"x","connector_instance_id":"y"}"#,
            r#"{"record_key":1,"connection_id":null,"connector_instance_id":"x"}"#,
        ] {
            let list = page(&format!(r#"{{"data":[{row}]}}"#)).unwrap();
            assert_eq!((&*list.data[0].id, &*list.data[0].connection_id, &*list.data[0].stream), ("1", "x", "m"));
        }
        assert_eq!(&*page(r#"{"data":[{"id":"1"}]}"#).unwrap().data[0].connection_id, "c");
    }

    #[test]
    fn records_in_an_envelope_are_records() {
        let list = page(r#"{"data":{"data":[{"id":"1"}],"next_cursor":"c"}}"#).unwrap();
        assert_eq!((list.data.len(), list.next_cursor.as_deref()), (1, Some("c")));
        let wrapped = r#"{"data":{"id":"1","data":{"n":1.0}}}"#;
        let one = record(wrapped, &RecordRequest { stream: "m".into(), ..Default::default() }).unwrap();
        assert_eq!((one.id.as_str(), one.data.unwrap().json()), ("1", r#"{"n":1.0}"#));
        assert!(record(r#"{"data":{"id":"1","subject":"x"}}"#, &RecordRequest::default()).is_err());
    }

    #[test]
    fn related_records_are_read_alike() {
        let body = r#"{"id":"1","expanded":{
            "many":{"data":[{"record_id":"2","stream":"s","data":{"n":1.0}}]},"one":{"id":"3"},"none":null}}"#;
        let record = record(body, &RecordRequest { stream: "m".into(), ..Default::default() }).unwrap();
        let Some(Expanded::Many { data, has_more: false, .. }) = record.expanded.get("many") else { panic!() };
        assert_eq!((&*data[0].id, data[0].data.as_ref().unwrap().json()), ("2", r#"{"n":1.0}"#));
        let Some(Expanded::One(Some(one))) = record.expanded.get("one") else { panic!() };
        assert_eq!((&*one.id, &*one.stream), ("3", "one"));
        assert_eq!(record.expanded.get("none"), Some(&Expanded::One(None)));
    }

    #[test]
    fn relations_without_end_are_left_at_some_point() {
        let body = format!("{}null{}", r#"{"id":"1","expanded":{"r":"#.repeat(100_000), "}}".repeat(100_000));
        let mut record = record(&body, &RecordRequest::default()).unwrap();
        for _ in 0..LEVELS {
            let Some(Expanded::One(Some(inner))) = record.expanded.remove("r") else { panic!() };
            record = *inner;
        }
        assert!(record.expanded.is_empty());
    }

    #[test]
    fn a_row_that_cannot_be_named_spoils_the_page() {
        for body in [r#"{"data":[{}]}"#, r#"{"data":[7]}"#, r#"{"data":{}}"#, "{}"] {
            assert!(page(body).is_err(), "{body}");
        }
        assert_eq!(page(r#"{"data":[{"id":"1","data":"text"}]}"#).unwrap().data[0].data, None);
    }
}
