//! Encoding and scanning. `cargo bench --bench embed [-- --vectors N]`; a million vectors unless told otherwise.
#![expect(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, reason = "a program that measures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use vitrine_embed::{BYTES, Bits, Encoder, Vector, passages, scan};

const SENTENCE: &str = "Hello Mara, the train to Prague leaves at nine on Friday, so let us meet under the clock a bit \
    earlier and buy food. ";

fn main() {
    let (loading, encoder) = timed(|| Encoder::bundled().unwrap());
    println!("model loaded              {loading:>9.1?}");
    encode(encoder);
    scans(asked_vectors());
}

fn encode(encoder: Encoder) {
    let text = SENTENCE.repeat(3);
    let batch = [text.as_str(); 20];
    median("passage of 90 tokens, one core", 9, 20, || encoder.encode(&batch).unwrap());
    median("query of 6 words", 31, 1, || encoder.encode_query("when does our train leave Friday").unwrap());
    let long = SENTENCE.repeat(200);
    median("cutting 25 kB into passages", 31, 1, || passages(&long, usize::MAX));
}

fn scans(vectors: usize) {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    let packed: Vec<u8> = std::iter::repeat_with(&mut random).take(vectors * BYTES).collect();
    let all: Vec<Vector> = packed.as_chunks().0.iter().map(|bytes| Vector::from_bytes(*bytes)).collect();
    let bits: Vec<Bits> = all.iter().map(Vector::bits).collect();
    let query = all[0];
    println!("{vectors} vectors:");
    median("all dot products", 15, 1, || scan::dots(&query, &packed));
    median("all distances", 15, 1, || scan::distances(&query.bits(), &bits));
}

fn median<T>(name: &str, rounds: usize, per_round: u32, work: impl Fn() -> T) {
    let mut times: Vec<Duration> = (0..rounds).map(|_| timed(&work).0 / per_round).collect();
    times.sort();
    println!("{name:<48} {:>9.2?}", times[times.len() / 2]);
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let made = black_box(work());
    (start.elapsed(), made)
}

fn asked_vectors() -> usize {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--vectors");
    arguments.nth(1).and_then(|number| number.parse().ok()).unwrap_or(1_000_000)
}
