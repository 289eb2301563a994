//! When each part of a record last changed, for the feed of changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vitrine_engine::gate::{Fields, TimeWindow};

/// What changed after a record was born. A field that is not listed has not changed since.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trace {
    /// The last change of each field.
    #[serde(rename = "f", default, skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<String, i64>,
    /// The times consent was measured on before, oldest first.
    #[serde(rename = "t", default, skip_serializing_if = "Vec::is_empty")]
    times: Vec<FormerTime>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FormerTime {
    /// The change that ended it.
    #[serde(rename = "s")]
    sequence: i64,
    #[serde(rename = "v")]
    time: Option<Vec<u8>>,
    /// When it ended, in seconds.
    #[serde(rename = "a")]
    at: i64,
}

impl Trace {
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, serde_json::Error> {
        text.map_or_else(|| Ok(Self::default()), serde_json::from_str)
    }

    pub(crate) fn to_json(&self) -> Result<Option<String>, serde_json::Error> {
        if *self == Self::default() { Ok(None) } else { serde_json::to_string(self).map(Some) }
    }

    /// What of it still tells who could see the record, once it is gone.
    pub(crate) fn without_fields(self) -> Self {
        Self { fields: BTreeMap::new(), ..self }
    }

    /// Notes that a field changed.
    pub(crate) fn field_changed(&mut self, field: &str, sequence: i64) {
        self.fields.insert(field.to_owned(), sequence);
    }

    /// Notes that the time consent is measured on is no longer `former`, and forgets what no
    /// bookmark can ask about any more.
    pub(crate) fn time_changed(&mut self, former: Option<Vec<u8>>, sequence: i64, now: i64, keep_seconds: i64) {
        self.times.retain(|time| time.at > now - keep_seconds);
        self.times.push(FormerTime { sequence, time: former, at: now });
    }

    /// The changes it still refers to.
    pub(crate) fn sequences(&self) -> impl Iterator<Item = i64> {
        self.fields.values().copied().chain(self.times.iter().map(|time| time.sequence))
    }

    /// The last change of any of these fields.
    pub(crate) fn last_change(&self, visible: &Fields) -> Option<i64> {
        self.fields.iter().filter(|(field, _)| visible.contains(field)).map(|(_, sequence)| *sequence).max()
    }

    /// Whether the record lay in the window after change `sequence`, given its present time.
    pub(crate) fn was_inside(&self, window: &TimeWindow, present: Option<&[u8]>, sequence: i64) -> bool {
        let then = self.times.iter().find(|former| former.sequence > sequence);
        window.contains(then.map_or(present, |former| former.time.as_deref()))
    }

    /// The last change, up to the horizon, that moved the record into or out of the window, and when.
    pub(crate) fn last_crossing(
        &self,
        window: &TimeWindow,
        present: Option<&[u8]>,
        horizon: i64,
    ) -> Option<(i64, i64)> {
        let mut inside = window.contains(present);
        for former in self.times.iter().rev() {
            let before = window.contains(former.time.as_deref());
            if before != inside && former.sequence <= horizon {
                return Some((former.sequence, former.at));
            }
            inside = before;
        }
        None
    }
}
