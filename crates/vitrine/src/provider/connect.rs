//! Getting a scoped credential from a provider: find its authorization server, register, let the owner consent in a
//! browser, here or on another device, and exchange what comes back for a token.

mod browser;
mod callback;
mod device;
mod discovery;
mod fault;
mod register;
mod token;
mod web;

use jiff::Timestamp;
use vitrine_engine::clock::{Clock, Random};

use super::address::Address;
use super::credential::{CachedClient, RegisteredClient, check_kind};
use super::{HttpRead, Options};
use token::Tokens;
use web::Web;

pub(crate) use fault::ConnectError;

/// One provider, and who asks it.
pub(crate) struct Connect {
    provider: Address,
    web: Web,
    clock: Clock,
    random: Random,
}

/// How the owner is reached.
pub(crate) enum Way {
    /// By a browser on this machine.
    Browser,
    /// By any device with a browser.
    Device,
}

/// A page for the owner to open.
pub(crate) struct Invitation {
    /// The page.
    pub(crate) url: String,
    /// What to type there, where the page does not know it.
    pub(crate) code: Option<String>,
}

impl Connect {
    pub(crate) fn new(provider: Address, clock: Clock, random: Random) -> Result<Self, ConnectError> {
        if !provider.is_private() {
            return Err(ConnectError::Insecure(provider.as_str().to_owned()));
        }
        Ok(Self { provider, web: Web::new()?, clock, random })
    }

    /// Asks the owner, who is shown an invitation, and returns what to keep. A credential that opens more than a grant
    /// is not returned.
    pub(crate) async fn ask(
        &self,
        way: Way,
        client_id: Option<String>,
        invite: impl FnOnce(&Invitation) + Send,
    ) -> Result<CachedClient, ConnectError> {
        let authority = discovery::find(&self.web, &self.provider).await?;
        let (client_id, tokens) = match way {
            Way::Browser => browser::ask(self, &authority, client_id, invite).await?,
            Way::Device => device::ask(self, &authority, client_id, invite).await?,
        };
        let mut kept = CachedClient {
            provider_url: self.provider.as_str().to_owned(),
            scope: tokens.scope.clone().unwrap_or_default().into(),
            client: RegisteredClient { client_id },
            credential: tokens.credential(self.now()),
            created_at: vitrine_contract::time::format(self.now()),
        };
        self.identify(&mut kept).await?;
        Ok(kept)
    }

    /// A fresh credential in place of one that has ended.
    pub(crate) async fn refresh(&self, kept: &CachedClient) -> Result<CachedClient, ConnectError> {
        let refresh_token = kept.credential.refresh_token.as_deref().ok_or(ConnectError::NoRefreshToken)?;
        let authority = discovery::find(&self.web, &self.provider).await?;
        let tokens = Tokens::refresh(&self.web, &authority, &kept.client.client_id, refresh_token).await?;
        let mut fresh = kept.clone();
        let before = std::mem::replace(&mut fresh.credential, tokens.credential(self.now()));
        fresh.credential.refresh_token = fresh.credential.refresh_token.or(before.refresh_token);
        fresh.credential.pdpp_token_kind = fresh.credential.pdpp_token_kind.or(before.pdpp_token_kind);
        fresh.credential.grant_id = fresh.credential.grant_id.or(before.grant_id);
        Ok(fresh)
    }

    /// Learns what the credential reads under, and refuses one of the owner's.
    async fn identify(&self, kept: &mut CachedClient) -> Result<(), ConnectError> {
        let reader = HttpRead::new(&kept.provider_url, &kept.credential.access_token, Options::default())?;
        let bearer = check_kind(&reader).await?;
        let known = |text: String| (!text.is_empty()).then_some(text);
        let credential = &mut kept.credential;
        credential.pdpp_token_kind = known(bearer.token_kind).or(credential.pdpp_token_kind.take());
        credential.grant_id = bearer.grant_id.or(bearer.grant_package_id).or(credential.grant_id.take());
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
