use std::fs;

use serde_json::json;
use tempfile::TempDir;

use super::*;

const PROVIDER: &str = "http://127.0.0.1:7663/pdpp/";

fn cache(content: &Value) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("clients")).unwrap();
    fs::write(root.path().join("clients/127.0.0.1_7663.json"), content.to_string()).unwrap();
    root
}

fn cached(provider_url: &str, kind: Option<&str>) -> Value {
    json!({
        "provider_url": provider_url, "scope": "read", "client": { "client_id": "cli" }, "created_at": "2026-06-01T00:00:00Z",
        "credential": { "access_token": "tok_cached", "token_type": "Bearer", "pdpp_token_kind": kind },
    })
}

fn resolve_with(surroundings: &Surroundings, root: &TempDir) -> Result<String, CredentialError> {
    resolve(surroundings, root.path(), PROVIDER).map(|resolved| match resolved {
        Resolved::Given(token) => token,
        Resolved::Cached(kept) => kept.credential.access_token,
    })
}

fn resolve_in(root: &TempDir) -> Result<String, CredentialError> {
    resolve_with(&Surroundings::default(), root)
}

#[test]
fn a_file_is_named_after_host_and_port() {
    for (url, name) in [
        ("http://127.0.0.1:7663", "127.0.0.1_7663.json"),
        ("https://Data.Example.org/pdpp", "data.example.org.json"),
        ("https://data.example.org:443", "data.example.org.json"),
        ("http://[::1]:8080", "___1__8080.json"),
    ] {
        let file = cache_file(Path::new("root"), &Address::parse(url).unwrap());
        assert_eq!(file, Path::new("root/clients").join(name), "{url}");
    }
}

#[test]
fn the_environment_goes_before_the_cache() {
    let root = cache(&cached("http://127.0.0.1:7663/pdpp", Some("client")));
    assert_eq!(resolve_in(&root).unwrap(), "tok_cached");
    let set = Surroundings { access_token: Some("tok_env".into()), ..Default::default() };
    assert_eq!(resolve_with(&set, &root).unwrap(), "tok_env");
}

#[test]
fn the_owners_credential_is_refused_wherever_it_is() {
    let root = cache(&cached(PROVIDER, Some("client")));
    for set in [
        Surroundings { owner_token: Some("o".into()), access_token: Some("t".into()), ..Default::default() },
        Surroundings { owner_session_cookie: Some("o".into()), ..Default::default() },
    ] {
        let refused = resolve_with(&set, &root).unwrap_err();
        assert!(matches!(refused, CredentialError::OwnerCredential(_)) && refused.is_refusal());
    }
    for kind in ["owner", "something"] {
        let refused = resolve_in(&cache(&cached(PROVIDER, Some(kind)))).unwrap_err();
        assert!(matches!(&refused, CredentialError::WrongKind(k) if k == kind) && refused.is_refusal());
    }
    for kind in [Some("client"), Some("mcp_package"), None] {
        assert!(resolve_in(&cache(&cached(PROVIDER, kind))).is_ok(), "{kind:?}");
    }
}

#[test]
fn a_cache_that_does_not_fit_says_why() {
    let none = tempfile::tempdir().unwrap();
    assert!(matches!(resolve_in(&none), Err(CredentialError::Missing(_))));
    for (content, why) in [
        (cached("http://127.0.0.1:7663/other", None), "not for http://127.0.0.1:7663/pdpp"),
        (json!({ "provider_url": PROVIDER }), "not a cached credential"),
        (json!("tok_cached"), "not a cached credential"),
    ] {
        let error = resolve_in(&cache(&content)).unwrap_err();
        assert!(!error.is_refusal() && error.to_string().contains(why), "{error}");
        assert!(!error.to_string().contains("tok_cached"));
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_is_noticed() {
    use std::os::unix::fs::PermissionsExt;
    let file = tempfile::NamedTempFile::new().unwrap();
    for (mode, open) in [(0o600, false), (0o400, false), (0o644, true), (0o640, true)] {
        fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(is_open_to_others(file.path()), open, "{mode:o}");
    }
}
