//! The owner's password for the pages, kept as an Argon2id hash.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

use super::vault::{TicketKind, Vault};
use crate::clock::Random;
use crate::port::{StoreError, StoreResult};

const SETTING: &str = "owner_password";
const LENGTH: std::ops::RangeInclusive<usize> = 8..=1_024;

/// Why a password cannot be set.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// It is too short to resist guessing, or too long to be one.
    #[error("A password has 8 to 1024 characters. A few random words make a good one.")]
    Length,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A password's hash. Making one takes tens of milliseconds of a core.
pub fn hash(password: &str, random: &Random) -> Result<String, PasswordError> {
    if !LENGTH.contains(&password.chars().count()) {
        return Err(PasswordError::Length);
    }
    let salt = random.bytes::<16>();
    match Argon2::default().hash_password_with_salt(password.as_bytes(), &salt) {
        Ok(hash) => Ok(hash.to_string()),
        Err(error) => Err(StoreError::Failed(format!("the password cannot be hashed: {error}")).into()),
    }
}

/// Whether the password is the one that was hashed.
pub fn verifies(password: &str, hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else { return false };
    password.len() <= 4 * LENGTH.end() && Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
}

/// The hash that is set.
pub async fn kept(store: &impl Vault) -> StoreResult<Option<String>> {
    store.setting(SETTING).await
}

/// Sets the password, and signs every browser out.
pub async fn keep(store: &impl Vault, hash: &str) -> StoreResult<()> {
    store.set_setting(SETTING, hash).await?;
    store.drop_tickets(TicketKind::Session).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_password_verifies() {
        let made = hash("correct horse", &Random::seeded(1)).unwrap();
        assert!(made.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{made}");
        assert!(verifies("correct horse", &made));
        for wrong in ["", "correct hors", "correct horse ", "Correct horse"] {
            assert!(!verifies(wrong, &made), "{wrong}");
        }
        assert!(!verifies("correct horse", "not a hash"));
        assert!(hash("short", &Random::seeded(1)).is_err());
        assert_ne!(made, hash("correct horse", &Random::seeded(2)).unwrap());
    }
}
