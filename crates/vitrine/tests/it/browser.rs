//! A browser that keeps cookies and fills in forms, over the router in process.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Mutex;

use axum::body::Body;
use axum::http::Request;
use vitrine_engine::clock::Random;
use vitrine_engine::oauth::password;
use vitrine_server::Peer;

use crate::app::{Answer, TestApp};

pub(crate) const PASSWORD: &str = "correct horse battery";
const ELSEWHERE: &str = "203.0.113.9";

/// One browser, somewhere.
pub(crate) struct Browser<'a> {
    app: &'a TestApp,
    cookies: Mutex<BTreeMap<String, String>>,
    peer: IpAddr,
    host: &'static str,
}

/// A form as a page shows it: where it goes and what it would send.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) action: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl<'a> Browser<'a> {
    /// A browser out on the internet.
    pub(crate) fn new(app: &'a TestApp) -> Self {
        Self::at(app, ELSEWHERE, "vitrine.example")
    }

    pub(crate) fn at(app: &'a TestApp, peer: &str, host: &'static str) -> Self {
        Self { app, cookies: Mutex::default(), peer: peer.parse().unwrap(), host }
    }

    /// A browser whose owner has set a password and signed in.
    pub(crate) async fn signed_in(app: &'a TestApp) -> Self {
        set_password(app).await;
        let browser = Self::new(app);
        browser.sign_in().await;
        browser
    }

    pub(crate) async fn sign_in(&self) {
        let page = self.get("/signin").await;
        let answer = self.submit(&form(&page, "/signin").with("password", PASSWORD)).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/"), "{}", text(&answer));
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(self.request("GET", path).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn submit(&self, form: &Form) -> Answer {
        self.post(&form.action, &form.fields).await
    }

    pub(crate) async fn post(&self, path: &str, fields: &[(String, String)]) -> Answer {
        let request = self.request("POST", path).header("content-type", "application/x-www-form-urlencoded");
        self.send(request.body(encoded(fields).into()).unwrap()).await
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> axum::http::request::Builder {
        let cookies: Vec<String> = self.cookies.lock().unwrap().iter().map(|(n, v)| format!("{n}={v}")).collect();
        let request = TestApp::request(method, "", path).header("host", self.host).extension(Peer(self.peer));
        if cookies.is_empty() { request } else { request.header("cookie", cookies.join("; ")) }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let answer = self.app.send(request).await;
        for cookie in answer.headers.get_all("set-cookie") {
            let (name, rest) = cookie.to_str().unwrap().split_once('=').unwrap();
            let value = rest.split(';').next().unwrap_or_default();
            self.cookies.lock().unwrap().insert(name.to_owned(), value.to_owned());
        }
        answer
    }

    pub(crate) fn cookie(&self) -> String {
        self.cookies.lock().unwrap().get("__Host-vitrine").cloned().unwrap_or_default()
    }

    pub(crate) fn set_cookie(&self, value: &str) {
        self.cookies.lock().unwrap().insert("__Host-vitrine".to_owned(), value.to_owned());
    }
}

impl Form {
    /// The same with another value.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(known, _)| known != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with boxes unticked.
    pub(crate) fn without(mut self, start: &str) -> Self {
        self.fields.retain(|(known, _)| !known.starts_with(start));
        self
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(known, _)| known == name)
    }

    pub(crate) fn get(&self, name: &str) -> &str {
        self.fields.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

pub(crate) async fn set_password(app: &TestApp) {
    let hash = password::hash(PASSWORD, &Random::seeded(1)).unwrap();
    password::keep(&*app.store, &hash).await.unwrap();
}

pub(crate) fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

/// The form of a page that goes to `action`, with what it would send if nobody touched it.
pub(crate) fn form(page: &Answer, action: &str) -> Form {
    form_in(&text(page), action)
}

pub(crate) fn form_in(html: &str, action: &str) -> Form {
    let forms = html.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap_or_default());
    let found = forms.filter_map(|form| Some((attribute(form.split('>').next()?, "action")?, form)));
    let mut found = found.filter(|(goes, _)| goes.starts_with(action));
    let (action, body) = found.next().unwrap_or_else(|| panic!("no form to {action} in {html}"));
    let mut fields = Vec::new();
    for tag in body.split('<').filter_map(|tag| tag.split('>').next()) {
        let value = || attribute(tag, "value").unwrap_or_default();
        if tag.starts_with("input") {
            let skipped = tag.contains(" disabled") || (tag.contains("\"checkbox\"") && !tag.contains(" checked"));
            if let Some(name) = attribute(tag, "name").filter(|_| !skipped) {
                fields.push((name, if tag.contains("\"checkbox\"") { "on".to_owned() } else { value() }));
            }
        } else if tag.starts_with("option") && tag.contains(" selected") {
            fields.push(("lasting".to_owned(), value()));
        }
    }
    Form { action, fields }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let value = tag.split_once(&format!(" {name}=\""))?.1.split('"').next()?;
    let plain = value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
    Some(plain.replace("&#39;", "'").replace("&amp;", "&"))
}

pub(crate) fn encoded<T: AsRef<str>>(fields: &[(T, T)]) -> String {
    let part =
        |text: &T| percent_encoding::utf8_percent_encode(text.as_ref(), percent_encoding::NON_ALPHANUMERIC).to_string();
    fields.iter().map(|(name, value)| format!("{}={}", part(name), part(value))).collect::<Vec<_>>().join("&")
}
