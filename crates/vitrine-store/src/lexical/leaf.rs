//! Sorted entries, several thousand bytes to a row; keys share what they start with.

use super::postings::{Chunk, push_number, take_number};

/// Bytes of a leaf; with its key it fits a page of the file.
pub(super) const LEAF_BYTES: usize = 3_800;
/// Bytes of a chunk of postings.
pub(super) const CHUNK_BYTES: usize = 3_000;

/// A key and its chunk of postings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Vec<u8>,
    pub(super) chunk: Vec<u8>,
}

/// Where an entry stands among the others: its key, then its first record.
pub(super) fn place(key: &[u8], record: i64) -> Vec<u8> {
    [key, &record.to_be_bytes()].concat()
}

/// Packs entries into one leaf.
#[derive(Default)]
pub(super) struct Packer {
    bytes: Vec<u8>,
    last: Vec<u8>,
}

impl Packer {
    pub(super) fn push(&mut self, key: &[u8], chunk: &[u8]) {
        let shared = key.iter().zip(&self.last).take_while(|(a, b)| a == b).count();
        push_number(&mut self.bytes, shared as u64);
        push_number(&mut self.bytes, (key.len() - shared) as u64);
        self.bytes.extend(&key[shared..]);
        push_number(&mut self.bytes, chunk.len() as u64);
        self.bytes.extend(chunk);
        self.last.clear();
        self.last.extend(key);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether the entry would make the leaf too large.
    pub(super) fn is_full_for(&self, key: &[u8], chunk: &[u8]) -> bool {
        !self.is_empty() && self.bytes.len() + key.len() + chunk.len() + 6 > LEAF_BYTES
    }

    pub(super) fn take(&mut self) -> Vec<u8> {
        self.last.clear();
        std::mem::take(&mut self.bytes)
    }
}

/// A leaf as it is stored.
pub(super) struct Leaf {
    pub(super) first: Vec<u8>,
    pub(super) data: Vec<u8>,
}

/// Packs entries, which come in order, into leaves.
#[derive(Default)]
pub(super) struct Leaves {
    packer: Packer,
    first: Vec<u8>,
    full: Vec<Leaf>,
}

impl Leaves {
    pub(super) fn push_chunks(&mut self, key: &[u8], chunks: &[Chunk]) {
        for chunk in chunks {
            self.push(key, chunk.first, &chunk.bytes);
        }
    }

    pub(super) fn push(&mut self, key: &[u8], first_record: i64, chunk: &[u8]) {
        if self.packer.is_full_for(key, chunk) {
            self.close();
        }
        if self.packer.is_empty() {
            self.first = place(key, first_record);
        }
        self.packer.push(key, chunk);
    }

    /// The leaves that are full by now.
    pub(super) fn take_full(&mut self) -> Vec<Leaf> {
        std::mem::take(&mut self.full)
    }

    /// The leaves that are left.
    pub(super) fn finish(mut self) -> Vec<Leaf> {
        if !self.packer.is_empty() {
            self.close();
        }
        self.full
    }

    fn close(&mut self) {
        self.full.push(Leaf { first: std::mem::take(&mut self.first), data: self.packer.take() });
    }
}

/// Reads the entries of a leaf one after the other.
pub(super) struct Entries<'a> {
    rest: &'a [u8],
    key: Vec<u8>,
}

impl<'a> Entries<'a> {
    pub(super) fn new(leaf: &'a [u8]) -> Self {
        Self { rest: leaf, key: Vec::new() }
    }

    /// Steps to the next entry and gives its chunk; none at the end, or where the leaf is damaged.
    pub(super) fn next_chunk(&mut self) -> Option<&'a [u8]> {
        let shared = usize::try_from(take_number(&mut self.rest)?).ok()?;
        let own = usize::try_from(take_number(&mut self.rest)?).ok()?;
        let (suffix, rest) = self.rest.split_at_checked(own)?;
        self.rest = rest;
        self.key.truncate(shared);
        self.key.extend(suffix);
        let size = usize::try_from(take_number(&mut self.rest)?).ok()?;
        let (chunk, rest) = self.rest.split_at_checked(size)?;
        self.rest = rest;
        Some(chunk)
    }

    /// The key of the entry that was stepped to.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Whether the whole leaf was read.
    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }
}
