//! Which bytes a `Range` header asks for.

use std::ops::Range;

/// What to send of a whole of known size.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of it: nothing else was asked for in a form that is understood here.
    Whole,
    /// These bytes.
    Part(Range<u64>),
    /// Bytes that are not there.
    Beyond,
}

/// Reads one range of bytes. Anything else, several ranges included, may be ignored (RFC 9110,
/// section 14.2), and is.
pub(super) fn wanted(header: &str, size: u64) -> Wanted {
    let Some(("bytes", spec)) = header.split_once('=') else { return Wanted::Whole };
    let Some((first, last)) = spec.trim().split_once('-') else { return Wanted::Whole };
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => part(first, size.min(last.saturating_add(1)), size),
        (Some(first), None) if last.is_empty() => part(first, size, size),
        (None, Some(suffix)) if first.is_empty() => part(size.saturating_sub(suffix), size, size),
        _ => Wanted::Whole,
    }
}

fn part(start: u64, end: u64, size: u64) -> Wanted {
    if start < size { Wanted::Part(start..end) } else { Wanted::Beyond }
}

fn number(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_read() {
        assert_eq!(wanted("bytes=0-4", 10), Wanted::Part(0..5));
        assert_eq!(wanted("bytes=4-", 10), Wanted::Part(4..10));
        assert_eq!(wanted("bytes=9-99", 10), Wanted::Part(9..10));
        assert_eq!(wanted("bytes=-3", 10), Wanted::Part(7..10));
        assert_eq!(wanted("bytes=-99", 10), Wanted::Part(0..10));
        assert_eq!(wanted(&format!("bytes=0-{}", u64::MAX), 10), Wanted::Part(0..10));
    }

    #[test]
    fn what_lies_beyond_is_told_from_what_makes_no_sense() {
        for beyond in ["bytes=10-", "bytes=10-20", "bytes=-0"] {
            assert_eq!(wanted(beyond, 10), Wanted::Beyond, "{beyond}");
        }
        assert_eq!(wanted("bytes=0-", 0), Wanted::Beyond);
        for odd in ["bytes=5-4", "bytes=-", "bytes=a-b", "bytes=0-1,3-4", "lines=0-1", "bytes", "bytes=+1-2"] {
            assert_eq!(wanted(odd, 10), Wanted::Whole, "{odd}");
        }
    }
}
