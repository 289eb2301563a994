//! No bytes make an importer panic, and each record it finds is as its declaration says. The first byte picks the kind.

#![no_main]

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use libfuzzer_sys::fuzz_target;
use vitrine_engine::declaration::{Declaration, RecordValidator};
use vitrine_engine::ingest::{KeyFrom, RejectionCode, prepare};
use vitrine_engine::keeping::NewBlob;
use vitrine_import::{Export, FORMS, Outlet, Prepared, Settings, Sink, Skip, Stopped};

struct Declared {
    declaration: Declaration,
    validators: HashMap<String, RecordValidator>,
}

thread_local! {
    /// Declarations that are the same for every export of a kind: making validators takes longest.
    static KNOWN: RefCell<HashMap<String, Rc<Declared>>> = RefCell::default();
}

impl Declared {
    fn of(prepared: &Prepared) -> Rc<Self> {
        let text = &*prepared.declaration;
        if let Some(known) = KNOWN.with_borrow(|known| known.get(text).cloned()) {
            return known;
        }
        let declaration = Declaration::parse(text).expect("a good declaration");
        let validator = |name: &String| declaration.streams[name].validator().expect("it compiles");
        let validators = declaration.streams.keys().map(|name| (name.clone(), validator(name))).collect();
        let declared = Rc::new(Self { declaration, validators });
        if !prepared.derived {
            KNOWN.with_borrow_mut(|known| known.insert(text.to_owned(), Rc::clone(&declared)));
        }
        declared
    }
}

struct Checked(Rc<Declared>);

impl Outlet for Checked {
    fn line(&mut self, stream: &str, line: &[u8]) -> Result<(), Stopped> {
        let declared = self.0.declaration.stream(stream).expect("a declared stream");
        if let Err(rejection) = prepare(line, declared, &self.0.validators[stream], KeyFrom::Data) {
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

    fn note(&mut self, _: String) {}
}

fuzz_target!(|input: &[u8]| {
    let Some((form, bytes)) = input.split_first() else { return };
    let (kind, name) = FORMS[usize::from(*form) % FORMS.len()];
    let now = jiff::Timestamp::UNIX_EPOCH;
    let settings = Settings { time_zone: jiff::tz::TimeZone::UTC, date_order: None, now };
    let Ok(mut export) = Export::of_bytes(name, bytes) else { return };
    let _ = kind.check(&mut export);
    let Ok(prepared) = kind.prepare(&mut export, &settings, "Fuzz") else { return };
    let mut checked = Checked(Declared::of(&prepared));
    let _ = prepared.read(&mut export, &settings, &mut Sink::new(&mut checked, now));
});
