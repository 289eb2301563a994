//! Rust without its comments and the insides of its strings, line for line.

/// Blanks comments and the contents of string and character literals; line breaks stay where they are.
pub(crate) fn only(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while let Some(&current) = chars.get(at) {
        let end = match (current, chars.get(at + 1)) {
            ('/', Some('/')) => line_comment(&chars, at),
            ('/', Some('*')) => block_comment(&chars, at),
            ('"', _) => string(&chars, at),
            ('\'', _) => character(&chars, at),
            _ => at,
        };
        if end == at {
            out.push(current);
            at += 1;
            continue;
        }
        let quote = current != '/';
        if quote {
            out.push(current);
        }
        out.extend(chars[at..end].iter().filter(|c| **c == '\n'));
        if quote {
            out.push(current);
        }
        at = end;
    }
    out
}

fn line_comment(chars: &[char], start: usize) -> usize {
    find(chars, start, |c| c == '\n').unwrap_or(chars.len())
}

fn block_comment(chars: &[char], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn string(chars: &[char], start: usize) -> usize {
    let hashes = chars[..start].iter().rev().take_while(|c| **c == '#').count();
    let raw = start > hashes && chars[start - hashes - 1] == 'r';
    let mut at = start + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' if !raw => at += 2,
            '"' if !raw || chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes => {
                return at + 1;
            }
            _ => at += 1,
        }
    }
    chars.len()
}

/// A lifetime is left alone.
fn character(chars: &[char], start: usize) -> usize {
    match (chars.get(start + 1), chars.get(start + 2)) {
        (Some('\\'), _) => find(chars, start + 3, |c| c == '\'').map_or(chars.len(), |end| end + 1),
        (Some(_), Some('\'')) => start + 3,
        _ => start,
    }
}

fn find(chars: &[char], start: usize, is: impl Fn(char) -> bool) -> Option<usize> {
    (start..chars.len()).find(|at| is(chars[*at]))
}

/// The words of a line: identifiers and numbers.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[test]
fn comments_and_strings_are_blanked() {
    assert_eq!(only("a // b\nc /* d /* e */ f\n */ g"), "a \nc \n g");
    assert_eq!(only(r#"f("x \" y", 'z', '\'', '\u{1F600}', b'"') // t"#), r#"f("", '', '', '', b'') "#);
    assert_eq!(only("r#\"a \" // b\n\"# + r\"\\\" + c"), "r#\"\n\"# + r\"\" + c");
    assert_eq!(only("fn a<'a>(b: &'a str, c: &'static str) {}"), "fn a<'a>(b: &'a str, c: &'static str) {}");
}

#[test]
fn unfinished_code_does_not_panic() {
    for source in ["\"", "'", "'\\", "/*", "r#\"", "\"\\", "//", "'a"] {
        only(source);
    }
}
