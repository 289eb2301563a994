//! Who issues tokens for a provider: RFC 9728 from the provider, RFC 8414 from its authorization server.

use reqwest::Url;
use serde_json::{Map, Value};

use super::ConnectError;
use super::web::{Web, shown};
use crate::provider::Address;
use crate::provider::address::is_private;

/// An authorization server, and what tokens are asked for.
#[derive(Debug)]
pub(super) struct Authority {
    /// What the token is for (RFC 8707).
    pub(super) resource: String,
    pub(super) issuer: String,
    pub(super) token_endpoint: String,
    pub(super) authorization_endpoint: Option<String>,
    pub(super) device_authorization_endpoint: Option<String>,
    pub(super) registration_endpoint: Option<String>,
    /// Whether answers of the browser must name the issuer (RFC 9207).
    pub(super) names_issuer: bool,
    /// Asked for where it is needed to get a refresh token.
    pub(super) scope: Option<&'static str>,
}

/// Asks the provider for its authorization server, and that for its endpoints.
pub(super) async fn find(web: &Web, provider: &Address) -> Result<Authority, ConnectError> {
    let base = provider.as_str();
    let described = web.document(&well_known(base, "oauth-protected-resource")?).await?;
    // A provider that describes no resource is its own authorization server.
    let (resource, issuer) = match &described {
        None => (base.to_owned(), base.to_owned()),
        Some(document) => (resource_of(document, provider)?, issuer_of(document)?),
    };
    let mut metadata = web.document(&well_known(&issuer, "oauth-authorization-server")?).await?;
    if metadata.is_none() {
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        metadata = web.document(&url).await?;
    }
    Authority::from(&metadata.ok_or(ConnectError::Lacks("an authorization server"))?, issuer, resource)
}

impl Authority {
    fn from(metadata: &Map<String, Value>, issuer: String, resource: String) -> Result<Self, ConnectError> {
        let said = metadata.get("issuer").and_then(Value::as_str).unwrap_or("nothing");
        if said != issuer {
            return Err(mismatch("authorization server's description", said, &issuer));
        }
        let lists = |name: &str, value: &str| {
            let list = metadata.get(name).and_then(Value::as_array)?;
            Some(list.iter().any(|entry| entry == value))
        };
        if lists("code_challenge_methods_supported", "S256") == Some(false) {
            return Err(ConnectError::Lacks("PKCE with S256"));
        }
        let endpoint = |name: &str| -> Result<Option<String>, ConnectError> {
            let Some(text) = metadata.get(name).and_then(Value::as_str) else { return Ok(None) };
            let private = Url::parse(text).is_ok_and(|url| is_private(&url));
            if private { Ok(Some(text.to_owned())) } else { Err(ConnectError::Insecure(shown(text))) }
        };
        Ok(Self {
            token_endpoint: endpoint("token_endpoint")?.ok_or(ConnectError::Lacks("a token endpoint"))?,
            authorization_endpoint: endpoint("authorization_endpoint")?,
            device_authorization_endpoint: endpoint("device_authorization_endpoint")?,
            registration_endpoint: endpoint("registration_endpoint")?,
            names_issuer: metadata.get("authorization_response_iss_parameter_supported") == Some(&Value::Bool(true)),
            scope: lists("scopes_supported", "offline_access").unwrap_or(false).then_some("offline_access"),
            resource,
            issuer,
        })
    }
}

/// A well-known document stands between a URL's host and its path.
fn well_known(base: &str, name: &str) -> Result<String, ConnectError> {
    let url = Url::parse(base).ok().filter(is_private).ok_or_else(|| ConnectError::Insecure(shown(base)))?;
    let path = url.path().trim_end_matches('/');
    Ok(format!("{}/.well-known/{name}{path}", url.origin().ascii_serialization()))
}

/// The resource as the provider names it, which must be at the provider.
fn resource_of(document: &Map<String, Value>, provider: &Address) -> Result<String, ConnectError> {
    let said = document.get("resource").and_then(Value::as_str).unwrap_or("nothing");
    if Url::parse(said).is_ok_and(|url| provider.shares_origin(&url)) {
        return Ok(said.to_owned());
    }
    Err(mismatch("provider's description", said, provider.as_str()))
}

fn issuer_of(document: &Map<String, Value>) -> Result<String, ConnectError> {
    let servers = document.get("authorization_servers").and_then(Value::as_array);
    let first = servers.and_then(|servers| servers.first()).and_then(Value::as_str);
    first.map(str::to_owned).ok_or(ConnectError::Lacks("an authorization server"))
}

fn mismatch(what: &'static str, said: &str, expected: &str) -> ConnectError {
    ConnectError::Mismatch { what, said: shown(said), expected: expected.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn authority(metadata: Value) -> Result<Authority, ConnectError> {
        let Value::Object(metadata) = metadata else { panic!("an object") };
        Authority::from(&metadata, "https://as.example".to_owned(), "https://rs.example".to_owned())
    }

    #[test]
    fn a_document_stands_between_host_and_path() {
        for (base, url) in [
            ("https://a.example", "https://a.example/.well-known/x"),
            ("https://a.example/p/q/", "https://a.example/.well-known/x/p/q"),
            ("http://127.0.0.1:7663", "http://127.0.0.1:7663/.well-known/x"),
        ] {
            assert_eq!(well_known(base, "x").unwrap(), url);
        }
        for base in ["http://a.example", "javascript:alert(1)", "file:///etc"] {
            assert!(matches!(well_known(base, "x"), Err(ConnectError::Insecure(_))), "{base}");
        }
    }

    #[test]
    fn metadata_must_be_of_the_issuer_and_offer_pkce() {
        let good = json!({ "issuer": "https://as.example", "token_endpoint": "https://as.example/token",
            "scopes_supported": ["offline_access"], "authorization_response_iss_parameter_supported": true });
        let found = authority(good.clone()).unwrap();
        assert_eq!((found.scope, found.names_issuer), (Some("offline_access"), true));
        for (name, value) in [
            ("issuer", json!("https://as.example/")),
            ("issuer", json!(null)),
            ("token_endpoint", json!(null)),
            ("token_endpoint", json!("http://as.example/token")),
            ("authorization_endpoint", json!("javascript:alert(1)")),
            ("code_challenge_methods_supported", json!(["plain"])),
        ] {
            let mut bad = good.clone();
            bad[name] = value.clone();
            assert!(authority(bad).is_err(), "{name}: {value}");
        }
    }
}
