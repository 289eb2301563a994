//! The credential for a provider: where it comes from, and that it is never the owner's.

pub(crate) mod cache;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vitrine_contract::schema::Bearer;
use vitrine_contract::{ApiError, ErrorCode};

use super::HttpRead;
use super::address::{Address, AddressError};
use super::fault::UNREACHABLE;

/// The kind of token that reads under several grants.
pub(super) const PACKAGE: &str = "mcp_package";

/// Kinds of token that an agent may hold.
const SCOPED_KINDS: &[&str] = &["client", PACKAGE];

/// Variables in which a credential of the owner's is kept.
pub(crate) const OWNER_VARIABLES: [&str; 2] = ["PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"];

/// What the environment says about credentials.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// `PDPP_ACCESS_TOKEN`.
    pub access_token: Option<String>,
    /// `PDPP_OWNER_TOKEN`.
    pub owner_token: Option<String>,
    /// `PDPP_OWNER_SESSION_COOKIE`.
    pub owner_session_cookie: Option<String>,
}

impl Surroundings {
    /// Reads the process's own; a variable without a value is not set.
    pub fn from_env() -> Self {
        let value = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            access_token: value("PDPP_ACCESS_TOKEN"),
            owner_token: value(OWNER_VARIABLES[0]),
            owner_session_cookie: value(OWNER_VARIABLES[1]),
        }
    }

    /// The variables that hold a credential of the owner's.
    pub fn owner_variables(&self) -> Vec<&'static str> {
        let values = [&self.owner_token, &self.owner_session_cookie];
        OWNER_VARIABLES.into_iter().zip(values).filter_map(|(name, value)| value.as_ref().map(|_| name)).collect()
    }

    /// Refuses to go on where a credential of the owner's is lying about.
    pub fn refuse_owner(&self) -> Result<(), CredentialError> {
        self.owner_variables().first().map_or(Ok(()), |name| Err(CredentialError::OwnerCredential(name)))
    }
}

/// Why there is no credential to use.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    /// The owner's own credential is within reach. It opens everything, so nothing is started.
    #[error("{0} is set. An agent must never hold the owner's credential: unset it, and connect to get a scoped one.")]
    OwnerCredential(&'static str),
    /// The credential is not a grant's or a package's.
    #[error("The credential is of the kind `{0}`. Only `client` and `mcp_package` are accepted: connect to get one.")]
    WrongKind(String),
    /// Nobody has connected yet.
    #[error("There is no credential for this provider in {}. Run `vitrine connect` first.", .0.display())]
    Missing(PathBuf),
    /// The cache file cannot be used.
    #[error("{} cannot be used: {why}. Run `vitrine connect` again.", path.display())]
    Unusable {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The cache file cannot be written.
    #[error("{} cannot be written: {why}. Choose another directory with --cache-root.", path.display())]
    Unwritable {
        /// Where it should be.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The provider's URL is not one.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The provider did not say whose credential it is.
    #[error("The provider does not accept the credential: {0}")]
    Provider(#[from] ApiError),
}

impl CredentialError {
    /// Whether the credential was refused for what it could open.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::OwnerCredential(_) | Self::WrongKind(_))
    }
}

/// What `vitrine connect` keeps about one provider.
#[derive(Clone, Serialize, Deserialize)]
pub struct CachedClient {
    /// The provider it is for.
    pub provider_url: String,
    /// What was asked for, as the provider writes it.
    #[serde(default)]
    pub scope: Value,
    /// Who this is to the provider.
    pub client: RegisteredClient,
    /// What opens it.
    pub credential: Credential,
    /// When it was kept.
    #[serde(default)]
    pub created_at: String,
}

/// Who this is to the provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisteredClient {
    /// Its id.
    pub client_id: String,
}

/// A token and what is known of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    /// The bearer token.
    pub access_token: String,
    /// `Bearer`.
    #[serde(default)]
    pub token_type: String,
    /// What gets the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// `client` or `mcp_package`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdpp_token_kind: Option<String>,
    /// The grant or package it reads under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<String>,
}

/// Where a credential was found.
pub enum Resolved {
    /// In the environment: nothing more is known of it.
    Given(String),
    /// In the cache.
    Cached(Box<CachedClient>),
}

/// Where the credential for a provider is kept: `<cache-root>/clients/<host>.json`.
pub fn cache_file(cache_root: &Path, provider: &Address) -> PathBuf {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let host: String = provider.host_and_port().chars().map(|c| if is_kept(c) { c } else { '_' }).collect();
    cache_root.join("clients").join(format!("{host}.json"))
}

/// The credential for a provider: the environment's, else the cached one. Refused before
/// anything is asked of anyone when it is, or stands beside, the owner's.
pub fn resolve(
    surroundings: &Surroundings,
    cache_root: &Path,
    provider_url: &str,
) -> Result<Resolved, CredentialError> {
    surroundings.refuse_owner()?;
    let provider = Address::parse(provider_url)?;
    if let Some(token) = &surroundings.access_token {
        return Ok(Resolved::Given(token.clone()));
    }
    let cached = read_cache(cache_root, &provider)?;
    scoped(cached.credential.pdpp_token_kind.as_deref().unwrap_or_default())?;
    Ok(Resolved::Cached(Box::new(cached)))
}

/// What is cached for a provider.
pub fn read_cache(cache_root: &Path, provider: &Address) -> Result<CachedClient, CredentialError> {
    let path = cache_file(cache_root, provider);
    let unusable = |why: String| CredentialError::Unusable { path: path.clone(), why };
    let text = std::fs::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CredentialError::Missing(path.clone()),
        _ => unusable(error.to_string()),
    })?;
    if is_open_to_others(&path) {
        tracing::warn!(path = %path.display(), "others on this machine can read this credential; make its mode 0600");
    }
    // The parser's message could quote the token.
    let cached: CachedClient =
        serde_json::from_slice(&text).map_err(|_| unusable("it is not a cached credential".to_owned()))?;
    if !Address::parse(&cached.provider_url).is_ok_and(|known| known.as_str() == provider.as_str()) {
        return Err(unusable(format!("it is for {}, not for {}", cached.provider_url, provider.as_str())));
    }
    if cached.credential.access_token.is_empty() {
        return Err(unusable("it holds no access token".to_owned()));
    }
    Ok(cached)
}

/// Asks the provider what kind of credential it is. A provider that does not tell, or has no schema to show just now,
/// is believed to have issued a scoped one.
pub async fn check_kind(reader: &HttpRead) -> Result<Bearer, CredentialError> {
    let bearer = match reader.bearer().await {
        Ok(bearer) => bearer,
        Err(error) if error.code == ErrorCode::OwnerTokenRefused => {
            Bearer { token_kind: "owner".into(), ..Bearer::default() }
        }
        Err(error) if is_fatal(&error) => return Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "the provider does not say what kind of credential it was given; going on");
            Bearer::default()
        }
    };
    scoped(&bearer.token_kind)?;
    Ok(bearer)
}

/// Whether no other read can succeed either: nobody is there, or the credential is not accepted.
fn is_fatal(error: &ApiError) -> bool {
    matches!(error.status, 401 | 403) || error.code.as_str() == UNREACHABLE
}

/// Refuses every kind of token that an agent may not hold.
pub(crate) fn scoped(kind: &str) -> Result<(), CredentialError> {
    if kind.is_empty() || SCOPED_KINDS.contains(&kind) {
        return Ok(());
    }
    Err(CredentialError::WrongKind(kind.chars().take(64).collect()))
}

/// Whether another account could read a file.
#[cfg(unix)]
pub(crate) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests;
