//! Names of folders as IMAP writes them: `Arch&AOQ-v` is `Archäv`.

use base64::Engine as _;
use base64::alphabet::IMAP_MUTF7;
use base64::engine::{GeneralPurpose, general_purpose::NO_PAD};

const ENGINE: GeneralPurpose = GeneralPurpose::new(&IMAP_MUTF7, NO_PAD);

/// The name that was meant; as it stands when it is not written that way.
pub(super) fn decoded(name: &str) -> String {
    let (mut decoded, mut rest) = (String::with_capacity(name.len()), name);
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let read = after.split_once('-').and_then(|(encoded, after)| Some((characters(encoded)?, after)));
        let (characters, after) = read.unwrap_or_else(|| ("&".to_owned(), after));
        decoded.push_str(&characters);
        rest = after;
    }
    decoded + rest
}

fn characters(encoded: &str) -> Option<String> {
    if encoded.is_empty() {
        return Some("&".to_owned());
    }
    let bytes = ENGINE.decode(encoded).ok()?;
    let (units, []) = bytes.as_chunks::<2>() else { return None };
    char::decode_utf16(units.iter().map(|unit| u16::from_be_bytes(*unit))).collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_imap_writes_them() {
        for (name, meant) in [
            ("Arch&AOQ-v", "Archäv"),
            ("R&-D", "R&D"),
            ("&ZeVnLIqe-", "日本語"),
            ("&2D3cSw-", "👋"),
            ("R&D-Team", "R&D-Team"),
            ("Q&A", "Q&A"),
            ("Größe", "Größe"),
            ("&2D0-", "&2D0-"),
        ] {
            assert_eq!(decoded(name), meant);
        }
    }
}
