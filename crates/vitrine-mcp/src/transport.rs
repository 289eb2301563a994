//! The two ways in: standard input and output, and Streamable HTTP.

use std::convert::Infallible;
use std::fmt::Display;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body::Body;
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::batch;
use crate::envelope::Envelope;
use crate::server::Adapter;
use crate::source::ReaderSource;
use crate::unreadable::{self, Heard};
use crate::wire::Wire;

/// A tool call is a handful of short arguments.
const MAX_REQUEST_BYTES: usize = 256 * 1024;

/// The `/mcp` service: mount it behind a layer that authenticates and puts the caller into the
/// request's extensions.
pub struct McpService<S: ReaderSource>(StreamableHttpService<Adapter<S>, NeverSessionManager>);

impl<S: ReaderSource> McpService<S> {
    /// Answers one request.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        let (mut parts, body) = request.into_parts();
        accept_both(&mut parts.headers);
        if !unreadable::is_json(&parts.headers) {
            return self.one(Request::from_parts(parts, body)).await;
        }
        let again = batch::may_come(&parts.headers).then(|| parts.clone());
        let heard = Heard::default();
        let response = self.one(Request::from_parts(parts, heard.listen(body))).await;
        let messages = again.and_then(|parts| Some((parts, batch::messages(&heard.refused(&response)?)?)));
        match messages {
            Some((parts, messages)) => self.each(parts, messages).await,
            None => heard.explain(response),
        }
    }

    /// Answers the messages of one body, one after the other.
    async fn each(&self, mut parts: Parts, messages: Vec<Value>) -> Response<BoxBody<Bytes, Infallible>> {
        parts.headers.remove(header::CONTENT_LENGTH);
        let mut responses = Vec::with_capacity(messages.len());
        for message in messages {
            let heard = Heard::default();
            let body = heard.listen(Full::new(Bytes::from(message.to_string())));
            responses.push(heard.explain(self.one(Request::from_parts(parts.clone(), body)).await));
        }
        batch::gather(responses).await
    }

    async fn one<B>(&self, mut request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        let envelope = Envelope::default();
        request.extensions_mut().insert(envelope.clone());
        envelope.fill(self.0.handle(request).await).await
    }
}

/// The types an answer may be of, as the library looks for them.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Names both types where a wildcard covers them, which the library does not know.
fn accept_both(headers: &mut HeaderMap) {
    let accepts = |header: &str, kind: &str| {
        let mut ranges = header.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
        let family = kind.split('/').next().unwrap_or_default();
        ranges.any(|range| range == "*/*" || range == kind || range.strip_suffix("/*") == Some(family))
    };
    let accepted = headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    if accepted.is_some_and(|header| accepts(header, "application/json") && accepts(header, "text/event-stream")) {
        headers.insert(header::ACCEPT, BOTH);
    }
}

/// Serves standard input and output until the client goes away.
pub async fn serve_stdio<S: ReaderSource>(source: S) -> io::Result<()> {
    let (read, write) = rmcp::transport::io::stdio_pipes();
    serve_pipes(source, read, write).await
}

/// Serves messages on lines until the client goes away.
pub async fn serve_pipes<S, R, W>(source: S, read: R, write: W) -> io::Result<()>
where
    S: ReaderSource,
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let service = match Adapter::new(source).serve(Wire::new(read, write)).await {
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
    let sessions = Arc::new(NeverSessionManager::default());
    McpService(StreamableHttpService::new(move || Ok(adapter.clone()), sessions, config))
}
