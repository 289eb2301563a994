//! What editors leave in a text and parsers do not keep.

/// The mark with which some editors on Windows start a file.
const MARK: char = '\u{feff}';

/// How a text is kept, whatever it says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habits {
    marked: bool,
    /// Every line ends with a carriage return too.
    carriage_returns: bool,
}

impl Habits {
    /// A text's habits, and the text without its mark.
    pub(super) fn of(text: &str) -> (Self, &str) {
        let unmarked = text.strip_prefix(MARK);
        let lines = text.matches('\n').count();
        let carriage_returns = lines > 0 && text.matches("\r\n").count() == lines;
        (Self { marked: unmarked.is_some(), carriage_returns }, unmarked.unwrap_or(text))
    }

    /// The edited text as it was kept before.
    pub(super) fn applied_to(self, mut edited: String) -> String {
        if self.carriage_returns {
            edited = edited.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        if self.marked {
            edited.insert(0, MARK);
        }
        edited
    }
}
