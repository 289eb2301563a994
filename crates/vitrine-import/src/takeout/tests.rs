use serde_json::{Value, json};

use crate::Kind;
use crate::testing::{Found, read, zip};

const WATCHED: &str = r#"[{"header":"YouTube","title":"Watched Rye bread in 60 minutes","titleUrl":"https://www.youtube.com/watch?v=1",
  "subtitles":[{"name":"Bread Channel","url":"https://www.youtube.com/channel/1"}],"time":"2024-05-01T17:30:00.123Z","products":["YouTube"],
  "activityControls":["YouTube watch history"]},
 {"header":"YouTube","title":"Watched a video that has been removed","time":"2024-05-01T17:00:00Z","products":["YouTube"]},
 {"header":"YouTube","title":"No time","time":"later"}]"#;
const SEARCHED: &str = r#"[{"header":"Search","title":"Searched for sourdough starter","titleUrl":"https://www.google.com/search?q=x","time":"2024-04-30T08:00:00Z","products":["Search"]}]"#;
const PAGE: &str = "<html><body><div class=\"mdl-grid\"><div class=\"outer-cell mdl-cell mdl-cell--12-col\"><div class=\"mdl-grid\">\
<div class=\"header-cell mdl-cell\"><p class=\"mdl-typography--title\">YouTube<br></p></div>\
<div class=\"content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1\">Watched\u{a0}<a href=\"https://www.youtube.com/watch?v=1&amp;t=2\">Rye &amp; spelt</a><br>\
<a href=\"https://www.youtube.com/channel/1\">Bread Channel</a><br>May 1, 2024, 7:30:00\u{202f}PM CEST<br></div>\
<div class=\"content-cell mdl-cell mdl-typography--body-1 mdl-typography--text-right\"></div></div></div>\
<div class=\"outer-cell mdl-cell\"><div class=\"content-cell mdl-cell mdl-typography--body-1\">Watched\u{a0}<a href=\"https://x\">y</a><br>2024年5月1日<br></div></div></div></body></html>";

fn told(found: &Found) -> Value {
    found.of("activity").iter().map(|a| json!([a["action"], a["title"], a["channel"], a["happened_at"]])).collect()
}

#[test]
fn what_was_watched_and_searched_is_told() {
    let bytes = zip(&[
        ("Takeout/YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.json", WATCHED.as_bytes()),
        ("Takeout/Meine Aktivitäten/Google Suche/MeineAktivitäten.json", SEARCHED.as_bytes()),
        ("Takeout/Mail/Alle.mbox", b"From x"),
        ("Takeout/archive_browser.html", b"<html>"),
    ]);
    let found = read(Kind::GoogleTakeout, "takeout-20240502.zip", bytes);
    assert_eq!(
        told(&found),
        json!([
            ["Watched", "Rye bread in 60 minutes", "Bread Channel", "2024-05-01T17:30:00.123Z"],
            ["Watched", "a video that has been removed", null, "2024-05-01T17:00:00Z"],
            ["Searched for", "sourdough starter", null, "2024-04-30T08:00:00Z"],
        ])
    );
    assert_eq!(
        found.reasons(),
        [
            "an activity whose time cannot be read",
            "mail: import it with `vitrine import mbox`",
            "a part of the Takeout that is not imported"
        ]
    );
}

#[test]
fn a_page_tells_what_the_json_tells() {
    let found = read(Kind::GoogleTakeout, "watch-history.html", PAGE);
    assert_eq!(told(&found), json!([["Watched", "Rye & spelt", "Bread Channel", "2024-05-01T17:30:00Z"]]));
    assert_eq!(found.of("activity")[0]["url"], "https://www.youtube.com/watch?v=1&t=2");
    assert_eq!(found.reasons().len(), 1);
}

#[test]
fn a_page_s_times_are_in_the_zone_it_prints() {
    for (printed, at) in [
        ("Mar 12, 2024, 9:45:03\u{202f}PM PST", "2024-03-13T05:45:03Z"),
        ("12 Mar 2024, 21:45:03 GMT+5:30", "2024-03-12T16:15:03Z"),
        ("12.03.2024, 21:45:03 MEZ", "2024-03-12T20:45:03Z"),
    ] {
        let found = read(Kind::GoogleTakeout, "a.html", PAGE.replace("May 1, 2024, 7:30:00\u{202f}PM CEST", printed));
        assert_eq!(told(&found)[0][3], at, "{printed}");
    }
}

#[test]
fn each_form_of_the_location_history_is_read() {
    let records = r#"{"locations":[{"latitudeE7":525200000,"longitudeE7":134050000,"accuracy":20,"source":"WIFI","timestamp":"2023-05-01T10:00:00Z"},
        {"latitudeE7":525200000,"longitudeE7":134050000,"timestampMs":"1500000000000"},{"latitudeE7":3956084951,"longitudeE7":4225384951,"timestamp":"2012-05-01T10:00:00Z"},{"latitudeE7":9999999999,"longitudeE7":1,"timestamp":"2023-05-01T10:00:00Z"}]}"#;
    let found = read(Kind::GoogleTakeout, "Records.json", records);
    let positions: Vec<_> =
        found.of("positions").iter().map(|p| json!([p["latitude"], p["longitude"], p["recorded_at"]])).collect();
    assert_eq!(
        json!(positions),
        json!([
            [52.52, 13.405, "2023-05-01T10:00:00Z"],
            [52.52, 13.405, "2017-07-14T02:40:00Z"],
            [-33.888_234_5, -6.958_234_5, "2012-05-01T10:00:00Z"]
        ])
    );
    assert_eq!(found.reasons(), ["a position without a time or a place on earth"]);

    let semantic = r#"{"timelineObjects":[{"placeVisit":{"location":{"latitudeE7":525200000,"longitudeE7":134050000,"placeId":"p1","address":"Am Deich 1","name":"Bakery"},
        "duration":{"startTimestamp":"2023-05-01T08:00:00Z","endTimestamp":"2023-05-01T08:20:00Z"}}},
        {"activitySegment":{"startLocation":{"latitudeE7":525200000,"longitudeE7":134050000},"endLocation":{"latitudeE7":1,"longitudeE7":2},
        "duration":{"startTimestamp":"2023-05-01T08:20:00Z","endTimestamp":"2023-05-01T08:40:00Z"},"distance":2100,"activityType":"CYCLING"}}]}"#;
    let nested = semantic.replace(
        r#""duration":{"startTimestamp":"2023-05-01T08:00:00Z""#,
        r#""childVisits":[{},{}],"duration":{"startTimestamp":"2023-05-01T08:00:00Z""#,
    );
    assert_eq!(read(Kind::GoogleTakeout, "2023_MAY.json", nested).reasons(), ["a visit inside another"; 2]);
    let android = r#"{"semanticSegments":[{"startTime":"2023-05-01T10:00:00.000+02:00","endTime":"2023-05-01T10:20:00.000+02:00","visit":{"topCandidate":{"placeId":"p1",
        "semanticType":"TYPE_HOME","placeLocation":{"latLng":"52.52°, 13.405°"}}}},{"startTime":"2023-05-01T10:20:00+02:00","endTime":"2023-05-01T10:40:00+02:00",
        "activity":{"start":{"latLng":"52.52°, 13.405°"},"end":{"latLng":"1°, 2°"},"distanceMeters":2100.5,"topCandidate":{"type":"CYCLING"}}},
        {"startTime":"2023-05-01T10:20:00+02:00","endTime":"2023-05-01T10:40:00+02:00","timelinePath":[]}],"rawSignals":[{"position":{}}]}"#;
    let ios = r#"[{"startTime":"2023-05-01T10:00:00+02:00","endTime":"2023-05-01T10:20:00+02:00","visit":{"topCandidate":{"placeID":"p1","placeLocation":"geo:52.52,13.405"}}},
        {"startTime":"2023-05-01T10:20:00+02:00","endTime":"2023-05-01T10:40:00+02:00","activity":{"start":"geo:52.52,13.405","end":"geo:1,2","distanceMeters":"2100","topCandidate":{"type":"cycling"}}}]"#;
    for (file, text) in [("2023_MAY.json", semantic), ("Timeline.json", android), ("location-history.json", ios)] {
        let found = read(Kind::GoogleTakeout, file, text);
        let (visit, trip) = (found.of("visits")[0], found.of("trips")[0]);
        assert_eq!((&visit["place_id"], &visit["starts_at"]), (&json!("p1"), &json!("2023-05-01T08:00:00Z")), "{file}");
        assert_eq!(visit["longitude"], 13.405, "{file}");
        assert_eq!(trip["ends_at"], "2023-05-01T08:40:00Z", "{file}");
        assert!(trip["distance_meters"].as_f64().unwrap() >= 2100.0, "{file}");
    }
}

#[test]
fn an_action_is_a_word_of_its_own() {
    let entry = |title: &str| {
        format!(r#"[{{"header":"Search","title":"{title}","time":"2024-04-30T08:00:00Z","products":["Search"]}}]"#)
    };
    for (title, expected) in [
        ("Usedom holiday", json!([null, "Usedom holiday"])),
        ("Readme", json!([null, "Readme"])),
        ("Used Maps", json!(["Used", "Maps"])),
        ("Watched\u{a0}Momo", json!(["Watched", "Momo"])),
    ] {
        let found = read(Kind::GoogleTakeout, "MyActivity.json", entry(title));
        let activity = found.of("activity")[0];
        assert_eq!(json!([activity["action"], activity["title"]]), expected, "{title}");
    }
}
