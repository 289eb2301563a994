//! What holds for every kind of export.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use vitrine_engine::declaration::Declaration;

use super::testing::{read_export, settings};
use super::{Export, FORMS, Kind};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/imports")
}

/// Seeds to damage: the first byte picks the form, the rest is an export.
fn seeds() -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(directory()).expect("seeds").map(|file| file.expect("a file").path());
    files.map(|file| std::fs::read(file).expect("a seed")).collect()
}

#[test]
fn each_form_has_a_seed_that_gives_records() {
    let mut forms: Vec<usize> = Vec::new();
    for seed in seeds() {
        let (kind, name) = FORMS[usize::from(seed[0])];
        let mut export = Export::of_bytes(name, &seed[1..]).expect("it opens");
        kind.check(&mut export).expect("it is of its kind");
        let (found, _) = read_export(kind, &mut export, &settings());
        assert!(!found.records.is_empty(), "{}: {:?}", kind.name(), found.skips);
        forms.push(usize::from(seed[0]));
    }
    forms.sort_unstable();
    forms.dedup();
    assert!(forms.into_iter().eq(0..FORMS.len()));
}

#[test]
fn no_export_is_taken_for_another_s() {
    for seed in seeds() {
        let (own, name) = FORMS[usize::from(seed[0])];
        let mut export = Export::of_bytes(name, &seed[1..]).expect("it opens");
        let also: Vec<String> = Kind::value_variants()
            .iter()
            .filter(|kind| **kind != own && !matches!(kind, Kind::Csv | Kind::Jsonl | Kind::Mbox))
            .filter(|kind| kind.check(&mut export).is_ok())
            .map(|kind| kind.name())
            .collect();
        assert!(also.is_empty(), "{} is also taken for {also:?}", own.name());
    }
}

#[test]
fn every_declaration_says_what_a_person_gives() {
    for (kind, _) in FORMS.into_iter().filter(|(kind, _)| !matches!(kind, Kind::Csv | Kind::Jsonl)) {
        let mut export = Export::of_bytes("x", b"".as_slice()).expect("it opens");
        let text = kind.prepare(&mut export, &settings(), "x").expect("it is declared").declaration;
        for stream in Declaration::parse(&text).expect("a good declaration").streams.values() {
            let texts = [&stream.label, &stream.detail, &stream.description];
            assert!(texts.iter().all(|text| text.is_some()), "{} {}", kind.name(), stream.name);
            assert!(!stream.views.is_empty(), "{} {}", kind.name(), stream.name);
        }
    }
}

/// One of each way to read.
const READERS: [&str; 9] =
    ["mbox", "codex", "chatgpt", "whatsapp", "page", "icalendar", "apple-health", "bank-csv", "ofx"];

#[test]
fn a_line_of_100_mb_becomes_no_record() {
    let endless = vec![b'x'; 100_000_000];
    for reader in READERS {
        let seed = std::fs::read(directory().join(reader)).expect("a seed");
        let (kind, name) = FORMS[usize::from(seed[0])];
        let open = seed.iter().rposition(|byte| *byte == b'"').map_or(seed.len(), |quote| quote + 1);
        let mut export = Export::of_bytes(name, [&seed[1..open], &endless].concat()).expect("it opens");
        let (found, _) = read_export(kind, &mut export, &settings());
        let longest = found.records.iter().map(|(_, record)| record.to_string().len()).max();
        assert!(longest.is_none_or(|bytes| bytes < 1_000_000), "{reader}: a record of {longest:?} bytes");
    }
}

/// A way to damage an export.
#[derive(Debug, Clone)]
enum Damage {
    Cut(Index),
    Flip(Index, u8),
    Repeat(Index, Index),
    Insert(Index, Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let text = prop_oneof![
        Just(b"\"".to_vec()),
        Just(b"\0\xff\xfe".to_vec()),
        Just("\u{202f}é<>{}[];:,\n".as_bytes().to_vec()),
        Just(b"99999999999999999999".to_vec()),
        prop::collection::vec(any::<u8>(), 1..8),
    ];
    prop_oneof![
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), any::<u8>()).prop_map(|(at, to)| Damage::Flip(at, to)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Repeat(from, to)),
        (any::<Index>(), text).prop_map(|(at, text)| Damage::Insert(at, text)),
    ]
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len() + 1;
        match self {
            Self::Cut(at) => bytes.truncate(at.index(length)),
            Self::Flip(at, to) if length > 1 => bytes[at.index(length - 1)] = *to,
            Self::Flip(..) => {}
            Self::Repeat(from, to) => {
                let (from, to) = (from.index(length), to.index(length));
                let part = bytes[from.min(to)..from.max(to)].to_vec();
                bytes.extend_from_slice(&part);
            }
            Self::Insert(at, text) => drop(bytes.splice(at.index(length)..at.index(length), text.iter().copied())),
        }
    }
}

#[test]
fn damage_gives_reasons_and_no_wrong_records() {
    let seeds = seeds();
    let strategy = (any::<Index>(), prop::collection::vec(damage(), 1..5));
    let config = Config { cases: 1_500, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&strategy, |(seed, damages)| {
        let seed = seed.get(&seeds);
        let (kind, name) = FORMS[usize::from(seed[0])];
        let mut bytes = seed[1..].to_vec();
        for damage in &damages {
            damage.apply(&mut bytes);
        }
        let Ok(mut export) = Export::of_bytes(name, bytes) else { return Ok(()) };
        let _ = kind.check(&mut export);
        if kind.prepare(&mut export, &settings(), "x").is_ok() {
            let _ = read_export(kind, &mut export, &settings());
        }
        Ok(())
    });
    outcome.expect("any damage is told apart from a record");
}
