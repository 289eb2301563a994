//! One request and its answer over HTTP, within bounds.

use std::sync::Arc;

use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, LOCATION, RANGE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, RequestBuilder, Response, Url};
use vitrine_contract::read_api::Answer;
use vitrine_contract::request::ReadRequest;
use vitrine_contract::route;
use vitrine_server::PDPP_VERSION;

use super::address::Address;
use super::fault::Fault;
use super::refusal::Refusal;
use super::{OpenError, Options};

/// Hops within the provider's own origin.
const MAX_REDIRECTS: usize = 5;
/// More of an error than anyone will read.
const ERROR_BYTES: usize = 64 * 1024;

/// A provider, the credential for it, and how much to put up with.
#[derive(Clone)]
pub(super) struct Exchange {
    client: Client,
    address: Arc<Address>,
    token: Arc<str>,
    authorization: HeaderValue,
    options: Options,
}

/// Bytes that came back, with what the headers say about them.
pub(super) struct Bytes {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Exchange {
    pub(super) fn new(address: Address, token: &str, options: Options) -> Result<Self, OpenError> {
        let mut authorization = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| OpenError::Token)?;
        authorization.set_sensitive(true);
        // An error only says that a provider of cryptography is there already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let address = Arc::new(address);
        let client = Client::builder()
            .connect_timeout(options.connect_timeout)
            .timeout(options.timeout)
            .redirect(within(Arc::clone(&address)))
            .no_proxy()
            .referer(false)
            .build()
            .map_err(OpenError::Client)?;
        Ok(Self { client, address, token: token.into(), authorization, options })
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// The JSON text that a read answers.
    pub(super) async fn json(&self, request: &ReadRequest) -> Answer<String> {
        let asked = self.ask(Method::GET, request)?.header(ACCEPT, "application/json");
        let response = self.send(asked, request).await?;
        if let Some(other) = other_type(response.headers()) {
            return Err(self.explain(Fault::Invalid(format!("content of the type `{other}`"))));
        }
        let body = self.body(response).await?;
        String::from_utf8(body).map_err(|_| self.explain(Fault::Invalid("text that is not UTF-8".to_owned())))
    }

    /// The bytes that a blob request answers, or only their description.
    pub(super) async fn bytes(&self, method: Method, request: &ReadRequest, range: Option<String>) -> Answer<Bytes> {
        let mut asked = self.ask(method, request)?.header(ACCEPT, "*/*");
        if let Some(range) = range {
            asked = asked.header(RANGE, range);
        }
        let response = self.send(asked, request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        Ok(Bytes { status, headers, body: self.body(response).await? })
    }

    /// Says what a fault means for whoever asked.
    pub(super) fn explain(&self, fault: Fault) -> vitrine_contract::ApiError {
        fault.explain(self.address.as_str(), &self.options)
    }

    fn ask(&self, method: Method, request: &ReadRequest) -> Answer<RequestBuilder> {
        let url = self.address.below(&route::path_and_query(request))?;
        Ok(self
            .client
            .request(method, url)
            .header(AUTHORIZATION, self.authorization.clone())
            .header("pdpp-version", PDPP_VERSION)
            .header(ACCEPT_ENCODING, "identity"))
    }

    /// Sends, and turns every answer but a success into an error.
    async fn send(&self, asked: RequestBuilder, request: &ReadRequest) -> Answer<Response> {
        let response = asked.send().await.map_err(|error| self.explain(Fault::of(&error)))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status.is_redirection() {
            return Err(self.explain(Fault::Redirected(target(&response))));
        }
        let headers = response.headers().clone();
        // Whatever of the body can be had; the status alone is an answer too.
        let body = start_of(response, ERROR_BYTES).await;
        Err(Refusal { status, headers: &headers, body: &body, token: &self.token }.to_error(request))
    }

    async fn body(&self, mut response: Response) -> Answer<Vec<u8>> {
        let limit = self.options.response_bytes;
        let announced = usize::try_from(response.content_length().unwrap_or(0)).unwrap_or(usize::MAX);
        if announced > limit {
            return Err(self.explain(Fault::TooLarge));
        }
        let mut body = Vec::with_capacity(announced);
        while let Some(piece) = response.chunk().await.map_err(|error| self.explain(Fault::of(&error)))? {
            if body.len() + piece.len() > limit {
                return Err(self.explain(Fault::TooLarge));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

/// Follows the provider within its origin only: elsewhere the token would leave with the request.
fn within(address: Arc<Address>) -> Policy {
    Policy::custom(move |attempt: Attempt<'_>| {
        if attempt.previous().len() <= MAX_REDIRECTS && address.shares_origin(attempt.url()) {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

/// The origin a redirect leads to; its path may hold what is nobody's business.
fn target(response: &Response) -> Option<String> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let url: Url = response.url().join(location).ok()?;
    Some(url.origin().ascii_serialization())
}

async fn start_of(mut response: Response, limit: usize) -> Vec<u8> {
    let mut start = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        let room = limit - start.len();
        start.extend_from_slice(&piece[..piece.len().min(room)]);
        if start.len() == limit {
            break;
        }
    }
    start
}

/// The media type of an answer that does not even claim to be JSON.
fn other_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().unwrap_or("unknown");
    let media_type = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json = media_type == "application/json" || (media_type.contains('/') && media_type.ends_with("+json"));
    (!is_json).then(|| media_type.chars().take(80).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_passes_for_json() {
        let typed =
            |value: &'static str| other_type(&HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))]));
        for json in ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"] {
            assert_eq!(typed(json), None);
        }
        assert_eq!(typed("text/html; charset=utf-8").as_deref(), Some("text/html"));
        assert_eq!(typed("+json").as_deref(), Some("+json"));
        assert_eq!(other_type(&HeaderMap::new()), None);
    }
}
