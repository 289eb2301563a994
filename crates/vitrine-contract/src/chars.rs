//! Where characters stand in a text.

/// Bytes whose characters are counted together.
const BLOCK: usize = 64;

/// The byte at which character number `n` starts; none where the text ends before it.
pub fn offset(text: &str, n: usize) -> Option<usize> {
    let (mut at, mut left) = (0, n);
    for block in text.as_bytes().as_chunks::<BLOCK>().0 {
        let starts = usize::from(block.iter().map(|byte| u8::from(is_start(*byte))).sum::<u8>());
        if starts > left {
            break;
        }
        left -= starts;
        at += BLOCK;
    }
    let rest = &text.as_bytes()[at..];
    rest.iter().enumerate().filter(|(_, byte)| is_start(**byte)).nth(left).map(|(nth, _)| at + nth)
}

/// The first `n` characters.
pub fn first(text: &str, n: usize) -> &str {
    offset(text, n).map_or(text, |end| &text[..end])
}

/// What follows the first `n` characters.
pub fn after(text: &str, n: usize) -> &str {
    offset(text, n).map_or("", |start| &text[start..])
}

/// Whether a character starts with this byte.
fn is_start(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn characters_start_where_the_standard_library_says(text in "([a-z]{0,70}|[é日😀]{0,50}|.){0,6}", n in 0_usize..400) {
            let starts = text.char_indices().map(|(at, _)| at);
            prop_assert_eq!(offset(&text, n), starts.clone().nth(n));
            let split: Vec<char> = text.chars().collect();
            prop_assert_eq!(first(&text, n), split.iter().take(n).collect::<String>());
            prop_assert_eq!(after(&text, n), split.iter().skip(n).collect::<String>());
        }
    }
}
