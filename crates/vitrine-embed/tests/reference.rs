//! The encoder against what another implementation made of the same model: `reference.ndjson` holds texts, and the vectors
//! that ONNX Runtime and the original tokenizer gave for them.

use serde_json::Value;
use vitrine_embed::{BYTES, Encoder, Vector};

struct Expected {
    text: String,
    vector: Vector,
}

fn reference() -> Vec<Expected> {
    include_str!("reference.ndjson")
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let hex = line["vector"].as_str().expect("a vector").as_bytes();
            let byte = |digits: &[u8; 2]| {
                u8::from_str_radix(str::from_utf8(digits).expect("digits"), 16).expect("hexadecimal digits")
            };
            let bytes: Vec<u8> = hex.as_chunks().0.iter().map(byte).collect();
            let bytes: [u8; BYTES] = bytes.try_into().expect("256 bytes");
            Expected { text: line["text"].as_str().expect("a text").to_owned(), vector: Vector::from_bytes(bytes) }
        })
        .collect()
}

fn cosine(a: &Vector, b: &Vector) -> f64 {
    let length = |vector: &Vector| f64::from(vector.dot(vector)).sqrt();
    f64::from(a.dot(b)) / length(a) / length(b)
}

/// Activations are rounded to 8 bits many times on the way, and processors without dedicated instructions add products up
/// with saturation: another machine's vectors can be a few hundredths off. A wrong token or a lost layer is far more. No
/// text at all is left out: nobody asks for its meaning, and nothing outweighs the rounding there.
#[test]
fn vectors_agree_with_the_reference() {
    let encoder = Encoder::bundled().expect("the bundled model");
    let far: Vec<(f64, String)> = reference()
        .into_iter()
        .filter(|expected| !expected.text.is_empty())
        .map(|Expected { text, vector }| (cosine(&encoder.encode_query(&text).expect("a vector"), &vector), text))
        .filter(|(cosine, _)| *cosine < 0.96)
        .collect();
    assert!(far.is_empty(), "{far:?}");
}

#[test]
fn equal_texts_have_equal_vectors_whatever_is_encoded_with_them() {
    let encoder = Encoder::bundled().expect("the bundled model");
    let texts: Vec<String> = reference().into_iter().map(|expected| expected.text).collect();
    let mut passages: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = encoder.encode(&passages).expect("vectors");
    passages.reverse();
    let mut reversed = encoder.encode(&passages).expect("vectors");
    reversed.reverse();
    assert_eq!(together, reversed);
    let alone: Vec<Vector> = texts.iter().map(|text| encoder.encode_query(text).expect("a vector")).collect();
    assert_eq!(together, alone);
}

#[test]
fn what_means_the_same_is_nearer_than_what_sounds_the_same() {
    let encoder = Encoder::bundled().expect("the bundled model");
    let question = encoder.encode_query("when do I have to pay for the flat").expect("a vector");
    let answers = encoder.encode(&["The rent is due on the first of the month.", "The tyre of my bicycle is flat."]);
    let [rent, tyre] = answers.expect("vectors")[..] else { panic!("two vectors") };
    assert!(question.dot(&rent) > question.dot(&tyre));
}

#[test]
fn any_text_has_a_vector() {
    let encoder = Encoder::bundled().expect("the bundled model");
    let long = "long ".repeat(1_000_000);
    for text in ["", "\u{0}\u{1}\u{7f}", "🦀🦀", "\u{301}\u{200d}\u{fffd}", &long] {
        let vector = encoder.encode_query(text).expect("a vector");
        assert!(vector.dot(&vector) > 0, "{text:.20?}");
    }
}
