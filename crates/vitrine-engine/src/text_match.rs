//! Finds text without regard to case, in text that arrives piece by piece.

use std::collections::VecDeque;

/// Looks for the first occurrence of a needle. Positions are characters of the original text,
/// although case folding may turn one character into several.
pub struct Finder {
    needle: Vec<char>,
    /// For each prefix, how much of it is also its own end.
    fallback: Vec<usize>,
    matched: usize,
    /// Where the folded characters of the present partial match came from.
    origins: VecDeque<Origin>,
    seen: u64,
}

#[derive(Clone, Copy)]
struct Origin {
    char: u64,
    first: bool,
}

impl Finder {
    /// A finder for `needle`; none when there is nothing to look for.
    pub fn new(needle: &str) -> Option<Self> {
        let needle: Vec<char> = needle.chars().flat_map(fold).collect();
        if needle.is_empty() {
            return None;
        }
        let mut fallback = vec![0; needle.len()];
        let mut length = 0;
        for at in 1..needle.len() {
            while length > 0 && needle[at] != needle[length] {
                length = fallback[length - 1];
            }
            length += usize::from(needle[at] == needle[length]);
            fallback[at] = length;
        }
        Some(Self { needle, fallback, matched: 0, origins: VecDeque::new(), seen: 0 })
    }

    /// Reads on; the characters of the first match, once it is complete.
    pub fn feed(&mut self, piece: &str) -> Option<(u64, u64)> {
        for c in piece.chars() {
            let at = self.seen;
            self.seen += 1;
            let mut folded = fold(c).peekable();
            let mut first = true;
            while let Some(f) = folded.next() {
                let last = folded.peek().is_none();
                if self.step(f, Origin { char: at, first }) && last && self.origins.front().is_some_and(|o| o.first) {
                    return self.origins.front().map(|start| (start.char, at + 1));
                }
                first = false;
            }
        }
        None
    }

    /// Takes one folded character; true when the needle is complete.
    fn step(&mut self, c: char, origin: Origin) -> bool {
        if self.matched == self.needle.len() {
            self.shrink(self.fallback[self.matched - 1]);
        }
        while self.matched > 0 && self.needle[self.matched] != c {
            self.shrink(self.fallback[self.matched - 1]);
        }
        if self.needle[self.matched] == c {
            self.matched += 1;
            self.origins.push_back(origin);
        }
        self.matched == self.needle.len()
    }

    fn shrink(&mut self, to: usize) {
        self.origins.drain(..self.matched - to);
        self.matched = to;
    }
}

/// Lower case, with the Greek final sigma as any other.
fn fold(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(text: &str, needle: &str, piece: usize) -> Option<(u64, u64)> {
        let mut finder = Finder::new(needle)?;
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(piece).find_map(|piece| finder.feed(&piece.iter().collect::<String>()))
    }

    #[test]
    fn case_is_ignored_and_positions_are_characters() {
        assert_eq!(find("日本ÉCOLE", "école", 2), Some((2, 7)));
        assert_eq!(find("aaab", "AAB", 1), Some((1, 4)));
        assert_eq!(find("xİstanbul", "i̇stan", 3), Some((1, 6)));
        assert_eq!(find("ΟΔΟΣ", "οδος", 2), Some((0, 4)));
        assert_eq!(find("abc", "d", 1), None);
        assert!(Finder::new("").is_none());
    }

    proptest! {
        #[test]
        fn the_first_match_is_found_however_the_text_is_cut(text in "[abAB]{0,40}", needle in "[ab]{1,4}", piece in 1usize..9) {
            let expected = text.to_lowercase().find(&needle).map(|at| (at as u64, (at + needle.len()) as u64));
            prop_assert_eq!(find(&text, &needle, piece), expected);
        }
    }
}
