//! `vitrine mcp`: the adapter on standard input and output, over the embedded store or a provider.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use vitrine_contract::ApiError;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::ledger::Via;
use vitrine_engine::token::fresh_id;
use vitrine_engine::{Caller, Ledgered, LocalRead};
use vitrine_mcp::{ReaderSource, serve_stdio};
use vitrine_server::clients::Here;
use vitrine_store::Store;

use crate::cli::Place;
use crate::fault::Fault;
use crate::grants;
use crate::here::here;
use crate::listening::DEFAULT_URL;
use crate::opened::Opened;
use crate::provider::HttpRead;
use crate::provider::credential::Surroundings;
use crate::provider::session::Session;
use crate::reading::Reading;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Grant or package to read under [default: the only active one]
    #[arg(long, value_name = "GRANT_OR_PACKAGE", conflicts_with = "provider_url")]
    pub(crate) grant: Option<String>,
    /// Read from this provider instead of the embedded store
    #[arg(long, value_name = "URL", env = "PDPP_PROVIDER_URL")]
    pub(crate) provider_url: Option<String>,
    /// Where the provider's credential is cached
    #[arg(long, value_name = "DIR", env = "PDPP_CACHE_ROOT", default_value = ".pdpp")]
    cache_root: PathBuf,
}

/// Whatever is served, nothing is opened where a credential of the owner's is lying about.
pub(crate) async fn run(args: Args, place: &Place) -> Result<(), Fault> {
    let surroundings = Surroundings::from_env();
    surroundings.refuse_owner()?;
    match &args.provider_url {
        Some(url) => {
            let session = Session::open(&surroundings, args.cache_root, url, Clock::System).await;
            Ok(serve_stdio(OfProvider { session: session.map_err(Fault::renewing)?, random: Random::System }).await?)
        }
        None => serve_store(args.grant, Opened::there(place)?, &here(place)?).await,
    }
}

async fn serve_store(grant: Option<String>, opened: Opened, here: &Here) -> Result<(), Fault> {
    let grant = match grant {
        Some(id) => {
            grants::check(&opened, here, &id).await?;
            id
        }
        None => grants::only(&opened, here).await?,
    };
    let source = UnderGrant { opened, grant };
    let reading = Reading::start(&source.opened.store)?;
    serve_stdio(source).await?;
    drop(reading);
    Ok(())
}

/// A provider's records, with the credential that was cached or given for it.
struct OfProvider {
    session: Session,
    random: Random,
}

impl ReaderSource for OfProvider {
    type Reader = HttpRead;

    async fn reader(&self, _: &RequestContext<RoleServer>, _: &'static str) -> Result<Arc<HttpRead>, ApiError> {
        self.session.reader().await
    }

    fn request_id(&self, _: &RequestContext<RoleServer>) -> String {
        fresh_id("req", &self.random)
    }
}

/// Reads under one grant or package, checked anew for every call.
struct UnderGrant {
    opened: Opened,
    grant: String,
}

impl UnderGrant {
    async fn caller(&self) -> Result<Caller, ApiError> {
        Caller::from_grant_or_package(&*self.opened.store, &self.grant, self.opened.clock.now()).await
    }
}

impl ReaderSource for UnderGrant {
    type Reader = Ledgered<Store>;

    async fn reader(
        &self,
        _: &RequestContext<RoleServer>,
        tool: &'static str,
    ) -> Result<Arc<Ledgered<Store>>, ApiError> {
        let Opened { store, clock, random } = &self.opened;
        let caller = self.caller().await?;
        let read = LocalRead::new(Arc::clone(store), caller, clock.clone(), random.clone(), DEFAULT_URL.into());
        Ok(Arc::new(Ledgered::new(read, Via::Stdio { tool })))
    }

    fn request_id(&self, _: &RequestContext<RoleServer>) -> String {
        fresh_id("req", &self.opened.random)
    }
}
