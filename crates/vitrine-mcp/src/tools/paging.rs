//! Pages of providers, which alone can make the cursor that continues after a row, and may send more rows than they
//! were asked for.

use serde_json::json;
use vitrine_contract::limits::DEFAULT_LIMIT;
use vitrine_contract::record::ListMeta;
use vitrine_contract::search::SearchMeta;
use vitrine_contract::{List, Warning};

use crate::answer::Answer;
use crate::render::Fit;

/// How often a lower limit is worked out from what came; from then on it is halved.
const GUESSES: usize = 3;
const OVERFULL: &str = "provider_page_overfull";

/// How many rows to ask for next: each time fewer, and never more than the caller allowed.
pub(super) struct Paging {
    most: usize,
    asked: usize,
    guesses: usize,
    /// Rows that the last limit brought.
    came: Option<usize>,
}

impl Paging {
    pub(super) fn of(limit: Option<u64>) -> Self {
        let most = usize::try_from(limit.unwrap_or(DEFAULT_LIMIT.into())).unwrap_or(usize::MAX);
        Self { most, asked: most, guesses: GUESSES, came: None }
    }

    /// The rows that may be shown.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// The lower limit to ask with, when more rows came than may be shown.
    pub(super) fn over(&mut self, came: usize) -> Option<u64> {
        if came > self.most { self.fewer(came, self.most) } else { None }
    }

    /// The lower limit that should bring `wanted` rows, after the last one brought `came`; none when there is no use
    /// in asking again.
    pub(super) fn fewer(&mut self, came: usize, wanted: usize) -> Option<u64> {
        if self.asked <= 1 {
            return None;
        }
        // As many for a lower limit: it was not looked at, or both were more than is left of each connection.
        let lower = if self.guesses == 0 || self.came == Some(came) {
            self.asked / 2
        } else {
            self.guesses -= 1;
            // What takes a limit for each connection, or for none of them, brings a multiple of it.
            self.asked * wanted / came.max(self.asked)
        };
        self.came = Some(came);
        self.asked = lower.clamp(1, self.asked - 1);
        Some(self.asked as u64)
    }

    /// What fits of a page of which `came` rows came; else the lower limit to ask with.
    pub(super) fn settle<T, M: Warned>(
        &mut self,
        list: &mut List<T, M>,
        came: usize,
        render: impl Fn(&List<T, M>) -> Fit,
    ) -> Result<Answer, u64> {
        loop {
            match render(list) {
                Fit::Whole(answer) => return Ok(*answer),
                Fit::AskFor(kept) => match self.fewer(came, kept) {
                    Some(fewer) => return Err(fewer),
                    None => cut(list, kept),
                },
            }
        }
    }
}

/// Cuts a page where no cursor continues, and says so.
pub(super) fn cut<T, M: Warned>(list: &mut List<T, M>, rows: usize) {
    if list.data.len() <= rows {
        return;
    }
    let warnings = list.meta.warnings();
    let came = warnings.iter().find(|warning| warning.code == OVERFULL).and_then(|told| told.detail["came"].as_u64());
    let came = came.unwrap_or(list.data.len() as u64);
    warnings.retain(|warning| warning.code != OVERFULL);
    warnings.push(Warning {
        code: OVERFULL.into(),
        message: Some(format!(
            "The provider sent {came} at once; the first {rows} are shown, and no cursor continues after them. Narrow \
             the call to reach the others."
        )),
        detail: json!({ "returned": rows, "came": came }),
    });
    list.data.truncate(rows);
    list.has_more = true;
    list.next_cursor = None;
    list.next_changes_since = None;
    list.links.next = None;
}

/// What a list says about itself, warnings among it.
pub(super) trait Warned {
    fn warnings(&mut self) -> &mut Vec<Warning>;
}

impl Warned for ListMeta {
    fn warnings(&mut self) -> &mut Vec<Warning> {
        &mut self.warnings
    }
}

impl Warned for SearchMeta {
    fn warnings(&mut self) -> &mut Vec<Warning> {
        &mut self.warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_only_ever_lowered() {
        let mut kept = Paging::of(Some(50));
        assert_eq!(kept.fewer(50, 12), Some(12));
        assert_eq!(kept.fewer(12, 11), Some(11));
        let mut multiplied = Paging::of(Some(6));
        assert_eq!(multiplied.fewer(18, 6), Some(2));
        let mut ignored = Paging::of(Some(5));
        assert_eq!((ignored.fewer(50, 5), ignored.fewer(50, 5)), (Some(1), None));
        let mut stubborn = Paging::of(None);
        let asked = [40, 39, 38, 37, 36, 35].map(|came| stubborn.over(came));
        assert_eq!(asked, [Some(15), Some(9), Some(5), Some(2), Some(1), None]);
    }

    #[test]
    fn only_the_lowest_limit_shows_that_it_is_ignored() {
        let mut deaf = Paging::of(None);
        let asked = [26; 6].map(|came| deaf.over(came));
        assert_eq!(asked, [Some(24), Some(12), Some(6), Some(3), Some(1), None]);
        let mut few_left = Paging::of(Some(5));
        assert_eq!([7, 7, 3].map(|came| few_left.over(came)), [Some(3), Some(1), None]);
    }
}
