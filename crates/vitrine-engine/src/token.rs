//! Opaque bearer tokens. Only their digests are ever stored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::clock::Random;

/// What a token may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// Reads under one grant.
    Client,
    /// Reads under the grants of a package.
    McpPackage,
    /// Everything but MCP.
    Owner,
}

impl TokenKind {
    /// As it stands in introspection and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::McpPackage => "mcp_package",
            Self::Owner => "owner",
        }
    }

    /// How its tokens start, for a person to tell them apart.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Client => "vtc_",
            Self::McpPackage => "vtp_",
            Self::Owner => "vto_",
        }
    }

    /// Reads it back.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Client, Self::McpPackage, Self::Owner].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A token in the clear, on its way to whoever asked for it.
pub struct Token(String);

impl Token {
    /// A fresh token of 256 random bits, with a prefix that tells its kind to a person.
    pub fn generate(kind: TokenKind, random: &Random) -> Self {
        Self(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(random.bytes::<32>())))
    }

    /// What is stored of it.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest::of(&self.0)
    }

    /// Hands the token out.
    pub fn into_text(self) -> String {
        self.0
    }
}

/// What is stored of a token.
#[derive(Debug, Clone, Copy)]
pub struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// The digest of a presented token.
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// A stored digest.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// For the store.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// For people and JSON.
    pub fn to_hex(&self) -> String {
        self.0.iter().fold(String::with_capacity(64), |mut hex, byte| {
            use std::fmt::Write as _;
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// A digest that [`Self::to_hex`] wrote.
    pub fn from_hex(hex: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Compares in constant time.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

/// A secret of 256 random bits with a prefix, for codes, refresh tokens and sessions.
pub fn fresh_secret(prefix: &str, random: &Random) -> String {
    format!("{prefix}_{}", URL_SAFE_NO_PAD.encode(random.bytes::<32>()))
}

/// A random identifier with a prefix, such as `grt_…`.
pub fn fresh_id(prefix: &str, random: &Random) -> String {
    format!("{prefix}_{}", URL_SAFE_NO_PAD.encode(random.bytes::<12>()).replace(['-', '_'], "0"))
}
