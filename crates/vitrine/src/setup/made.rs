//! Directories that were made for a configuration and go with it: an empty one would say that its client is here.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::file;

/// Makes the directories above a file that are not there yet, and notes their names beside it, the innermost first.
pub(super) fn make(file: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = file.ancestors().skip(1).take_while(|directory| !directory.exists()).collect();
    let Some(innermost) = missing.first() else { return Ok(()) };
    fs::create_dir_all(innermost)?;
    let names = missing.iter().filter_map(|directory| directory.file_name());
    fs::write(note(file), names.map(|name| name.to_string_lossy() + "\n").collect::<String>())
}

/// Takes away what was made for a file, as far as there is nothing else in it, and the note.
pub(super) fn unmake(file: &Path) -> io::Result<()> {
    let note = note(file);
    let Some(names) = file::read(&note)? else { return Ok(()) };
    fs::remove_file(note)?;
    for (directory, name) in file.ancestors().skip(1).zip(names.lines()) {
        // The system refuses where something is in it.
        if directory.file_name() != Some(OsStr::new(name)) || fs::remove_dir(directory).is_err() {
            break;
        }
    }
    Ok(())
}

fn note(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".vitrine-made");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_made_and_is_empty_goes() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        let file = path(".config/zed/settings.json");
        make(&file).unwrap();
        make(&file).unwrap();
        unmake(&file).unwrap();
        assert!(!path(".config").exists() && home.path().exists());

        fs::create_dir_all(path(".config")).unwrap();
        make(&file).unwrap();
        unmake(&file).unwrap();
        assert!(path(".config").exists() && !path(".config/zed").exists(), "what was there stays");
        unmake(&file).unwrap();

        make(&file).unwrap();
        fs::write(path(".config/zed/themes.json"), "{}").unwrap();
        unmake(&file).unwrap();
        assert_eq!(
            fs::read_dir(path(".config/zed")).unwrap().count(),
            1,
            "the note goes, what another put there stays"
        );
    }

    #[test]
    fn a_note_of_other_directories_removes_nothing() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("mine/mcp.json");
        fs::create_dir(home.path().join("mine")).unwrap();
        fs::write(note(&file), "theirs\n").unwrap();
        unmake(&file).unwrap();
        assert!(home.path().join("mine").exists());
    }
}
