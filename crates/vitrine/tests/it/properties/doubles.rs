//! Readers that are broken on purpose: each property must turn red on one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::json;
use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{Blob, List, Record, SearchList};
use vitrine_contract::request::{
    AggregateRequest, BlobRequest, FieldWindowRequest, RecordRequest, RecordsRequest, SchemaRequest, SearchRequest,
    StreamRequest, StreamsRequest,
};
use vitrine_contract::schema::{Aggregation, FieldWindow, SchemaDocument, StreamRow};
use vitrine_contract::{Count, ReadApi};

use super::world::{self, Happening, Scope, World, happening, run};
use super::{changes, model_reads, pages, searches, windows};

const IDS: &[&str] = &["a", "b", "c", "d", "e"];

/// What a double does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    SkipsARow,
    RepeatsARow,
    SwapsRows,
    CountsOneMore,
    ShiftsTheWindow,
    HidesDeletions,
    MissesAHit,
    Misquotes,
}

/// A reader that does one thing wrong.
struct Double<R> {
    reader: R,
    wrong: Wrong,
}

impl<R: ReadApi> ReadApi for Double<R> {
    async fn records(&self, request: &RecordsRequest) -> Answer<List<Record>> {
        let mut page = self.reader.records(request).await?;
        let rows = &mut page.data;
        match self.wrong {
            Wrong::SkipsARow if page.next_cursor.is_some() => drop(rows.pop()),
            Wrong::RepeatsARow => rows.extend(rows.first().cloned()),
            Wrong::SwapsRows => rows.reverse(),
            Wrong::HidesDeletions => rows.retain(|row| !row.deleted),
            _ => {}
        }
        if let (Wrong::CountsOneMore, Count::Exact { value }) = (self.wrong, &mut page.meta.count) {
            *value += 1;
        }
        Ok(page)
    }

    async fn field_window(&self, request: &FieldWindowRequest) -> Answer<FieldWindow> {
        let mut window = self.reader.field_window(request).await?;
        if self.wrong == Wrong::ShiftsTheWindow && request.offset_chars.is_some() {
            window.window.text = window.window.text.chars().skip(1).chain(['x']).collect();
        }
        Ok(window)
    }

    async fn schema(&self, request: &SchemaRequest) -> Answer<SchemaDocument> {
        self.reader.schema(request).await
    }

    async fn streams(&self, request: &StreamsRequest) -> Answer<List<StreamRow>> {
        self.reader.streams(request).await
    }

    async fn stream(&self, request: &StreamRequest) -> Answer<StreamRow> {
        self.reader.stream(request).await
    }

    async fn record(&self, request: &RecordRequest) -> Answer<Record> {
        self.reader.record(request).await
    }

    async fn aggregate(&self, request: &AggregateRequest) -> Answer<Aggregation> {
        self.reader.aggregate(request).await
    }

    async fn search(&self, request: &SearchRequest) -> Answer<SearchList> {
        let mut page = self.reader.search(request).await?;
        match self.wrong {
            Wrong::MissesAHit => drop(page.data.pop()),
            Wrong::Misquotes => {
                for window in page.data.iter_mut().flat_map(|hit| &mut hit.match_windows) {
                    window.text = window.text.chars().skip(1).chain(['x']).collect();
                }
            }
            _ => {}
        }
        Ok(page)
    }

    async fn blob(&self, request: &BlobRequest) -> Answer<Blob> {
        self.reader.blob(request).await
    }

    fn provider_url(&self) -> &str {
        self.reader.provider_url()
    }
}

/// Whether a check fails.
fn fails(check: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

fn sample<S: Strategy>(strategy: S) -> S::Value {
    strategy.new_tree(&mut TestRunner::deterministic()).unwrap().current()
}

fn everything() -> Scope {
    Scope { accounts: vec![0, 1], fields: world::FIELDS.to_vec(), since: None, until: None, resources: None }
}

fn small_pages() -> RecordsRequest {
    RecordsRequest { stream: "items".into(), limit: Some(2), ..RecordsRequest::default() }
}

#[test]
fn a_reader_unlike_the_model_is_caught() {
    let happenings = sample(proptest::collection::vec(happening(IDS), 60));
    let check = |wrong: Option<Wrong>| {
        run(async {
            let (world, model) = model_reads::build(&happenings).await;
            let reader = world.reader(world.caller(&everything()).await);
            match wrong {
                None => {
                    model_reads::check_pages(&reader, &model, &everything(), &[small_pages()]).await;
                }
                Some(wrong) => {
                    let double = Double { reader, wrong };
                    model_reads::check_pages(&double, &model, &everything(), &[small_pages()]).await;
                }
            }
        });
    };
    check(None);
    for wrong in [Wrong::SkipsARow, Wrong::SwapsRows, Wrong::CountsOneMore] {
        assert!(fails(|| check(Some(wrong))), "not caught: {wrong:?}");
    }
}

#[test]
fn a_walk_that_skips_or_repeats_is_caught() {
    let happenings = sample(proptest::collection::vec(happening(IDS), 60));
    let (before, meanwhile) = happenings.split_at(30);
    run(pages::check_walk(before, meanwhile, small_pages(), &everything(), |reader| reader));
    for wrong in [Wrong::SkipsARow, Wrong::RepeatsARow] {
        let broken = || {
            run(pages::check_walk(before, meanwhile, small_pages(), &everything(), |reader| Double { reader, wrong }));
        };
        assert!(fails(broken), "not caught: {wrong:?}");
    }
}

#[test]
fn windows_that_do_not_meet_are_caught() {
    let text = "abcdefghij".repeat(3);
    let check = |wrong: Option<Wrong>| {
        run(async {
            let world = World::new(1).await;
            world.happen(&windows::put(&json!(text))).await;
            let reader = world.reader(world.caller(&windows::all()).await);
            match wrong {
                None => windows::check_stitching(&reader, "text", &text, &[7]).await,
                Some(wrong) => windows::check_stitching(&Double { reader, wrong }, "text", &text, &[7]).await,
            }
        });
    };
    check(None);
    assert!(fails(|| check(Some(Wrong::ShiftsTheWindow))));
}

#[test]
fn a_feed_that_hides_deletions_is_caught() {
    let happenings = sample(proptest::collection::vec(happening(IDS), 40));
    let check = |wrong: Option<Wrong>| {
        run(async {
            let gone = IDS.iter().map(|id| Happening::Delete { account: 0, stream: "items", id: (*id).into() });
            let (world, mut model) = model_reads::build(&happenings).await;
            let mut copy = changes::Copy::new();
            let reader = world.reader(world.caller(&everything()).await);
            let bookmark = changes::follow(&reader, "beginning", 3, &mut copy, async || {}).await;
            for happening in gone {
                world.happen(&happening).await;
                model.happen(&happening);
            }
            match wrong {
                None => changes::follow(&reader, &bookmark, 3, &mut copy, async || {}).await,
                Some(wrong) => changes::follow(&Double { reader, wrong }, &bookmark, 3, &mut copy, async || {}).await,
            };
            assert_eq!(copy, changes::visible(&model, &everything()));
        });
    };
    check(None);
    assert!(fails(|| check(Some(Wrong::HidesDeletions))));
}

#[test]
fn a_search_that_misses_or_misquotes_is_caught() {
    let happenings = sample(proptest::collection::vec(searches::spoken(), 40));
    run(searches::check(&happenings, &everything(), "the", 3, |reader| reader));
    for wrong in [Wrong::MissesAHit, Wrong::Misquotes] {
        let broken = || run(searches::check(&happenings, &everything(), "the", 3, |reader| Double { reader, wrong }));
        assert!(fails(broken), "not caught: {wrong:?}");
    }
}
