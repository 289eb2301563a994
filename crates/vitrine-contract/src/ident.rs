//! Names on the wire: connection ids, stream names, connector keys and record ids.

/// Longest connection id, stream name or connector key.
pub const MAX_NAME_CHARS: usize = 64;
/// Longest record id.
pub const MAX_RECORD_ID_CHARS: usize = 200;

/// Whether `name` may be a connection id, a stream name or a connector key.
pub fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    !bytes.is_empty()
        && bytes.len() <= MAX_NAME_CHARS
        && bytes[0].is_ascii_alphanumeric()
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        && !name.contains("..")
}

/// Whether `id` may stand as a record id: visible, bounded, and unable to act as a path.
pub fn is_record_id(id: &str) -> bool {
    let mut chars = 0;
    for c in id.chars() {
        chars += 1;
        if c == '/' || c == '\\' || is_invisible(c) {
            return false;
        }
    }
    (1..=MAX_RECORD_ID_CHARS).contains(&chars) && !id.contains("..")
}

/// Characters that do not show: controls, whitespace, and the format characters that reorder or
/// hide text around them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || c.is_whitespace()
        || matches!(c,
            '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E0FFF}' | '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_grammar() {
        for good in ["a", "cin_work", "messages", "0.a-b_c", &"a".repeat(64)] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "-a", ".a", "a..b", "a/b", "a b", "é", &"a".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn record_ids_are_handle_safe() {
        for good in ["1", "a:b", "é", "日本", "<x@y>", "[\"a\",\"b\"]", &"é".repeat(200)] {
            assert!(is_record_id(good), "{good}");
        }
        for bad in ["", "a/b", "a\\b", "..", "a..b", "a b", "a\0", "a\u{202E}b", &"a".repeat(201)] {
            assert!(!is_record_id(bad), "{bad:?}");
        }
    }
}
