//! No text opens as a cursor unless we sealed it, for the very query it was sealed for.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vitrine_contract::request::Filter;
use vitrine_engine::clock::Random;
use vitrine_engine::cursor::{Binding, PageCursor, Sealer};
use vitrine_engine::port::Position;

fuzz_target!(|input: (&str, &str, &[u8])| {
    let (text, stream, key) = input;
    let sealer = Sealer::new(&[7; 32], Random::seeded(1));
    let binding = |stream: &str| Binding::new("client:g", "page", &[stream], None, &Filter::default(), "desc");
    let now = jiff::Timestamp::UNIX_EPOCH;
    assert!(sealer.open_page(&binding(stream), text, now).is_err(), "a stranger's text opened");

    let key = key[..key.len().min(200)].to_vec();
    let position = Position { key, id: text.chars().take(200).collect(), connection_id: "c".into() };
    let cursor = PageCursor { started: 0, horizon: 1, position };
    let sealed = sealer.seal_page(&binding(stream), &cursor);
    assert_eq!(sealer.open_page(&binding(stream), &sealed, now).expect("our own opens"), cursor);
    assert!(sealer.open_page(&binding(&format!("{stream}x")), &sealed, now).is_err(), "another query's opened");
});
