//! Any path and query either fails with a typed error or is a request that its own URL makes again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vitrine_contract::limits::MAX_URL_BYTES;
use vitrine_contract::route::{parse, path_and_query};

fn split(url: &str) -> (&str, &str) {
    url.split_once('?').unwrap_or((url, ""))
}

fuzz_target!(|url: &str| {
    let (path, query) = split(url);
    let Ok(request) = parse(path, query) else { return };
    let written = path_and_query(&request);
    // Escaping can push an accepted URL past the bound.
    if written.len() > MAX_URL_BYTES {
        return;
    }
    let (path, query) = split(&written);
    match parse(path, query) {
        Ok(again) => assert_eq!(again, request, "{url:?} was written as {written:?}"),
        Err(error) => panic!("{url:?} was written as {written:?}, which is refused: {error:?}"),
    }
});
