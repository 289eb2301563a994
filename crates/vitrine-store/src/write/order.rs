//! The order in which the entries of new records stand in the indexes, found before they are written.

use std::cmp::Ordering;

use vitrine_engine::catalog::FieldNumber;
use vitrine_engine::ingest::RecordKeys;
use vitrine_engine::sort_key::ABSENT;

use super::index::place;

/// The entries of new records in the order of each index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EntryOrder {
    pub(super) by_value: Vec<At>,
    pub(super) by_order: Vec<At>,
}

/// An entry: which of the records it belongs to, and which of its keys it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    pub(super) record: usize,
    pub(super) key: usize,
}

/// Bytes that compare by their beginning in most cases, without being looked up where they lie.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Bytes<'a> {
    head: u128,
    all: &'a [u8],
}

impl<'a> Bytes<'a> {
    fn new(all: &'a [u8]) -> Self {
        let mut head = [0; HEAD];
        let length = all.len().min(HEAD);
        head[..length].copy_from_slice(&all[..length]);
        Self { head: u128::from_be_bytes(head), all }
    }
}

const HEAD: usize = size_of::<u128>();

impl Ord for Bytes<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (length, of_other) = (self.all.len(), other.all.len());
        // Of two short ones that begin alike the shorter is filled up with what the other has.
        let is_short = length.max(of_other) <= HEAD;
        let rest = || if is_short { length.cmp(&of_other) } else { self.all.cmp(other.all) };
        self.head.cmp(&other.head).then_with(rest)
    }
}

impl PartialOrd for Bytes<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl EntryOrder {
    /// Of records with these ids and keys.
    pub(super) fn of<'a>(records: impl Iterator<Item = (&'a str, &'a RecordKeys)>) -> Self {
        let records: Vec<_> = records.collect();
        let mut order: Vec<usize> = (0..records.len()).collect();
        let ids: Vec<_> = records.iter().map(|(id, _)| Bytes::new(id.as_bytes())).collect();
        order.sort_unstable_by_key(|at| ids[*at]);
        let by_id = ranks(&order);
        let places: Vec<_> = records.iter().map(|(_, keys)| Bytes::new(place(keys))).collect();
        order.sort_by_key(|at| places[*at]);
        let by_place = ranks(&order);
        let keys = || records.iter().map(|(_, keys)| *keys).enumerate();
        let by_value = keys().flat_map(|(record, keys)| {
            keys.by_value
                .iter()
                .map(|(field, value)| (*field, value.as_bytes()))
                .enumerate()
                .map(move |key| (record, key))
        });
        let by_order = keys().flat_map(|(record, keys)| {
            let value =
                |(field, value): &'a (FieldNumber, Option<_>)| (*field, value.as_ref().map_or(ABSENT, as_bytes));
            keys.by_order.iter().map(value).enumerate().map(move |key| (record, key))
        });
        Self { by_value: sorted(by_value, &by_place), by_order: sorted(by_order, &by_id) }
    }
}

fn as_bytes(key: &vitrine_engine::sort_key::SortKey) -> &[u8] {
    key.as_bytes()
}

/// The place of each record in an order.
fn ranks(order: &[usize]) -> Vec<usize> {
    let mut ranks = vec![0; order.len()];
    for (rank, at) in order.iter().enumerate() {
        ranks[*at] = rank;
    }
    ranks
}

/// Entries by field and value, those of a value by the rank of their record.
fn sorted<'a>(entries: impl Iterator<Item = (usize, (usize, (FieldNumber, &'a [u8])))>, ranks: &[usize]) -> Vec<At> {
    let mut entries: Vec<_> = entries
        .map(|(record, (key, (field, value)))| (field, Bytes::new(value), ranks[record], At { record, key }))
        .collect();
    entries.sort_unstable_by_key(|(field, value, rank, _)| (*field, *value, *rank));
    entries.into_iter().map(|(.., at)| at).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vitrine_engine::sort_key::SortKey;

    use super::*;

    fn some_bytes() -> impl Strategy<Value = Vec<u8>> {
        (0..3_usize, prop::collection::vec(0..3_u8, 0..3)).prop_map(|(heads, tail)| {
            let mut bytes = vec![7; heads * 15];
            bytes.extend(tail);
            bytes
        })
    }

    fn some_key() -> impl Strategy<Value = SortKey> {
        some_bytes().prop_map(SortKey::from_bytes)
    }

    fn some_keys() -> impl Strategy<Value = RecordKeys> {
        let by_value = prop::collection::vec((0..3_i64, some_key()), 0..4);
        let by_order = prop::collection::vec((0..3_i64, prop::option::of(some_key())), 0..4);
        (by_value, by_order, prop::option::of(some_key())).prop_map(|(by_value, by_order, cursor)| RecordKeys {
            by_value,
            by_order,
            cursor,
            ..RecordKeys::default()
        })
    }

    proptest! {
        #[test]
        fn bytes_compare_whole(a in some_bytes(), b in some_bytes()) {
            prop_assert_eq!(Bytes::new(&a).cmp(&Bytes::new(&b)), a.cmp(&b));
        }

        #[test]
        fn entries_come_in_the_order_of_their_index(records in prop::collection::vec(("[ab]{0,20}", some_keys()), 0..12)) {
            let order = EntryOrder::of(records.iter().map(|(id, keys)| (id.as_str(), keys)));
            let by_value: Vec<_> = order.by_value.iter().map(|at| {
                let (id, keys) = &records[at.record];
                (&keys.by_value[at.key], place(keys), id)
            }).collect();
            let by_order: Vec<_> = order.by_order.iter().map(|at| {
                let (id, keys) = &records[at.record];
                let (field, value) = &keys.by_order[at.key];
                (field, value.as_ref().map_or(ABSENT, |key| key.as_bytes()), id)
            }).collect();
            prop_assert!(by_value.is_sorted());
            prop_assert!(by_order.is_sorted());
            let count = |of: fn(&RecordKeys) -> usize| records.iter().map(|(_, keys)| of(keys)).sum::<usize>();
            prop_assert_eq!(by_value.len(), count(|keys| keys.by_value.len()));
            prop_assert_eq!(by_order.len(), count(|keys| keys.by_order.len()));
        }
    }
}
