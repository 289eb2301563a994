//! The file, and whether its indexes agree with its records.

use super::{Finding, Patient};
use crate::provider::credential::is_open_to_others;

/// Enough to see what is wrong.
const SHOWN: usize = 10;

pub(super) fn check(patient: &Patient) -> Vec<Finding> {
    let file = patient.data_dir.join("vitrine.db");
    let restore = || format!("Stop the server, move {} aside, and restore your last backup.", file.display());
    let opened = match &patient.store {
        Ok(Some(opened)) => opened,
        Ok(None) => {
            let problem = format!("There is no store in {}.", patient.data_dir.display());
            return vec![Finding::new(
                problem,
                "Name the right directory with --data-dir, or add a source to make one.",
            )];
        }
        Err(why) => return vec![Finding::new(format!("The store does not open: {why}"), restore())],
    };
    let mut findings: Vec<Finding> = match opened.store.check() {
        Ok(faults) => faults.into_iter().take(SHOWN).map(|fault| Finding::new(fault, restore())).collect(),
        Err(error) => vec![Finding::new(format!("The store cannot be checked: {error}"), restore())],
    };
    if is_open_to_others(&file) {
        let fix = format!("chmod 600 {}", file.display());
        findings.push(Finding::new("Others on this machine can read the store.", fix));
    }
    findings
}
