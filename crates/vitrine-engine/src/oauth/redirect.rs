//! Where an answer may be sent: addresses a client has registered, and no others.

use url::form_urlencoded::Serializer;
use url::{Host, Url};

/// An address at most.
const MAX_LENGTH: usize = 2_048;
/// Schemes that a browser acts on by itself, or that carry nothing to an app.
const NEVER: &[&str] =
    &["about", "blob", "data", "file", "filesystem", "ftp", "javascript", "mailto", "vbscript", "ws", "wss"];

/// Why an address cannot be registered; nothing when it can.
pub fn objection(uri: &str) -> Option<&'static str> {
    if uri.len() > MAX_LENGTH || !uri.bytes().all(plain) {
        return Some("A redirect address has at most 2048 plain characters.");
    }
    let Ok(url) = Url::parse(uri) else { return Some("A redirect address must be an absolute URL.") };
    if uri.contains('#') {
        return Some("A redirect address has no fragment.");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("A redirect address has no user name or password.");
    }
    match url.scheme() {
        "https" => None,
        "http" if is_loopback(&url) => None,
        "http" => Some("Plain http is for addresses of the own machine. Use https."),
        scheme if NEVER.contains(&scheme) => Some("That scheme is not taken as a redirect address."),
        _ => None,
    }
}

/// Whether an answer may go to `presented` for a client that registered `registered`: character
/// for character the same, but for the port on the own machine (RFC 8252, 7.3).
pub fn matches(registered: &str, presented: &str) -> bool {
    if objection(presented).is_some() {
        return false;
    }
    if registered == presented {
        return true;
    }
    let (Ok(known), Ok(asked)) = (Url::parse(registered), Url::parse(presented)) else { return false };
    let floats = known.scheme() == "http" && asked.scheme() == "http" && is_loopback(&known) && is_loopback(&asked);
    floats
        && known.host_str() == asked.host_str()
        && without_port(registered, &known) == without_port(presented, &asked)
}

/// Whether an answer sent there stays on the machine of whoever opened the browser.
pub fn is_own_machine(uri: &str) -> bool {
    objection(uri).is_none() && Url::parse(uri).is_ok_and(|url| url.scheme() == "http" && is_loopback(&url))
}

/// Scheme and authority, as a content security policy names them; only the scheme where there is
/// no authority to speak of.
pub fn policy_source(uri: &str) -> Option<String> {
    let url = Url::parse(uri).ok()?;
    Some(match url.scheme() {
        "http" | "https" => url.origin().ascii_serialization(),
        scheme => format!("{scheme}:"),
    })
}

/// The address with parameters added to those it has.
pub fn with_params(uri: &str, params: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse(uri) else { return uri.to_owned() };
    // A blank reads right everywhere as `%20`, but as `+` only in forms.
    let added = Serializer::new(String::new()).extend_pairs(params).finish().replace('+', "%20");
    let query = url.query().filter(|query| !query.is_empty()).map_or_else(String::new, |query| format!("{query}&"));
    url.set_query(Some(&(query + &added)));
    url.into()
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// What stands after the authority, as it was written.
fn without_port<'a>(text: &'a str, url: &Url) -> &'a str {
    let start = url.scheme().len() + "://".len();
    let rest = text.get(start..).unwrap_or_default();
    rest.find(['/', '?']).map_or("", |at| &rest[at..])
}

/// Backslashes, spaces and quotes are read differently by different parsers.
fn plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !br#"\"<>^`{|}"#.contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_float_on_the_own_machine_only() {
        for (registered, presented) in [
            ("http://127.0.0.1/callback", "http://127.0.0.1:51234/callback"),
            ("http://localhost:1/callback", "http://localhost:2/callback"),
            ("http://[::1]:1/cb", "http://[::1]/cb"),
            ("https://a.example/cb?x=1", "https://a.example/cb?x=1"),
            ("cursor://anysphere/cb", "cursor://anysphere/cb"),
        ] {
            assert!(matches(registered, presented), "{registered} {presented}");
        }
    }

    #[test]
    fn near_misses_do_not_match() {
        for (registered, presented) in [
            ("http://127.0.0.1/callback", "http://localhost/callback"),
            ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback/"),
            ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback?x"),
            ("http://127.0.0.1/callback", "http://127.0.0.1:1@evil.example/callback"),
            ("http://127.0.0.1/callback", "http://127.0.0.1.evil.example/callback"),
            ("http://127.0.0.1/callback", "http://127.0.0.1:1\\@evil.example/callback"),
            ("http://127.0.0.1/callback", "https://127.0.0.1/callback"),
            ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback#x"),
            ("http://127.0.0.1/callback", "http://127.0.0.1:1/../callback"),
            ("https://a.example/cb", "https://a.example:444/cb"),
            ("https://a.example/cb", "https://a.example/cb/"),
            ("https://a.example/cb", "https://A.example/cb"),
            ("https://a.example/cb", "https://a.example/cb?x=1"),
            ("https://a.example/cb", "https://a.example.evil.example/cb"),
            ("https://a.example/cb", ""),
        ] {
            assert!(!matches(registered, presented), "{registered} {presented}");
        }
    }

    #[test]
    fn addresses_that_lead_elsewhere_are_not_registered() {
        for uri in [
            "http://a.example/cb",
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "https://a.example/#x",
            "https://user@a.example/",
            "https://a.example/\r\nx",
            "/relative",
            "//a.example",
            "",
        ] {
            assert!(objection(uri).is_some(), "{uri}");
        }
        for uri in ["https://a.example/cb", "http://localhost:1/cb", "com.example.app:/cb", "vscode://x/y"] {
            assert_eq!(objection(uri), None, "{uri}");
        }
    }

    #[test]
    fn only_loopback_addresses_stay_on_the_machine() {
        for uri in ["http://127.0.0.1:1/x", "http://localhost/cb", "http://[::1]:9/"] {
            assert!(is_own_machine(uri), "{uri}");
        }
        for uri in
            ["https://localhost/cb", "http://localhost.evil.example/", "http://127.0.0.1@evil.example/", "app:/x"]
        {
            assert!(!is_own_machine(uri), "{uri}");
        }
    }

    #[test]
    fn parameters_join_those_that_are_there() {
        assert_eq!(
            with_params("https://a.example/cb?x=1", &[("code", "a b"), ("iss", "https://b.example")]),
            "https://a.example/cb?x=1&code=a%20b&iss=https%3A%2F%2Fb.example"
        );
    }
}
