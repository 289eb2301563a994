//! Credentials of the owner's lying about where agents are started.

use super::{Finding, Patient};

pub(super) fn check(patient: &Patient) -> Vec<Finding> {
    let refused = patient.surroundings.refuse_owner().err();
    refused
        .map(|error| Finding::new(error.to_string(), "Remove it from your shell's start-up files and log in again."))
        .into_iter()
        .collect()
}
