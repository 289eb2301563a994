//! Consent in a browser on this machine: authorization code with PKCE, back to a loopback address (RFC 8252).

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::Url;
use sha2::{Digest as _, Sha256};

use super::callback::{Callback, Outcome};
use super::discovery::Authority;
use super::register::register;
use super::token::Tokens;
use super::web::shown;
use super::{Connect, ConnectError, Invitation};

const GRANT_TYPE: &str = "authorization_code";

pub(super) async fn ask(
    connect: &Connect,
    authority: &Authority,
    client_id: Option<String>,
    invite: impl FnOnce(&Invitation) + Send,
) -> Result<(String, Tokens), ConnectError> {
    let endpoint = authority.authorization_endpoint.as_deref();
    let endpoint = endpoint.ok_or(ConnectError::Lacks("consent in a browser. Try --device"))?;
    let callback = Callback::listen().await?;
    let redirect_uri = callback.redirect_uri();
    let client_id = match client_id {
        Some(id) => id,
        None => register(&connect.web, authority, GRANT_TYPE, Some(&redirect_uri)).await?,
    };
    let (state, verifier) = (secret(connect), secret(connect));
    let page = page(endpoint, authority, &client_id, &redirect_uri, &state, &verifier)?;
    invite(&Invitation { url: page, code: None });
    let code = code(callback.wait(&state).await?, authority)?;
    let form = [
        ("grant_type", GRANT_TYPE),
        ("code", &code),
        ("redirect_uri", &redirect_uri),
        ("client_id", &client_id),
        ("code_verifier", &verifier),
        ("resource", &authority.resource),
    ];
    let answer = connect.web.form(&authority.token_endpoint, &form).await?.success()?;
    Ok((client_id, Tokens::read(authority, answer)?))
}

fn secret(connect: &Connect) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(connect.random.bytes::<32>())
}

fn challenge(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

fn page(
    endpoint: &str,
    authority: &Authority,
    client_id: &str,
    redirect_uri: &str,
    state: &str,
    verifier: &str,
) -> Result<String, ConnectError> {
    let mut page = Url::parse(endpoint).map_err(|_| ConnectError::Lacks("a usable consent page"))?;
    let mut query = page.query_pairs_mut();
    query
        .append_pair("response_type", "code")
        .append_pair("client_id", client_id)
        .append_pair("redirect_uri", redirect_uri)
        .append_pair("state", state)
        .append_pair("code_challenge", &challenge(verifier))
        .append_pair("code_challenge_method", "S256")
        .append_pair("resource", &authority.resource);
    if let Some(scope) = authority.scope {
        query.append_pair("scope", scope);
    }
    drop(query);
    Ok(page.into())
}

/// The code, if it comes from the server that was asked (RFC 9207).
fn code(outcome: Outcome, authority: &Authority) -> Result<String, ConnectError> {
    let said = outcome.issuer.as_deref();
    if said.is_some_and(|said| said != authority.issuer) || (authority.names_issuer && said.is_none()) {
        return Err(ConnectError::Mismatch {
            what: "browser's answer",
            said: shown(said.unwrap_or("nothing")),
            expected: authority.issuer.clone(),
        });
    }
    outcome.code.map_err(|why| ConnectError::Refused(shown(&why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_the_rfc_s() {
        // RFC 7636, appendix B.
        assert_eq!(
            challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }
}
