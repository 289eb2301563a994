//! Bank transactions, as banks let their customers download them.

mod amount;
mod card;
mod columns;
pub(super) mod csv;
mod currency;
mod headings;
pub(super) mod ofx;
mod sign;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use serde::Serialize;

const DECLARATION: &str = include_str!("declarations/bank.json");

#[derive(Serialize, Default)]
struct Transaction<'a> {
    id: String,
    account: Option<&'a str>,
    booked_on: String,
    value_on: Option<String>,
    amount: f64,
    currency: Option<&'a str>,
    direction: &'static str,
    kind: Option<&'a str>,
    counterparty: Option<&'a str>,
    counterparty_account: Option<&'a str>,
    reference: Option<&'a str>,
    category: Option<&'a str>,
    note: Option<&'a str>,
    balance: Option<f64>,
}

fn direction(amount: f64) -> &'static str {
    if amount < 0.0 { "out" } else { "in" }
}

/// A day of a bank has no hour: it is told as its midnight in UTC.
fn midnight(day: Date) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(day.to_datetime(Time::midnight())).ok()
}
