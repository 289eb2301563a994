//! What an export does not say about itself.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// What an importer needs to know beside the export.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The zone of times that come without one.
    pub time_zone: TimeZone,
    /// The order of day and month in dates that come in figures, when the owner said.
    pub date_order: Option<DateOrder>,
    /// The present.
    pub now: Timestamp,
}

/// How a date in figures is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DateOrder {
    /// 31.12.2026
    Dmy,
    /// 12/31/2026
    Mdy,
    /// 2026-12-31
    Ymd,
}
