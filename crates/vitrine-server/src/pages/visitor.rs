//! Who is at the browser.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::header::{COOKIE, HOST};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::password;
use vitrine_engine::oauth::session::{SESSION_SECONDS, form_token, is_form_token};

use super::fault::PageFault;
use crate::app::App;
use crate::peer::Peer;

/// Headers by which a proxy tells that the real visitor is elsewhere.
const FORWARDED: [&str; 4] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/// A browser, recognised by its cookie.
#[derive(Debug)]
pub(crate) struct Visitor {
    secret: String,
    fresh: bool,
    standing: Standing,
    place: String,
    https: bool,
}

/// What a browser may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The owner signed in with it.
    SignedIn,
    /// No password is set, and it runs on this very machine.
    AtTheMachine,
    /// Neither.
    Stranger,
}

impl Visitor {
    /// Whether the owner is at the browser.
    pub(crate) fn is_owner(&self) -> bool {
        self.standing != Standing::Stranger
    }

    /// Whether the owner is taken for it because no password is set.
    pub(crate) fn is_unlocked(&self) -> bool {
        self.standing == Standing::AtTheMachine
    }

    /// The owner, or the way to sign in and back.
    pub(crate) fn owner(self, back: &Uri) -> Result<Self, PageFault> {
        if self.is_owner() {
            return Ok(self);
        }
        let back = back.path_and_query().map_or("/", |path| path.as_str());
        Err(PageFault::SignIn(back.to_owned()))
    }

    /// Proves that a form is ours.
    pub(crate) fn form_token(&self) -> String {
        form_token(&self.secret)
    }

    pub(super) fn is_form_token(&self, presented: &str) -> bool {
        !self.fresh && is_form_token(&self.secret, presented)
    }

    pub(super) fn secret(&self) -> &str {
        &self.secret
    }

    /// What tries are counted under.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// The cookie to set, when the browser has none yet.
    pub(super) fn new_cookie(&self) -> Option<HeaderValue> {
        if self.fresh { self.cookie(&self.secret) } else { None }
    }

    /// A cookie that makes the browser known by `secret`.
    pub(super) fn cookie(&self, secret: &str) -> Option<HeaderValue> {
        let secure = if self.https { "; Secure" } else { "" };
        let name = cookie_name(self.https);
        let text = format!("{name}={secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age={SESSION_SECONDS}{secure}");
        HeaderValue::from_str(&text).ok()
    }
}

impl<S: Keeper> FromRequestParts<Arc<App<S>>> for Visitor {
    type Rejection = PageFault;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App<S>>) -> Result<Self, PageFault> {
        let host = host(parts).ok_or(PageFault::WrongHost)?;
        if !(is_local_name(&host) || is_public_name(&host, &app.public_url)) {
            return Err(PageFault::WrongHost);
        }
        let peer = parts.extensions.get::<Peer>().copied();
        let https = app.public_url.starts_with("https://");
        let presented = presented_secret(&parts.headers, cookie_name(https));
        let authority = app.authority();
        let standing = if password::kept(&*app.store).await?.is_none() {
            let proxied = FORWARDED.iter().any(|name| parts.headers.contains_key(*name));
            let near = peer.is_some_and(Peer::is_loopback) && is_local_name(&host) && !proxied;
            if !near {
                return Err(PageFault::Shut);
            }
            Standing::AtTheMachine
        } else {
            let signed_in = match &presented {
                Some(secret) => authority.signed_in(secret).await?,
                None => false,
            };
            if signed_in { Standing::SignedIn } else { Standing::Stranger }
        };
        let fresh = presented.is_none();
        let secret = presented.unwrap_or_else(|| authority.fresh_visit());
        let place = peer.map_or_else(|| "unknown".to_owned(), |peer| peer.network().to_string());
        Ok(Self { secret, fresh, standing, place, https })
    }
}

/// With `__Host-` a browser takes the cookie from this host over TLS alone.
fn cookie_name(https: bool) -> &'static str {
    if https { "__Host-vitrine" } else { "vitrine" }
}

fn presented_secret(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, secret) = pairs.find(|(known, _)| *known == name)?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    (secret.len() == 47 && secret.bytes().all(plain)).then(|| secret.to_owned())
}

fn host(parts: &Parts) -> Option<Authority> {
    let mut named = parts.headers.get_all(HOST).iter();
    match (named.next(), named.next()) {
        (Some(host), None) => host.to_str().ok()?.parse().ok(),
        _ => None,
    }
}

/// A name under which only this machine is reached, whatever a name server says.
fn is_local_name(host: &Authority) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].contains(&host.host())
}

/// Whether only clients on this machine reach the server.
pub(super) fn is_local(public_url: &str) -> bool {
    authority(public_url).is_some_and(|public| is_local_name(&public))
}

fn authority(url: &str) -> Option<Authority> {
    url.parse::<Uri>().ok().and_then(|uri| uri.into_parts().authority)
}

fn is_public_name(host: &Authority, public_url: &str) -> bool {
    authority(public_url).is_some_and(|public| public.host().eq_ignore_ascii_case(host.host()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_secret_of_ours_is_taken_from_a_cookie() {
        let secret = format!("vts_{}", "a".repeat(43));
        let found = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, cookie.parse().unwrap());
            presented_secret(&headers, "vitrine")
        };
        assert_eq!(found(&format!("a=b; vitrine={secret}")).as_ref(), Some(&secret));
        assert_eq!(found(&format!("xvitrine={secret}")), None);
        assert_eq!(found("vitrine=short"), None);
        assert_eq!(found(&format!("vitrine={}", "\"".repeat(47))), None);
    }
}
