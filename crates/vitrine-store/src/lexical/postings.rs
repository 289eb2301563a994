//! Where a word stands, packed: for each record how often and how long its field is, then the
//! places themselves, which most searches never look at.

/// One record that has the word in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) record: i64,
    /// How often the word stands there.
    pub(crate) times: u32,
    /// Words in the field.
    pub(crate) length: u32,
}

/// Postings in the order of their records, with the places of each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct List {
    pub(crate) postings: Vec<Posting>,
    /// The places of all postings, one after the other.
    pub(crate) places: Vec<u32>,
}

impl List {
    pub(crate) fn push(&mut self, posting: Posting, places: &[u32]) {
        self.postings.push(posting);
        self.places.extend(places);
    }

    /// Each posting with its places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Posting, &[u32])> {
        let mut rest = self.places.as_slice();
        self.postings.iter().map(move |posting| {
            let (own, others) = rest.split_at(posting.times as usize);
            rest = others;
            (*posting, own)
        })
    }

    /// Brings postings of several lists into the order of their records.
    pub(crate) fn sort(&mut self) {
        if self.postings.is_sorted_by_key(|posting| posting.record) {
            return;
        }
        let mut parts: Vec<_> = self.iter().collect();
        parts.sort_by_key(|(posting, _)| posting.record);
        let mut sorted = Self::default();
        for (posting, places) in parts {
            sorted.push(posting, places);
        }
        *self = sorted;
    }

    /// Packs the list into chunks of about `bytes`, each with its first record.
    pub(crate) fn chunks(&self, bytes: usize) -> Vec<(i64, Vec<u8>)> {
        let mut chunks = Vec::new();
        let (mut head, mut tail, mut count, mut first, mut last) = (Vec::new(), Vec::new(), 0_u64, 0_i64, 0_i64);
        for (posting, places) in self.iter() {
            if count > 0 && head.len().saturating_add(tail.len() + places.len()) > bytes {
                chunks.push((first, pack(count, first, &head, &tail)));
                (count, head, tail) = (0, Vec::new(), Vec::new());
            }
            if count == 0 {
                (first, last) = (posting.record, posting.record);
            }
            count += 1;
            push_number(&mut head, (posting.record - last).cast_unsigned());
            push_number(&mut head, posting.times.into());
            push_number(&mut head, posting.length.into());
            last = posting.record;
            let mut before = 0;
            for place in places {
                push_number(&mut tail, (place - before).into());
                before = *place;
            }
        }
        if count > 0 {
            chunks.push((first, pack(count, first, &head, &tail)));
        }
        chunks
    }
}

fn pack(count: u64, first: i64, head: &[u8], tail: &[u8]) -> Vec<u8> {
    let mut chunk = Vec::with_capacity(head.len() + tail.len() + 12);
    push_number(&mut chunk, count);
    push_number(&mut chunk, first.cast_unsigned());
    chunk.extend(head);
    chunk.extend(tail);
    chunk
}

/// Visits the postings of a chunk; what is not as it was written is `None`.
pub(crate) fn each_posting(chunk: &[u8], mut visit: impl FnMut(Posting)) -> Option<&[u8]> {
    let mut rest = chunk;
    let count = take_number(&mut rest)?;
    let mut record = take_number(&mut rest)?.cast_signed();
    for _ in 0..count {
        record = record.checked_add(take_number(&mut rest)?.cast_signed())?;
        let times = u32::try_from(take_number(&mut rest)?).ok()?;
        let length = u32::try_from(take_number(&mut rest)?).ok()?;
        visit(Posting { record, times, length });
    }
    Some(rest)
}

/// Adds a chunk to a list, places included.
pub(crate) fn unpack(chunk: &[u8], list: &mut List) -> Option<()> {
    let before = list.postings.len();
    let mut rest = each_posting(chunk, |posting| list.postings.push(posting))?;
    for posting in &list.postings[before..] {
        let mut place = 0_u32;
        for _ in 0..posting.times {
            place = place.checked_add(u32::try_from(take_number(&mut rest)?).ok()?)?;
            list.places.push(place);
        }
    }
    Some(())
}

/// The first record of a chunk.
pub(crate) fn first_record(chunk: &[u8]) -> Option<i64> {
    let mut rest = chunk;
    take_number(&mut rest)?;
    take_number(&mut rest).map(u64::cast_signed)
}

/// Seven bits a byte, the lowest first.
pub(crate) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

#[inline]
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    if *first < 0x80 {
        return Some((*first).into());
    }
    let mut number = u64::from(*first & 0x7F);
    for shift in (7..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(*byte & 0x7F) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> List {
        let mut list = List::default();
        for record in [3_i64, 4, 900, 1_000_000] {
            list.push(Posting { record, times: 2, length: 70 }, &[1, 500]);
        }
        list
    }

    #[test]
    fn what_is_packed_comes_back_at_any_size() {
        for bytes in [1, 8, 20, 4_000] {
            let mut back = List::default();
            for (first, chunk) in list().chunks(bytes) {
                assert_eq!(first_record(&chunk), Some(first));
                unpack(&chunk, &mut back).unwrap();
            }
            assert_eq!(back, list());
        }
    }

    #[test]
    fn a_damaged_chunk_is_found_out() {
        let (_, chunk) = list().chunks(4_000).remove(0);
        for end in 0..chunk.len() {
            assert!(unpack(&chunk[..end], &mut List::default()).is_none());
        }
    }
}
