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

    /// Packs the list into chunks of about `bytes`.
    pub(crate) fn chunks(&self, bytes: usize) -> Vec<Chunk> {
        let mut chunks = Chunks::default();
        for (posting, places) in self.iter() {
            for place in places {
                chunks.place(*place);
            }
            chunks.posting(posting, bytes);
        }
        chunks.finish()
    }
}

/// Postings of a word, packed, with their first record.
pub(crate) struct Chunk {
    pub(crate) first: i64,
    pub(crate) bytes: Vec<u8>,
}

/// Packs postings as they come, in the order of their records: the places of each, then itself.
#[derive(Default)]
pub(crate) struct Chunks {
    full: Vec<Chunk>,
    head: Vec<u8>,
    tail: Vec<u8>,
    count: u64,
    first: i64,
    last: i64,
    place: u32,
    before: usize,
}

impl Chunks {
    /// A place of the posting that is to come.
    #[inline]
    pub(crate) fn place(&mut self, place: u32) {
        push_number(&mut self.tail, (place - self.place).into());
        self.place = place;
    }

    /// Ends a posting. A chunk that another one like it would make longer than `bytes` is full.
    pub(crate) fn posting(&mut self, posting: Posting, bytes: usize) {
        if self.count == 0 {
            (self.first, self.last) = (posting.record, posting.record);
        }
        push_number(&mut self.head, (posting.record - self.last).cast_unsigned());
        push_number(&mut self.head, posting.times.into());
        push_number(&mut self.head, posting.length.into());
        (self.last, self.place) = (posting.record, 0);
        self.count += 1;
        let size = self.head.len() + self.tail.len();
        if size + (size - self.before) > bytes {
            self.close();
        } else {
            self.before = size;
        }
    }

    /// Adds a chunk as it is packed; false when its records do not follow those before.
    fn append(&mut self, chunk: &[u8], bytes: usize) -> Option<bool> {
        let mut head = chunk;
        let count = take_number(&mut head)?;
        let first = take_number(&mut head)?.cast_signed();
        let mut last = first;
        let tail = each_posting(chunk, |posting| last = posting.record)?;
        let head = head.strip_suffix(tail)?;
        if (self.count > 0 || !self.full.is_empty()) && first <= self.last {
            return Some(false);
        }
        if self.count > 0 && self.head.len() + self.tail.len() + chunk.len() > bytes {
            self.close();
        }
        if self.count == 0 {
            (self.first, self.last) = (first, first);
        }
        // The first posting of a chunk is no step from the chunk's first record, which is one byte.
        push_number(&mut self.head, (first - self.last).cast_unsigned());
        self.head.extend(head.get(1..)?);
        self.tail.extend(tail);
        self.count += count;
        self.last = last;
        Some(true)
    }

    /// All chunks.
    pub(crate) fn finish(mut self) -> Vec<Chunk> {
        if self.count > 0 {
            self.close();
        }
        self.full
    }

    fn close(&mut self) {
        let mut bytes = Vec::with_capacity(self.head.len() + self.tail.len() + 12);
        push_number(&mut bytes, self.count);
        push_number(&mut bytes, self.first.cast_unsigned());
        bytes.extend(&self.head);
        bytes.extend(&self.tail);
        self.full.push(Chunk { first: self.first, bytes });
        self.head.clear();
        self.tail.clear();
        (self.count, self.before) = (0, 0);
    }
}

/// Joins the chunks of a word from several places. Nothing is unpacked where their records follow
/// each other, as those of batches do that brought new ones.
pub(crate) fn join(mut chunks: Vec<Vec<u8>>, bytes: usize) -> Option<Vec<Chunk>> {
    chunks.sort_by_cached_key(|chunk| first_record(chunk));
    let mut joined = Chunks::default();
    for chunk in &chunks {
        if !joined.append(chunk, bytes)? {
            let mut list = List::default();
            chunks.iter().try_for_each(|chunk| unpack(chunk, &mut list))?;
            list.sort();
            return Some(list.chunks(bytes));
        }
    }
    Some(joined.finish())
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
            for chunk in list().chunks(bytes) {
                assert_eq!(first_record(&chunk.bytes), Some(chunk.first));
                unpack(&chunk.bytes, &mut back).unwrap();
            }
            assert_eq!(back, list());
        }
    }

    #[test]
    fn joined_chunks_hold_what_they_held_apart() {
        let part = |records: &[i64]| {
            let mut list = List::default();
            for record in records {
                list.push(Posting { record: *record, times: 2, length: 9 }, &[3, 200]);
            }
            list.chunks(1_000).remove(0).bytes
        };
        for parts in [[part(&[7, 9]), part(&[1, 2]), part(&[300])], [part(&[1, 9]), part(&[2]), part(&[3, 300])]] {
            for bytes in [1, 16, 1_000] {
                let mut apart = List::default();
                for chunk in &parts {
                    unpack(chunk, &mut apart).unwrap();
                }
                apart.sort();
                let mut back = List::default();
                for chunk in join(parts.to_vec(), bytes).unwrap() {
                    assert_eq!(first_record(&chunk.bytes), Some(chunk.first));
                    unpack(&chunk.bytes, &mut back).unwrap();
                }
                assert_eq!(back, apart);
            }
        }
    }

    #[test]
    fn a_damaged_chunk_is_found_out() {
        let chunk = list().chunks(4_000).remove(0);
        for end in 0..chunk.bytes.len() {
            assert!(unpack(&chunk.bytes[..end], &mut List::default()).is_none());
        }
    }
}
