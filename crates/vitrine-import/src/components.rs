//! Components of iCalendar and vCard files, one after the other: the lines from `BEGIN:NAME` to
//! `END:NAME`.

use std::io::BufRead;

use super::lines::{LineRead, read_line};
use super::sink::{ImportError, Sink};

/// Largest component that is read; pictures of people are in them.
const MAX_COMPONENT_BYTES: usize = 8 * 1024 * 1024;

/// Something of a file.
pub(crate) enum Piece<'a> {
    /// A component by its name, which one of this name it is, and its text.
    Component(&'static str, u64, &'a str),
    /// A line around the components.
    Line(&'a str),
}

/// Hands over each component with one of these names, and the lines around them.
pub(crate) fn each(
    reader: &mut dyn BufRead,
    file: &str,
    names: &[&'static str],
    sink: &mut Sink<'_>,
    take: &mut dyn FnMut(Piece<'_>, &mut Sink<'_>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut component = Vec::new();
    let mut numbers = vec![0; names.len()];
    let (mut inside, mut cut): (Option<usize>, bool) = (None, false);
    loop {
        let start = component.len();
        let read = read_line(reader, &mut component, MAX_COMPONENT_BYTES)?;
        cut |= read == LineRead::Cut;
        if read == LineRead::End {
            break;
        }
        let line = component[start..].trim_ascii();
        if let Some(begun) = named(line, b"BEGIN:", names) {
            component.drain(..start);
            (inside, cut) = (Some(begun), false);
            numbers[begun] += 1;
        } else if let Some(at) = inside.filter(|at| named(line, b"END:", names) == Some(*at)) {
            if cut {
                sink.reject("an entry larger than 8 MB", format!("{file}, entry {}", numbers[at]));
            } else {
                take(Piece::Component(names[at], numbers[at], &String::from_utf8_lossy(&component)), sink)?;
            }
            component.clear();
            inside = None;
        } else if inside.is_none() {
            take(Piece::Line(&String::from_utf8_lossy(line)), sink)?;
            component.clear();
        } else if cut {
            // Room for the line that ends it.
            component.clear();
        }
    }
    match inside {
        Some(at) => {
            let entry = format!("{} {}", names[at], numbers[at]);
            Err(ImportError::Damaged(format!("{file} is cut off in {entry}. Export it again.")))
        }
        None => Ok(()),
    }
}

/// Which of the names a line begins or ends.
fn named(line: &[u8], mark: &[u8], names: &[&str]) -> Option<usize> {
    let (start, name) = line.split_at_checked(mark.len())?;
    start.eq_ignore_ascii_case(mark).then_some(())?;
    names.iter().position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}
