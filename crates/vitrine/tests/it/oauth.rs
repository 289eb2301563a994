//! The authorization server, rule by rule.

mod authorization;
mod clients;
mod device;
mod discovery;
mod inspection;
mod journey;
mod refresh;
mod tokens;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::app::{Answer, PUBLIC_URL, TestApp};
use crate::browser::{Browser, Form, encoded, form, text};

/// RFC 7636, appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
pub(crate) const REDIRECT: &str = "http://127.0.0.1:33418/callback";

/// A registered client at work.
pub(crate) struct Client<'a> {
    pub(crate) app: &'a TestApp,
    pub(crate) id: String,
}

impl<'a> Client<'a> {
    /// A public client called Desk that listens on the own machine.
    pub(crate) async fn register(app: &'a TestApp) -> Self {
        Self::registered_as(app, "Desk").await
    }

    pub(crate) async fn registered_as(app: &'a TestApp, name: &str) -> Self {
        let metadata = json!({
            "client_name": name,
            "redirect_uris": ["http://127.0.0.1/callback"],
            "token_endpoint_auth_method": "none",
        });
        let answer = register(app, &metadata).await;
        assert_eq!(answer.status, 201, "{:?}", answer.json());
        Self { app, id: answer.json()["client_id"].as_str().unwrap().to_owned() }
    }

    /// The address a browser is sent to, with some parameters other than usual.
    pub(crate) fn authorize_path(&self, other: &[(&str, &str)]) -> String {
        let mut params = BTreeMap::from([
            ("response_type", "code"),
            ("client_id", self.id.as_str()),
            ("redirect_uri", REDIRECT),
            ("state", "a state"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ]);
        params.extend(other.iter().copied());
        params.retain(|_, value| !value.is_empty());
        format!("/oauth/authorize?{}", encoded(&params.into_iter().collect::<Vec<_>>()))
    }

    /// The consent page, and where it is.
    pub(crate) async fn ask(&self, browser: &Browser<'_>, other: &[(&str, &str)]) -> (String, Answer) {
        let answer = browser.get(&self.authorize_path(other)).await;
        let path = answer.header("location").to_owned();
        assert!(path.starts_with("/consent/"), "{} {path} {}", answer.status, text(&answer));
        let page = browser.get(&path).await;
        assert_eq!(page.status, 200, "{}", text(&page));
        (path, page)
    }

    /// A code for whatever the request leads to, approved as it stands.
    pub(crate) async fn code(&self, browser: &Browser<'_>, other: &[(&str, &str)]) -> String {
        let (_, page) = self.ask(browser, other).await;
        let answer = browser.submit(&allow(&page)).await;
        assert_eq!(answer.status, 303, "{}", text(&answer));
        let back = answered(&answer);
        back.get("code").unwrap_or_else(|| panic!("{back:?}")).clone()
    }

    pub(crate) async fn redeem(&self, code: &str) -> Answer {
        self.token(&[("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)]).await
    }

    pub(crate) async fn refresh(&self, token: &str) -> Answer {
        self.token(&[("grant_type", "refresh_token"), ("refresh_token", token)]).await
    }

    pub(crate) async fn token(&self, params: &[(&str, &str)]) -> Answer {
        let mut params = params.to_vec();
        params.push(("client_id", &self.id));
        post_form(self.app, "/oauth/token", &params).await
    }

    /// Tokens for whatever the request leads to.
    pub(crate) async fn connect(&self, browser: &Browser<'_>, other: &[(&str, &str)]) -> Value {
        let answer = self.redeem(&self.code(browser, other).await).await;
        assert_eq!(answer.status, 200, "{:?}", answer.json());
        answer.json()
    }
}

/// The consent form, answered with yes.
pub(crate) fn allow(page: &Answer) -> Form {
    form(page, "/consent/").with("decision", "allow")
}

/// The parameters of the address a browser is sent back to.
pub(crate) fn answered(answer: &Answer) -> BTreeMap<String, String> {
    let location = answer.header("location");
    let query = location.strip_prefix(&format!("{REDIRECT}?")).unwrap_or_else(|| panic!("sent to {location}"));
    let decoded =
        |text: &str| percent_encoding::percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    query.split('&').filter_map(|pair| pair.split_once('=')).map(|(n, v)| (decoded(n), decoded(v))).collect()
}

pub(crate) async fn register(app: &TestApp, metadata: &Value) -> Answer {
    app.call_with("POST", "", "/oauth/register", metadata.to_string()).await
}

pub(crate) async fn post_form(app: &TestApp, path: &str, params: &[(&str, &str)]) -> Answer {
    let request = TestApp::request("POST", "", path).header("content-type", "application/x-www-form-urlencoded");
    app.send(request.body(encoded(params).into()).unwrap()).await
}

/// The `error` of an OAuth answer, with its status.
pub(crate) fn refusal(answer: &Answer) -> (u16, String) {
    (answer.status, answer.json()["error"].as_str().unwrap_or_default().to_owned())
}

pub(crate) fn details(list: &Value) -> String {
    list.to_string()
}

pub(crate) const DATA_ACCESS: &str = "https://pdpp.dev/data-access";

/// `messages` of one account, some fields of it.
pub(crate) fn work_mail() -> Value {
    json!([{ "type": DATA_ACCESS, "source": { "kind": "connector", "id": "gmail" }, "streams": [
        { "name": "messages", "fields": ["id", "subject", "received_at"], "instance_ids": ["cin_work"] }] }])
}

/// What a token reads of `messages`.
pub(crate) async fn reads(app: &TestApp, tokens: &Value, connection: &str) -> (u16, Value) {
    let token = tokens["access_token"].as_str().unwrap();
    app.get(token, &format!("/v1/streams/messages/records?connection_id={connection}")).await
}

pub(crate) fn issuer() -> &'static str {
    PUBLIC_URL
}
