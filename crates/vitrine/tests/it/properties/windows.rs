//! Windows of any sizes, put together, are the field.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use vitrine_contract::request::FieldWindowRequest;
use vitrine_contract::{ErrorCode, ReadApi};

use super::world::{Happening, Scope, World, run};

/// Text of any script, short or far beyond what a record's row holds.
fn text() -> impl Strategy<Value = String> {
    (".{0,40}", 1usize..2_000).prop_map(|(unit, times)| unit.repeat(times))
}

pub(super) fn put(text: &Value) -> Happening {
    let data = Map::from_iter([
        ("id".to_owned(), json!("r")),
        ("text".to_owned(), text.clone()),
        ("tree".to_owned(), json!([text])),
    ]);
    Happening::Put { account: 0, stream: "items", data, emitted: 0 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn stitched_windows_give_back_the_field(text in text(), sizes in proptest::collection::vec(1u64..16_384, 1..6), json in any::<bool>()) {
        run(async {
            let world = World::new(1).await;
            world.happen(&put(&json!(text))).await;
            let reader = world.reader(world.caller(&all()).await);
            let (field, whole) = if json { ("tree", json!([text]).to_string()) } else { ("text", text.clone()) };
            check_stitching(&reader, field, &whole, &sizes).await;
        });
    }

    #[test]
    fn a_match_is_where_the_window_says(text in text(), at in 0usize..1_000, length in 1usize..20) {
        run(async {
            let world = World::new(1).await;
            world.happen(&put(&json!(text))).await;
            let reader = world.reader(world.caller(&all()).await);
            let needle: String = text.chars().skip(at).take(length).collect();
            let request = FieldWindowRequest {
                stream: "items".into(), id: "r".into(), field: Some("text".into()),
                q: Some(needle.clone()), before_chars: Some(3), after_chars: Some(5), ..FieldWindowRequest::default()
            };
            let answer = reader.field_window(&request).await;
            if needle.is_empty() {
                return assert_eq!(answer.unwrap_err().code, ErrorCode::InvalidWindow);
            }
            let window = answer.unwrap().window;
            let (start, end) = (window.match_start_chars.unwrap(), window.match_end_chars.unwrap());
            let slice = |from: u64, to: u64| -> String {
                text.chars().skip(usize::try_from(from).unwrap()).take(usize::try_from(to - from).unwrap()).collect()
            };
            assert_eq!(slice(start, end).to_lowercase(), needle.to_lowercase());
            assert_eq!(slice(window.start_chars, window.end_chars), window.text);
            assert!(start - window.start_chars <= 3 && window.end_chars - end <= 5);
            assert!(start <= at as u64);
        });
    }
}

/// Reads a field to its end in windows of these sizes.
pub(super) async fn check_stitching(reader: &impl ReadApi, field: &str, whole: &str, sizes: &[u64]) {
    let total = whole.chars().count() as u64;
    let mut request = FieldWindowRequest {
        stream: "items".into(),
        id: "r".into(),
        field: Some(field.into()),
        ..FieldWindowRequest::default()
    };
    let mut stitched = String::new();
    for turn in 0.. {
        request.limit_chars = Some(sizes[turn % sizes.len()]);
        let window = reader.field_window(&request).await.unwrap().window;
        assert_eq!(window.total_chars, total);
        assert_eq!(window.text.chars().count() as u64, window.end_chars - window.start_chars);
        assert_eq!(window.complete, window.start_chars == 0 && window.end_chars == total);
        stitched.push_str(&window.text);
        match window.next_offset_chars {
            None => break,
            next => request.offset_chars = next,
        }
    }
    assert_eq!(stitched, whole);
}

pub(super) fn all() -> Scope {
    Scope { accounts: vec![0], fields: vec!["text", "tree"], since: None, until: None, resources: None }
}
