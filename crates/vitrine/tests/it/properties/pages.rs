//! Walking pages returns every record that was there throughout, once, whatever is written meanwhile.

use std::collections::BTreeMap;

use proptest::prelude::*;
use vitrine_contract::ReadApi;
use vitrine_contract::request::RecordsRequest;

use vitrine_engine::LocalRead;
use vitrine_store::Store;

use super::world::{Happening, Scope, World, happening, run, scope};
use super::{requests, world};

const IDS: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h", "i"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_walk_returns_each_record_once_under_writes(
        before in proptest::collection::vec(happening(IDS), 10..60),
        meanwhile in proptest::collection::vec(happening(IDS), 40),
        mut request in requests::page(),
        mut scope in scope(IDS),
    ) {
        // Without a filter and a window, a record that exists throughout matches throughout.
        request.filter = vitrine_contract::request::Filter::default();
        request.connection_id = None;
        (scope.since, scope.until) = (None, None);
        scope.fields = world::FIELDS.to_vec();
        run(check_walk(&before, &meanwhile, request, &scope, |reader| reader));
    }
}

/// Walks to the end while things happen, and accounts for every record that was there throughout.
pub(super) async fn check_walk<R: ReadApi>(
    before: &[Happening],
    meanwhile: &[Happening],
    mut request: RecordsRequest,
    scope: &Scope,
    double: impl FnOnce(LocalRead<Store>) -> R,
) {
    let world = World::new(1).await;
    for happening in before {
        world.happen(happening).await;
    }
    let reader = double(world.reader(world.caller(scope).await));
    let everything = RecordsRequest { stream: request.stream.clone(), limit: Some(100), ..RecordsRequest::default() };
    let mut throughout = ids(&world.reader(world.caller(scope).await), &everything).await;
    let mut seen: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut meanwhile = meanwhile.iter();
    loop {
        let page = reader.records(&request).await.unwrap();
        for record in &page.data {
            *seen.entry((record.connection_id.to_string(), record.id.clone())).or_default() += 1;
        }
        for happening in meanwhile.by_ref().take(4) {
            world.happen(happening).await;
            let key = (world::ACCOUNTS[happening.account()].to_owned(), happening.id().to_owned());
            if matches!(happening, Happening::Delete { .. }) && happening.stream() == request.stream {
                throughout.retain(|known| *known != key);
            }
        }
        match page.next_cursor {
            None => break,
            cursor => request.cursor = cursor,
        }
    }
    for (record, times) in &seen {
        assert_eq!(*times, 1, "{record:?} came {times} times");
    }
    for record in throughout {
        assert!(seen.contains_key(&record), "{record:?} was skipped");
    }
    world.check();
}

async fn ids(reader: &impl ReadApi, request: &RecordsRequest) -> Vec<(String, String)> {
    let page = reader.records(request).await.unwrap();
    page.data.iter().map(|record| (record.connection_id.to_string(), record.id.clone())).collect()
}
