//! A cheap upper bound on o200k tokens, from 21 KB of facts about the vocabulary instead of all of it.
//!
//! Byte-pair encoding stops only when no two neighbouring tokens make up a third. So two single bytes
//! can stand side by side only if their pair is not in the vocabulary, and a letter beside two only if
//! the three are not: that bounds ordinary ASCII at about half a token a byte. Runs of up to three
//! digits are always one token. For any other character of the basic plane the table holds the tokens
//! it makes alone, and one more for those with which a token can begin inside the character before
//! them, and for those that break into three when it does. Beyond the basic plane a character counts
//! as its bytes.

/// Which pairs of ASCII bytes are tokens, one bit each; the tokens of each character of the basic
/// plane, two bits each; and which triples of small letters are, the first of them perhaps a blank.
const TABLE: &[u8; PAIRS + PLANE + TRIPLES] = include_bytes!("o200k.bin");
const PAIRS: usize = 128 * 128 / 8;
const PLANE: usize = 0x10000 / 4;
const TRIPLES: usize = (27_usize * 26 * 26).div_ceil(8);

/// Bytes after which it is worth asking whether the rest can still be too much.
const STRETCH: usize = 256;

/// Whether o200k is sure to make no more than `most` tokens of `text`.
pub(crate) fn is_within(text: &str, most: usize) -> bool {
    is_plainly_within(text.as_bytes(), most) || bounded(text, most) <= most
}

/// The same, from runs of bytes alone, which is a fraction of the work and enough for most texts. In a run whose
/// neighbours all make a token, no two bytes stand alone side by side: at most two tokens for three of them. Of digits,
/// three are one.
fn is_plainly_within(text: &[u8], most: usize) -> bool {
    let Some(spare) = text.len().checked_sub(most) else { return true };
    // A run that is cut in two may count for one token less than it has.
    let wanted = spare + LANES - 1;
    let length = text.len() / LANES;
    let parts: [&[u8]; LANES] = std::array::from_fn(|lane| &text[lane * length..][..length]);
    let mut runs = [Run::default(); LANES];
    let mut from = 0;
    while from < length {
        let to = length.min(from + STRETCH);
        for at in from..to {
            for (run, part) in runs.iter_mut().zip(parts) {
                run.byte(part[at]);
            }
        }
        if runs.iter().map(|run| run.saved).sum::<usize>() >= wanted {
            return true;
        }
        from = to;
    }
    spare == 0
}

/// Parts of a text that are looked at by turns, since a byte has to wait for the one before it.
const LANES: usize = 4;

/// A run of bytes, and how many tokens all runs so far have less than bytes.
#[derive(Clone, Copy)]
struct Run {
    before: u8,
    /// Its length by threes, as a bit that goes round: 1 for one byte, 2 for two, 4 for three, 1 again for four.
    phase: u8,
    saved: usize,
}

impl Default for Run {
    fn default() -> Self {
        Self { before: 0, phase: 1, saved: 0 }
    }
}

impl Run {
    #[inline]
    fn byte(&mut self, byte: u8) {
        let byte = if byte < 128 { byte } else { 0 };
        let joint = JOINTS[usize::from(self.before & 127)][usize::from(byte & 127)];
        self.saved += usize::from(joint & self.phase != 0);
        self.phase = if joint & GOES_ON == 0 { 1 } else { (self.phase << 1 | self.phase >> 2) & 7 };
        self.before = if joint & CUT_OFF == 0 { byte } else { 0 };
    }
}

/// Of two bytes side by side: in which phases the second saves a token, whether they are of one run, and whether the second
/// may be cut off from what follows it.
static JOINTS: [[u8; 128]; 128] = {
    let mut joints = [[0; 128]; 128];
    let mut at = 0;
    while at < 128 * 128 {
        let (first, second) = (at / 128, at % 128);
        #[expect(clippy::cast_possible_truncation, reason = "below 128")]
        let digits = ((first as u8).is_ascii_digit(), (second as u8).is_ascii_digit());
        joints[first][second] = if let (true, true) = digits {
            // The second and the third of three digits.
            GOES_ON | 1 | 2
        } else if !digits.1 && MERGES[first][second] {
            // Every second of three bytes.
            GOES_ON | 1
        } else if first == b'\'' as usize {
            // Letters after an apostrophe may be cut off from those that follow them.
            CUT_OFF
        } else {
            0
        };
        at += 1;
    }
    joints
};
const GOES_ON: u8 = 8;
const CUT_OFF: u8 = 16;

/// At least as many tokens as o200k makes of `text`; perhaps a little more, but not beyond `most`, when the rest of the
/// text cannot exceed that even with a token a byte.
fn bounded(text: &str, most: usize) -> usize {
    let mut bound = Bound::default();
    let mut digits = 0_usize;
    let mut look = STRETCH;
    for (at, c) in text.char_indices() {
        if at >= look {
            let worst = bound.most() + digits + text.len() - at;
            if worst <= most {
                return worst;
            }
            look = at + STRETCH;
        }
        if c.is_ascii_digit() {
            digits += 1;
            continue;
        }
        bound.whole(digits.div_ceil(3));
        digits = 0;
        match u8::try_from(c) {
            Ok(byte) if byte < 128 => bound.byte(byte),
            _ => bound.whole(alone(c)),
        }
    }
    bound.whole(digits.div_ceil(3));
    bound.now.best()
}

/// The most tokens that could end here, by the length of the last of them.
#[derive(Clone, Copy, Default)]
struct Ends {
    single: usize,
    double: usize,
    longer: usize,
}

impl Ends {
    fn best(self) -> usize {
        self.single.max(self.double).max(self.longer)
    }
}

#[derive(Default)]
struct Bound {
    /// The two bytes before; zero where there is none to merge with.
    before: [u8; 2],
    now: Ends,
    one_ago: Ends,
    /// The most tokens at any place two or more bytes ago.
    reach: usize,
}

impl Bound {
    /// The most tokens at any place so far. No byte adds more than one to it.
    fn most(&self) -> usize {
        self.now.best().max(self.one_ago.best()).max(self.reach)
    }

    fn byte(&mut self, byte: u8) {
        let [first, second] = self.before;
        let pair = merges(second, byte);
        let triple = pair && is_triple(first, second, byte);
        let unless = |merges: bool, tokens: usize| if merges { 0 } else { tokens };
        let Self { now, one_ago, reach, .. } = *self;
        let ends = Ends {
            single: 1 + unless(pair, now.single).max(unless(triple, now.double)).max(now.longer),
            double: unless(!pair, 1 + unless(triple, one_ago.single).max(one_ago.double).max(one_ago.longer)),
            longer: 1 + reach,
        };
        *self = Self { before: [second, byte], now: ends, one_ago: now, reach: reach.max(one_ago.best()) };
    }

    /// Something that joins nothing around it.
    fn whole(&mut self, tokens: usize) {
        if tokens > 0 {
            let reach = self.now.best() + tokens;
            let ends = Ends { single: reach, double: reach, longer: reach };
            *self = Self { before: [0; 2], now: ends, one_ago: ends, reach };
        }
    }
}

/// Which pairs of ASCII bytes become one token where they stand side by side.
static MERGES: [[bool; 128]; 128] = {
    let mut merges = [[false; 128]; 128];
    let mut at = 0;
    while at < 128 * 128 {
        let (first, second) = (at / 128, at % 128);
        #[expect(clippy::cast_possible_truncation, reason = "below 128")]
        let one_piece = one_piece(first as u8, second as u8);
        merges[first][second] = one_piece && bit(at);
        at += 1;
    }
    merges
};

#[inline]
fn merges(first: u8, second: u8) -> bool {
    MERGES[usize::from(first & 127)][usize::from(second & 127)]
}

/// Whether the tokenizer keeps the two bytes in one piece, so that they can merge.
const fn one_piece(first: u8, second: u8) -> bool {
    let letter = second.is_ascii_alphabetic();
    if first == b' ' || first.is_ascii_uppercase() {
        return letter || (first == b' ' && second.is_ascii_punctuation());
    }
    if first.is_ascii_lowercase() {
        return second.is_ascii_lowercase();
    }
    first.is_ascii_punctuation() && second.is_ascii_punctuation()
}

fn is_triple(first: u8, second: u8, third: u8) -> bool {
    triple_at(first, second, third).is_some_and(bit)
}

/// Where the table tells of three small letters, or of a blank and two.
fn triple_at(first: u8, second: u8, third: u8) -> Option<usize> {
    let letter = |byte: u8| byte.is_ascii_lowercase().then(|| usize::from(byte - b'a'));
    let first = if first == b' ' { 26 } else { letter(first)? };
    Some((PAIRS + PLANE) * 8 + (first * 26 + letter(second)?) * 26 + letter(third)?)
}

const fn bit(at: usize) -> bool {
    TABLE[at / 8] & (1 << (at % 8)) != 0
}

fn alone(c: char) -> usize {
    let code = c as usize;
    if code < 0x10000 { usize::from(TABLE[PAIRS + code / 4] >> (code % 4 * 2) & 3).max(1) } else { c.len_utf8() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;
    use std::sync::LazyLock;
    use tiktoken_rs::CoreBPE;

    fn upper_bound(text: &str) -> usize {
        bounded(text, 0)
    }

    static O200K: LazyLock<CoreBPE> = LazyLock::new(|| tiktoken_rs::o200k_base().unwrap());

    fn vocabulary() -> HashSet<Vec<u8>> {
        (0..200_000).filter_map(|rank| O200K.decode_bytes(&[rank]).ok()).collect()
    }

    fn counted(text: &str) -> usize {
        O200K.encode_ordinary(text).len()
    }

    fn assert_bounded(text: &str) {
        assert!(counted(text) <= upper_bound(text), "{} > {}: {text:?}", counted(text), upper_bound(text));
    }

    /// What follows in a token that begins inside a character: the next one, or the start of it.
    fn after_a_part(token: &[u8]) -> Option<Vec<u8>> {
        let rest = &token[token.iter().take_while(|b| **b & 0xC0 == 0x80).count()..];
        let next = 1 + rest.iter().skip(1).take_while(|b| **b & 0xC0 == 0x80).count();
        (rest.len() < token.len() && !rest.is_empty()).then(|| rest[..next].to_vec())
    }

    /// Write the table anew with `VITRINE_WRITE_O200K=1 cargo test -p vitrine-mcp o200k`.
    #[test]
    fn the_table_holds_what_the_vocabulary_says() {
        let mut table = vec![0_u8; TABLE.len()];
        let vocabulary = vocabulary();
        for token in &vocabulary {
            let at = match token[..] {
                [first @ 0..128, second @ 0..128] => Some(usize::from(first) * 128 + usize::from(second)),
                [first, second, third] => triple_at(first, second, third),
                _ => None,
            };
            if let Some(at) = at {
                table[at / 8] |= 1 << (at % 8);
            }
        }
        let inside: HashSet<Vec<u8>> = vocabulary.iter().filter_map(|token| after_a_part(token)).collect();
        for c in ('\0'..='\u{FFFF}').filter(|c| !c.is_ascii()) {
            let text = c.to_string();
            let breaks = (1..=text.len()).any(|end| inside.contains(&text.as_bytes()[..end]));
            let brittle = text.len() == 3 && !vocabulary.contains(&text.as_bytes()[..2]);
            let tokens = counted(&text) + usize::from(breaks) + usize::from(brittle);
            let tokens = u8::try_from(tokens.min(3)).unwrap();
            table[PAIRS + c as usize / 4] |= tokens << (c as usize % 4 * 2);
        }
        if std::env::var_os("VITRINE_WRITE_O200K").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/budget/o200k.bin"), &table).unwrap();
            return;
        }
        assert!(table == TABLE, "the table is stale");
    }

    /// The one way a character can cost more than alone.
    #[test]
    fn tokens_that_begin_inside_a_character_stay_within_the_bound() {
        let mut checked = 0;
        for token in vocabulary().into_iter().filter(|token| token[0] & 0xC0 == 0x80) {
            let head = token.iter().take_while(|b| **b & 0xC0 == 0x80).count();
            for before in ('\u{80}'..='\u{FFFF}').filter(|c| {
                let mut bytes = [0; 4];
                let encoded = c.encode_utf8(&mut bytes).as_bytes();
                encoded.len() > head && encoded.ends_with(&token[..head])
            }) {
                let mut text = before.to_string().into_bytes();
                text.extend_from_slice(&token[head..]);
                for tail in [&b""[..], &[0x80], &[0x95], &[0x80, 0x80], &[0x9F, 0xA5]] {
                    let whole = [&text[..], tail].concat();
                    if let Ok(text) = std::str::from_utf8(&whole) {
                        assert_bounded(text);
                        checked += 1;
                    }
                }
            }
        }
        assert!(checked > 1_000, "{checked}");
    }

    #[test]
    fn ordinary_text_is_not_bounded_away() {
        let english = "The quarterly report is attached; please review it before Thursday's call with the team. ";
        let json = r#"{"object":"record","id":"msg-000123","stream":"messages","connection_id":"cin_work"},"#;
        let chinese = "这份季度报告已经附上，请在星期四的电话会议之前审阅。";
        for (text, most) in [(english, 0.6), (json, 0.7), (chinese, 1.3)] {
            let text = text.repeat(20);
            #[expect(clippy::cast_precision_loss, reason = "small counts")]
            let ratio = upper_bound(&text) as f64 / text.chars().count() as f64;
            assert!(ratio < most, "{ratio} {}", &text[..80]);
            assert_bounded(&text);
        }
    }

    proptest! {
        #[test]
        fn no_text_has_more_tokens(text in any_text()) {
            prop_assert!(counted(&text) <= upper_bound(&text), "{} > {}", counted(&text), upper_bound(&text));
        }

        #[test]
        fn who_stops_early_decides_as_who_reads_on(texts in proptest::collection::vec(any_text(), 1..6), percent in 1..110_usize) {
            let text = texts.concat();
            for most in [text.len() * percent / 100, upper_bound(&text), upper_bound(&text).saturating_sub(1)] {
                prop_assert_eq!(bounded(&text, most) <= most, upper_bound(&text) <= most);
            }
        }

        #[test]
        fn who_looks_at_runs_alone_allows_no_more(texts in proptest::collection::vec(any_text(), 1..6)) {
            let text = texts.concat();
            let least = (0..=text.len()).find(|most| is_plainly_within(text.as_bytes(), *most)).unwrap();
            prop_assert!(counted(&text) <= least, "{} > {least}", counted(&text));
        }
    }

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof![
            ".{0,200}",
            "[ -~]{0,300}",
            "[a-zA-Z0-9+/=]{0,300}",
            "[a-z ]{0,300}",
            "([a-z]{1,9}[ ,.\"]){0,40}",
            "([a-zA-Z]{1,4}['’ ][a-z]{1,9}[ ,.]?){0,40}",
            "[\\p{Han} ，。]{0,200}",
            "[\\p{Hangul} ]{0,200}",
            "[\\p{Devanagari}\\p{Tamil}\\p{Thai}\\p{Georgian}\\p{Khmer} ]{0,200}",
            "[\\p{Arabic}\\p{Hebrew}\\p{Cyrillic}\\p{Greek} .]{0,200}",
            "[😀-🙏🌀-🗿 ]{0,100}",
            "(\\PC|[ \t\r\n]){0,200}",
        ]
    }
}
