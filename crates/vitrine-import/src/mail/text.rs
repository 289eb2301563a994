//! The words of a mail, without its markup.

use std::borrow::Cow;

use mail_parser::decoders::html::html_to_text;

/// Markup beyond this is cut: nobody wrote it.
const MAX_HTML_BYTES: usize = 4 * 1024 * 1024;
/// Elements that stand on lines of their own.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "ol",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
];
/// Elements that stand beside each other.
const CELLS: &[&str] = &["td", "th"];

/// The text of an HTML body, in one pass however it is nested.
pub(super) fn of_html(html: &str) -> String {
    let end = (0..=MAX_HTML_BYTES.min(html.len())).rev().find(|at| html.is_char_boundary(*at)).unwrap_or_default();
    tidy(&html_to_text(&with_breaks(&html[..end])))
}

/// The parser breaks lines at `br` and `p` alone, so each block gets a `br`, each line that was set as one too, and each
/// cell a space. It takes any `<` for a tag, so one that starts none is written out.
fn with_breaks(html: &str) -> Cow<'_, str> {
    let mut broken = String::new();
    let mut copied = 0;
    let mut is_set = false;
    for (at, _) in html.match_indices('<') {
        let is_tag = html[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        let name = html[at + 1..].trim_start_matches('/');
        let length = name.bytes().take_while(u8::is_ascii_alphanumeric).take(12).count();
        let is = |names: &[&str]| is_tag && names.iter().any(|known| known.eq_ignore_ascii_case(&name[..length]));
        let (mark, next) = match () {
            () if !is_tag => ("&lt;", at + 1),
            () if is(BLOCKS) => ("<br>", at),
            () if is(CELLS) => (" ", at),
            () if is_set => ("", at),
            () => continue,
        };
        push(&html[copied..at], is_set, &mut broken);
        broken.push_str(mark);
        copied = next;
        if is(&["pre"]) {
            is_set = html[at + 1..].starts_with(|c: char| c != '/');
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    push(&html[copied..], is_set, &mut broken);
    Cow::Owned(broken)
}

/// Copies markup, with the breaks of lines that are `set` as they are after the tag they follow.
fn push(html: &str, set: bool, broken: &mut String) {
    let end = if html.starts_with('<') { html.find('>').unwrap_or_default() } else { 0 };
    let (tag, text) = html.split_at(if set { end } else { html.len() });
    broken.push_str(tag);
    broken.push_str(&text.replace('\n', "<br>"));
}

/// Without spaces around lines, and with at most one empty line in a row.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut blank = 2;
    for line in text.lines().map(|line| line.trim_matches([' ', '\t', '\r', '\u{a0}', '\u{200c}'])) {
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank < 2 {
            tidied.push_str(line);
            tidied.push('\n');
        }
    }
    tidied.truncate(tidied.trim_end().len());
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_apart_and_markup_goes() {
        let html = "<head><title>no</title></head><style>p{}</style><div>Dear Nora</div><div>your <b>parcel</b> is \
                    <a href=\"http://x\">here</a></div><table><tr><td>Total</td><td>12 &euro;</td></tr></table>\
                    <p>&nbsp;</p><p>Bye &amp; gr&uuml;ezi</p><script>x()</script>";
        assert_eq!(of_html(html), "Dear Nora\n\nyour parcel is here\n\nTotal 12 €\n\nBye & grüezi");
    }

    #[test]
    fn deep_nesting_costs_what_its_length_does() {
        let html = format!("{}deep", "<div>".repeat(500_000));
        assert_eq!(of_html(&html), "deep");
    }

    #[test]
    fn lines_that_were_set_stay_lines() {
        let html = "<p>one\ntwo</p><PRE class='a\nb'>x < y\r\n  <b\ntitle='c'>z</b>\n\nend</PRE>three\nfour";
        assert_eq!(of_html(html), "one two\n\nx < y\nz\n\nend\nthree four");
        assert_eq!(of_html("<pre>a\nb <cut"), "a\nb");
    }

    #[test]
    fn text_without_markup_stays() {
        assert_eq!(of_html("1 < 2 &lt; 3\nfin"), "1 < 2 < 3 fin");
    }
}
