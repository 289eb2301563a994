//! What a character does to the word it stands in.

use unicode_normalization::char::is_combining_mark;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Goes on with the word before it.
    Letter,
    /// A word of its own.
    Single,
    /// Makes one character with the one before it, where there is such a one; else a word of its own.
    Tail,
    /// Belongs to the character before it.
    Mark,
    /// Inside a word, nothing.
    Unseen,
    /// Between words.
    Other,
}

impl Kind {
    pub(super) fn of(c: char) -> Self {
        if c.is_ascii() {
            return if c.is_ascii_alphanumeric() { Self::Letter } else { Self::Other };
        }
        if is_unseen(c) {
            Self::Unseen
        } else if is_combining_mark(c) {
            Self::Mark
        } else if !c.is_alphanumeric() {
            Self::Other
        } else if is_tail(c) {
            Self::Tail
        } else if unspaced(c) {
            Self::Single
        } else {
            Self::Letter
        }
    }
}

/// Soft hyphens, joiners, marks of direction and lengthened strokes: how a word looks, not which it is. A space of no
/// width is none of them, it stands between words.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{61C}' | '\u{640}' | '\u{180E}' | '\u{200C}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

/// Vowels and finals of Korean syllables that are written in parts, and narrow Japanese sound marks.
fn is_tail(c: char) -> bool {
    matches!(c, '\u{1161}'..='\u{1175}' | '\u{11A8}'..='\u{11C2}' | '\u{FF9E}' | '\u{FF9F}')
}

/// Marks without which a word is still the same: those of Latin, Greek and Cyrillic letters, points of Hebrew, Arabic
/// and Syriac, and the choice between shapes. The vowel signs of other scripts are as much of a word as letters are.
pub(super) fn is_diacritic(mark: char) -> bool {
    matches!(u32::from(mark),
        0x0300..=0x036F | 0x0483..=0x0489 | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2 | 0x05C4..=0x05C5 | 0x05C7
        | 0x0610..=0x061A | 0x064B..=0x065F | 0x0670 | 0x06D6..=0x06DC | 0x06DF..=0x06E4 | 0x06E7..=0x06E8
        | 0x06EA..=0x06ED | 0x0711 | 0x0730..=0x074A | 0x0897..=0x089F | 0x08CA..=0x08E1 | 0x08E3..=0x08FF
        | 0x180B..=0x180D | 0x180F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0x2DE0..=0x2DFF
        | 0xA66F..=0xA672 | 0xA674..=0xA67D | 0xA69E..=0xA69F | 0xFB1E | 0xFE00..=0xFE0F | 0xFE20..=0xFE2F
        | 0xE0100..=0xE01EF)
}

/// Whether the character's script is written without spaces between words, or, as in Korean, with
/// what belongs to a word attached to it.
pub(super) fn unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x2E80..=0x2FDF | 0x3005..=0x303B
        | 0x3040..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA960..=0xA97F | 0xAA60..=0xAA7F | 0xAC00..=0xD7FF
        | 0xF900..=0xFAFF | 0xFF66..=0xFFDC | 0x1B000..=0x1B16F | 0x20000..=0x3FFFF)
}
