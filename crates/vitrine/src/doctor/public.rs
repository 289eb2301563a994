//! The public address: that it is reached, whether its certificate holds, and that the discovery documents name it.

use serde_json::Value;

use super::fetch::Fetch;
use super::{Finding, Patient};
use crate::provider::Address;

pub(super) async fn check(patient: &Patient) -> Vec<Finding> {
    let Some(url) = &patient.public_url else { return Vec::new() };
    let Ok(address) = Address::parse(url) else {
        return vec![Finding::new(format!("{url} is not a web address."), "Write it as https://records.example.org")];
    };
    let url = address.as_str();
    let mut findings = Vec::new();
    if !address.is_private() {
        let problem = format!("{url} is not https: anyone on the way can read tokens and records.");
        findings.push(Finding::new(problem, "Put a proxy with a certificate in front, and give its https address."));
    }
    match Fetch::get(&format!("{url}/healthz")).await {
        Ok(answer) if answer.is_healthy() => findings.extend(discovery(url).await),
        Ok(answer) => findings.push(Finding::new(
            format!("{url} answers, but not as Vitrine (status {}).", answer.status),
            "Check that the proxy passes every path to the address `vitrine serve` listens on.",
        )),
        Err(why) => findings.push(Finding::new(
            format!("{url} cannot be reached: {why}"),
            "Check that the server and the proxy run, that the name leads here, and that the certificate is valid.",
        )),
    }
    findings
}

/// Follows a client's first steps: asks without a token, is sent to a document, and looks who it is about.
async fn discovery(url: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let restart = format!("Start the server with --public-url {url}");
    for (resource, document) in [
        (url.to_owned(), format!("{url}/.well-known/oauth-protected-resource")),
        (format!("{url}/mcp"), format!("{url}/.well-known/oauth-protected-resource/mcp")),
    ] {
        let said = Fetch::get(&document).await.ok().and_then(|answer| answer.json());
        let said = said.as_ref().and_then(|said| said.get("resource")).and_then(Value::as_str).unwrap_or("nothing");
        if said.trim_end_matches('/') != resource {
            findings.push(Finding::new(format!("{document} describes {said}, not {resource}."), restart.as_str()));
        }
    }
    let authority = format!("{url}/.well-known/oauth-authorization-server");
    let said = Fetch::get(&authority).await.ok().and_then(|answer| answer.json());
    let said = said.as_ref().and_then(|said| said.get("issuer")).and_then(Value::as_str).unwrap_or("nothing");
    if said != url {
        findings.push(Finding::new(format!("{authority} describes {said}, not {url}."), restart.as_str()));
    }
    let challenge = Fetch::get(&format!("{url}/mcp")).await.ok().and_then(|answer| answer.header("www-authenticate"));
    let expected = format!("resource_metadata=\"{url}/.well-known/oauth-protected-resource/mcp\"");
    if !challenge.as_deref().is_some_and(|challenge| challenge.contains(&expected)) {
        let problem = format!("A client that asks {url}/mcp without a token is not told where to get one.");
        findings.push(Finding::new(problem, format!("{restart}, and let the proxy pass WWW-Authenticate headers.")));
    }
    findings
}
