//! How much can be found by what it means.

use super::{Examined, Finding, Patient};

pub(super) fn check(patient: &Patient) -> Examined {
    let mut examined = Examined { check: "search by meaning", findings: Vec::new(), state: None };
    // What does not open is another check's business.
    let Ok(Some(opened)) = &patient.store else { return examined };
    match opened.store.meanings_read() {
        Ok(read) if read.covered < read.total => {
            let state = "texts were read; a running server reads the others, the newest first";
            examined.state = Some(format!("{} of {} {state}", read.covered, read.total));
        }
        Ok(read) => examined.state = Some(format!("all {} texts were read", read.total)),
        Err(error) => examined.findings.push(Finding::new(
            format!("It cannot be told how much was read: {error}"),
            "Run the check again; if it fails again, restore your last backup.",
        )),
    }
    examined
}
