//! What this authorization server is and can do (RFC 8414).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::SCOPE;
use vitrine_engine::oauth::details::DATA_ACCESS;
use vitrine_engine::oauth::exchange::GRANT_TYPES;

use crate::app::App;

/// Where it is described.
pub(crate) const PATH: &str = "/.well-known/oauth-authorization-server";
const SECRET_METHODS: [&str; 2] = ["client_secret_basic", "client_secret_post"];

pub(crate) async fn describe<S: Keeper>(State(app): State<Arc<App<S>>>) -> Json<Value> {
    let issuer = &*app.public_url;
    let at = |path: &str| format!("{issuer}/oauth/{path}");
    let methods: Vec<&str> = ["none"].into_iter().chain(SECRET_METHODS).collect();
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": at("authorize"),
        "token_endpoint": at("token"),
        "registration_endpoint": at("register"),
        "pushed_authorization_request_endpoint": at("par"),
        "device_authorization_endpoint": at("device_authorization"),
        "introspection_endpoint": at("introspect"),
        "revocation_endpoint": at("revoke"),
        "scopes_supported": [SCOPE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": GRANT_TYPES,
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "introspection_endpoint_auth_methods_supported": SECRET_METHODS,
        "authorization_details_types_supported": [DATA_ACCESS],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
        "require_pushed_authorization_requests": false,
    }))
}
