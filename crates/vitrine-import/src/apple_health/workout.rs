//! A workout: an element, and in newer exports what was measured during it inside.

use jiff::Timestamp;
use serde::Serialize;
use vitrine_contract::time;

use super::{Attributes, instant};
use crate::sink::{ImportError, Sink};

/// Statistics of one workout that are looked at.
const MAX_STATISTICS: usize = 64;

/// A workout while its element is open.
pub(super) struct Workout {
    attributes: Attributes,
    starts: Timestamp,
    statistics: Vec<Attributes>,
}

#[derive(Serialize)]
struct Record<'a> {
    id: String,
    activity: &'a str,
    minutes: Option<f64>,
    distance: Option<f64>,
    distance_unit: Option<&'a str>,
    energy: Option<f64>,
    energy_unit: Option<&'a str>,
    source: Option<&'a str>,
    starts_at: String,
    ends_at: Option<String>,
}

impl Workout {
    /// The workout of an element, if it says what and when.
    pub(super) fn of(attributes: Attributes) -> Option<Self> {
        attributes.get("workoutActivityType")?;
        let starts = attributes.get("startDate").and_then(instant)?;
        Some(Self { attributes, starts, statistics: Vec::new() })
    }

    /// Something measured during it.
    pub(super) fn measured(&mut self, statistics: Attributes) {
        if self.statistics.len() < MAX_STATISTICS {
            self.statistics.push(statistics);
        }
    }

    pub(super) fn record(&self, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let Self { attributes, starts, .. } = self;
        let minutes = attributes.figure("duration").map(|duration| match attributes.get("durationUnit") {
            Some("s" | "sec") => duration / 60.0,
            Some("hr" | "h") => duration * 60.0,
            _ => duration,
        });
        let (distance, distance_unit) = self.total("totalDistance", "totalDistanceUnit", "Distance");
        let (energy, energy_unit) = self.total("totalEnergyBurned", "totalEnergyBurnedUnit", "ActiveEnergyBurned");
        let activity = attributes.get("workoutActivityType").unwrap_or_default();
        let record = Record {
            id: attributes.key(),
            activity: activity.trim_start_matches("HKWorkoutActivityType"),
            minutes,
            distance,
            distance_unit,
            energy,
            energy_unit,
            source: attributes.get("sourceName"),
            starts_at: time::format(*starts),
            ends_at: attributes.get("endDate").and_then(instant).map(time::format),
        };
        sink.record("workouts", Some(*starts), &record)
    }

    /// A total with its unit: from the element itself, else from the first statistics of such a type.
    fn total(&self, attribute: &str, unit: &str, kind: &str) -> (Option<f64>, Option<&str>) {
        if let Some(total) = self.attributes.figure(attribute) {
            return (Some(total), self.attributes.get(unit));
        }
        let is_kind = |statistics: &&Attributes| {
            let what = statistics.get("type").and_then(|what| what.strip_prefix("HKQuantityTypeIdentifier"));
            what.is_some_and(|what| what.starts_with(kind))
        };
        let found = self.statistics.iter().find(is_kind);
        found.map_or((None, None), |statistics| (statistics.figure("sum"), statistics.get("unit")))
    }
}
