//! Components of iCalendar and vCard files, one after the other: the lines from `BEGIN:NAME` to
//! `END:NAME`.

use std::io::BufRead;

use super::lines::{LineRead, read_line};
use super::sink::{ImportError, Sink};

/// Largest component that is read; pictures of people are in them.
const MAX_COMPONENT_BYTES: usize = 8 * 1024 * 1024;

/// Hands over each component called `name`, with its number.
pub(crate) fn each(
    reader: &mut dyn BufRead,
    file: &str,
    name: &str,
    sink: &mut Sink<'_>,
    take: &mut dyn FnMut(u64, &str, &mut Sink<'_>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let (begin, end) = (format!("BEGIN:{name}"), format!("END:{name}"));
    let is = |line: &[u8], mark: &str| line.trim_ascii().eq_ignore_ascii_case(mark.as_bytes());
    let mut component = Vec::new();
    let (mut inside, mut cut, mut number) = (false, false, 0);
    loop {
        let start = component.len();
        let read = read_line(reader, &mut component, MAX_COMPONENT_BYTES)?;
        cut |= read == LineRead::Cut;
        if read == LineRead::End {
            break;
        }
        if is(&component[start..], &begin) {
            component.drain(..start);
            (inside, cut, number) = (true, false, number + 1);
        } else if inside && is(&component[start..], &end) {
            if cut {
                sink.reject("an entry larger than 8 MB", format!("{file}, entry {number}"));
            } else {
                take(number, &String::from_utf8_lossy(&component), sink)?;
            }
            component.clear();
            inside = false;
        } else if !inside {
            component.clear();
        } else if cut {
            // Room for the line that ends it.
            component.clear();
        }
    }
    if inside {
        return Err(ImportError::Damaged(format!("{file} is cut off in entry {number}. Export it again.")));
    }
    Ok(())
}
