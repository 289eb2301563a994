//! The rest of a refused request.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http::header::EXPECT;
use http_body_util::BodyExt;
use tokio::time::timeout;

/// What a client may still send in vain.
const DRAINED_BYTES: usize = 128 * 1024 * 1024;

/// Reads on, for a while and into nothing, after a request was refused before its end. Most
/// clients send everything before they look for an answer, and would find a closed connection.
pub(crate) async fn drain(State(patience): State<Duration>, request: Request, next: Next) -> Response {
    // A client that waits to be told to go on is told, by the answer, not to.
    if request.body().is_end_stream() || request.headers().contains_key(EXPECT) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let body = Shared(Arc::new(Mutex::new(body)));
    let response = next.run(Request::from_parts(parts, Body::new(body.clone()))).await;
    if response.status().as_u16() >= 400 && timeout(patience, discard(body)).await.is_err() {
        tracing::debug!("a refused client is still sending");
    }
    response
}

async fn discard(mut body: Shared) {
    let mut left = DRAINED_BYTES;
    while let Some(Ok(frame)) = body.frame().await {
        let sent = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(sent) {
            Some(less) => left = less,
            None => return,
        }
    }
}

/// A body that outlives the handler it was given to.
#[derive(Clone)]
struct Shared(Arc<Mutex<Body>>);

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        let mut body = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Pin::new(&mut *body).poll_frame(context)
    }
}
