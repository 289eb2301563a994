//! The sample person, checked without serving her.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use vitrine_engine::declaration::Declaration;

use super::dice::Dice;
use super::grammar::Grammar;
use super::moving_in::{move_in, take_in};
use super::{ACCOUNTS, DECLARATIONS, Load, Scale, Story};
use crate::cli::Place;
use crate::opened::Opened;

type Records = BTreeMap<(&'static str, &'static str), Vec<Value>>;

fn loads(percent: u8) -> Vec<Load> {
    let story = Story::decided();
    ACCOUNTS.iter().flat_map(|account| (account.tell)(&story, Scale::percent(percent))).collect()
}

fn records(percent: u8) -> Records {
    let parsed = |load: Load| {
        let lines = load.lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let data = lines.map(|line| serde_json::from_slice::<Value>(line).unwrap()["data"].take()).collect();
        ((load.connection_id, load.stream), data)
    };
    loads(percent).into_iter().map(parsed).collect()
}

fn words<'a>(records: &'a [Value], field: &str) -> HashSet<&'a str> {
    records.iter().filter_map(|record| record[field].as_str()).collect()
}

#[test]
fn every_declaration_is_accepted_and_tells_what_it_shows() {
    let keys: Vec<String> = DECLARATIONS
        .iter()
        .map(|text| {
            let declaration = Declaration::parse(text).unwrap_or_else(|error| panic!("{error}"));
            for stream in declaration.streams.values() {
                let told = [&stream.description, &stream.label, &stream.detail];
                assert!(told.iter().all(|text| text.as_ref().is_some_and(|text| text.len() > 3)), "{}", stream.name);
                assert!(stream.consent_time_field.is_some() && !stream.views.is_empty(), "{}", stream.name);
            }
            declaration.connector_key
        })
        .collect();
    assert!(ACCOUNTS.iter().all(|account| keys.iter().any(|key| key == account.source)));
}

#[test]
fn each_run_gives_the_same_bytes() {
    let bytes = |loads: Vec<Load>| loads.into_iter().map(|load| load.lines).collect::<Vec<_>>();
    assert!(bytes(loads(3)) == bytes(loads(3)));
}

#[test]
fn the_prose_has_no_gaps() {
    let grammar = Grammar::of(&[
        include_str!("material/friends.txt"),
        include_str!("material/work.txt"),
        include_str!("material/reading.txt"),
        include_str!("material/private.txt"),
    ]);
    assert_eq!(grammar.unexplained(&["from", "to", "topic"]), Vec::<String>::new());
    for ((connection, stream), records) in records(2) {
        for record in records {
            assert!(!record.to_string().contains("{}") && !record.to_string().contains('¶'), "{connection} {stream}");
        }
    }
}

#[tokio::test]
async fn every_record_is_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let opened = Opened::at(&Place { data_dir: Some(directory.path().to_owned()), database_url: None }).unwrap();
    let keys = move_in(&opened, Scale::percent(2)).await.unwrap();
    let mut attempted = 0;
    for load in loads(2) {
        let again = take_in(&opened.store, &load).await.unwrap();
        assert_eq!(again.records_unchanged, again.records_attempted, "{:?}", again.rejections);
        attempted += again.records_attempted;
    }
    assert_eq!(keys.records, attempted);
}

#[test]
fn five_years_have_about_fifty_thousand_records() {
    let count = |load: &Load| load.lines.split(|byte| *byte == b'\n').count() - 1;
    let counts: BTreeMap<_, _> =
        loads(100).iter().map(|load| ((load.connection_id, load.stream), count(load))).collect();
    for (key, range) in [
        (("gmail-personal", "messages"), 5_500..7_000),
        (("gmail-personal", "attachments"), 400..900),
        (("gmail-work", "messages"), 6_500..8_000),
        (("gmail-work", "attachments"), 200..600),
        (("slack-work", "messages"), 9_000..11_000),
        (("slack-work", "channels"), 10..15),
        (("bank-elbe", "transactions"), 5_000..6_000),
        (("spotify", "plays"), 12_500..14_500),
        (("notes", "notes"), 600..700),
        (("calendar", "events"), 2_300..2_700),
        (("photos", "photos"), 4_000..5_000),
    ] {
        assert!(range.contains(&counts[&key]), "{key:?}: {}", counts[&key]);
    }
    assert!((48_000..54_000).contains(&counts.values().sum::<usize>()), "{counts:?}");
}

#[test]
fn the_two_mailboxes_share_a_newsletter_and_nothing_else() {
    let records = records(4);
    let (personal, work) = (&records[&("gmail-personal", "messages")], &records[&("gmail-work", "messages")]);
    assert!(words(personal, "id").is_disjoint(&words(work, "id")));
    let (ours, theirs) = (words(personal, "internet_message_id"), words(work, "internet_message_id"));
    let shared: Vec<_> = ours.intersection(&theirs).collect();
    assert!(!shared.is_empty());
    for id in shared {
        let of =
            |mails: &[Value]| mails.iter().find(|mail| mail["internet_message_id"] == **id).unwrap()["body"].clone();
        assert_eq!(of(personal), of(work));
    }
}

#[test]
fn invoices_orders_and_tickets_match_bookings() {
    let (story, records) = (Story::decided(), records(1));
    let bookings = &records[&("bank-elbe", "transactions")];
    let mails = &records[&("gmail-personal", "messages")];
    assert!(story.bills.len() > 200 && story.orders.len() > 200);
    let bills = story.bills.iter().map(|bill| (format!("Invoice {}", bill.number), bill.cents));
    let orders = story.orders.iter().map(|order| (format!("Order {}", order.number), order.cents));
    for (name, cents) in bills.chain(orders) {
        let booking = bookings.iter().find(|booking| booking["reference"] == name).expect("a booking");
        let mail = mails.iter().find(|mail| mail["subject"].as_str().unwrap().starts_with(&name)).expect("a mail");
        assert_eq!(format!("{:.2}", -booking["amount"].as_f64().unwrap()), super::story::euros(cents));
        assert!(mail["body"].as_str().unwrap().contains(&super::story::euros(cents)), "{name}");
    }
    for concert in &story.concerts {
        assert!(words(&records[&("spotify", "plays")], "artist").contains(concert.artist));
        let title = format!("{} at {}", concert.artist, concert.venue);
        assert!(words(&records[&("calendar", "events")], "title").contains(title.as_str()));
    }
}

#[test]
fn several_languages_are_spoken_and_some_texts_are_long() {
    let records = records(2);
    for stream in [("gmail-personal", "messages"), ("slack-work", "messages")] {
        let languages = words(&records[&stream], "language");
        for language in ["en", "de", "es", "ja", "ar"] {
            assert!(languages.contains(language), "{stream:?} {language}");
        }
    }
    let longest = |stream| words(&records[&(stream, "messages")], "body").iter().map(|body| body.len()).max().unwrap();
    assert!(longest("gmail-work") > 50_000 && longest("gmail-personal") > 5_000);
}

#[test]
fn attachments_belong_to_mails() {
    let records = records(2);
    let ids = words(&records[&("gmail-personal", "messages")], "id");
    assert!(words(&records[&("gmail-personal", "attachments")], "message_id").is_subset(&ids));
}

#[test]
fn references_tell_the_truth_about_their_bytes() {
    let (loads, records) = (loads(10), records(10));
    for (load, least) in loads.iter().filter(|load| !load.blobs.is_empty()).zip([10, 100, 40]) {
        let told = &records[&(load.connection_id, load.stream)];
        let by_id: BTreeMap<&str, &Value> =
            told.iter().map(|record| (record["blob_ref"]["blob_id"].as_str().unwrap(), &record["blob_ref"])).collect();
        assert!(
            load.blobs.len() >= least && load.blobs.len() < told.len(),
            "{} {}",
            load.connection_id,
            load.blobs.len()
        );
        for blob in &load.blobs {
            assert_eq!(by_id[blob.reference.blob_id.as_str()], &serde_json::to_value(&blob.reference).unwrap());
            assert_eq!(blob.reference.size_bytes, Some(blob.bytes.len() as u64));
            assert!(blob.bytes.len() < 8_192, "small");
        }
    }
    let bytes: usize = loads.iter().flat_map(|load| &load.blobs).map(|blob| blob.bytes.len()).sum();
    assert!(bytes < 8_000_000, "{bytes} in all");
}

#[test]
fn some_messages_try_to_instruct_a_machine() {
    let records = records(1);
    let texts = records.values().flatten().filter_map(|record| record["body"].as_str().or(record["text"].as_str()));
    let tries =
        ["AI ASSISTANTS", "automated agent", "assistant instructions", "the assistant must", "AI agents reading"];
    let found = texts.filter(|text| tries.iter().any(|phrase| text.contains(phrase))).count();
    assert_eq!(found, tries.len());
}

#[test]
fn dice_fall_the_same_way_under_the_same_name() {
    let roll = |name| Dice::named(name).hex::<16>();
    assert_eq!(roll("a"), roll("a"));
    assert_ne!(roll("a"), roll("b"));
}
