//! The MCP adapter, mounted: each call reads under the caller whom the door let in.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, StatusCode, Uri};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::ledger::Via;
use vitrine_engine::token::fresh_id;
use vitrine_engine::{Caller, Ledgered};
use vitrine_mcp::{ReaderSource, http_service};

use crate::app::App;
use crate::envelope::RequestId;
use crate::failure::Failure;

/// Names under which a server is reached on its own machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Where pages of the same machine come from.
const LOOPBACK_ORIGINS: [&str; 3] = ["http://localhost", "http://127.0.0.1", "http://[::1]"];

/// The service to mount behind the door of `/mcp`.
pub(crate) fn mount<S: Keeper>(app: &Arc<App<S>>) -> Router {
    let public = app.public_url.parse::<Uri>().ok();
    let authority = public.as_ref().and_then(Uri::authority);
    let hosts = authority.into_iter().flat_map(|a| [a.as_str().to_owned(), a.host().to_owned()]);
    let hosts = hosts.chain(LOOPBACK.map(str::to_owned));
    let port = authority.and_then(Authority::port_u16).map_or_else(String::new, |port| format!(":{port}"));
    let origins = LOOPBACK_ORIGINS.map(|origin| format!("{origin}{port}"));
    let origins = origins.into_iter().chain([app.public_url.to_string()]);
    // Shared: the library's own clone copies every name in its settings, and routers clone at each layer.
    let service = Arc::new(http_service(Callers(Arc::clone(app)), hosts, origins));
    Router::new().fallback(async move |request: Request| typed(service.handle(request).await.into_response()))
}

/// The library refuses what is no message of the protocol in plain words; here that is an error like any other.
fn typed(mut response: Response) -> Response {
    let status = response.status();
    if (status.is_client_error() || status.is_server_error()) && !is_json(response.headers()) {
        response.extensions_mut().insert(refusal(status));
    }
    response
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

fn refusal(status: StatusCode) -> Failure {
    let message = match status {
        StatusCode::FORBIDDEN => {
            "The `Host` or `Origin` of this request is not one that this server answers to. Call it by its public URL; a \
             page of another origin cannot."
        }
        StatusCode::METHOD_NOT_ALLOWED => return Failure::wrong_method(),
        StatusCode::NOT_ACCEPTABLE => "Send `Accept: application/json, text/event-stream`.",
        StatusCode::PAYLOAD_TOO_LARGE => {
            return ApiError::new(ErrorCode::PayloadTooLarge, "The message is too long. Ask for less in one call.")
                .into();
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "Send the message with `Content-Type: application/json`.",
        status if status.is_server_error() => return ApiError::internal().into(),
        _ => {
            "A header of this request cannot be used. Check `Host`, and that `MCP-Protocol-Version` names a revision that \
             `server/discover` lists."
        }
    };
    let mut error = ApiError::new(ErrorCode::InvalidRequest, message);
    error.status = status.as_u16();
    error.into()
}

/// Hands out the reader of whoever calls.
struct Callers<S>(Arc<App<S>>);

impl<S: Keeper> ReaderSource for Callers<S> {
    type Reader = Ledgered<S>;

    async fn reader(
        &self,
        context: &RequestContext<RoleServer>,
        tool: &'static str,
    ) -> Result<Arc<Ledgered<S>>, ApiError> {
        let parts = context.extensions.get::<Parts>();
        let caller = parts.and_then(|parts| parts.extensions.get::<Caller>()).ok_or_else(ApiError::internal)?;
        Ok(Arc::new(self.0.reader(caller.clone(), Via::Mcp { tool })))
    }

    fn request_id(&self, context: &RequestContext<RoleServer>) -> String {
        let parts = context.extensions.get::<Parts>();
        match parts.and_then(|parts| parts.extensions.get::<RequestId>()) {
            Some(id) => id.0.to_string(),
            None => fresh_id("req", &self.0.random),
        }
    }
}
