//! The two ways in: standard input and output, and Streamable HTTP.

use std::io;
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::server::Adapter;
use crate::source::ReaderSource;

/// A tool call is a handful of short arguments.
const MAX_REQUEST_BYTES: usize = 256 * 1024;

/// The `/mcp` service: mount it behind a layer that authenticates and puts the caller into the
/// request's extensions.
pub type McpService<S> = StreamableHttpService<Adapter<S>, NeverSessionManager>;

/// Serves standard input and output until the client goes away.
pub async fn serve_stdio<S: ReaderSource>(source: S) -> io::Result<()> {
    let service = match Adapter::new(source).serve(rmcp::transport::io::stdio_pipes()).await {
        Ok(service) => service,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(io::Error::other(error)),
    };
    service.waiting().await.map(drop).map_err(io::Error::other)
}

/// The stateless Streamable HTTP service. Requests that name another host are refused, as are
/// browsers' requests from any origin but `allowed_origins`. With no hosts at all, any host will do.
pub fn http_service<S: ReaderSource>(
    source: S,
    allowed_hosts: impl IntoIterator<Item = String>,
    allowed_origins: impl IntoIterator<Item = String>,
) -> McpService<S> {
    let adapter = Adapter::new(source);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(allowed_hosts)
        .with_allowed_origins(allowed_origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_REQUEST_BYTES);
    StreamableHttpService::new(move || Ok(adapter.clone()), Arc::new(NeverSessionManager::default()), config)
}
