//! What `vitrine connect` has cached: that nobody else can read it, and that it still works.

use std::fs;
use std::path::Path;

use vitrine_contract::time;

use super::owners::is_owners;
use super::{Finding, Patient};
use crate::provider::credential::{CachedClient, is_open_to_others, scoped};

/// More providers than anyone has.
const MAX_FILES: usize = 1_000;

pub(super) async fn check(patient: &Patient) -> Vec<Finding> {
    let files = fs::read_dir(patient.cache_root.join("clients")).into_iter().flatten().take(MAX_FILES);
    let files = files.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut findings = Vec::new();
    for path in files.filter(|path| path.extension().is_some_and(|end| end == "json")) {
        findings.extend(judge(patient, &path).await);
    }
    findings
}

async fn judge(patient: &Patient, path: &Path) -> Vec<Finding> {
    let shown = path.display();
    let mut findings = Vec::new();
    if is_open_to_others(path) {
        let problem = format!("Others on this machine can read the credential in {shown}.");
        findings.push(Finding::new(problem, format!("chmod 600 {shown}")));
    }
    let kept: Option<CachedClient> = fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let Some(kept) = kept else {
        findings.push(Finding::new(format!("{shown} is not a cached credential."), "Remove it, and connect again."));
        return findings;
    };
    let again = format!("vitrine connect {}", kept.provider_url);
    let kind = kept.credential.pdpp_token_kind.as_deref().unwrap_or_default();
    if scoped(kind).is_err() || is_owners(patient, &kept.credential.access_token).await {
        let problem = format!("The credential in {shown} is not one of a grant: an agent must never hold the owner's.");
        findings.push(Finding::new(problem, format!("Remove the file, and get one by consent: {again}")));
        return findings;
    }
    let end = kept.credential.expires_at.as_deref().and_then(time::parse);
    if kept.credential.refresh_token.is_none() && end.is_some_and(|end| end < patient.clock.now()) {
        let problem = format!("The credential for {} has ended.", kept.provider_url);
        findings.push(Finding::new(problem, again));
    }
    findings
}
