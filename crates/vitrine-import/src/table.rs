//! Tables of any kind, whose declaration is found out from all their rows.

mod cell;
pub(super) mod csv;
mod declare;
mod digits;
mod field;
pub(super) mod jsonl;
mod merge;

pub(super) use declare::connector_key;

use super::export::{Export, Member};

/// The one stream of a table.
const STREAM: &str = "rows";
/// Columns that are read.
const MAX_COLUMNS: usize = 500;

fn only(export: &Export) -> Option<Member> {
    match export.members() {
        [only] => Some(only.clone()),
        _ => None,
    }
}
