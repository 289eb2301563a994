//! Whole numbers that no number of JSON libraries holds keep their digits, as text.

use std::borrow::Cow;

/// Digits that any such number has at least.
const LEAST_DIGITS: usize = 19;

/// A JSON text in which numbers that would lose digits stand in quotes.
pub(super) fn kept(text: &[u8]) -> Cow<'_, [u8]> {
    if !has_long_run(text) {
        return Cow::Borrowed(text);
    }
    let (mut changed, mut copied, mut at) = (Vec::new(), 0, 0);
    let mut in_text = false;
    while at < text.len() {
        match text[at] {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            b'-' | b'0'..=b'9' if !in_text => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let end = at + text[at..].iter().take_while(|byte| is_part(byte)).count();
                if is_too_large(&text[at..end]) {
                    changed.extend_from_slice(&text[copied..at]);
                    changed.push(b'"');
                    changed.extend_from_slice(&text[at..end]);
                    changed.push(b'"');
                    copied = end;
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 { Cow::Borrowed(text) } else { Cow::Owned([&changed, &text[copied..]].concat()) }
}

fn has_long_run(text: &[u8]) -> bool {
    let mut at = LEAST_DIGITS - 1;
    // A run that long has a digit at every so many bytes, so most are never looked at.
    while at < text.len() {
        let run = text[..=at].iter().rev().take_while(|byte| byte.is_ascii_digit()).take(LEAST_DIGITS).count();
        if run == LEAST_DIGITS {
            return true;
        }
        at += LEAST_DIGITS - run;
    }
    false
}

fn is_too_large(number: &[u8]) -> bool {
    let Ok(number) = std::str::from_utf8(number) else { return false };
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_whole = digits.len() >= LEAST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && !digits.starts_with('0') && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_wherever_they_stand() {
        for before in 0..60 {
            for (length, is_long) in [(18, false), (19, true), (40, true)] {
                let text = ["x".repeat(before), "7".repeat(length), "y".repeat(5)].concat();
                assert_eq!(has_long_run(text.as_bytes()), is_long, "{text}");
            }
        }
    }
}
