//! The descriptions of the two protected resources (RFC 9728).

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};
use vitrine_contract::request::SearchMode;
use vitrine_engine::SEARCH_MODES;
use vitrine_engine::keeping::Keeper;

use crate::app::App;

/// Where `/v1` is described.
pub(crate) const RESOURCE_PATH: &str = "/.well-known/oauth-protected-resource";
/// Where `/mcp` is described.
pub(crate) const MCP_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

pub(crate) async fn resource<S: Keeper>(State(app): State<Arc<App<S>>>) -> axum::Json<Value> {
    axum::Json(document(&app.public_url, "", &["client", "mcp_package", "owner"]))
}

pub(crate) async fn mcp<S: Keeper>(State(app): State<Arc<App<S>>>) -> axum::Json<Value> {
    axum::Json(document(&app.public_url, "/mcp", &["client", "mcp_package"]))
}

fn document(public_url: &str, path: &str, token_kinds: &[&str]) -> Value {
    json!({
        "resource": format!("{public_url}{path}"),
        "resource_name": "Vitrine",
        "authorization_servers": [public_url],
        "bearer_methods_supported": ["header"],
        "pdpp_token_kinds_supported": token_kinds,
        "pdpp_core_query_base": format!("{public_url}/v1"),
        "capabilities": {
            "lexical_retrieval": retrieval(SearchMode::Lexical),
            "semantic_retrieval": retrieval(SearchMode::Semantic),
            "hybrid_retrieval": retrieval(SearchMode::Hybrid),
            "client_filters": { "supported": true },
        },
    })
}

fn retrieval(mode: SearchMode) -> Value {
    json!({ "supported": SEARCH_MODES.contains(&mode) })
}
