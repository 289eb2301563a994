//! How much a channel of a result may hold: characters, and o200k tokens.

mod o200k;

use serde_json::Value;

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

    /// What is left beside something of this size.
    pub(crate) fn less(self, size: Size) -> Self {
        Self { chars: self.chars.saturating_sub(size.chars), tokens: self.tokens.saturating_sub(size.tokens) }
    }

    /// Whether something of this size fits.
    pub(crate) fn holds(self, size: Size) -> bool {
        size.chars <= self.chars && size.tokens <= self.tokens
    }

    /// Whether a channel of this text fits.
    pub(crate) fn holds_text(self, text: &str) -> bool {
        self.holds(Size::of(text))
    }

    /// Whether a channel of this JSON, minified, fits.
    pub(crate) fn holds_json(self, value: &Value) -> bool {
        self.holds(Size::of_json(value))
    }
}

/// The size of a text: its characters, and no fewer tokens than it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Size {
    chars: usize,
    tokens: usize,
}

impl Size {
    pub(crate) fn of(text: &str) -> Self {
        Self { chars: text.chars().count(), tokens: o200k::upper_bound(text) }
    }

    pub(crate) fn of_json(value: &Value) -> Self {
        Self::of(&value.to_string())
    }
}

impl std::ops::Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { chars: self.chars + other.chars, tokens: self.tokens + other.tokens }
    }
}
