//! What is known of a column from the values in it.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Values told apart before a column counts as one of many values.
const MAX_DISTINCT: usize = 200;
/// Values remembered to find a column in which none comes twice.
const MAX_UNIQUE: usize = 3_600_000;
/// Names that columns with a key have.
const KEY_NAMES: [&str; 6] = ["id", "uuid", "guid", "key", "_id", "record_id"];

/// Names that mean something of their own.
const RESERVED: [&str; 2] = [super::declare::ROW_ID, "blob_ref"];

/// A column of a table.
pub(super) struct Field {
    /// As it stands in records.
    pub(super) name: String,
    /// How many rows have it.
    pub(super) filled: u64,
    /// Whether some rows have it as null.
    pub(super) nullable: bool,
    /// Values so far; none when there are many.
    distinct: Option<HashSet<u64>>,
    unique: Option<HashSet<u64>>,
    hasher: RandomState,
}

impl Field {
    /// A column with this heading, with a name that no other has.
    pub(super) fn new(heading: &str, taken: &[Self]) -> Self {
        let base = name_of(heading, taken.len() + 1);
        let is_free = |name: &str| !RESERVED.contains(&name) && taken.iter().all(|field| field.name != name);
        let numbered = (2..).map(|n| format!("{base}_{n}"));
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| is_free(name)).unwrap_or_default();
        let unique = KEY_NAMES.contains(&name.as_str()).then(HashSet::new);
        Self { name, filled: 0, nullable: false, distinct: Some(HashSet::new()), unique, hasher: RandomState::new() }
    }

    /// Notes a value.
    pub(super) fn see(&mut self, value: &str) {
        self.filled += 1;
        let hash = self.hasher.hash_one(value);
        if let Some(distinct) = &mut self.distinct {
            distinct.insert(hash);
            if distinct.len() > MAX_DISTINCT {
                self.distinct = None;
            }
        }
        if let Some(unique) = &mut self.unique
            && (unique.len() >= MAX_UNIQUE || !unique.insert(hash))
        {
            self.unique = None;
        }
    }

    /// Whether rows can be grouped by it.
    pub(super) fn has_few_values(&self) -> bool {
        self.distinct.as_ref().is_some_and(|distinct| (distinct.len() as u64) * 2 <= self.filled.max(4))
    }

    /// Whether it tells every one of `rows` apart.
    pub(super) fn is_key(&self, rows: u64) -> bool {
        rows > 0 && self.filled == rows && self.unique.is_some()
    }
}

/// `Total amount (EUR)` is `total_amount_eur`.
fn name_of(heading: &str, number: usize) -> String {
    let mut name = String::new();
    for c in heading.trim().chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name: String = name.trim_end_matches('_').chars().take(60).collect();
    if name.is_empty() { format!("column_{number}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_names_of_fields() {
        let mut fields = Vec::new();
        for heading in ["Total amount (EUR)", "", "total-amount eur", "Größe", "row_id"] {
            let field = Field::new(heading, &fields);
            fields.push(field);
        }
        let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["total_amount_eur", "column_2", "total_amount_eur_2", "größe", "row_id_2"]);
    }
}
