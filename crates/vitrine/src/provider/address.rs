//! Where a provider is: its base URL, and every URL below it.

use std::net::IpAddr;

use reqwest::Url;
use vitrine_contract::{ApiError, ErrorCode};

/// A provider's base URL. May have a path, has no query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
    text: String,
}

/// Why a text is not the address of a provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is no URL, or not one of HTTP.
    #[error("The provider URL must look like https://host or https://host/path.")]
    NotHttp,
    /// It holds a user name or password, which would end up in logs and links.
    #[error("The provider URL must not contain a user name or password. Use a token instead.")]
    Credentials,
    /// It has a query or a fragment, which no path can be added to.
    #[error("The provider URL must not contain `?` or `#`.")]
    Query,
}

impl Address {
    /// Reads a provider's URL.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text.trim()).map_err(|_| AddressError::NotHttp)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(AddressError::NotHttp);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Credentials);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(AddressError::Query);
        }
        let text = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self { url, text })
    }

    /// The base without a slash at the end.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Host and port, the port only when it is not the scheme's own.
    pub fn host_and_port(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The URL of a path below the base. A name that acts as a path (`..`) would lead elsewhere
    /// once the URL is normalised, so it is refused.
    pub(super) fn below(&self, path_and_query: &str) -> Result<Url, ApiError> {
        let wanted = format!("{}{path_and_query}", self.text);
        Url::parse(&wanted).ok().filter(|url| url.as_str() == wanted).ok_or_else(|| {
            ApiError::new(
                ErrorCode::InvalidId,
                "A name or id in this request cannot stand in a URL. Use those that the schema, a list or a search \
                 returned.",
            )
        })
    }

    /// Whether nobody between here and there can listen.
    pub(crate) fn is_private(&self) -> bool {
        is_private(&self.url)
    }

    /// Whether a URL is at the same scheme, host and port.
    pub(super) fn shares_origin(&self, other: &Url) -> bool {
        self.url.origin() == other.origin()
    }
}

/// Whether a URL is one of https, or of this machine.
pub(super) fn is_private(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => url.host_str().is_some_and(|host| {
            let address = host.trim_start_matches('[').trim_end_matches(']');
            host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_are_private() {
        for (url, private) in [
            ("https://a.example", true),
            ("http://127.0.0.1:7663", true),
            ("http://[::1]:7663", true),
            ("http://localhost", true),
            ("http://a.example", false),
            ("http://localhost.a.example", false),
            ("http://192.168.1.2", false),
        ] {
            assert_eq!(Address::parse(url).unwrap().is_private(), private, "{url}");
        }
    }

    #[test]
    fn a_path_prefix_is_kept_and_the_last_slash_is_not() {
        for (base, joined) in [
            ("https://a.example", "https://a.example/v1/streams/m?x=1"),
            ("https://a.example/", "https://a.example/v1/streams/m?x=1"),
            ("https://a.example:443/pdpp/", "https://a.example/pdpp/v1/streams/m?x=1"),
            ("HTTP://A.Example:81/a%20b", "http://a.example:81/a%20b/v1/streams/m?x=1"),
        ] {
            let address = Address::parse(base).unwrap();
            assert_eq!(address.below("/v1/streams/m?x=1").unwrap().as_str(), joined);
            assert!(!address.as_str().ends_with('/'));
        }
    }

    #[test]
    fn what_is_no_base_is_refused() {
        for (text, error) in [
            ("a.example", AddressError::NotHttp),
            ("file:///etc", AddressError::NotHttp),
            ("https://u:p@a.example", AddressError::Credentials),
            ("https://u@a.example", AddressError::Credentials),
            ("https://a.example/?x", AddressError::Query),
            ("https://a.example/#x", AddressError::Query),
        ] {
            assert_eq!(Address::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn no_name_leaves_its_place_in_the_path() {
        let address = Address::parse("https://a.example/p").unwrap();
        for path in ["/v1/streams/../x", "/v1/streams/.", "/v1/streams/%2e%2e/records"] {
            assert_eq!(address.below(path).unwrap_err().code, ErrorCode::InvalidId, "{path}");
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let address = Address::parse("https://a.example/p").unwrap();
        for (other, same) in [
            ("https://a.example/q", true),
            ("https://a.example:443/", true),
            ("http://a.example/p", false),
            ("https://a.example:444/p", false),
            ("https://b.a.example/p", false),
        ] {
            assert_eq!(address.shares_origin(&Url::parse(other).unwrap()), same, "{other}");
        }
        assert_eq!(address.host_and_port(), "a.example");
    }
}
