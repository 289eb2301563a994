//! How much of a schema fits. Whole documents are long, so few are made to find out.

use crate::answer::Answer;

/// A channel this full is not worth another try, in thousandths.
const FULL: usize = 985;

/// About the most, of `all`, that `at` can make fit; and what it made of them.
pub(super) fn most(all: usize, at: impl Fn(usize) -> Answer) -> (usize, Answer) {
    let whole = at(all);
    if whole.fits() || all == 0 {
        return (all, whole);
    }
    let none = at(0);
    if !none.fits() {
        return (0, none);
    }
    let (mut kept, mut filled, mut answer) = (0, none.filled(), none);
    let (mut over, mut overfilled) = (all, whole.filled());
    let mut halve = false;
    while over - kept > 1 + kept / 64 && filled < FULL {
        // In proportion, as entries are about as long as one another; unless it is tokens that run out.
        let share = (over - kept) * 1_000_usize.saturating_sub(filled) / overfilled.saturating_sub(filled).max(1);
        let step = if halve { (over - kept) / 2 } else { share };
        let tried = kept + step.clamp(1, over - kept - 1);
        let next = at(tried);
        if next.fits() {
            (kept, filled, answer) = (tried, next.filled(), next);
        } else {
            (over, overfilled) = (tried, next.filled());
        }
        halve = !halve;
    }
    (kept, answer)
}
