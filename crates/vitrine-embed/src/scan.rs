//! One query against many stored vectors. The loops are plain; `rten-simd` compiles them for the processor found at run
//! time, so that a binary for any machine scans with wide registers where there are some.

use rten_simd::{Isa, SimdOp};

use crate::vector::{BYTES, Bits, DIMENSIONS, Vector};

/// The dot product of `query` with each of the vectors in `packed`, which stand end to end as [`Vector::as_bytes`] gives
/// them. What follows the last whole vector is ignored.
pub fn dots(query: &Vector, packed: &[u8]) -> Vec<i32> {
    let mut wide = [0; DIMENSIONS];
    for (wide, number) in wide.iter_mut().zip(query.dimensions()) {
        *wide = i16::from(number);
    }
    let packed = packed.as_chunks().0;
    let mut found = vec![0; packed.len()];
    Dots { query: &wide, packed, found: &mut found }.dispatch();
    found
}

/// In how many signs `query` differs from each of `packed`.
pub fn distances(query: &Bits, packed: &[Bits]) -> Vec<u16> {
    let mut found = vec![0; packed.len()];
    Distances { query, packed, found: &mut found }.dispatch();
    found
}

struct Dots<'a> {
    query: &'a [i16; DIMENSIONS],
    packed: &'a [[u8; BYTES]],
    found: &'a mut [i32],
}

impl SimdOp for Dots<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only what is inlined is compiled for the processor found")]
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        for (found, bytes) in self.found.iter_mut().zip(self.packed) {
            let pairs = self.query.iter().zip(bytes);
            *found = pairs.map(|(wide, byte)| i32::from(*wide) * i32::from(byte.cast_signed())).sum();
        }
    }
}

struct Distances<'a> {
    query: &'a Bits,
    packed: &'a [Bits],
    found: &'a mut [u16],
}

impl SimdOp for Distances<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only what is inlined is compiled for the processor found")]
    #[expect(clippy::cast_possible_truncation, reason = "at most 256")]
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        for (found, bits) in self.found.iter_mut().zip(self.packed) {
            *found = self.query.hamming(bits) as u16;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vectors(count: usize) -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), count * BYTES..=count * BYTES)
    }

    proptest! {
        #[test]
        fn the_scans_equal_plain_arithmetic(packed in vectors(9), query in vectors(1)) {
            let query = Vector::from_bytes(query.try_into().expect("one vector"));
            let all: Vec<Vector> = packed.as_chunks().0.iter().map(|bytes| Vector::from_bytes(*bytes)).collect();
            let plain: Vec<i32> = all
                .iter()
                .map(|one| one.dimensions().zip(query.dimensions()).map(|(a, b)| i32::from(a) * i32::from(b)).sum())
                .collect();
            prop_assert_eq!(dots(&query, &packed), plain);
            let bits: Vec<Bits> = all.iter().map(Vector::bits).collect();
            let signs: Vec<usize> = all
                .iter()
                .map(|one| one.dimensions().zip(query.dimensions()).filter(|(a, b)| (*a < 0) != (*b < 0)).count())
                .collect();
            prop_assert_eq!(distances(&query.bits(), &bits).into_iter().map(usize::from).collect::<Vec<_>>(), signs);
        }
    }

    #[test]
    fn half_a_vector_is_ignored() {
        let query = Vector::from_bytes([1; BYTES]);
        assert_eq!(dots(&query, &[2; BYTES + 17]), [512]);
        assert_eq!(dots(&query, &[]), Vec::<i32>::new());
    }
}
