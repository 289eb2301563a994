//! Room to write.

use super::{Finding, Patient};

/// Room for the write-ahead log and a few thousand records.
const LITTLE: u64 = 256 * 1024 * 1024;

pub(super) fn check(patient: &Patient) -> Vec<Finding> {
    let existing = patient.data_dir.ancestors().find(|directory| directory.is_dir());
    let free = existing.and_then(|directory| fs4::available_space(directory).ok());
    free.and_then(judge).into_iter().collect()
}

fn judge(free: u64) -> Option<Finding> {
    (free < LITTLE).then(|| {
        let problem = format!("Only {} MB are free where the store is.", free / 1024 / 1024);
        Finding::new(problem, "Make room, or move the data directory to another disk and name it with --data-dir.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_room_is_found() {
        assert!(judge(LITTLE).is_none());
        assert!(judge(LITTLE - 1).unwrap().problem.contains("255 MB"));
    }
}
