//! Bank transactions as CSV: after some lines about the account, a row of headings, then the rows.

use std::io::BufRead;

use jiff::civil::Date;
use vitrine_contract::time;

use super::amount::{self, Decimal, DecimalGuess};
use super::columns::{Columns, Role};
use super::{DECLARATION, Transaction, direction, midnight};
use crate::dates::{self, OrderGuess};
use crate::export::{Export, Member};
use crate::kind::Importer;
use crate::repeats::Repeats;
use crate::settings::{DateOrder, Settings};
use crate::sink::{ImportError, Sink};
use crate::{delimited, text};

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a bank's list of transactions",
    "a CSV file with headings for the date and the amount of each booking",
    DECLARATION,
    |export| Ok(layout(export)?.is_some()),
    read,
);

/// Lines about the account that may stand before the headings.
const MAX_PREAMBLE: usize = 40;

/// How a table is written.
struct Layout {
    delimiter: u8,
    columns: Columns,
}

fn layout(export: &mut Export) -> Result<Option<Layout>, ImportError> {
    let Some(member) = only(export) else { return Ok(None) };
    let head = text::head(export, &member, 64 * 1024)?;
    for delimiter in delimited::DELIMITERS {
        let mut rows = delimited::rows(head.as_bytes(), delimiter);
        for row in rows.records().take(MAX_PREAMBLE).filter_map(Result::ok) {
            if row.len() >= 3
                && let Some(columns) = Columns::of_headings(row.iter())
            {
                return Ok(Some(Layout { delimiter, columns }));
            }
        }
    }
    Ok(None)
}

fn only(export: &Export) -> Option<Member> {
    match export.members() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

fn read(export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let (Some(member), Some(layout)) = (only(export), layout(export)?) else { return Ok(()) };
    let (mut order, mut decimal) = (OrderGuess::default(), DecimalGuess::default());
    each_row(
        &mut *text::reader(export, &member)?,
        &layout,
        sink,
        &mut |row, _, _| {
            if let Some((date, _)) = layout.columns.get(row, Role::Booked).and_then(dates::figures) {
                order.see(date);
            }
            for role in [Role::Amount, Role::In, Role::Out, Role::Balance] {
                layout.columns.get(row, role).into_iter().for_each(|text| decimal.see(text));
            }
            Ok(())
        },
        false,
    )?;
    let otherwise = if layout.delimiter == b';' { Decimal::Comma } else { Decimal::Point };
    let decimal = decimal.decimal(otherwise);
    let order = settings.date_order.unwrap_or_else(|| order.order());
    let mut repeats = Repeats::default();
    each_row(
        &mut *text::reader(export, &member)?,
        &layout,
        sink,
        &mut |row, place, sink| record(row, &layout.columns, order, decimal, &mut repeats, place, sink),
        true,
    )
}

type TakeRow<'a> = dyn FnMut(&csv::StringRecord, &str, &mut Sink<'_>) -> Result<(), ImportError> + 'a;

/// Hands over the rows after the headings.
fn each_row(
    reader: &mut dyn BufRead,
    layout: &Layout,
    sink: &mut Sink<'_>,
    take: &mut TakeRow<'_>,
    reporting: bool,
) -> Result<(), ImportError> {
    let mut rows = delimited::rows(reader, layout.delimiter);
    let mut row = csv::StringRecord::new();
    let mut in_table = false;
    loop {
        let read = delimited::next(&mut rows, &mut row)?;
        let place = || format!("line {}", row.position().map_or(0, csv::Position::line));
        match read {
            delimited::Next::End => return Ok(()),
            delimited::Next::Bad(reason) if reporting => sink.reject(reason, place()),
            delimited::Next::Bad(_) => {}
            delimited::Next::Row if in_table => take(&row, &place(), sink)?,
            delimited::Next::Row => in_table = row.len() >= 3 && Columns::of_headings(row.iter()).is_some(),
        }
    }
}

fn record(
    row: &csv::StringRecord,
    columns: &Columns,
    order: DateOrder,
    decimal: Decimal,
    repeats: &mut Repeats,
    place: &str,
    sink: &mut Sink<'_>,
) -> Result<(), ImportError> {
    let text = |role| columns.get(row, role);
    let money = |role| text(role).and_then(|text| amount::parse(text, decimal));
    let day = |role| text(role).and_then(|text| date(text, order));
    let amount = money(Role::Amount).or_else(|| match (money(Role::In), money(Role::Out)) {
        (None, None) => None,
        (received, paid) => Some(received.unwrap_or_default() - paid.unwrap_or_default().abs()),
    });
    let booked = day(Role::Booked).or_else(|| day(Role::Value)).and_then(midnight);
    let (Some(amount), Some(booked)) = (amount, booked) else {
        if row.iter().filter(|cell| !cell.trim().is_empty()).count() > 1 {
            sink.reject(if amount.is_none() { "a row without an amount" } else { "a row without a date" }, place);
        }
        return Ok(());
    };
    let id = text(Role::Id).map_or_else(|| repeats.key(&row.iter().collect::<Vec<_>>()), str::to_owned);
    let transaction = Transaction {
        id,
        account: text(Role::Account),
        booked_on: time::format(booked),
        value_on: day(Role::Value).and_then(midnight).map(time::format),
        amount,
        currency: text(Role::Currency),
        direction: direction(amount),
        kind: text(Role::Kind),
        counterparty: text(Role::Counterparty),
        counterparty_account: text(Role::CounterpartyAccount),
        reference: text(Role::Reference),
        balance: money(Role::Balance),
    };
    sink.record("transactions", Some(booked), &transaction)
}

fn date(text: &str, order: DateOrder) -> Option<Date> {
    let figures = || dates::figures(text).and_then(|(figures, _)| figures.date(order));
    figures().or_else(|| text.get(..10).and_then(|day| day.parse().ok()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Kind;
    use crate::testing::{Found, read};

    fn told(found: &Found) -> serde_json::Value {
        found
            .of("transactions")
            .iter()
            .map(|t| json!([t["booked_on"], t["amount"], t["counterparty"], t["reference"]]))
            .collect()
    }

    #[test]
    fn a_german_bank_is_read_with_its_preamble_and_encoding() {
        let text = "\"Girokonto\";\"DE02120300000000202051\"\r\n\"Kontostand vom 05.03.2024:\";\"1.234,56 €\"\r\n\"\"\r\n\
\"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungsempfänger*in\";\"Verwendungszweck\";\"Umsatztyp\";\"IBAN\";\"Betrag (€)\"\r\n\
\"04.03.24\";\"05.03.24\";\"Gebucht\";\"Bäckerei Müller\";\"Brötchen; 2 Stück\";\"Ausgang\";\"DE89\";\"-1.003,40\"\r\n\
\"04.03.24\";\"05.03.24\";\"Gebucht\";\"Bäckerei Müller\";\"Brötchen; 2 Stück\";\"Ausgang\";\"DE89\";\"-1.003,40\"\r\n\
\"31.01.24\";\"31.01.24\";\"Gebucht\";\"ACME GmbH\";\"Gehalt\";\"Eingang\";\"DE11\";\"2.500\"\r\n\
\"99.99.24\";\"\";\"\";\"X\";\"\";\"\";\"\";\"1,00\"\r\n";
        let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(text);
        let found = read(Kind::BankCsv, "umsaetze.csv", latin);
        assert_eq!(
            told(&found),
            json!([
                ["2024-03-04T00:00:00Z", -1003.4, "Bäckerei Müller", "Brötchen; 2 Stück"],
                ["2024-03-04T00:00:00Z", -1003.4, "Bäckerei Müller", "Brötchen; 2 Stück"],
                ["2024-01-31T00:00:00Z", 2500.0, "ACME GmbH", "Gehalt"],
            ])
        );
        let ids: Vec<_> = found.of("transactions").iter().map(|t| t["id"].clone()).collect();
        assert_ne!(ids[0], ids[1], "two equal bookings are two");
        assert_eq!(found.reasons(), ["a row without a date"]);
    }

    #[test]
    fn an_english_bank_with_two_amount_columns_is_read() {
        let text = "Date,Description,Paid out,Paid in,Balance\n12/31/2023,\"COFFEE, LONDON\",3.20,,100.00\n01/02/2024,SALARY,,\"1,000.00\",1100.00\n";
        let found = read(Kind::BankCsv, "statement.csv", text);
        assert_eq!(
            told(&found),
            json!([
                ["2023-12-31T00:00:00Z", -3.2, null, "COFFEE, LONDON"],
                ["2024-01-02T00:00:00Z", 1000.0, null, "SALARY"]
            ])
        );
        assert_eq!(found.of("transactions")[1]["balance"], 1100.0);
    }
}
