//! Which client calls, and whether it is who it says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::client::{OAuthClient, Standing};
use vitrine_engine::oauth::params::Params;
use vitrine_engine::oauth::{OAuthCode, OAuthError};

use super::documents::NoDocument;
use crate::app::App;

/// A metadata document that was read this recently is not read again.
const FRESH_SECONDS: i64 = 10 * 60;

/// A client as it names itself: id and secret.
pub(super) struct Named {
    id: String,
    secret: Option<String>,
}

/// Who the caller says it is, in header or body, if it does.
pub(super) fn named(headers: &HeaderMap, params: &Params) -> Result<Option<Named>, OAuthError> {
    let in_body = params.get("client_id").map(str::to_owned);
    let secret = params.get("client_secret").map(str::to_owned);
    match (basic(headers)?, in_body) {
        (Some(_), _) if secret.is_some() => Err(OAuthError::request("Send the secret in the header or in the body.")),
        (Some(named), Some(id)) if named.id != id => Err(OAuthError::request("Header and body name two clients.")),
        (Some(named), _) => Ok(Some(named)),
        (None, Some(id)) => Ok(Some(Named { id, secret })),
        (None, None) => Ok(None),
    }
}

/// The calling client, which is known here and has proved who it is.
pub(super) async fn authenticated<S: Keeper>(
    app: &App<S>,
    headers: &HeaderMap,
    params: &Params,
) -> Result<OAuthClient, OAuthError> {
    let named = named(headers, params)?.ok_or_else(|| invalid("client_id is missing."))?;
    let client = app.authority().client(&named.id).await?;
    client.filter(|client| client.proves_itself(named.secret.as_deref())).ok_or_else(unknown)
}

/// The calling client, which may be calling for the first time.
pub(super) async fn introduced<S: Keeper>(
    app: &App<S>,
    headers: &HeaderMap,
    params: &Params,
) -> Result<OAuthClient, OAuthError> {
    let named = named(headers, params)?.ok_or_else(|| invalid("client_id is missing."))?;
    let client = known(app, &named.id).await?;
    Some(client).filter(|client| client.proves_itself(named.secret.as_deref())).ok_or_else(unknown)
}

/// The client of that id: one that registered, or one that describes itself at its own address.
pub(crate) async fn known<S: Keeper>(app: &App<S>, client_id: &str) -> Result<OAuthClient, OAuthError> {
    let authority = app.authority();
    let kept = authority.client(client_id).await?;
    if !client_id.starts_with("https://") {
        return kept.ok_or_else(unknown);
    }
    let now = app.clock.now().as_second();
    if let Some(kept) = kept.as_ref().filter(|kept| (0..FRESH_SECONDS).contains(&(now - kept.known_since))) {
        return Ok(kept.clone());
    }
    let client = match app.guard.documents.read(client_id).await {
        Ok(document) => OAuthClient::from_document(client_id, &document, now)?,
        Err(NoDocument::Refused(error)) => return Err(error),
        // What was read before still holds; otherwise the client is as good as one that registered.
        Err(NoDocument::Unreachable) => match kept.filter(|kept| kept.standing == Standing::Document) {
            Some(kept) => return Ok(kept),
            None => OAuthClient::unread(client_id, now),
        },
    };
    authority.keep_document(&client).await?;
    Ok(client)
}

fn basic(headers: &HeaderMap) -> Result<Option<Named>, OAuthError> {
    let Some(value) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let malformed = || OAuthError::request("The Authorization header cannot be read.");
    let (scheme, credentials) = value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(malformed)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    let text = STANDARD.decode(credentials.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let (id, secret) = text.as_deref().and_then(|text| text.split_once(':')).ok_or_else(malformed)?;
    Ok(Some(Named { id: decoded(id), secret: Some(decoded(secret)).filter(|secret| !secret.is_empty()) }))
}

/// Both halves are form-encoded before they are joined (RFC 6749, 2.3.1).
fn decoded(text: &str) -> String {
    let pair = format!("v={text}");
    form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

fn invalid(message: &str) -> OAuthError {
    OAuthError::new(OAuthCode::InvalidClient, message)
}

fn unknown() -> OAuthError {
    invalid("The client is not known here, or its secret is wrong. Register again.")
}
