//! Apple Health: one large XML file with an element for each measurement.

mod day;
mod workout;

use std::io::{self, BufReader, Read};

use jiff::Timestamp;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Serialize;
use vitrine_contract::time;

use super::export::{Export, Member};
use super::hash;
use super::kind::Importer;
use super::settings::Settings;
use super::sink::{ImportError, Sink};
use workout::Workout;

pub(super) const IMPORTER: Importer = Importer::declared(
    "an Apple Health export",
    "the ZIP archive that Health exports, or its `export.xml`",
    include_str!("declarations/apple-health.json"),
    recognizes,
    read,
);

/// Longest piece of markup that is read.
const MAX_TAG_BYTES: u64 = 8 * 1024 * 1024;

#[derive(Serialize)]
struct Sample<'a> {
    id: String,
    #[serde(rename = "type")]
    what: &'a str,
    value: Option<f64>,
    unit: Option<&'a str>,
    category: Option<&'a str>,
    source: Option<&'a str>,
    starts_at: String,
    ends_at: Option<String>,
}

/// The file, and not the clinical documents beside it. Its name follows the phone's language.
fn is_export(member: &Member) -> bool {
    member.has_extension("xml") && !member.file_name().contains("cda") && !member.name.contains("clinical")
}

fn recognizes(export: &mut Export) -> Result<bool, ImportError> {
    let Some(member) = export.members().iter().find(|m| is_export(m)).cloned() else { return Ok(false) };
    let head = export.head(&member, 64 * 1024)?;
    Ok(memchr::memmem::find(&head, b"HealthData").is_some())
}

fn read(export: &mut Export, _: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    for member in export.select(is_export) {
        let bounded = Bounded { source: export.reader(&member)?, since_tag: 0 };
        let mut reader = Reader::from_reader(BufReader::with_capacity(256 * 1024, bounded));
        let damaged = |error: quick_xml::Error| {
            ImportError::Damaged(format!("{} is damaged or cut off: {error}. Export it again.", member.name))
        };
        let (mut buffer, mut depth) = (Vec::new(), 0_u32);
        let mut reading = Reading::default();
        loop {
            buffer.clear();
            match reader.read_event_into(&mut buffer).map_err(damaged)? {
                Event::Eof if depth > 0 => {
                    return Err(ImportError::Damaged(format!(
                        "{} is cut off: its end is missing. Export it again.",
                        member.name
                    )));
                }
                Event::Eof => break,
                Event::End(tag) => {
                    depth = depth.saturating_sub(1);
                    if tag.name().as_ref() == WORKOUT {
                        reading.close(sink)?;
                    }
                }
                Event::Start(tag) => {
                    depth += 1;
                    reading.element(&tag, sink)?;
                }
                Event::Empty(tag) => {
                    reading.element(&tag, sink)?;
                    if tag.name().as_ref() == WORKOUT {
                        reading.close(sink)?;
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

const WORKOUT: &str = "Workout";

/// Where in the file the reading is.
#[derive(Default)]
struct Reading {
    number: u64,
    /// The workout whose element is open.
    workout: Option<Workout>,
}

impl Reading {
    fn element(&mut self, tag: &BytesStart<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        self.number += 1;
        let place = || format!("element {}", self.number);
        match tag.name().as_ref() {
            "Record" => sample(&Attributes::of(tag), place(), sink),
            "ActivitySummary" => day::record(&Attributes::of(tag), place(), sink),
            WORKOUT => {
                self.workout = Workout::of(Attributes::of(tag));
                if self.workout.is_none() {
                    sink.reject(NOT_TOLD, place());
                }
                Ok(())
            }
            "WorkoutStatistics" => {
                self.workout.iter_mut().for_each(|workout| workout.measured(Attributes::of(tag)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The end of a workout's element.
    fn close(&mut self, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        self.workout.take().map_or(Ok(()), |workout| workout.record(sink))
    }
}

const NOT_TOLD: &str = "an element without type or start";

fn sample(attributes: &Attributes, place: String, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let starts = attributes.get("startDate").and_then(instant);
    let (Some(starts), Some(what)) = (starts, attributes.get("type")) else {
        sink.reject(NOT_TOLD, place);
        return Ok(());
    };
    let kinds = ["HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKDataType"];
    let what = kinds.iter().find_map(|kind| what.strip_prefix(kind)).unwrap_or(what);
    let value = attributes.figure("value");
    let category = attributes.get("value").filter(|_| value.is_none());
    let sample = Sample {
        id: attributes.key(),
        what,
        value,
        unit: attributes.get("unit"),
        category: category.map(|text| text.trim_start_matches("HKCategoryValue")),
        source: attributes.get("sourceName"),
        starts_at: time::format(starts),
        ends_at: attributes.get("endDate").and_then(instant).map(time::format),
    };
    sink.record("samples", Some(starts), &sample)
}

/// `2024-05-01 07:30:00 +0200`
fn instant(text: &str) -> Option<Timestamp> {
    jiff::fmt::strtime::parse("%Y-%m-%d %H:%M:%S %z", text).ok()?.to_timestamp().ok()
}

struct Attributes(Vec<(String, String)>);

impl Attributes {
    fn of(tag: &BytesStart<'_>) -> Self {
        let mut attributes = tag.attributes();
        let texts = attributes.with_checks(false).filter_map(Result::ok).filter_map(|attribute| {
            let value = quick_xml::escape::unescape(&attribute.value).ok()?.into_owned();
            Some((attribute.key.into_inner().to_owned(), value))
        });
        Self(texts.take(64).collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    fn figure(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(|text| text.parse::<f64>().ok()).filter(|value| value.is_finite())
    }

    /// What tells a measurement or workout from the others.
    fn key(&self) -> String {
        let parts = ["type", "workoutActivityType", "sourceName", "startDate", "endDate", "value", "unit", "duration"];
        hash::text_key(&parts.map(|part| self.get(part).unwrap_or_default()))
    }
}

/// Refuses markup whose tags never end, which the parser would hold in memory.
struct Bounded<R> {
    source: R,
    since_tag: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.since_tag = match memchr::memrchr(b'>', &buffer[..read]) {
            Some(at) => (read - at) as u64,
            None => self.since_tag + read as u64,
        };
        if self.since_tag > MAX_TAG_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "an element is longer than 8 MB"));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{read, read_export, settings, zip};
    use crate::{Export, ImportError, Kind};

    const HEALTH: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
<!ATTLIST Record type CDATA #REQUIRED>
]>
<HealthData locale="de_DE">
 <ExportDate value="2024-05-02 08:00:00 +0200"/>
 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Nora&#8217;s iPhone" unit="count" creationDate="2024-05-01 08:00:00 +0200" startDate="2024-05-01 07:30:00 +0200" endDate="2024-05-01 07:40:00 +0200" value="812"/>
 <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Watch" startDate="2024-05-01 00:00:00 +0200" endDate="2024-05-01 06:00:00 +0200" value="HKCategoryValueSleepAnalysisAsleepDeep">
  <MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>
 </Record>
 <Record type="HKQuantityTypeIdentifierHeartRate" startDate="yesterday" value="61"/>
 <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="31.5" durationUnit="min" totalDistance="5.2" totalDistanceUnit="km" sourceName="Watch" startDate="2024-05-01 18:00:00 +0200" endDate="2024-05-01 18:31:30 +0200"/>
</HealthData>"#;

    #[test]
    fn measurements_sleep_and_workouts_are_told() {
        let bytes = zip(&[
            ("apple_health_export/export_cda.xml", b"<ClinicalDocument/>"),
            ("apple_health_export/export.xml", HEALTH.as_bytes()),
        ]);
        let found = read(Kind::AppleHealth, "export.zip", bytes);
        let [steps, sleep] = found.of("samples")[..] else { panic!("{:?}", found.records) };
        assert_eq!(
            (&steps["type"], &steps["value"], &steps["unit"]),
            (&json!("StepCount"), &json!(812.0), &json!("count"))
        );
        assert_eq!((&steps["source"], &steps["starts_at"]), (&json!("Nora’s iPhone"), &json!("2024-05-01T05:30:00Z")));
        assert_eq!((&sleep["category"], &sleep["value"]), (&json!("SleepAnalysisAsleepDeep"), &json!(null)));
        let run = found.of("workouts")[0];
        assert_eq!(
            (&run["activity"], &run["minutes"], &run["distance"]),
            (&json!("Running"), &json!(31.5), &json!(5.2))
        );
        assert_eq!(found.reasons(), ["an element without type or start"]);
    }

    #[test]
    fn a_workout_tells_what_was_measured_inside_it() {
        let workout = r#"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="31.5" durationUnit="min" startDate="2024-05-01 18:00:00 +0200">
  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="321.5" unit="kcal"/>
  <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="5.1" unit="km"/>
 </Workout>"#;
        let found = read(Kind::AppleHealth, "export.xml", HEALTH.replace("</HealthData>", workout) + "</HealthData>");
        let [_, run] = found.of("workouts")[..] else { panic!("{:?}", found.records) };
        assert_eq!((&run["distance"], &run["distance_unit"]), (&json!(5.1), &json!("km")));
        assert_eq!((&run["energy"], &run["energy_unit"]), (&json!(321.5), &json!("kcal")));
    }

    #[test]
    fn the_rings_of_a_day_are_told() {
        let rings = r#"<ActivitySummary dateComponents="2024-05-01" activeEnergyBurned="402.5" activeEnergyBurnedGoal="400" activeEnergyBurnedUnit="kcal" appleMoveTime="50" appleMoveTimeGoal="60" appleExerciseTime="31" appleExerciseTimeGoal="30" appleStandHours="11" appleStandHoursGoal="12"/>
 <ActivitySummary activeEnergyBurned="0"/></HealthData>"#;
        let found = read(Kind::AppleHealth, "export.xml", HEALTH.replace("</HealthData>", rings));
        let [day] = found.of("days")[..] else { panic!("{:?}", found.records) };
        assert_eq!((&day["day"], &day["energy"]), (&json!("2024-05-01T00:00:00Z"), &json!(402.5)));
        assert_eq!((&day["exercise_minutes"], &day["stand_goal"]), (&json!(31.0), &json!(12.0)));
        assert_eq!((&day["move_minutes"], &day["move_goal"]), (&json!(50.0), &json!(60.0)));
        assert_eq!(found.reasons()[1], "a summary without its day");
    }

    #[test]
    fn an_export_that_is_cut_off_gives_what_it_has() {
        for end in [HEALTH.len() - 15, HEALTH.len() - 60] {
            let mut export = Export::of_bytes("export.xml", &HEALTH.as_bytes()[..end]).unwrap();
            let (found, ended) = read_export(Kind::AppleHealth, &mut export, &settings());
            assert_eq!(found.of("samples").len(), 2);
            assert!(matches!(ended, Err(ImportError::Damaged(_))), "{ended:?}");
        }
    }
}
