//! The loopback address a browser comes back to.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::ConnectError;

const PATH: &str = "/callback";
/// Time for the owner to sign in, read and decide.
const PATIENCE_MINUTES: u64 = 10;
/// A browser sends its request at once.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_BYTES: usize = 16 * 1024;

pub(super) struct Callback {
    listener: TcpListener,
    address: SocketAddr,
}

/// What the browser brought.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Who says so.
    pub(super) issuer: Option<String>,
    /// The code, or why there is none.
    pub(super) code: Result<String, String>,
}

impl Callback {
    pub(super) async fn listen() -> Result<Self, ConnectError> {
        let failed = |source| ConnectError::Io { what: "cannot listen for the browser's answer", source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    pub(super) fn redirect_uri(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the answer that carries this state. Whatever else knocks is turned away and cannot end the wait.
    pub(super) async fn wait(&self, state: &str) -> Result<Outcome, ConnectError> {
        let answer = async {
            loop {
                let Ok((stream, _)) = self.listener.accept().await else { continue };
                if let Some(outcome) = timeout(REQUEST_TIMEOUT, serve(stream, state)).await.ok().flatten() {
                    return outcome;
                }
            }
        };
        let patience = Duration::from_mins(PATIENCE_MINUTES);
        timeout(patience, answer).await.map_err(|_| ConnectError::TimedOut(PATIENCE_MINUTES))
    }
}

async fn serve(mut stream: TcpStream, state: &str) -> Option<Outcome> {
    let target = target(&mut stream).await?;
    let outcome = outcome(&target, state);
    let (status, words) = match &outcome {
        None => ("404 Not Found", "There is nothing here."),
        Some(Outcome { code: Ok(_), .. }) => ("200 OK", "Vitrine has what it needs. You can close this page."),
        Some(_) => ("200 OK", "Nothing was shared. You can close this page."),
    };
    let page = format!("<!doctype html><meta charset=utf-8><title>Vitrine</title><p>{words}");
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: \
         no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    // The outcome counts even if the browser is gone by now.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    outcome
}

/// The path and query of a GET request.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut piece = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(&piece[..read]);
        if head.len() > REQUEST_BYTES {
            return None;
        }
    }
    let line = std::str::from_utf8(&head).ok()?.lines().next()?;
    let target = line.strip_prefix("GET ")?.split(' ').next()?;
    target.starts_with('/').then(|| target.to_owned())
}

fn outcome(target: &str, state: &str) -> Option<Outcome> {
    let url = Url::parse(&format!("http://127.0.0.1{target}")).ok()?;
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    if url.path() != PATH || value("state").as_deref() != Some(state) {
        return None;
    }
    let refusal = || match (value("error"), value("error_description")) {
        (Some(error), Some(why)) => format!("{error}: {why}"),
        (Some(error), None) => error,
        (None, _) => "it sent no code".to_owned(),
    };
    let code = value("code").filter(|code| !code.is_empty() && value("error").is_none()).ok_or_else(refusal);
    Some(Outcome { issuer: value("iss"), code })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_with_our_state_counts() {
        for stranger in ["/", "/callback", "/callback?code=c", "/callback?code=c&state=other", "/favicon.ico?state=s"] {
            assert_eq!(outcome(stranger, "s"), None, "{stranger}");
        }
        let issuer = Some("https://as.example".to_owned());
        for (target, code) in [
            ("/callback?code=a%2Fb&state=s&iss=https%3A%2F%2Fas.example", Ok("a/b".to_owned())),
            ("/callback?error=access_denied&state=s&iss=https://as.example", Err("access_denied".to_owned())),
            (
                "/callback?error=e&error_description=no+way&code=c&state=s&iss=https://as.example",
                Err("e: no way".to_owned()),
            ),
            ("/callback?state=s&iss=https://as.example&code=", Err("it sent no code".to_owned())),
        ] {
            assert_eq!(outcome(target, "s"), Some(Outcome { issuer: issuer.clone(), code }), "{target}");
        }
    }
}
