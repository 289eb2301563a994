//! No bytes make an importer panic, and each record it finds is as its declaration says. The first byte picks the kind.

#![no_main]

use std::collections::HashMap;

use libfuzzer_sys::fuzz_target;
use vitrine::import::{Export, FORMS, Outlet, Settings, Sink, Skip, Stopped};
use vitrine_engine::declaration::{Declaration, RecordValidator};
use vitrine_engine::ingest::{RejectionCode, prepare};
use vitrine_engine::keeping::NewBlob;

struct Checked {
    declaration: Declaration,
    validators: HashMap<String, RecordValidator>,
}

impl Outlet for Checked {
    fn line(&mut self, stream: &str, line: &[u8]) -> Result<(), Stopped> {
        let declared = self.declaration.stream(stream).expect("a declared stream");
        if let Err(rejection) = prepare(line, declared, &self.validators[stream]) {
            let fair = rejection.code == RejectionCode::InvalidRecordIdentity;
            assert!(fair, "{stream}: {}: {}", rejection.message, String::from_utf8_lossy(line));
        }
        Ok(())
    }

    fn blob(&mut self, _: NewBlob) -> Result<(), Stopped> {
        Ok(())
    }

    fn skip(&mut self, skip: Skip) {
        assert!(!skip.reason.is_empty(), "a reason is told");
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((form, bytes)) = input.split_first() else { return };
    let (kind, name) = FORMS[usize::from(*form) % FORMS.len()];
    let now = jiff::Timestamp::UNIX_EPOCH;
    let settings = Settings { time_zone: jiff::tz::TimeZone::UTC, date_order: None, now };
    let Ok(mut export) = Export::of_bytes(name, bytes) else { return };
    let _ = kind.check(&mut export);
    let Ok(prepared) = kind.prepare(&mut export, &settings, "Fuzz") else { return };
    let declaration = Declaration::parse(&prepared.declaration).expect("a good declaration");
    let validators = declaration
        .streams
        .iter()
        .map(|(name, stream)| (name.clone(), stream.validator().expect("it compiles")))
        .collect();
    let _ = prepared.read(&mut export, &settings, &mut Sink::new(&mut Checked { declaration, validators }, now));
});
