//! Following the feed of changes keeps a copy equal to what the grant may see.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value};
use vitrine_contract::ReadApi;
use vitrine_contract::request::RecordsRequest;

use super::model::Model;
use super::world::{Scope, World, happening, run, scope};

const IDS: &[&str] = &["a", "b", "c", "d", "e"];

pub(super) type Copy = BTreeMap<(String, String), Map<String, Value>>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_follower_ends_with_what_the_grant_may_see(
        rounds in proptest::collection::vec((proptest::collection::vec(happening(IDS), 0..14), proptest::collection::vec(happening(IDS), 0..6)), 1..5),
        scope in scope(IDS),
        limit in 1u64..4,
    ) {
        run(async {
            let (world, mut model) = (World::new(1).await, Model::default());
            let reader = world.reader(world.caller(&scope).await);
            let mut copy = Copy::new();
            let mut bookmark = "beginning".to_owned();
            for (before, during) in &rounds {
                for happening in before {
                    world.happen(happening).await;
                    model.happen(happening);
                }
                let mut during = during.iter();
                bookmark = follow(&reader, &bookmark, limit, &mut copy, async || {
                    for happening in during.by_ref().take(1) {
                        world.happen(happening).await;
                        model.happen(happening);
                    }
                })
                .await;
            }
            follow(&reader, &bookmark, limit, &mut copy, async || {}).await;
            assert_eq!(copy, visible(&model, &scope));
            world.check();
        });
    }
}

/// One session: every page under one horizon, with something happening between pages.
pub(super) async fn follow(
    reader: &impl ReadApi,
    bookmark: &str,
    limit: u64,
    copy: &mut Copy,
    mut meanwhile: impl AsyncFnMut(),
) -> String {
    let mut request = RecordsRequest {
        stream: "items".into(),
        changes_since: Some(bookmark.to_owned()),
        limit: Some(limit),
        ..RecordsRequest::default()
    };
    loop {
        let page = reader.records(&request).await.unwrap();
        for record in &page.data {
            let key = (record.connection_id.to_string(), record.id.clone());
            match &record.data {
                Some(data) => copy.insert(key, data.to_map()),
                None => copy.remove(&key),
            };
        }
        meanwhile().await;
        match page.next_cursor {
            None => return page.next_changes_since.unwrap(),
            cursor => request.cursor = cursor,
        }
    }
}

pub(super) fn visible(model: &Model, scope: &Scope) -> Copy {
    model.visible(scope, "items").into_iter().map(|row| ((row.connection_id, row.id), row.data)).collect()
}
