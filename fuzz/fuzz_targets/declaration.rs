//! Any text is refused with a reason or is a declaration, and an accepted one is accepted again from its own document.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vitrine_engine::declaration::Declaration;

fuzz_target!(|text: &str| {
    match Declaration::parse(text) {
        Ok(declaration) => {
            let again = Declaration::parse(&declaration.document.to_string()).expect("accepted once, accepted again");
            assert!(again.streams.keys().eq(declaration.streams.keys()));
        }
        Err(error) => assert!(!error.to_string().is_empty(), "a refusal says why"),
    }
});
