//! Text whose lines were broken for the way, and are whole again where it is read (RFC 3676).

use mail_parser::{MessagePart, MimeHeaders};

/// The line before a signature. It ends like a broken line and is none.
const SIGNATURE: &str = "-- ";

/// How the lines of a text were broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// Between words: the space is part of the text.
    Words,
    /// Anywhere: the space was put in to mark the place.
    Anywhere,
}

impl Breaks {
    /// How a part says that its lines were broken, if they were.
    pub(super) fn of(part: &MessagePart<'_>) -> Option<Self> {
        let kind = part.content_type()?;
        let says = |name: &str, value: &str| kind.attribute(name).is_some_and(|said| said.eq_ignore_ascii_case(value));
        let is_anywhere = says("delsp", "yes");
        says("format", "flowed").then_some(if is_anywhere { Self::Anywhere } else { Self::Words })
    }

    /// The text with its lines whole.
    pub(super) fn undone(self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        // How deep the line before is quoted, if it goes on.
        let mut open = None;
        for (number, line) in text.lines().enumerate() {
            let unquoted = line.trim_start_matches('>');
            let quotes = &line[..line.len() - unquoted.len()];
            let said = unquoted.strip_prefix(' ').unwrap_or(unquoted);
            let goes_on = said.ends_with(' ') && said != SIGNATURE;
            if open != Some(quotes) || said.is_empty() || said == SIGNATURE {
                whole.push_str(if number == 0 { "" } else { "\n" });
                whole.push_str(quotes);
                whole.push_str(if quotes.is_empty() { "" } else { " " });
            }
            whole.push_str(if goes_on && self == Self::Anywhere { &said[..said.len() - 1] } else { said });
            open = goes_on.then_some(quotes);
        }
        if text.ends_with('\n') {
            whole.push('\n');
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lines_are_whole_again() {
        for (broken, whole) in [
            ("One \r\nline.\r\nNext\r\n", "One line.\nNext\n"),
            ("a \n\nb", "a \n\nb"),
            (">> deep \n>> er\n> first \nmine \n", ">> deep er\n> first \nmine \n"),
            (" >no quote\n From me", ">no quote\nFrom me"),
            ("Bye \n-- \nNora", "Bye \n-- \nNora"),
            ("\n\nlate", "\n\nlate"),
            ("", ""),
        ] {
            assert_eq!(Breaks::Words.undone(broken), whole, "{broken:?}");
        }
        assert_eq!(Breaks::Anywhere.undone("Donau \ndampf  \nschiff \n"), "Donaudampf schiff\n");
    }
}
