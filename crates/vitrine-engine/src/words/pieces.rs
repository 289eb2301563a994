//! What a person typed, cut into what belongs together.

use super::Kind;

/// What stands between spaces or quotes.
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) excluded: bool,
    pub(super) quoted: bool,
}

/// The pieces of a query.
pub(super) struct Pieces<'a>(pub(super) &'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self.0.trim_start();
        if rest.is_empty() {
            return None;
        }
        let (rest, excluded) = match rest.strip_prefix('-') {
            Some(after) if after.starts_with(|c: char| c.is_alphanumeric() || is_quote(c)) => (after, true),
            _ => (rest, false),
        };
        if let Some(inside) = rest.strip_prefix(is_quote) {
            let end = inside.find(is_quote).unwrap_or(inside.len());
            let after = &inside[end..];
            self.0 = after.strip_prefix(is_quote).unwrap_or(after);
            return Some(Piece { text: &inside[..end], excluded, quoted: true });
        }
        let end = rest.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(rest.len());
        self.0 = &rest[end..];
        Some(Piece { text: &rest[..end], excluded, quoted: false })
    }
}

impl<'a> Piece<'a> {
    /// What names one thing each: a phrase as it is, anything else cut where its signs set words apart.
    pub(super) fn parts(&self) -> Vec<&'a str> {
        if self.quoted {
            return vec![self.text];
        }
        let mut parts = Vec::new();
        let (mut from, mut before) = (0, None);
        let mut signs = self.text.char_indices().peekable();
        while let Some((at, c)) = signs.next() {
            let in_number = is_digit(before) && is_digit(signs.peek().map(|(_, next)| *next));
            if Kind::of(c) == Kind::Other && !joins(c) && !(in_number && joins_digits(c)) {
                parts.push(&self.text[from..at]);
                from = at + c.len_utf8();
            }
            before = Some(c);
        }
        parts.push(&self.text[from..]);
        parts
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}

/// Whether the sign makes one name of the words around it, as in `e-mail`, `don't` and `me@x.org`, or ends a prefix.
fn joins(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '.' | '\'' | '’' | '_' | '@' | ':' | '&' | '+' | '·' | '*')
}

/// Whether the sign makes one number or date of the digits around it, as in `1,000` and `12/03/2026`.
fn joins_digits(c: char) -> bool {
    matches!(c, ',' | '/')
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}
