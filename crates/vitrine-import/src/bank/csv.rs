//! Bank transactions as CSV: after some lines about the account, a row of headings, then the rows.

use std::io::BufRead;

use jiff::civil::Date;
use vitrine_contract::time;

use super::amount::{self, Decimal, DecimalGuess};
use super::card::{Meaning, Purchases};
use super::columns::{Columns, Role};
use super::sign::{self, Tally};
use super::{DECLARATION, Transaction, currency, direction, midnight};
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

/// What stands for the day of a payment that is still under way.
const OPEN: [&str; 3] = ["offen", "vorgemerkt", "pending"];

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
    let mut survey = Survey::of(&layout.columns);
    each_row(
        &mut *text::reader(export, &member)?,
        &member.name,
        &layout,
        sink,
        &mut |row, _, _| {
            survey.see(row, &layout.columns);
            Ok(())
        },
        false,
    )?;
    let sign = layout.columns.sign(&survey.signs);
    let unknown: Vec<&str> = layout.columns.unknown();
    if !unknown.is_empty() {
        sink.note(format!("Columns that nothing is taken from: {}.", unknown.join(", ")));
    }
    if settings.date_order.is_none() {
        survey.order.doubt(&member.name).into_iter().for_each(|doubt| sink.note(doubt));
    }
    let meaning = match sign {
        None if layout.columns.has(Role::Amount) => survey.purchases.meaning(layout.columns.has(Role::Balance)),
        _ => Meaning::Signed,
    };
    meaning.note(&member.name).into_iter().for_each(|note| sink.note(note));
    let otherwise = if layout.delimiter == b';' { Decimal::Comma } else { Decimal::Point };
    let mut table = Table {
        columns: &layout.columns,
        currency: layout.columns.currency(),
        decimal: survey.decimal.decimal(otherwise),
        order: settings.date_order.unwrap_or_else(|| survey.order.order()),
        sign: sign.and_then(|at| Some((at, survey.signs.get(at)?.reading()?))),
        reversed: meaning == Meaning::Reversed,
        received_minus: survey.received.0 > 0 && survey.received.1 == 0,
        repeats: Repeats::default(),
    };
    each_row(
        &mut *text::reader(export, &member)?,
        &member.name,
        &layout,
        sink,
        &mut |row, place, sink| table.record(row, place, sink),
        true,
    )
}

/// What must be known of all rows before one is read.
struct Survey {
    order: OrderGuess,
    decimal: DecimalGuess,
    /// For each column, whether it may say which way money went.
    signs: Vec<Tally>,
    purchases: Purchases,
    /// How many amounts in a column of money that came have a minus, and how many have none.
    received: (u64, u64),
}

impl Survey {
    fn of(columns: &Columns) -> Self {
        Self {
            order: OrderGuess::default(),
            decimal: DecimalGuess::default(),
            signs: vec![Tally::default(); columns.len()],
            purchases: Purchases::of_headings(columns.headings()),
            received: (0, 0),
        }
    }

    fn see(&mut self, row: &csv::StringRecord, columns: &Columns) {
        if columns.overflows(row) {
            return;
        }
        if let Some((date, _)) = columns.get(row, Role::Booked).and_then(dates::figures) {
            self.order.see(date);
        }
        for role in [Role::Amount, Role::In, Role::Out, Role::Balance] {
            columns.get(row, role).into_iter().for_each(|text| self.decimal.see(text));
        }
        if let Some(amount) = columns.get(row, Role::Amount) {
            let negative = amount::is_negative(amount);
            self.signs.iter_mut().zip(row).for_each(|(tally, cell)| tally.see(cell, negative));
            self.purchases.see(columns.get(row, Role::Kind), columns.get(row, Role::Reference), negative);
        }
        if let Some(received) = columns.get(row, Role::In).filter(|text| text.contains(|c| matches!(c, '1'..='9'))) {
            let minus = u64::from(amount::is_negative(received));
            self.received = (self.received.0 + minus, self.received.1 + 1 - minus);
        }
    }
}

type TakeRow<'a> = dyn FnMut(&csv::StringRecord, &str, &mut Sink<'_>) -> Result<(), ImportError> + 'a;

/// Hands over the rows after the headings.
fn each_row(
    reader: &mut dyn BufRead,
    file: &str,
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
            delimited::Next::Unclosed(line) if reporting => return Err(delimited::unclosed(file, line)),
            delimited::Next::End | delimited::Next::Unclosed(_) => return Ok(()),
            delimited::Next::Bad(reason) if reporting => sink.reject(reason, place()),
            delimited::Next::Bad(_) => {}
            delimited::Next::Row if in_table => take(&row, &place(), sink)?,
            delimited::Next::Row => in_table = row.len() >= 3 && Columns::of_headings(row.iter()).is_some(),
        }
    }
}

/// A table whose rows can be read.
struct Table<'a> {
    columns: &'a Columns,
    /// What the headings say.
    currency: Option<&'static str>,
    decimal: Decimal,
    order: DateOrder,
    /// The column that gives amounts their sign, where they have none of their own.
    sign: Option<(usize, sign::Reading)>,
    /// Whether what was bought has no minus, and what was paid back has one.
    reversed: bool,
    /// Whether all that came has a minus, in a column that says it came.
    received_minus: bool,
    repeats: Repeats,
}

impl Table<'_> {
    fn record(&mut self, row: &csv::StringRecord, place: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let text = |role| self.columns.get(row, role);
        let money = |role| text(role).and_then(|text| amount::parse(text, self.decimal));
        let day = |role| text(role).and_then(|text| date(text, self.order));
        if let Some(state) = text(Role::State).filter(|state| never_happened(state)) {
            sink.leave_out("a payment that failed or was taken back", format!("{place}, {state}"));
            return Ok(());
        }
        if text(Role::Booked).is_some_and(|text| OPEN.contains(&text.to_lowercase().as_str())) {
            sink.leave_out("a payment that is not booked yet", place);
            return Ok(());
        }
        let is_paid = [Role::Amount, Role::In, Role::Out].into_iter().any(|role| text(role).is_some());
        if !is_paid && money(Role::Balance).is_some() && !self.columns.overflows(row) {
            sink.leave_out("a line that states a balance", place);
            return Ok(());
        }
        let booked = day(Role::Booked).or_else(|| day(Role::Value)).and_then(midnight);
        let (amount, booked) = match (self.amount(row), booked) {
            (Ok(amount), Some(booked)) => (amount, booked),
            (amount, _) => {
                if row.iter().filter(|cell| !cell.trim().is_empty()).count() > 1 {
                    sink.reject(amount.err().unwrap_or("a row without a date"), place);
                }
                return Ok(());
            }
        };
        let named = || text(Role::Amount).or_else(|| text(Role::In)).or_else(|| text(Role::Out));
        let transaction = Transaction {
            id: text(Role::Id).map_or_else(|| self.repeats.key(&row.iter().collect::<Vec<_>>()), str::to_owned),
            account: text(Role::Account),
            booked_on: time::format(booked),
            value_on: day(Role::Value).and_then(midnight).map(time::format),
            amount,
            currency: text(Role::Currency).or(self.currency).or_else(|| named().and_then(currency::of)),
            direction: direction(amount),
            kind: text(Role::Kind),
            counterparty: self.columns.counterparty(row, amount),
            counterparty_account: text(Role::CounterpartyAccount),
            reference: text(Role::Reference),
            category: text(Role::Category),
            note: text(Role::Note),
            balance: money(Role::Balance),
        };
        sink.record("transactions", Some(booked), &transaction)
    }

    /// What was paid, negative when it went out; or why that cannot be told.
    fn amount(&self, row: &csv::StringRecord) -> Result<f64, &'static str> {
        if self.columns.overflows(row) {
            return Err("a row with more cells than headings");
        }
        let money = |role| self.columns.get(row, role).and_then(|text| amount::parse(text, self.decimal));
        if let Some(amount) = money(Role::Amount) {
            let Some((column, reading)) = self.sign else {
                return Ok(if self.reversed { 0.0 - amount } else { amount });
            };
            let cell = row.get(column).filter(|cell| !cell.trim().is_empty());
            return reading.apply(amount, cell).ok_or("a row that does not say whether money came or went");
        }
        match (money(Role::In), money(Role::Out)) {
            (None, None) => Err("a row without an amount"),
            (received, paid) => {
                let received = received.unwrap_or_default();
                let received = if self.received_minus { received.abs() } else { received };
                Ok(received - paid.unwrap_or_default().abs())
            }
        }
    }
}

/// Whether a state says that no money moved.
fn never_happened(state: &str) -> bool {
    const STATES: [&str; 8] =
        ["reverted", "failed", "declined", "rejected", "denied", "cancelled", "canceled", "storniert"];
    STATES.contains(&state.to_lowercase().as_str())
}

/// `12.03.2024`, `2024-03-12T10:00:00`, `20240312`, `12 Mar 2024`
fn date(text: &str, order: DateOrder) -> Option<Date> {
    let figures = || dates::figures(text).and_then(|(figures, _)| figures.date(order));
    let compact = || text.parse().ok().filter(|_| text.len() == 8);
    figures()
        .or_else(|| text.get(..10).and_then(|day| day.parse().ok()))
        .or_else(compact)
        .or_else(|| dates::named(text))
}

#[cfg(test)]
mod tests;
