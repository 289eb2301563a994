//! Connections: how many, how slow, and how they end.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use vitrine_contract::limits::MAX_URL_BYTES;

use crate::app::Limits;
use crate::lanes::Lanes;
use crate::peer::Peer;
use crate::stall::Unstalled;

/// Room for the longest URL and as much again of headers.
const HEAD_BYTES: usize = 2 * MAX_URL_BYTES;
const HEADERS: usize = 100;
/// A breath before accepting again when the system has nothing left to accept with.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `shutdown` is done, then lets requests under way finish.
///
/// Plain HTTP/1.1: without TLS no client would negotiate another version, and a proxy in front
/// speaks this one.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS);
    let graceful = GracefulShutdown::new();
    let mut lanes = Lanes::new()?;
    let slots = Arc::new(Semaphore::new(limits.connections));
    let mut shutdown = pin!(shutdown);
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await.map_err(io::Error::other)?;
            Ok::<_, io::Error>((accept(&listener).await, slot))
        };
        let ((stream, peer), slot) = tokio::select! {
            next = next => next?,
            () = &mut shutdown => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: hyper::Request<_>| {
            request.extensions_mut().insert(peer);
            service.call(request)
        });
        let lane = lanes.next();
        let stream = {
            let _entered = lane.enter();
            match stream.into_std().and_then(TcpStream::from_std) {
                Ok(stream) => TokioIo::new(Unstalled::new(stream, limits.idle_timeout)),
                Err(error) => {
                    tracing::warn!(%error, "could not hand on a connection");
                    continue;
                }
            }
        };
        let connection = graceful.watch(http.serve_connection(stream, service));
        lane.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(slot);
        });
    }
    drop(listener);
    if timeout(limits.shutdown_grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("stopped with requests still under way");
    }
    tokio::task::spawn_blocking(move || lanes.close()).await.map_err(io::Error::other)
}

/// The next connection. A client that is gone again, or a shortage of the system's, is no reason
/// to stop.
async fn accept(listener: &TcpListener) -> (TcpStream, Peer) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // Without it small answers wait for the client's delayed acknowledgement.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "a connection keeps its delay");
                }
                return (stream, Peer(address.ip()));
            }
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
