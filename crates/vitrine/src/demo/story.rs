//! What happens to the person, decided once so that all accounts agree on it.

mod concerts;
mod spending;
mod trips;
mod visits;

pub(crate) use concerts::{Concert, RECORDINGS, Recording};
pub(crate) use spending::{Bill, Order, euros};
pub(crate) use trips::{TRIPS, Trip};
pub(crate) use visits::Visit;

/// Five years, as far as several accounts know of them.
pub(crate) struct Story {
    /// Invoices that came and were paid.
    pub(crate) bills: Vec<Bill>,
    /// Things ordered from shops.
    pub(crate) orders: Vec<Order>,
    /// Concerts.
    pub(crate) concerts: Vec<Concert>,
    /// Appointments with doctors.
    pub(crate) visits: Vec<Visit>,
}

impl Story {
    /// Decides it; always the same way.
    pub(crate) fn decided() -> Self {
        Self {
            bills: spending::bills(),
            orders: spending::orders(),
            concerts: concerts::concerts(),
            visits: visits::visits(),
        }
    }
}
