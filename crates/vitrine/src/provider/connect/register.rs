//! Becoming a client of an authorization server (RFC 7591).

use serde_json::{Value, json};

use super::ConnectError;
use super::discovery::Authority;
use super::web::Web;

const CLIENT_NAME: &str = "Vitrine";

/// Registers a public client, which keeps no secret, and returns its id.
pub(super) async fn register(
    web: &Web,
    authority: &Authority,
    grant_type: &str,
    redirect_uri: Option<&str>,
) -> Result<String, ConnectError> {
    let endpoint = authority
        .registration_endpoint
        .as_deref()
        .ok_or(ConnectError::Lacks("registration. Ask its operator for a client id, and give it with --client-id"))?;
    let mut wanted = json!({
        "client_name": CLIENT_NAME,
        "grant_types": [grant_type, "refresh_token"],
        "token_endpoint_auth_method": "none",
    });
    if let Some(redirect_uri) = redirect_uri {
        wanted["redirect_uris"] = json!([redirect_uri]);
        wanted["response_types"] = json!(["code"]);
    }
    let registered = web.json(endpoint, &wanted).await?.success()?;
    let secret = registered.get("token_endpoint_auth_method").is_some_and(|method| method != "none");
    if secret {
        return Err(ConnectError::Lacks("clients without a secret"));
    }
    let id = registered.get("client_id").and_then(Value::as_str).filter(|id| !id.is_empty());
    id.map(str::to_owned)
        .ok_or_else(|| ConnectError::Answer { url: endpoint.to_owned(), what: "no client_id".to_owned() })
}
