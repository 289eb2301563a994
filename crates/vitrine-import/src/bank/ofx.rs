//! OFX and QFX: the tags of a statement, closed as in XML (2.x) or left open (1.x).

use std::io::BufRead;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use vitrine_contract::time;

use super::amount::{self, Decimal};
use super::{DECLARATION, Transaction, direction};
use crate::export::Export;
use crate::hash;
use crate::kind::Importer;
use crate::settings::Settings;
use crate::sink::{ImportError, Sink};
use crate::text;

pub(crate) const IMPORTER: Importer = Importer::declared(
    "an OFX statement",
    "an `.ofx` or `.qfx` file",
    DECLARATION,
    |export| {
        let Some(first) = export.members().first().cloned() else { return Ok(false) };
        let head = text::head(export, &first, 2_048)?.to_ascii_uppercase();
        Ok(head.contains("OFXHEADER") || head.contains("<OFX>"))
    },
    read,
);

/// Characters kept of a value; the standard allows 255.
const MAX_VALUE_BYTES: usize = 4_096;

/// A booking while its tags are read.
#[derive(Default)]
struct Booking {
    kind: String,
    posted: String,
    amount: String,
    id: String,
    name: String,
    memo: String,
    currency: String,
}

fn read(export: &mut Export, _: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    for member in export.members().to_vec() {
        let mut reader = text::reader(export, &member)?;
        let (mut account, mut currency) = (String::new(), String::new());
        let mut open: Option<Booking> = None;
        let (mut number, mut in_document) = (0_u64, false);
        while let Some((tag, value)) = next(&mut *reader)? {
            match (tag.as_str(), &mut open) {
                // Other tags may be left open.
                ("OFX", _) => in_document = true,
                ("/OFX", _) => in_document = false,
                ("ACCTID", None) => account = value,
                ("CURDEF", None) => currency = value,
                ("STMTTRN", _) => (open, number) = (Some(Booking::default()), number + 1),
                ("/STMTTRN", _) => {
                    if let Some(booking) = open.take() {
                        booking.record(&account, &currency, &format!("{}, booking {number}", member.name), sink)?;
                    }
                }
                (tag, Some(booking)) => booking.take(tag, value),
                _ => {}
            }
        }
        if open.is_some() || in_document {
            let place = if open.is_some() { "in" } else { "after" };
            return Err(ImportError::Damaged(format!(
                "{} is cut off {place} booking {number}. Download it again.",
                member.name
            )));
        }
    }
    Ok(())
}

/// The next tag in capitals, with the text after it.
fn next(reader: &mut dyn BufRead) -> Result<Option<(String, String)>, ImportError> {
    if !skip_to(reader, b'<', None)? {
        return Ok(None);
    }
    let (mut tag, mut value) = (Vec::new(), Vec::new());
    skip_to(reader, b'>', Some(&mut tag))?;
    loop {
        let available = reader.fill_buf()?;
        let end = memchr::memchr(b'<', available);
        let length = end.unwrap_or(available.len());
        if value.len() < MAX_VALUE_BYTES {
            value.extend_from_slice(&available[..length]);
        }
        reader.consume(length);
        if end.is_some() || length == 0 {
            break;
        }
    }
    value.truncate(MAX_VALUE_BYTES);
    let value = String::from_utf8_lossy(&value);
    Ok(Some((String::from_utf8_lossy(&tag).trim().to_ascii_uppercase(), unescaped(value.trim()))))
}

/// Characters that are written by name or number: `&amp;`, `&#8364;`, `&#x20AC;`. An `&` alone stays.
fn unescaped(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let named = after.split_once(';').and_then(|(name, after)| Some((character(name)?, after)));
        let (character, after) = named.unwrap_or(('&', after));
        plain.push(character);
        rest = after;
    }
    plain + rest
}

fn character(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).filter(|c| !c.is_control())
        }
    }
}

/// Reads up to and including a mark, and keeps what stands before it.
fn skip_to(reader: &mut dyn BufRead, mark: u8, mut kept: Option<&mut Vec<u8>>) -> Result<bool, ImportError> {
    loop {
        let available = reader.fill_buf()?;
        if available.is_empty() {
            return Ok(false);
        }
        let found = memchr::memchr(mark, available);
        let length = found.unwrap_or(available.len());
        if let Some(kept) = kept.as_deref_mut()
            && kept.len() < MAX_VALUE_BYTES
        {
            kept.extend_from_slice(&available[..length.min(MAX_VALUE_BYTES)]);
        }
        reader.consume(length + usize::from(found.is_some()));
        if found.is_some() {
            return Ok(true);
        }
    }
}

impl Booking {
    fn take(&mut self, tag: &str, value: String) {
        match tag {
            "TRNTYPE" => self.kind = value,
            "DTPOSTED" => self.posted = value,
            "TRNAMT" => self.amount = value,
            "FITID" => self.id = value,
            "NAME" => self.name = value,
            "MEMO" => self.memo = value,
            "CURSYM" => self.currency = value,
            _ => {}
        }
    }

    fn record(&self, account: &str, currency: &str, place: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let decimal =
            if self.amount.contains(',') && !self.amount.contains('.') { Decimal::Comma } else { Decimal::Point };
        let (Some(amount), Some(posted)) = (amount::parse(&self.amount, decimal), instant(&self.posted)) else {
            sink.reject("a booking without amount or date", place);
            return Ok(());
        };
        let kind = self.kind.to_lowercase();
        let id = if self.id.is_empty() {
            hash::text_key(&[&self.posted, &self.amount, &self.name, &self.memo])
        } else {
            self.id.clone()
        };
        let transaction = Transaction {
            id: if account.is_empty() { id } else { format!("{account}-{id}") },
            account: some(account),
            booked_on: time::format(posted),
            amount,
            currency: some(&self.currency).or_else(|| some(currency)),
            direction: direction(amount),
            kind: some(&kind),
            counterparty: some(&self.name),
            reference: some(&self.memo),
            ..Transaction::default()
        };
        sink.record("transactions", Some(posted), &transaction)
    }
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// `20240131`, `20240131120000.000[-5:EST]`
fn instant(text: &str) -> Option<Timestamp> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let part =
        |from: usize, to: usize| text.get(from..to).filter(|_| digits >= to).map_or(Some(0), |part| part.parse().ok());
    if digits < 8 {
        return None;
    }
    let local = DateTime::new(
        text.get(..4)?.parse().ok()?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        part(12, 14)?,
        0,
    )
    .ok()?;
    let offset = text
        .split_once('[')
        .and_then(|(_, zone)| zone.split([':', ']']).next())
        .and_then(|hours| hours.parse::<f64>().ok());
    #[expect(clippy::cast_possible_truncation, reason = "an offset is a few hours, or none")]
    let offset = Offset::from_seconds((offset.unwrap_or_default() * 3_600.0) as i32).ok()?;
    TimeZone::fixed(offset).to_timestamp(local).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{read, read_export, settings};
    use crate::{Export, ImportError, Kind};

    const SGML: &str = "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\n\r\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD\r\n\
<BANKACCTFROM><BANKID>1<ACCTID>0123<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>\r\n\
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20240131120000[-5:EST]<TRNAMT>-12.50<FITID>F1<NAME>A &amp; B<MEMO>rent\r\n</STMTTRN>\r\n\
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20240201<TRNAMT>1,000.00<FITID>F2<NAME>ACME</STMTTRN>\r\n\
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>soon<TRNAMT>1<FITID>F3</STMTTRN></BANKTRANLIST></OFX>";

    #[test]
    fn open_and_closed_tags_tell_the_same() {
        let xml = SGML
            .replace("OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102", "<?xml version=\"1.0\"?><?OFX OFXHEADER=\"200\"?>")
            .replace("<NAME>ACME", "<NAME>ACME</NAME>")
            .replace("<FITID>F1", "<FITID>F1</FITID>")
            .replace("<CURDEF>USD", "<CURDEF>USD</CURDEF>");
        for text in [SGML, &xml] {
            let found = read(Kind::Ofx, "statement.ofx", text);
            let told: Vec<_> = found
                .of("transactions")
                .iter()
                .map(|t| {
                    json!([t["id"], t["booked_on"], t["amount"], t["counterparty"], t["reference"], t["currency"]])
                })
                .collect();
            assert_eq!(
                json!(told),
                json!([
                    ["0123-F1", "2024-01-31T17:00:00Z", -12.5, "A & B", "rent", "USD"],
                    ["0123-F2", "2024-02-01T00:00:00Z", 1000.0, "ACME", null, "USD"]
                ])
            );
            assert_eq!(found.reasons(), ["a booking without amount or date"]);
        }
    }

    #[test]
    fn characters_written_as_numbers_are_read() {
        let text = SGML.replace("<MEMO>rent", "<MEMO>12 &#8364; &#xFC;ber AT&T &quot;x&quot; &#0; &unknown;");
        let found = read(Kind::Ofx, "statement.ofx", text);
        assert_eq!(found.of("transactions")[0]["reference"], "12 € über AT&T \"x\" &#0; &unknown;");
    }

    #[test]
    fn a_statement_that_is_cut_off_gives_what_it_has() {
        for (missing, place) in
            [(46, "in booking 3"), (6, "after booking 3"), (21, "after booking 3"), (88, "after booking 2")]
        {
            let mut export = Export::of_bytes("s.ofx", &SGML.as_bytes()[..SGML.len() - missing]).unwrap();
            let (found, end) = read_export(Kind::Ofx, &mut export, &settings());
            assert_eq!(found.of("transactions").len(), 2);
            assert!(matches!(&end, Err(ImportError::Damaged(why)) if why.contains(place)), "{missing} {end:?}");
        }
    }
}
