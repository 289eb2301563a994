//! The files of a book at one moment.

use std::fs::File;
use std::io;

use super::Result;
use super::segments::Places;

/// A file of the book, as long as it was at that moment. What is added later lies behind its end,
/// and dropping it does not end it.
#[derive(Debug)]
pub struct BookFile {
    /// Its name.
    pub name: String,
    /// Its content, and perhaps more.
    pub file: File,
    /// How much of it counts.
    pub length: u64,
}

/// Everything but what can be derived.
pub(super) fn files(places: &Places) -> Result<Vec<BookFile>> {
    let held = places.hold_writers()?;
    let segments = places.segments()?.into_iter().map(|number| places.segment(number));
    let mut files = Vec::new();
    for path in segments.chain([places.key(), places.head(), places.dropped()]) {
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file?,
        };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        files.push(BookFile { name, length: file.metadata()?.len(), file });
    }
    drop(held);
    Ok(files)
}
