use std::sync::Mutex;

use axum::http::Method;
use reqwest::redirect::Policy;
use reqwest::{Client as Http, Response};

use super::{CHALLENGE, REDIRECT, VERIFIER};
use crate::binary::Binary;
use crate::browser::{encoded, form_in};
use crate::fixtures::mail;
use serde_json::{Value, json};

const PASSWORD: &str = "a password of its own";

/// A browser without a screen: keeps its one cookie, follows nothing by itself.
struct Visitor {
    http: Http,
    cookie: Mutex<String>,
}

impl Visitor {
    async fn send(&self, method: Method, url: &str, form: Option<&[(String, String)]>) -> Response {
        let cookie = self.cookie.lock().unwrap().clone();
        let mut request = self.http.request(method, url).header("cookie", cookie);
        if let Some(fields) = form {
            request = request.header("content-type", "application/x-www-form-urlencoded").body(encoded(fields));
        }
        let answer = request.send().await.unwrap();
        if let Some(set) = answer.headers().get("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            pair.clone_into(&mut self.cookie.lock().unwrap());
        }
        answer
    }
}

fn location(answer: &Response) -> String {
    answer.headers()["location"].to_str().unwrap().to_owned()
}

async fn json_of(answer: Response) -> Value {
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

/// A store with one mail, whose owner has a password.
fn owned() -> Binary {
    let binary = Binary::with_accounts();
    let mails = binary.file("mails.ndjson", &mail("m1", 1).to_string());
    binary.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &mails]);
    assert_eq!(binary.run_with_input(&["owner", "password"], PASSWORD).code, 0);
    binary
}

/// What a journey ended with, and what nobody else may learn of it.
struct Arrived {
    read: String,
    session: String,
    code: String,
    tokens: Value,
}

#[tokio::test]
async fn a_client_finds_its_own_way_to_the_records() {
    let binary = owned();
    let served = binary.serve();
    let Arrived { read, .. } = journey(&format!("http://{}", served.address)).await;
    assert!(read.contains("The body of m1."), "{read}");
}

#[tokio::test]
async fn no_secret_is_written_to_the_log() {
    let binary = owned();
    let log = binary.data_dir().join("serve.log");
    let mut served = binary.serve_logging_to(&log);
    let url = format!("http://{}", served.address);
    let Arrived { session, code, tokens, .. } = journey(&url).await;
    let http = Http::builder().no_proxy().build().unwrap();
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", "vtr_a_token_that_is_wrong")];
    let form_type = "application/x-www-form-urlencoded";
    let token_url = format!("{url}/oauth/token");
    http.post(token_url).header("content-type", form_type).body(encoded(&refresh)).send().await.unwrap();
    http.get(format!("{url}/v1/streams")).bearer_auth("vtr_another_that_is_wrong").send().await.unwrap();
    served.kill();

    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("answered"), "the log is on");
    let session = session.split_once('=').unwrap().1;
    let [access, refresh] = ["access_token", "refresh_token"].map(|name| tokens[name].as_str().unwrap());
    for secret in [PASSWORD, session, &code, VERIFIER, access, refresh, "that_is_wrong", "The body of m1."] {
        let shown = log.lines().find(|line| line.contains(secret));
        assert!(shown.is_none(), "{secret}: {shown:?}");
    }
}

/// From being refused at the door to a record.
async fn journey(url: &str) -> Arrived {
    // An error only says that a provider of cryptography is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = Http::builder().redirect(Policy::none()).no_proxy().build().unwrap();

    let refused = http.get(format!("{url}/mcp")).send().await.unwrap();
    let challenge = refused.headers()["www-authenticate"].to_str().unwrap().to_owned();
    let document = challenge.split('"').nth(1).unwrap();
    let resource = json_of(http.get(document).send().await.unwrap()).await;
    let issuer = resource["authorization_servers"][0].as_str().unwrap();
    let description =
        json_of(http.get(format!("{issuer}/.well-known/oauth-authorization-server")).send().await.unwrap()).await;
    let at = |name: &str| description[name].as_str().unwrap();

    let metadata = json!({ "client_name": "Desk", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none" });
    let registered = http.post(at("registration_endpoint")).body(metadata.to_string()).send().await.unwrap();
    let client_id = json_of(registered).await["client_id"].as_str().unwrap().to_owned();
    let asked = encoded(&[
        ("response_type", "code"),
        ("client_id", &client_id),
        ("redirect_uri", REDIRECT),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("resource", resource["resource"].as_str().unwrap()),
    ]);

    let visitor = Visitor { http: http.clone(), cookie: Mutex::default() };
    let asked = format!("{}?{asked}", at("authorization_endpoint"));
    let page = visitor.send(Method::GET, &asked, None).await.text().await.unwrap();
    let form = form_in(&page, "/signin").with("password", PASSWORD);
    let signed_in = visitor.send(Method::POST, &format!("{url}{}", form.action), Some(&form.fields)).await;
    let opened = visitor.send(Method::GET, &format!("{url}{}", location(&signed_in)), None).await;
    let consent = format!("{url}{}", location(&opened));
    let page = visitor.send(Method::GET, &consent, None).await.text().await.unwrap();
    let form = form_in(&page, "/consent/").with("decision", "allow");
    let back = location(&visitor.send(Method::POST, &consent, Some(&form.fields)).await);
    let code = back.strip_prefix(&format!("{REDIRECT}?code=")).and_then(|rest| rest.split('&').next()).unwrap();

    let redeemed = encoded(&[
        ("grant_type", "authorization_code"),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("client_id", &client_id),
    ]);
    let form_type = "application/x-www-form-urlencoded";
    let tokens = http.post(at("token_endpoint")).header("content-type", form_type).body(redeemed).send().await.unwrap();
    let tokens = json_of(tokens).await;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "fetch", "arguments": { "id": "cin_work/messages:m1" } } });
    let called = http
        .post(resource["resource"].as_str().unwrap())
        .bearer_auth(tokens["access_token"].as_str().unwrap())
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(call.to_string())
        .send()
        .await
        .unwrap();
    let read = called.text().await.unwrap();
    let session = visitor.cookie.lock().unwrap().clone();
    Arrived { read, session, code: code.to_owned(), tokens }
}
