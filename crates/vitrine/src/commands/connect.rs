//! `vitrine connect`: a scoped credential for a provider, by its owner's consent.

use std::path::PathBuf;

use serde_json::json;
use vitrine_engine::clock::{Clock, Random};

use crate::fault::Fault;
use crate::output::Output;
use crate::provider::Address;
use crate::provider::connect::{Connect, Invitation, Way};
use crate::provider::credential::{CredentialError, Surroundings, cache};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The provider
    #[arg(value_name = "URL")]
    provider_url: String,
    /// Consent on another device
    #[arg(long)]
    device: bool,
    /// Only print the page to open
    #[arg(long)]
    no_browser: bool,
    /// Who this is to the provider, where it registers nobody
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// Where the credential is cached
    #[arg(long, value_name = "DIR", env = "PDPP_CACHE_ROOT", default_value = ".pdpp")]
    cache_root: PathBuf,
}

pub(crate) async fn run(args: Args, output: Output) -> Result<(), Fault> {
    Surroundings::from_env().refuse_owner()?;
    let provider = Address::parse(&args.provider_url).map_err(CredentialError::from)?;
    let connect = Connect::new(provider.clone(), Clock::System, Random::System)?;
    let way = if args.device { Way::Device } else { Way::Browser };
    let opens_browser = !args.device && !args.no_browser;
    let kept = connect.ask(way, args.client_id, |invitation| show(invitation, opens_browser)).await?;
    let file = cache::write(&args.cache_root, &provider, &kept)?;
    let credential = &kept.credential;
    let result = json!({
        "provider_url": kept.provider_url,
        "client_id": kept.client.client_id,
        "token_kind": credential.pdpp_token_kind,
        "grant_id": credential.grant_id,
        "expires_at": credential.expires_at,
        "cache_file": file,
    });
    output.result(&result, || {
        let (url, file) = (provider.as_str(), file.display());
        format!("Connected to {url}. The credential is in {file}.\nUse it: vitrine mcp --provider-url {url}")
    })?;
    Ok(())
}

fn show(invitation: &Invitation, opens_browser: bool) {
    let Invitation { url, code } = invitation;
    let typing = code.as_ref().map(|code| format!("\nand type {code}")).unwrap_or_default();
    Output::notice(&format!("To consent, open\n  {url}{typing}"));
    if opens_browser && let Err(error) = open::that_detached(url) {
        tracing::debug!(%error, "no browser was opened");
    }
}
