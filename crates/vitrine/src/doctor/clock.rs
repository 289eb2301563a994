//! The machine's clock, on which grants and tokens end.

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::fetch::Fetch;
use super::{Finding, Patient};

/// This program is not older.
const RELEASED: &str = "2026-11-01T00:00:00Z";
/// Tokens live for an hour and codes for a minute: more than this is felt.
const TOLERATED_SECONDS: i64 = 30;

pub(super) async fn check(patient: &Patient) -> Vec<Finding> {
    let now = patient.clock.now();
    let told = match &patient.public_url {
        Some(url) => Fetch::get(&format!("{url}/healthz")).await.ok().and_then(|answer| answer.header("date")),
        None => None,
    };
    judge(now, told.as_deref()).into_iter().collect()
}

fn judge(now: Timestamp, told: Option<&str>) -> Option<Finding> {
    let set = "Set the clock, and let the system keep it: timedatectl set-ntp true";
    if RELEASED.parse::<Timestamp>().is_ok_and(|released| now < released) {
        return Some(Finding::new(format!("The clock says {now}, before this program was made."), set));
    }
    let told = rfc2822::parse(told?).ok()?.timestamp();
    let apart = now.duration_since(told).as_secs().abs();
    (apart > TOLERATED_SECONDS)
        .then(|| Finding::new(format!("This machine's clock and that of the public address are {apart} s apart."), set))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_clock_is_found() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        assert!(judge(at("2026-11-16T12:00:00Z"), None).is_none());
        assert!(judge(at("2026-11-16T12:00:00Z"), Some("Mon, 16 Nov 2026 12:00:20 GMT")).is_none());
        assert!(judge(at("2026-11-16T12:00:00Z"), Some("not a date")).is_none());
        assert!(judge(at("1970-01-02T00:00:00Z"), None).unwrap().problem.contains("before"));
        let apart = judge(at("2026-11-16T12:00:00Z"), Some("Mon, 16 Nov 2026 12:10:00 GMT")).unwrap();
        assert!(apart.problem.contains("600 s"), "{apart:?}");
    }
}
