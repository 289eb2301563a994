//! Whether the account of what clients were told is still as it was written.

use super::{Examined, Finding, Patient};

/// A second's work or so; the whole of a large ledger takes longer than a person waits.
const BYTES: u64 = 64 * 1024 * 1024;

pub(super) fn check(patient: &Patient) -> Examined {
    let mut examined = Examined { check: "ledger", findings: Vec::new(), state: None };
    // What does not open is another check's business.
    let Ok(Some(opened)) = &patient.store else { return examined };
    let verify = patient.here.command(&["ledger", "verify"]);
    let problem = match opened.store.ledger().verify_end(BYTES) {
        Ok(report) if report.ok => {
            examined.state = (report.passed_over > 0).then(|| {
                let checked = report.segments - report.passed_over;
                format!("the last {checked} of {} segments are whole; all are checked by: {verify}", report.segments)
            });
            return examined;
        }
        Ok(report) => {
            let first = report.faults.first().map_or_else(String::new, ToString::to_string);
            format!("The ledger is not as it was written ({} faults): {first}.", report.faults.len())
        }
        Err(error) => format!("The ledger cannot be checked: {error}."),
    };
    let ledger = patient.data_dir.join(crate::archive::LEDGER);
    let fix = format!(
        "See all of it with: {verify}. Then compare {} with the ledger in your last backup: someone or something changed \
         its files.",
        ledger.display()
    );
    examined.findings.push(Finding::new(problem, fix));
    examined
}
