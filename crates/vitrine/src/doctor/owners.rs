//! Tokens of the owner's, which open everything, in places where an agent finds them.

use vitrine_engine::port::Store as _;
use vitrine_engine::token::{TokenDigest, TokenKind};

use super::Patient;

/// Whether a text is a token of the owner's: of this store, or by its looks of another.
pub(super) async fn is_owners(patient: &Patient, text: &str) -> bool {
    if text.starts_with(TokenKind::Owner.prefix()) {
        return true;
    }
    let Ok(Some(opened)) = &patient.store else { return false };
    let known = opened.store.token(&TokenDigest::of(text)).await;
    known.is_ok_and(|row| row.is_some_and(|row| row.kind == TokenKind::Owner))
}
