//! What every command that serves does: take an address, say where it can be reached, stop when asked.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::{TcpListener, lookup_host};

use crate::fault::Fault;

/// Where the server is found when nobody chose another address.
pub(crate) const DEFAULT_URL: &str = "http://127.0.0.1:7663";

/// The URL to call when the server listens at this address, or on all addresses.
pub(crate) fn url_of(mut address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("http://{address}")
}

/// Takes an address to listen on.
pub(crate) async fn listen(address: &str) -> Result<TcpListener, Fault> {
    TcpListener::bind(address).await.map_err(|error| cannot_listen(address, &error))
}

/// Refuses what is no address to listen on, as [`listen`] does, without taking it.
pub(crate) async fn check_address(address: &str) -> Result<(), Fault> {
    lookup_host(address).await.map(drop).map_err(|error| cannot_listen(address, &error))
}

fn cannot_listen(address: &str, error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::AddrInUse => Fault::declined(
            "address_in_use",
            format!("{address} is taken by another program. Stop it, or choose another port: --listen 127.0.0.1:0"),
        ),
        _ => Fault::configuration(format!("cannot listen on {address}: {error}")),
    }
}

/// Ends when the process is asked to. Listens from now on, so that no signal is missed.
#[cfg(unix)]
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends when the process is asked to.
#[cfg(not(unix))]
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
