//! My Activity and YouTube's history as a page: one long line, a cell for each entry.

use std::io::BufRead;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use mail_parser::decoders::html::html_to_text;

use super::activity;
use crate::settings::{DateOrder, Settings};
use crate::sink::{ImportError, Sink};
use crate::{dates, zones};

const CELL: &[u8] = b"outer-cell";
/// Longest cell that is read.
const MAX_CELL_BYTES: usize = 1024 * 1024;

pub(super) fn read(
    reader: &mut dyn BufRead,
    file: &str,
    settings: &Settings,
    sink: &mut Sink<'_>,
) -> Result<(), ImportError> {
    let mut pending: Vec<u8> = Vec::new();
    let mut number = 0_u64;
    loop {
        let chunk = reader.fill_buf()?;
        let (length, ended) = (chunk.len(), chunk.is_empty());
        pending.extend_from_slice(chunk);
        reader.consume(length);
        while let Some(end) = memchr::memmem::find(&pending, CELL) {
            let rest = pending.split_off(end + CELL.len());
            cell(&pending[..end], file, number, settings, sink)?;
            (pending, number) = (rest, number + 1);
        }
        if ended {
            return cell(&pending, file, number, settings, sink);
        }
        if pending.len() > MAX_CELL_BYTES {
            sink.reject("a cell longer than 1 MB", format!("{file}, entry {number}"));
            pending.drain(..pending.len() - CELL.len());
        }
    }
}

/// What stands before the first cell is the page's own.
fn cell(html: &[u8], file: &str, number: u64, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    if number == 0 {
        return Ok(());
    }
    let html = String::from_utf8_lossy(html);
    let place = || format!("{file}, entry {number}");
    let text_after =
        |class: &str| html.split_once(class).and_then(|(_, rest)| rest.split_once('>')).map(|(_, rest)| rest);
    let product = text_after("mdl-typography--title").map(|rest| plain(rest.split("</p>").next().unwrap_or_default()));
    let Some(content) = text_after("mdl-typography--body-1\"").or_else(|| text_after("content-cell")) else {
        sink.reject("an entry without content", place());
        return Ok(());
    };
    let lines: Vec<&str> = content.split("</div>").next().unwrap_or_default().split("<br>").collect();
    let told = lines.iter().rposition(|line| !line.trim().is_empty());
    let at = told.and_then(|told| instant(&plain(lines[told]), settings));
    let (Some(told), Some(at)) = (told, at) else {
        sink.reject("an entry whose date is in a language not known here; choose JSON when you export", place());
        return Ok(());
    };
    let url = lines[0].split_once("href=\"").and_then(|(_, rest)| rest.split('"').next()).map(plain);
    let channel = (told >= 2).then(|| plain(lines[1])).filter(|name| !name.is_empty());
    activity::record(product.as_deref(), &plain(lines[0]), url.as_deref(), channel.as_deref(), at, sink)
}

fn plain(html: &str) -> String {
    html_to_text(html).replace(['\u{a0}', '\u{202f}'], " ").trim().to_owned()
}

/// `May 1, 2024, 7:30:00 PM CEST`, `1 May 2024, 19:30:00 GMT+2`, `01.05.2024, 19:30:00 MESZ`
fn instant(text: &str, settings: &Settings) -> Option<Timestamp> {
    let (day, rest) = match dates::figures(text) {
        Some((figures, rest)) => (figures.date(settings.date_order.unwrap_or(DateOrder::Dmy))?, rest),
        None => english(text)?,
    };
    let (clock, rest) = dates::clock(rest.trim_start_matches([',', ' ']).trim_start_matches("at "))?;
    zones::instant(DateTime::from_parts(day, clock), rest.trim(), &settings.time_zone)
}

fn english(text: &str) -> Option<(Date, &str)> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let month = |word: &str| {
        let start = word.get(..3)?.to_ascii_lowercase();
        MONTHS.iter().position(|month| *month == start).and_then(|at| i8::try_from(at + 1).ok())
    };
    let mut words = text.splitn(4, ' ');
    let [first, second, third] =
        [words.next()?, words.next()?, words.next()?].map(|word| word.trim_end_matches([',', '.']));
    let (month, day) =
        month(first).map(|month| (month, second)).or_else(|| month(second).map(|month| (month, first)))?;
    Some((Date::new(third.parse().ok()?, month, day.parse().ok()?).ok()?, words.next().unwrap_or_default()))
}
