//! `vitrine connect` against a provider, with the test in the place of the owner and the browser.

mod fake;

use std::collections::BTreeMap;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use self::fake::{Fake, Manner};
use crate::binary::{Home, Ran, fixture};
use crate::browser::{encoded, form_in};

/// A command that waits for the owner.
struct Asking {
    child: Child,
    notices: tokio::io::Lines<BufReader<tokio::process::ChildStderr>>,
}

impl Asking {
    fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut child = Command::from(home.command(arguments)).kill_on_drop(true).spawn().unwrap();
        let notices = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, notices }
    }

    /// The page that the command asks the owner to open.
    async fn page(&mut self) -> reqwest::Url {
        loop {
            let line = self.notices.next_line().await.unwrap().expect("an invitation");
            if let Ok(url) = reqwest::Url::parse(line.trim()) {
                return url;
            }
        }
    }

    async fn end(mut self) -> Ran {
        let mut stderr = String::new();
        while let Some(line) = self.notices.next_line().await.unwrap() {
            stderr.push_str(&line);
        }
        let output = self.child.wait_with_output().await.unwrap();
        Ran { code: output.status.code().unwrap(), stdout: String::from_utf8(output.stdout).unwrap(), stderr }
    }
}

fn query(url: &reqwest::Url) -> BTreeMap<String, String> {
    url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect()
}

/// Goes where the browser is sent with the answer, and returns the status.
async fn answer(page: &BTreeMap<String, String>, parameters: &[(&str, &str)]) -> u16 {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = reqwest::Url::parse_with_params(&page["redirect_uri"], parameters).unwrap();
    reqwest::get(url).await.unwrap().status().as_u16()
}

fn connect<'a>(home: &Home, provider: &'a str, more: &[&'a str]) -> Asking {
    let root = home.path("cache").display().to_string();
    let arguments = ["connect", provider, "--no-browser", "--json", "--cache-root", &root];
    Asking::start(home, &[&arguments, more].concat())
}

fn cache_name(fake: &Fake) -> String {
    format!("cache/clients/127.0.0.1_{}.json", fake.address.port())
}

fn nothing_is_cached(home: &Home) -> bool {
    !home.path("cache/clients").exists()
}

#[cfg(unix)]
fn is_private(home: &Home, name: &str) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777 == 0o600
}

/// The adapter's first answer over this provider, or how it ended.
async fn adapter(home: &Home, provider: &str) -> Result<Value, Ran> {
    let root = home.path("cache").display().to_string();
    let command = home.command(&["mcp", "--provider-url", provider, "--cache-root", &root]);
    let mut child = Command::from(command).stdin(Stdio::piped()).spawn().unwrap();
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let _ = child.stdin.take().unwrap().write_all(format!("{hello}\n").as_bytes()).await;
    let output = child.wait_with_output().await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let ran = Ran { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) };
    if ran.code == 0 { Ok(ran.json()) } else { Err(ran) }
}

fn keep_ended(home: &Home, fake: &Fake) -> String {
    keep(
        home,
        fake,
        &json!({ "access_token": "tok_old", "token_type": "Bearer", "refresh_token": "ref_old",
            "expires_at": "2026-01-01T01:00:00Z", "pdpp_token_kind": "client" }),
    )
}

fn keep(home: &Home, fake: &Fake, credential: &Value) -> String {
    let text = json!({
        "provider_url": fake.url(), "scope": "", "client": { "client_id": "cli_0" }, "created_at": "2026-01-01T00:00:00Z",
        "credential": credential,
    })
    .to_string();
    home.file(&cache_name(fake), &text);
    text
}

#[cfg(unix)]
#[tokio::test]
async fn consent_in_a_browser_becomes_a_cached_credential() {
    let (home, fake) = (Home::new(), Fake::start(Manner::default()).await);
    let mut asking = connect(&home, fake.url(), &[]);
    let page = asking.page().await;
    let asked = query(&page);
    assert_eq!(
        (page.path(), asked["theme"].as_str(), asked["response_type"].as_str()),
        ("/authorize", "plain", "code")
    );
    assert_eq!((asked["resource"].as_str(), asked["code_challenge_method"].as_str()), (fake.url(), "S256"));
    assert_eq!(answer(&asked, &[("code", "good"), ("state", &asked["state"]), ("iss", fake.url())]).await, 200);
    let ran = asking.end().await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let result = ran.json();
    assert_eq!((&result["token_kind"], &result["grant_id"]), (&json!("client"), &json!("grt_1")));
    assert!(!ran.stdout.contains("tok_fresh") && !ran.stderr.contains("tok_fresh"));

    let exchanged = &fake.sent_to("/token")[0];
    assert_eq!((&exchanged["redirect_uri"], &exchanged["client_id"]), (&asked["redirect_uri"], &"cli_1".to_owned()));
    assert_eq!((exchanged["resource"].as_str(), exchanged["code_verifier"].len()), (fake.url(), 43));
    assert_ne!(exchanged["code_verifier"], asked["code_challenge"]);
    let kept: Value = serde_json::from_str(&home.read(&cache_name(&fake))).unwrap();
    assert_eq!((&kept["provider_url"], &kept["client"]), (&json!(fake.url()), &json!({ "client_id": "cli_1" })));
    let credential = &kept["credential"];
    assert_eq!((&credential["access_token"], &credential["token_type"]), (&json!("tok_fresh_1"), &json!("Bearer")));
    assert_eq!((&credential["refresh_token"], &credential["grant_id"]), (&json!("ref_fresh_1"), &json!("grt_1")));
    assert!(
        credential["expires_at"].is_string() && kept["created_at"].is_string() && is_private(&home, &cache_name(&fake))
    );
    assert_eq!(adapter(&home, fake.url()).await.unwrap()["result"]["serverInfo"]["name"], "vitrine");
}

#[tokio::test]
async fn our_own_server_gives_what_was_consented_to() {
    let home = Home::new();
    home.json(&["source", "add", &fixture("gmail.json")]);
    home.json(&["connection", "add", "--source", "gmail", "--name", "Work", "--id", "cin_work"]);
    let served = home.store().serve();
    let url = format!("http://{}", served.address);
    let mut asking = connect(&home, &url, &[]);
    consent(asking.page().await).await;
    let ran = asking.end().await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["token_kind"], "mcp_package");
    let name = format!("cache/clients/127.0.0.1_{}.json", served.address.port());
    let mut kept: Value = serde_json::from_str(&home.read(&name)).unwrap();
    let first = kept["credential"]["access_token"].clone();
    assert!(adapter(&home, &url).await.is_ok());
    kept["credential"]["expires_at"] = json!("2026-01-01T00:00:00Z");
    home.file(&name, &kept.to_string());
    assert!(adapter(&home, &url).await.is_ok());
    let kept: Value = serde_json::from_str(&home.read(&name)).unwrap();
    assert_ne!(kept["credential"]["access_token"], first, "renewed");
}

/// Follows the browser's way through our own pages, and says yes.
async fn consent(page: reqwest::Url) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let location = |answer: &reqwest::Response| answer.headers()["location"].to_str().unwrap().to_owned();
    let answer = client.get(page.clone()).send().await.unwrap();
    let consent = page.join(&location(&answer)).unwrap();
    let answer = client.get(consent.clone()).send().await.unwrap();
    let cookies = answer.headers().get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    let cookies: Vec<&str> = cookies.filter_map(|cookie| cookie.split(';').next()).collect();
    let cookies = cookies.join("; ");
    let form = form_in(&answer.text().await.unwrap(), "/consent/").with("decision", "allow");
    let posted = client
        .post(page.join(&form.action).unwrap())
        .header("cookie", cookies)
        .header("origin", page.origin().ascii_serialization())
        .header("content-type", "application/x-www-form-urlencoded")
        .body(encoded(&form.fields));
    let answer = posted.send().await.unwrap();
    assert_eq!(answer.status(), 303, "{}", answer.text().await.unwrap());
    assert!(client.get(location(&answer)).send().await.unwrap().status().is_success());
}

#[tokio::test]
async fn consent_on_another_device_becomes_a_cached_credential() {
    let (home, fake) = (Home::new(), Fake::start(Manner { pending: 1, ..Manner::default() }).await);
    let mut asking = connect(&home, fake.url(), &["--device"]);
    assert_eq!(asking.page().await.path(), "/device");
    assert_eq!(asking.notices.next_line().await.unwrap().unwrap(), "and type ABCD-EFGH");
    let ran = asking.end().await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(fake.sent_to("/token").len(), 2);
    assert!(home.read(&cache_name(&fake)).contains("tok_fresh_2"));
}

#[tokio::test]
async fn an_answer_of_a_stranger_is_not_taken() {
    let (home, fake) = (Home::new(), Fake::start(Manner::default()).await);
    let mut asking = connect(&home, fake.url(), &[]);
    let asked = query(&asking.page().await);
    for state in ["", "other"] {
        assert_eq!(answer(&asked, &[("code", "evil"), ("state", state), ("iss", fake.url())]).await, 404);
    }
    answer(&asked, &[("code", "good"), ("state", &asked["state"]), ("iss", "https://evil.example")]).await;
    let ran = asking.end().await;
    assert!(ran.code == 78 && ran.stderr.contains("https://evil.example"), "{ran:?}");
    assert!(fake.sent_to("/token").is_empty() && nothing_is_cached(&home));

    let mut asking = connect(&home, fake.url(), &[]);
    let asked = query(&asking.page().await);
    answer(&asked, &[("code", "good"), ("state", &asked["state"])]).await;
    assert_eq!(asking.end().await.code, 78, "a server that says it names itself must");
}

#[tokio::test]
async fn a_refusal_is_told() {
    let (home, fake) = (Home::new(), Fake::start(Manner::default()).await);
    for parameters in [("error", "access_denied"), ("code", "bad")] {
        let mut asking = connect(&home, fake.url(), &[]);
        let asked = query(&asking.page().await);
        answer(&asked, &[parameters, ("state", &asked["state"]), ("iss", fake.url())]).await;
        let ran = asking.end().await;
        assert!(ran.code == 1 && ran.stderr.contains("refused") && nothing_is_cached(&home), "{ran:?}");
    }
}

#[tokio::test]
async fn an_owner_credential_is_not_kept() {
    let (home, fake) = (Home::new(), Fake::start(Manner { token_kind: Some("owner"), ..Manner::default() }).await);
    let mut command = home.command(&["connect", fake.url(), "--no-browser"]);
    let ran = command.env("PDPP_OWNER_TOKEN", "vto_x").output().unwrap();
    assert_eq!((ran.status.code(), fake.asked()), (Some(77), 0));
    let mut asking = connect(&home, fake.url(), &[]);
    let asked = query(&asking.page().await);
    answer(&asked, &[("code", "good"), ("state", &asked["state"]), ("iss", fake.url())]).await;
    let ran = asking.end().await;
    assert!(ran.code == 77 && nothing_is_cached(&home), "{ran:?}");
}

#[tokio::test]
async fn a_provider_that_cannot_be_used_is_told_apart() {
    let home = Home::new();
    for (manner, why) in [
        (Manner { has_no_authority: true, ..Manner::default() }, "does not offer an authorization server"),
        (Manner { issuer: Some("https://evil.example"), ..Manner::default() }, "https://evil.example"),
    ] {
        let fake = Fake::start(manner).await;
        let ran = connect(&home, fake.url(), &[]).end().await;
        assert!(ran.code == 78 && ran.stderr.contains(why), "{ran:?}");
        assert!(fake.sent_to("/register").is_empty());
    }
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(connect(&home, &format!("http://{gone}"), &[]).end().await.code, 69);
    assert_eq!(connect(&home, "http://records.example.org", &[]).end().await.code, 78);
    assert_eq!(connect(&home, "records.example.org", &[]).end().await.code, 78);
    assert!(nothing_is_cached(&home));
}

#[cfg(unix)]
#[tokio::test]
async fn an_ended_credential_is_renewed_once() {
    let manner = Manner { refresh_tokens: vec!["ref_old"], ..Manner::default() };
    let (home, fake) = (Home::new(), Fake::start(manner).await);
    keep_ended(&home, &fake);
    let (first, second) = tokio::join!(adapter(&home, fake.url()), adapter(&home, fake.url()));
    assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
    let spent = fake.sent_to("/token");
    assert_eq!(spent.len(), 1);
    assert_eq!((spent[0]["refresh_token"].as_str(), spent[0]["client_id"].as_str()), ("ref_old", "cli_0"));
    let kept = home.read(&cache_name(&fake));
    assert!(kept.contains("tok_fresh_3") && kept.contains("ref_fresh_3") && !kept.contains("ref_old"), "{kept}");
    assert!(is_private(&home, &cache_name(&fake)));
}

#[tokio::test]
async fn a_credential_that_cannot_be_renewed_is_told() {
    let (home, fake) = (Home::new(), Fake::start(Manner::default()).await);
    let before = keep_ended(&home, &fake);
    let ran = adapter(&home, fake.url()).await.unwrap_err();
    assert!(ran.code == 78 && ran.stderr.contains("vitrine connect") && ran.stdout.is_empty(), "{ran:?}");
    assert!(!ran.stderr.contains("ref_old"));
    assert_eq!(home.read(&cache_name(&fake)), before);
}

#[tokio::test]
async fn a_schema_that_cannot_be_had_keeps_no_adapter_from_starting() {
    for (status, body) in [
        (500, "boom"),
        (503, ""),
        (404, r#"{"error":{"code":"not_found","message":"No."}}"#),
        (429, ""),
        (200, "<html>Sign in</html>"),
        (200, "{}"),
        (200, r#"{"connectors":{}}"#),
    ] {
        let (home, fake) =
            (Home::new(), Fake::start(Manner { schema: Some((status, body)), ..Manner::default() }).await);
        keep(&home, &fake, &json!({ "access_token": "tok_given" }));
        let started = adapter(&home, fake.url()).await;
        assert_eq!(started.unwrap()["result"]["serverInfo"]["name"], "vitrine", "{status} {body}");
    }
}

#[tokio::test]
async fn what_the_provider_says_of_a_credential_ends_the_adapter() {
    for (status, body, code) in [
        (401, r#"{"error":{"code":"authentication_error","message":"No."}}"#, 78),
        (403, r#"{"error":"grant_revoked"}"#, 78),
        (403, r#"{"error":{"code":"owner_token_refused","message":"No."}}"#, 77),
        (200, r#"{"connectors":[],"bearer":{"token_kind":"owner"}}"#, 77),
        (200, r#"{"data":{"connectors":[],"bearer":{"token_kind":"owner"}}}"#, 77),
        (200, r#"{"bearer":{"pdpp_token_kind":"control_plane"}}"#, 77),
    ] {
        let (home, fake) =
            (Home::new(), Fake::start(Manner { schema: Some((status, body)), ..Manner::default() }).await);
        keep(&home, &fake, &json!({ "access_token": "tok_given" }));
        let ran = adapter(&home, fake.url()).await.unwrap_err();
        assert!(ran.code == code && ran.stdout.is_empty(), "{status} {body}: {ran:?}");
    }
    let (home, fake) = (Home::new(), Fake::start(Manner::default()).await);
    keep(&home, &fake, &json!({ "access_token": "tok_given" }));
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let cached = home.read(&cache_name(&fake)).replace(&fake.address.to_string(), &gone.to_string());
    home.file(&format!("cache/clients/127.0.0.1_{}.json", gone.port()), &cached);
    assert_eq!(adapter(&home, &format!("http://{gone}")).await.unwrap_err().code, 69);
}
