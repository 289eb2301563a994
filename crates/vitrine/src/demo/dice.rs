//! Chance that falls the same way every time.

use vitrine_engine::clock::Random;

/// Changing it gives another life.
const SEED: u64 = 0x5eed_0f1a_7e11_d3a5;

/// A source of choices, repeatable by its name.
pub(crate) struct Dice(Random);

impl Dice {
    /// The dice of that name, each time the same.
    pub(crate) fn named(name: &str) -> Self {
        let mixed = name.bytes().fold(SEED, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self(Random::seeded(mixed))
    }

    /// A number from 0 up to, not including, `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(u64::from_le_bytes(self.0.bytes()) % end).unwrap_or_default()
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = usize::try_from(high - low + 1).unwrap_or(1);
        low + i64::try_from(self.below(span)).unwrap_or_default()
    }

    /// Whether something happens that happens so many times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// One of several, the first ones far more often than the last.
    pub(crate) fn favourite<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let end = self.below(choices.len()) + 1;
        &choices[self.below(end)]
    }

    /// As many bytes in hexadecimal.
    pub(crate) fn hex<const BYTES: usize>(&mut self) -> String {
        let digits = |byte: u8| [byte >> 4, byte & 15];
        let nibbles = self.0.bytes::<BYTES>().into_iter().flat_map(digits);
        nibbles.filter_map(|nibble| char::from_digit(u32::from(nibble), 16)).collect()
    }
}
