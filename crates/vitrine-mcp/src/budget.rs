//! How much a channel of a result may hold: characters, and o200k tokens.

mod o200k;

/// The most one channel may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    chars: usize,
    tokens: usize,
}

impl Budget {
    /// Any channel of any result.
    pub(crate) const CHANNEL: Self = Self { chars: 10_000, tokens: 8_000 };
    /// A grant too wide for [`Self::CHANNEL`] to name its streams, and one stream's full schema.
    pub(crate) const WIDE: Self = Self { chars: 40_000, tokens: usize::MAX };

    /// A channel of this many characters, and as many tokens as any other.
    pub(crate) const fn of_chars(chars: usize) -> Self {
        Self { chars, ..Self::CHANNEL }
    }

    /// Whether a channel of this text fits.
    pub(crate) fn holds_text(self, text: &str) -> bool {
        text.chars().count() <= self.chars && (text.len() <= self.tokens || o200k::is_within(text, self.tokens))
    }

    /// How much of the characters a text takes, in thousandths.
    pub(crate) fn filled(self, text: &str) -> usize {
        text.chars().count() * 1_000 / self.chars
    }

    /// The characters left beside `around`.
    pub(crate) fn room(self, around: usize) -> Room {
        Room(self.chars.saturating_sub(around))
    }
}

/// Characters that are still free in a channel.
pub(crate) struct Room(usize);

impl Room {
    /// Takes room for so many characters; whether there was any.
    pub(crate) fn take(&mut self, chars: usize) -> bool {
        let left = self.0.checked_sub(chars);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}
