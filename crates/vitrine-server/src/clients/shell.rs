//! Commands as they are typed.

use super::Platform;

/// Words as one line for the platform's shell.
pub fn command_line<W: AsRef<str>>(words: &[W], platform: Platform) -> String {
    words.iter().map(|word| quoted(word.as_ref(), platform)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str, platform: Platform) -> String {
    let windows = platform == Platform::Windows;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+".contains(c) || (windows && c == '\\');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    match platform {
        // No file name on Windows holds a double quote.
        Platform::Windows => format!("\"{word}\""),
        Platform::Linux | Platform::MacOs => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_it_is_quoted() {
        for (word, unix, windows) in [
            ("/usr/bin/vitrine", "/usr/bin/vitrine", "/usr/bin/vitrine"),
            ("http://127.0.0.1:7663/mcp", "http://127.0.0.1:7663/mcp", "http://127.0.0.1:7663/mcp"),
            ("/my tools/it's", r"'/my tools/it'\''s'", "\"/my tools/it's\""),
            (r"C:\Program Files\vitrine.exe", r"'C:\Program Files\vitrine.exe'", "\"C:\\Program Files\\vitrine.exe\""),
            (r"C:\vitrine.exe", r"'C:\vitrine.exe'", r"C:\vitrine.exe"),
            ("$(rm)", "'$(rm)'", "\"$(rm)\""),
            ("", "''", "\"\""),
        ] {
            assert_eq!(command_line(&[word], Platform::Linux), unix);
            assert_eq!(command_line(&[word], Platform::Windows), windows);
        }
        assert_eq!(command_line(&["a", "b c"], Platform::MacOs), "a 'b c'");
    }
}
