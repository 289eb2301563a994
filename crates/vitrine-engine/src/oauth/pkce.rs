//! Proof that whoever redeems a code is whoever asked for it (RFC 7636, S256 alone).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::OAuthError;
use super::params::Params;

/// The challenge of a request. `plain`, and leaving the method out, which means `plain`, are refused.
pub fn challenge(params: &Params) -> Result<String, OAuthError> {
    let challenge = params.need("code_challenge")?;
    if params.get("code_challenge_method") != Some("S256") {
        return Err(OAuthError::request("code_challenge_method must be S256."));
    }
    let digest = URL_SAFE_NO_PAD.decode(challenge).ok().filter(|digest| digest.len() == 32);
    digest.map(|_| challenge.to_owned()).ok_or_else(|| {
        OAuthError::request("code_challenge must be the base64url of a SHA-256 digest, without padding.")
    })
}

/// Whether the verifier is the one the challenge was made of.
pub fn verifies(verifier: &str, challenge: &str) -> bool {
    let well_formed = (43..=128).contains(&verifier.len())
        && verifier.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b));
    let made = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
    well_formed && bool::from(made.as_bytes().ct_eq(challenge.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_example_of_the_rfc_verifies() {
        assert!(verifies(VERIFIER, CHALLENGE));
        assert!(!verifies(&VERIFIER.replace('d', "e"), CHALLENGE));
        assert!(!verifies(CHALLENGE, CHALLENGE));
        assert!(!verifies("short", CHALLENGE));
        assert!(!verifies("", ""));
    }

    #[test]
    fn nothing_weaker_than_s256_is_taken() {
        let read = |pairs: &[(&str, &str)]| challenge(&Params::read(pairs.iter().copied()).unwrap());
        assert_eq!(read(&[("code_challenge", CHALLENGE), ("code_challenge_method", "S256")]).as_deref(), Ok(CHALLENGE));
        assert!(read(&[("code_challenge", CHALLENGE)]).is_err());
        assert!(read(&[("code_challenge", VERIFIER), ("code_challenge_method", "plain")]).is_err());
        assert!(read(&[("code_challenge_method", "S256")]).is_err());
        assert!(read(&[("code_challenge", "abc"), ("code_challenge_method", "S256")]).is_err());
    }
}
