//! The rings of a day: how much of what was aimed at was reached.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use serde::Serialize;
use vitrine_contract::time;

use super::Attributes;
use crate::sink::{ImportError, Sink};

#[derive(Serialize)]
struct Rings<'a> {
    id: &'a str,
    day: String,
    energy: Option<f64>,
    energy_goal: Option<f64>,
    energy_unit: Option<&'a str>,
    move_minutes: Option<f64>,
    move_goal: Option<f64>,
    exercise_minutes: Option<f64>,
    exercise_goal: Option<f64>,
    stand_hours: Option<f64>,
    stand_goal: Option<f64>,
}

/// A day has no hour: it is told as its midnight in UTC.
pub(super) fn record(summary: &Attributes, place: String, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let date = summary.get("dateComponents").and_then(|day| Some((day, day.parse::<Date>().ok()?)));
    let midnight = date.and_then(|(_, date)| TimeZone::UTC.to_timestamp(date.to_datetime(Time::midnight())).ok());
    let (Some((id, _)), Some(midnight)) = (date, midnight) else {
        sink.reject("a summary without its day", place);
        return Ok(());
    };
    let rings = Rings {
        id,
        day: time::format(midnight),
        energy: summary.figure("activeEnergyBurned"),
        energy_goal: summary.figure("activeEnergyBurnedGoal"),
        energy_unit: summary.get("activeEnergyBurnedUnit"),
        move_minutes: summary.figure("appleMoveTime"),
        move_goal: summary.figure("appleMoveTimeGoal"),
        exercise_minutes: summary.figure("appleExerciseTime"),
        exercise_goal: summary.figure("appleExerciseTimeGoal"),
        stand_hours: summary.figure("appleStandHours"),
        stand_goal: summary.figure("appleStandHoursGoal"),
    };
    sink.record("days", Some(midnight), &rings)
}
