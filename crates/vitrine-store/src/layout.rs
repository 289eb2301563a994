//! The store's layout, versioned. Each step brings a store one version forward.

use rusqlite::Connection;

use crate::fault::Result;
use crate::write;

/// Steps from nothing to the present layout, in order.
pub(crate) const STEPS: &[Step] = &[
    Step { tables: include_str!("layout/ground.sql"), fill: None },
    Step { tables: include_str!("layout/oauth.sql"), fill: None },
    Step { tables: include_str!("layout/feed.sql"), fill: None },
    Step { tables: include_str!("layout/search.sql"), fill: Some(write::index_all_words) },
    // Vowel signs, composed characters, unseen signs and long words are told apart otherwise than before.
    Step { tables: "", fill: Some(write::index_words_anew) },
];

/// One version forward: new tables, and what fills them from what is there already.
pub(crate) struct Step {
    pub(crate) tables: &'static str,
    pub(crate) fill: Option<fn(&Connection) -> Result<()>>,
}

/// The present version.
pub(crate) fn version() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}
