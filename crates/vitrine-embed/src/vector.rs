//! What a text became: 256 small numbers, and the signs of them.

use crate::scan;

/// Numbers in a vector.
pub const DIMENSIONS: usize = 256;

/// Bytes of a stored vector.
pub const BYTES: usize = DIMENSIONS;

/// The signs of a vector, one bit each: eight times smaller than the vector, and nearly as good at telling what is far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits(pub [u64; DIMENSIONS / 64]);

/// A text's place in the model's space. All vectors are of the same length, so that their dot product orders them by angle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Vector([u8; BYTES]);

impl Vector {
    /// Scales to length 400 and rounds. Hardly a number of any text exceeds what a byte holds.
    pub(crate) fn quantize(numbers: &[f32; DIMENSIONS]) -> Self {
        const LENGTH: f32 = 400.0;
        let norm = numbers.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        #[expect(clippy::cast_possible_truncation, reason = "clamped to what fits")]
        let byte = |number: f32| ((number / norm * LENGTH).round().clamp(-127.0, 127.0) as i8).cast_unsigned();
        Self(numbers.map(byte))
    }

    /// As it is stored: one signed byte a dimension.
    pub fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(bytes)
    }

    /// As it is stored: one signed byte a dimension.
    pub fn as_bytes(&self) -> &[u8; BYTES] {
        &self.0
    }

    /// The numbers.
    pub fn dimensions(&self) -> impl Iterator<Item = i8> {
        self.0.iter().map(|byte| byte.cast_signed())
    }

    /// How alike two texts are; at most about 160,000, which is a text with itself.
    pub fn dot(&self, other: &Self) -> i32 {
        scan::dots(self, &other.0)[0]
    }

    /// The signs.
    pub fn bits(&self) -> Bits {
        let mut bits = [0; DIMENSIONS / 64];
        for (word, bytes) in bits.iter_mut().zip(self.0.as_chunks::<64>().0) {
            *word = bytes.iter().rev().fold(0, |word, byte| word << 1 | u64::from(byte >> 7));
        }
        Bits(bits)
    }
}

impl Bits {
    /// In how many signs two vectors differ.
    #[inline]
    pub fn hamming(&self, other: &Self) -> u32 {
        self.0.iter().zip(other.0).map(|(a, b)| (a ^ b).count_ones()).sum()
    }
}

impl std::fmt::Debug for Vector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.dimensions()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_count_the_differences() {
        let mut bytes = [1_u8; BYTES];
        let one = Vector::from_bytes(bytes).bits();
        assert_eq!(one, Bits([0; 4]));
        bytes[0] = (-1_i8).cast_unsigned();
        bytes[200] = (-128_i8).cast_unsigned();
        let other = Vector::from_bytes(bytes).bits();
        assert_eq!(other, Bits([1, 0, 0, 1 << 8]));
        assert_eq!(one.hamming(&other), 2);
    }

    #[test]
    fn extremes_are_clamped_and_nothing_is_nothing() {
        let mut numbers = [0.0; DIMENSIONS];
        assert_eq!(Vector::quantize(&numbers).as_bytes(), &[0; BYTES]);
        numbers[3] = -7.0;
        assert_eq!(Vector::quantize(&numbers).dimensions().nth(3), Some(-127));
    }
}
