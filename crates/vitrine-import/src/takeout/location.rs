//! Location history: the records of the old export, its semantic files, and the timeline that
//! phones export today.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use vitrine_contract::time;

use crate::hash;
use crate::json;
use crate::sink::{ImportError, Sink};

#[derive(Serialize)]
struct Position<'a> {
    id: String,
    latitude: f64,
    longitude: f64,
    accuracy_meters: Option<f64>,
    source: Option<&'a str>,
    recorded_at: String,
}

#[derive(Serialize)]
struct Visit<'a> {
    id: String,
    name: Option<&'a str>,
    address: Option<&'a str>,
    place_id: Option<&'a str>,
    kind: Option<&'a str>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    starts_at: String,
    ends_at: Option<String>,
}

#[derive(Serialize)]
struct Trip<'a> {
    id: String,
    mode: Option<&'a str>,
    distance_meters: Option<f64>,
    start_latitude: Option<f64>,
    start_longitude: Option<f64>,
    end_latitude: Option<f64>,
    end_longitude: Option<f64>,
    starts_at: String,
    ends_at: Option<String>,
}

type Point = (f64, f64);

/// Takes an entry of one of the arrays: `locations`, `timelineObjects`, `semanticSegments`, or the
/// document itself.
pub(super) fn take(array: &str, text: &[u8], place: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let Some(entry) = json::parse::<Value>(text) else {
        sink.reject("an entry that is no JSON", place);
        return Ok(());
    };
    match array {
        "locations" => position(&entry, place, sink),
        "timelineObjects" => {
            let (visit_entry, trip_entry) = (&entry["placeVisit"], &entry["activitySegment"]);
            let told = if visit_entry.is_object() { visit_entry } else { trip_entry };
            let span =
                Span::of(&told["duration"], ["startTimestamp", "endTimestamp"], ["startTimestampMs", "endTimestampMs"]);
            for _ in visit_entry["childVisits"].as_array().into_iter().flatten() {
                sink.leave_out("a visit inside another", place);
            }
            if visit_entry.is_object() {
                visit(&visit_entry["location"], span, place, sink)
            } else {
                trip(trip_entry, span, place, sink)
            }
        }
        "" | "semanticSegments" => {
            let span = Span::of(&entry, ["startTime", "endTime"], ["", ""]);
            if entry["visit"].is_object() {
                visit(&entry["visit"]["topCandidate"], span, place, sink)
            } else if entry["activity"].is_object() {
                trip(&entry["activity"], span, place, sink)
            } else {
                sink.leave_out("a path between places", place);
                Ok(())
            }
        }
        _ => {
            sink.leave_out("raw signals of the phone", place);
            Ok(())
        }
    }
}

/// From when to when.
struct Span {
    start: Timestamp,
    end: Option<Timestamp>,
}

impl Span {
    fn of(value: &Value, texts: [&str; 2], millis: [&str; 2]) -> Option<Self> {
        let at = |n: usize| instant(&value[texts[n]], &value[millis[n]]);
        Some(Self { start: at(0)?, end: at(1) })
    }

    fn ends_at(&self) -> Option<String> {
        self.end.map(time::format)
    }
}

fn instant(text: &Value, millis: &Value) -> Option<Timestamp> {
    let millis = || millis.as_str()?.parse().ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
    text.as_str().and_then(time::parse).or_else(millis)
}

fn position(entry: &Value, place: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let at = instant(&entry["timestamp"], &entry["timestampMs"]);
    let (Some(at), Some((latitude, longitude))) = (at, point(entry)) else {
        sink.reject("a position without a time or a place on earth", place);
        return Ok(());
    };
    let source = entry["source"].as_str();
    let recorded_at = time::format(at);
    let id = hash::text_key(&[&recorded_at, &format!("{latitude},{longitude}"), source.unwrap_or_default()]);
    let accuracy_meters = entry["accuracy"].as_f64();
    sink.record("positions", Some(at), &Position { id, latitude, longitude, accuracy_meters, source, recorded_at })
}

fn visit(location: &Value, span: Option<Span>, place: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let Some(span) = span else {
        sink.reject("a stay whose time cannot be read", place);
        return Ok(());
    };
    let text = |names: &[&str]| names.iter().find_map(|name| location[*name].as_str());
    let at = point(location).or_else(|| point_in(&location["placeLocation"]));
    let place_id = text(&["placeId", "placeID"]);
    let starts_at = time::format(span.start);
    let visit = Visit {
        id: hash::text_key(&["visit", &starts_at, place_id.unwrap_or_default(), &format!("{at:?}")]),
        name: text(&["name"]),
        address: text(&["address"]),
        place_id,
        kind: text(&["semanticType"]).map(|kind| kind.trim_start_matches("TYPE_")),
        latitude: at.map(|at| at.0),
        longitude: at.map(|at| at.1),
        starts_at,
        ends_at: span.ends_at(),
    };
    sink.record("visits", Some(span.start), &visit)
}

fn trip(entry: &Value, span: Option<Span>, place: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let Some(span) = span else {
        sink.reject("a trip whose time cannot be read", place);
        return Ok(());
    };
    let start = point(&entry["startLocation"]).or_else(|| point_in(&entry["start"]));
    let end = point(&entry["endLocation"]).or_else(|| point_in(&entry["end"]));
    let mode = entry["activityType"].as_str().or_else(|| entry["topCandidate"]["type"].as_str());
    let distance = ["distance", "distanceMeters"].iter().find_map(|name| number(&entry[*name]));
    let starts_at = time::format(span.start);
    let trip = Trip {
        id: hash::text_key(&["trip", &starts_at, mode.unwrap_or_default(), &format!("{start:?}{end:?}")]),
        mode,
        distance_meters: distance,
        start_latitude: start.map(|at| at.0),
        start_longitude: start.map(|at| at.1),
        end_latitude: end.map(|at| at.0),
        end_longitude: end.map(|at| at.1),
        starts_at,
        ends_at: span.ends_at(),
    };
    sink.record("trips", Some(span.start), &trip)
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// Degrees times ten million. Old exports write what is west or south as numbers that have no sign.
fn point(value: &Value) -> Option<Point> {
    let signed = |e7: f64| if e7 > f64::from(i32::MAX) { e7 - 2_f64.powi(32) } else { e7 };
    let degrees = |name: &str| value[name].as_f64().map(|e7| signed(e7) / 1e7);
    on_earth((degrees("latitudeE7")?, degrees("longitudeE7")?))
}

/// `"52.52°, 13.40°"` in `latLng`, or `"geo:52.52,13.40"`.
fn point_in(value: &Value) -> Option<Point> {
    let text = value["latLng"].as_str().or_else(|| value.as_str())?;
    let (latitude, longitude) = text.trim_start_matches("geo:").split_once(',')?;
    let degrees = |text: &str| text.trim().trim_end_matches('°').parse().ok();
    on_earth((degrees(latitude)?, degrees(longitude)?))
}

fn on_earth(point: Point) -> Option<Point> {
    (point.0.abs() <= 90.0 && point.1.abs() <= 180.0).then_some(point)
}
