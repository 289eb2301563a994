//! What the environment holds that agents must not have, and what Vitrine does not take.

use super::owners::is_owners;
use super::{Finding, Patient};
use crate::provider::credential::CredentialError;

const REMOVE: &str = "Remove it from your shell's start-up files and log in again.";

pub(super) async fn check(patient: &Patient) -> Vec<Finding> {
    let variables = patient.surroundings.owner_variables().into_iter();
    let mut findings: Vec<Finding> =
        variables.map(|name| Finding::new(CredentialError::OwnerCredential(name).to_string(), REMOVE)).collect();
    if let Some(token) = &patient.surroundings.access_token
        && is_owners(patient, token).await
    {
        let problem = "PDPP_ACCESS_TOKEN holds a token of the owner's, which an agent must never have.";
        let create = patient.here.command(&["grant", "create", "--client", "NAME"]);
        findings.push(Finding::new(problem, format!("Unset it, and use the token of a grant: {create}")));
    }
    if patient.database_url {
        let problem = "A database URL is given, but this version keeps records in the embedded store only: no other \
                       command starts with it.";
        findings.push(Finding::new(problem, "Leave out --database-url, and unset VITRINE_DATABASE_URL."));
    }
    findings
}
