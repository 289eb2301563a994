//! A search finds exactly what a plain look through every visible text finds, proves it, and is
//! walked without gaps.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use vitrine_contract::ReadApi;
use vitrine_contract::record::SearchList;
use vitrine_contract::request::SearchRequest;
use vitrine_engine::LocalRead;
use vitrine_engine::words::{Query, Unit, each_word};
use vitrine_store::Store;

use super::model::Model;
use super::world::{self, Happening, Scope, World, happening, run, scope};

const IDS: &[&str] = &["a", "b", "c", "d", "e", "f"];
const WORDS: &[&str] = &[
    "meeting",
    "Meets",
    "meet",
    "café",
    "Cafe",
    "report",
    "annual",
    "re-port",
    "東京都",
    "x",
    "🙂",
    "the",
    "anne's",
    "द\u{93f}न",
    "か\u{3099}く",
    "re\u{ad}port",
];
/// The lexical fields of the generated stores.
const LEXICAL: &[&str] = &["kind", "text", "secret"];

fn sentence() -> impl Strategy<Value = String> {
    let short = proptest::collection::vec(proptest::sample::select(WORDS), 0..9).prop_map(|words| words.join(" "));
    let long = (proptest::sample::select(WORDS), 0usize..1_900, proptest::sample::select(WORDS)).prop_map(
        |(word, at, filler)| {
            let mut words = vec![filler; 1_900];
            words[at] = word;
            words.join(" , ")
        },
    );
    prop_oneof![7 => short, 1 => long]
}

/// Things that happen to records with words worth finding.
pub(super) fn spoken() -> impl Strategy<Value = Happening> {
    (happening(IDS), sentence(), sentence()).prop_map(|(mut happening, text, secret)| {
        if let Happening::Put { data, .. } = &mut happening {
            data.insert("text".into(), json!(text));
            data.insert("secret".into(), json!(secret));
        }
        happening
    })
}

fn query() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(
        &[
            "meeting",
            "cafe",
            "report",
            "annual",
            "the",
            "東京",
            "京",
            "x",
            "दान",
            "がく",
            "zebra",
            "ann*",
            "me*",
            "-the",
            "-meet",
        ][..],
    );
    let phrase = proptest::sample::select(
        &[
            "\"annual report\"",
            "\"meet the\"",
            "-\"x the\"",
            "re-port",
            "\"the",
            "annual/cafe",
            "annual-meet",
            "東京東",
        ][..],
    );
    let part = prop_oneof![4 => word, 1 => phrase];
    proptest::collection::vec(part, 1..4).prop_map(|parts| parts.join(" "))
}

type Key = (String, String, String);

/// The visible lexical texts of every visible record.
fn texts(model: &Model, scope: &Scope) -> BTreeMap<Key, Map<String, Value>> {
    let mut texts = BTreeMap::new();
    for stream in ["items", "notes"] {
        for seen in model.visible(scope, stream) {
            let mut data = seen.data;
            data.retain(|field, value| LEXICAL.contains(&field.as_str()) && value.is_string());
            texts.insert((seen.connection_id, stream.to_owned(), seen.id), data);
        }
    }
    texts
}

fn has(data: &Map<String, Value>, unit: &Unit) -> bool {
    data.values().any(|text| {
        let mut words = Vec::new();
        each_word(text.as_str().unwrap(), |word| {
            words.push(word.term.to_owned());
            true
        });
        words.windows(unit.0.len()).any(|row| row.iter().zip(&unit.0).all(|(word, sought)| sought.is_met_by(word)))
    })
}

/// What a plain look finds, and whether any wanted thing was enough.
fn expected(texts: &BTreeMap<Key, Map<String, Value>>, query: &Query) -> (BTreeSet<Key>, bool) {
    let allowed = texts.iter().filter(|(_, data)| !query.excluded.iter().any(|unit| has(data, unit)));
    let allowed: Vec<_> = allowed.collect();
    let keys = |enough: &dyn Fn(&Map<String, Value>) -> bool| -> BTreeSet<Key> {
        allowed.iter().filter(|(_, data)| enough(data)).map(|(key, _)| (*key).clone()).collect()
    };
    let (strict, relaxed) = (&query.strict.units, &query.relaxed.units);
    if strict.is_empty() {
        return (BTreeSet::new(), false);
    }
    let all = keys(&|data| strict.iter().all(|unit| has(data, unit)));
    if !all.is_empty() || !query.can_be_relaxed() {
        return (all, false);
    }
    (keys(&|data| relaxed.iter().any(|unit| has(data, unit))), true)
}

/// Walks a search to its end, calling `between` after each page.
async fn walk<R: ReadApi>(reader: &R, q: &str, limit: u64, mut between: impl AsyncFnMut()) -> Vec<SearchList> {
    let mut request = SearchRequest { q: q.to_owned(), limit: Some(limit), ..SearchRequest::default() };
    let mut pages = Vec::new();
    loop {
        let page = reader.search(&request).await.unwrap();
        request.cursor.clone_from(&page.next_cursor);
        pages.push(page);
        if request.cursor.is_none() {
            return pages;
        }
        between().await;
    }
}

fn keys(pages: &[SearchList]) -> Vec<Key> {
    let hits = pages.iter().flat_map(|page| &page.data);
    hits.map(|hit| (hit.connection_id.clone(), hit.stream.clone(), hit.record_key.clone())).collect()
}

/// Every window is a true piece of its field, and the match in it is one.
fn check_windows(pages: &[SearchList], texts: &BTreeMap<Key, Map<String, Value>>, wanted: &[Unit]) {
    for hit in pages.iter().flat_map(|page| &page.data) {
        let data = &texts[&(hit.connection_id.clone(), hit.stream.clone(), hit.record_key.clone())];
        let with_match: Vec<&str> = LEXICAL
            .iter()
            .copied()
            .filter(|field| {
                let alone: Map<String, Value> =
                    data.get(*field).map(|v| ((*field).into(), v.clone())).into_iter().collect();
                wanted.iter().any(|unit| has(&alone, unit))
            })
            .collect();
        assert_eq!(hit.matched_fields, with_match);
        assert!((1..=3).contains(&hit.match_windows.len()));
        for window in &hit.match_windows {
            let text = data[&window.field_path].as_str().unwrap();
            let cut = |from: u64, to: u64| {
                (0..).zip(text.chars()).filter(|(at, _)| (from..to).contains(at)).map(|(_, c)| c).collect::<String>()
            };
            assert_eq!(window.text, cut(window.start_chars, window.end_chars));
            assert!(window.text.chars().count() <= 320);
            assert_eq!(window.total_chars, text.chars().count() as u64);
            assert!(window.start_chars <= window.match_start_chars && window.match_end_chars <= window.end_chars);
            let found = cut(window.match_start_chars, window.match_end_chars);
            let found = Map::from_iter([("text".to_owned(), json!(found))]);
            assert!(wanted.iter().any(|unit| has(&found, unit)), "{found:?} is no match");
        }
    }
}

pub(super) async fn check<R: ReadApi>(
    happenings: &[Happening],
    scope: &Scope,
    q: &str,
    limit: u64,
    double: impl FnOnce(LocalRead<Store>) -> R,
) {
    let (world, mut model) = (World::new(1).await, Model::default());
    for happening in happenings {
        world.happen(happening).await;
        model.happen(happening);
    }
    let query = Query::parse(q);
    let texts = texts(&model, scope);
    let (expected, relaxed) = expected(&texts, &query);
    let reader = double(world.reader(world.caller(scope).await));
    let pages = walk(&reader, q, limit, async || {}).await;
    let found = keys(&pages);
    assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), expected, "{q}");
    assert_eq!(found.len(), expected.len(), "found twice");
    for page in &pages {
        assert_eq!(page.meta.count, Some(expected.len() as u64));
        assert_eq!(page.meta.relaxed, relaxed);
    }
    let scores: Vec<f64> = pages.iter().flat_map(|p| &p.data).map(|hit| hit.score.as_ref().unwrap().value).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    check_windows(&pages, &texts, &query.reading(relaxed).units);
    world.check();
}

async fn check_walk(before: &[Happening], meanwhile: &[Happening], q: &str) {
    let everything =
        Scope { accounts: vec![0, 1], fields: world::FIELDS.to_vec(), since: None, until: None, resources: None };
    let (world, mut model) = (World::new(1).await, Model::default());
    for happening in before {
        world.happen(happening).await;
        model.happen(happening);
    }
    let (expected, _) = expected(&texts(&model, &everything), &Query::parse(q));
    let mut known: BTreeSet<_> = model.records.keys().cloned().collect();
    let mut meanwhile = meanwhile.iter().filter(|h| {
        let key = (world::ACCOUNTS[h.account()].to_owned(), h.stream(), h.id().to_owned());
        matches!(h, Happening::Put { .. }) && known.insert(key)
    });
    let reader = world.reader(world.caller(&everything).await);
    let pages = walk(&reader, q, 2, async || {
        for happening in meanwhile.by_ref().take(2) {
            world.happen(happening).await;
        }
    })
    .await;
    let found = keys(&pages);
    let distinct: BTreeSet<Key> = found.iter().cloned().collect();
    assert_eq!(found.len(), distinct.len(), "found twice");
    assert!(expected.is_subset(&distinct), "skipped: {:?}", expected.difference(&distinct));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_search_finds_what_a_plain_look_finds_and_proves_it(
        happenings in proptest::collection::vec(spoken(), 4..40),
        mut scope in scope(IDS),
        q in query(),
        limit in 1u64..9,
    ) {
        scope.fields.extend(["text", "kind"].iter().filter(|f| !scope.fields.contains(f)).copied().collect::<Vec<_>>());
        run(check(&happenings, &scope, &q, limit, |reader| reader));
    }

    #[test]
    fn a_walk_over_hits_finds_each_once_while_records_are_added(
        before in proptest::collection::vec(spoken(), 4..30),
        meanwhile in proptest::collection::vec(spoken(), 30),
        q in query(),
    ) {
        run(check_walk(&before, &meanwhile, &q));
    }
}
