//! Consent on another device: a code to type, and asking until it was typed (RFC 8628).

use std::time::Duration;

use serde::Deserialize;
use tokio::time::sleep;

use super::discovery::Authority;
use super::register::register;
use super::token::Tokens;
use super::web::shown;
use super::{Connect, ConnectError, Invitation};

const GRANT_TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// What `slow_down` adds.
const SLOWER: u64 = 5;
/// However long the server would let us wait.
const MAX_SECONDS: u64 = 30 * 60;

#[derive(Deserialize)]
struct Waiting {
    device_code: String,
    user_code: String,
    verification_uri: String,
    #[serde(default)]
    verification_uri_complete: Option<String>,
    expires_in: u64,
    #[serde(default = "every_five_seconds")]
    interval: u64,
}

pub(super) async fn ask(
    connect: &Connect,
    authority: &Authority,
    client_id: Option<String>,
    invite: impl FnOnce(&Invitation) + Send,
) -> Result<(String, Tokens), ConnectError> {
    let endpoint = authority.device_authorization_endpoint.as_deref();
    let endpoint = endpoint.ok_or(ConnectError::Lacks("consent on another device. Leave out --device"))?;
    let client_id = match client_id {
        Some(id) => id,
        None => register(&connect.web, authority, GRANT_TYPE, None).await?,
    };
    let mut form = vec![("client_id", client_id.as_str()), ("resource", &authority.resource)];
    form.extend(authority.scope.map(|scope| ("scope", scope)));
    let answer = connect.web.form(endpoint, &form).await?.success()?;
    let device: Waiting = serde_json::from_value(answer.into())
        .map_err(|_| ConnectError::Answer { url: endpoint.to_owned(), what: "no device code".to_owned() })?;
    let (url, code) = match &device.verification_uri_complete {
        Some(complete) => (complete, None),
        None => (&device.verification_uri, Some(shown(&device.user_code))),
    };
    invite(&Invitation { url: shown(url), code });
    let tokens = poll(connect, authority, &client_id, &device).await?;
    Ok((client_id, tokens))
}

async fn poll(
    connect: &Connect,
    authority: &Authority,
    client_id: &str,
    device: &Waiting,
) -> Result<Tokens, ConnectError> {
    let form = [
        ("grant_type", GRANT_TYPE),
        ("device_code", device.device_code.as_str()),
        ("client_id", client_id),
        ("resource", &authority.resource),
    ];
    let patience = device.expires_in.min(MAX_SECONDS);
    let (mut interval, mut waited) = (device.interval.clamp(1, 60), 0);
    while waited < patience {
        sleep(Duration::from_secs(interval)).await;
        waited += interval;
        let answer = connect.web.form(&authority.token_endpoint, &form).await?;
        match answer.error() {
            "authorization_pending" => {}
            "slow_down" => interval += SLOWER,
            "expired_token" => break,
            _ => return Tokens::read(authority, answer.success()?),
        }
    }
    Err(ConnectError::TimedOut(patience / 60))
}

fn every_five_seconds() -> u64 {
    5
}
