//! The labels that a mail has in Gmail.

use mail_parser::{HeaderForm, HeaderValue, Message};

const MAX_LABELS: usize = 200;
/// Longest label that is looked for between quotes.
const MAX_QUOTED_BYTES: usize = 1024;

pub(super) fn of(mail: &Message<'_>) -> Vec<String> {
    let headers = mail.header_as("X-Gmail-Labels", HeaderForm::Text);
    headers.iter().filter_map(HeaderValue::as_text).flat_map(split).take(MAX_LABELS).collect()
}

/// `Inbox,"Clients, important",Later` are three: one that has a comma in it stands in quotes.
fn split(header: &str) -> impl Iterator<Item = String> {
    let mut rest = Some(header);
    let next = move || {
        let label = rest.take()?.trim_start();
        if let Some((quoted, after)) = label.strip_prefix('"').and_then(unquoted) {
            rest = after.trim_start().strip_prefix(',');
            return Some(quoted.replace("\\\"", "\""));
        }
        let (label, after) = label.split_once(',').map_or((label, None), |(label, after)| (label, Some(after)));
        rest = after;
        Some(label.trim().to_owned())
    };
    std::iter::from_fn(next).filter(|label| !label.is_empty())
}

/// What stands up to the quote that ends a label, and what follows that.
fn unquoted(quoted: &str) -> Option<(&str, &str)> {
    let near = &quoted[..quoted.floor_char_boundary(MAX_QUOTED_BYTES)];
    let ends = |at: &usize| {
        let after = quoted[at + 1..].trim_start();
        !quoted[..*at].ends_with('\\') && (after.is_empty() || after.starts_with(','))
    };
    let end = near.match_indices('"').map(|(at, _)| at).find(ends)?;
    Some((&quoted[..end], &quoted[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_in_a_label_does_not_split_it() {
        for (header, labels) in [
            (
                "Inbox,Unread,\"Kunden, wichtig\",Category Promotions",
                &["Inbox", "Unread", "Kunden, wichtig", "Category Promotions"][..],
            ),
            ("Inbox, \"a \\\"b\\\", c\" , d", &["Inbox", "a \"b\", c", "d"]),
            ("\"a, b", &["\"a", "b"]),
            ("5\" disks,\"x\" y,z", &["5\" disks", "\"x\" y", "z"]),
            (",,a,", &["a"]),
            ("", &[]),
        ] {
            assert_eq!(split(header).collect::<Vec<_>>(), labels, "{header}");
        }
    }
}
