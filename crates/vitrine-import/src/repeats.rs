//! Keys for rows that carry none: what stands in them, and how often it stood there before.

use std::collections::HashMap;

use super::hash;

/// Rows remembered; beyond this many, equal rows count as one.
const MAX_REMEMBERED: usize = 2_000_000;

/// The rows seen so far.
#[derive(Default)]
pub(crate) struct Repeats(HashMap<[u8; 8], u32>);

impl Repeats {
    /// A key for a row with this content.
    pub(crate) fn key(&mut self, content: &[&str]) -> String {
        let key = hash::text_key(content);
        let mut short = [0; 8];
        short.copy_from_slice(&key.as_bytes()[..8]);
        if self.0.len() >= MAX_REMEMBERED && !self.0.contains_key(&short) {
            return key;
        }
        let count = self.0.entry(short).or_default();
        *count += 1;
        if *count == 1 { key } else { hash::text_key(&[&key, &count.to_string()]) }
    }
}
