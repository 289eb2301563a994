//! Reads of a provider for as long as they are needed: the credential is renewed before it ends.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;
use tokio::sync::Mutex;
use vitrine_contract::{ApiError, ErrorCode, time};
use vitrine_engine::clock::{Clock, Random};

use super::connect::{Connect, ConnectError};
use super::credential::{self, CachedClient, CredentialError, Resolved, Surroundings, cache};
use super::fault::UNREACHABLE;
use super::standing::Standing;
use super::{Address, HttpRead, Options};

/// Renewed while it still works, so that no call fails for it.
const MARGIN: SignedDuration = SignedDuration::from_secs(60);

/// A provider's reader, and what renews its credential.
pub(crate) struct Session {
    keeper: Keeper,
    current: Mutex<Current>,
}

struct Current {
    reader: Arc<HttpRead>,
    /// Nothing where the credential was given from outside, and is renewed there.
    kept: Option<CachedClient>,
}

struct Keeper {
    provider: Address,
    cache_root: PathBuf,
    clock: Clock,
    /// A renewed token stands as the one before it.
    standing: Standing,
}

impl Session {
    /// Opens a provider with the credential that was given or cached for it, if that is one an agent may hold.
    pub(crate) async fn open(
        surroundings: &Surroundings,
        cache_root: PathBuf,
        provider_url: &str,
        clock: Clock,
    ) -> Result<Self, ConnectError> {
        let resolved = credential::resolve(surroundings, &cache_root, provider_url)?;
        let provider = Address::parse(provider_url).map_err(CredentialError::from)?;
        let keeper = Keeper { provider, cache_root, clock, standing: Standing::default() };
        let mut current = match resolved {
            Resolved::Given(token) => Current { reader: keeper.reader(&token)?, kept: None },
            Resolved::Cached(kept) if keeper.is_ending(&kept) => keeper.renewed(&kept).await?,
            Resolved::Cached(kept) => keeper.current(*kept)?,
        };
        match credential::check_kind(&current.reader).await {
            // The provider's clock may be ahead of ours.
            Err(CredentialError::Provider(error)) if error.status == 401 && current.is_renewable() => {
                if let Some(kept) = &current.kept {
                    current = keeper.renewed(kept).await?;
                }
                credential::check_kind(&current.reader).await?;
            }
            checked => {
                checked?;
            }
        }
        Ok(Self { keeper, current: Mutex::new(current) })
    }

    /// The reader for the next call.
    pub(crate) async fn reader(&self) -> Result<Arc<HttpRead>, ApiError> {
        let mut current = self.current.lock().await;
        // Whoever got the owner's credential once would get it again.
        current.reader.standing()?;
        if let Some(kept) = current.kept.as_ref().filter(|kept| self.keeper.is_ending(kept)) {
            *current = self.keeper.renewed(kept).await.map_err(|error| explain(&error))?;
        }
        Ok(Arc::clone(&current.reader))
    }
}

impl Current {
    fn is_renewable(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.credential.refresh_token.is_some())
    }
}

impl Keeper {
    fn reader(&self, token: &str) -> Result<Arc<HttpRead>, ConnectError> {
        let reader = HttpRead::new(self.provider.as_str(), token, Options::default())?;
        Ok(Arc::new(reader.with_standing(self.standing.clone())))
    }

    fn current(&self, kept: CachedClient) -> Result<Current, ConnectError> {
        Ok(Current { reader: self.reader(&kept.credential.access_token)?, kept: Some(kept) })
    }

    fn is_ending(&self, kept: &CachedClient) -> bool {
        let end = kept.credential.expires_at.as_deref().and_then(time::parse);
        end.is_some_and(|end| end.duration_since(self.clock.now()) < MARGIN)
    }

    /// A credential in place of `ended`: the one that another process has got meanwhile, else a fresh one.
    async fn renewed(&self, ended: &CachedClient) -> Result<Current, ConnectError> {
        let (root, provider) = (self.cache_root.clone(), self.provider.clone());
        let locked = tokio::task::spawn_blocking(move || cache::lock(&root, &provider)).await;
        let failed = |source| ConnectError::Io { what: "cannot lock the cached credential", source };
        let _lock = locked.map_err(std::io::Error::other).and_then(|lock| lock).map_err(failed)?;
        let kept = credential::read_cache(&self.cache_root, &self.provider)?;
        if kept.credential.access_token != ended.credential.access_token && !self.is_ending(&kept) {
            return self.current(kept);
        }
        let connect = Connect::new(self.provider.clone(), self.clock.clone(), Random::System)?;
        let fresh = connect.refresh(&kept).await?;
        cache::write(&self.cache_root, &self.provider, &fresh)?;
        self.current(fresh)
    }
}

/// The failure as the agent sees it, who can only ask its user.
fn explain(error: &ConnectError) -> ApiError {
    let (code, status) = match error {
        ConnectError::Unreachable { .. } => (ErrorCode::Other(UNREACHABLE.to_owned()), 502),
        _ => (ErrorCode::AuthenticationError, 401),
    };
    let mut explained = ApiError::new(
        code,
        format!(
            "The credential for the provider has ended and was not renewed. {error} If that does not help, ask your user to run `vitrine connect` again."
        ),
    );
    explained.status = status;
    explained
}
