//! One hit, ready for both channels.

use serde_json::{Value, json};
use vitrine_contract::ident::{is_name, is_record_id};
use vitrine_contract::request::{ReadRequest, RecordRequest};
use vitrine_contract::route;
use vitrine_contract::search::{Hit, MatchWindow};

use crate::ids::{RecordRef, is_field, told};
use crate::render::ladder::{FieldHint, ReadCall, Rung};
use crate::render::record::{label, quoted};
use crate::render::text::{self, instant, literal, name};
use crate::render::{Frame, binary};

/// The longest excerpt of any hit.
const MAX_CHARS: usize = 160;

/// How much of a hit to show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    /// Characters of evidence; more only where the match itself is longer. None at all is for a hit that has no room.
    pub(super) chars: Option<usize>,
    /// Characters of the title.
    pub(super) title: usize,
    /// Whether the envelope says again in JSON how far the data reaches, and the details of warnings.
    pub(super) repeats: bool,
    /// Whether a result says where in its field the match stands, and how to read on where nothing follows.
    pub(super) places: bool,
}

/// A hit at a level.
pub(super) struct Shown<'a> {
    pub(super) hit: &'a Hit,
    /// The record it is, unless it is something else that no call can name.
    record: Option<RecordRef>,
    title: String,
    evidence: Option<Evidence>,
    /// Its entry in the results.
    pub(super) json: String,
    /// Its entry in the ladder.
    pub(super) rung: Option<String>,
}

/// A proven window, cut to a few words around the match.
struct Evidence {
    window: MatchWindow,
    read: ReadCall,
}

impl<'a> Shown<'a> {
    pub(super) fn new(hit: &'a Hit, level: Level, frame: Frame<'_>) -> Self {
        let is_record = is_name(&hit.stream) && is_record_id(&hit.record_key);
        let record = is_record.then(|| RecordRef::shown(&hit.connection_id, &hit.stream, &hit.record_key));
        let evidence = record.as_ref().zip(level.chars).and_then(|(record, chars)| Evidence::of(hit, record, chars));
        let title = text::elided(&hit.title, level.title).into_owned();
        let mut json = result(hit, record.as_ref(), &title, frame);
        if let Some(evidence) = &evidence {
            evidence.add_to(&mut json, level.places);
        }
        let rung = record.as_ref().zip(evidence.as_ref()).map(|(record, evidence)| evidence.rung(hit, record));
        let rung = rung.map(|rung| text::json(&rung));
        Self { hit, record, title, evidence, json: text::json(&json), rung }
    }

    /// Characters it adds to the JSON.
    pub(super) fn chars(&self) -> usize {
        self.json.chars().count() + self.rung.as_deref().map_or(0, |rung| rung.chars().count())
    }

    /// Whether its id can be fetched.
    pub(super) fn is_record(&self) -> bool {
        self.record.is_some()
    }

    /// The proof, in prose, with the call that reads on.
    pub(super) fn evidence_line(&self, rank: usize) -> Option<String> {
        let Evidence { window, read } = self.evidence.as_ref()?;
        Some(format!(
            "{rank}. {}: {} ({}, chars {}-{} of {}){} read on: {read}\n",
            literal(&window.field_path),
            literal(&window.text),
            status(window),
            window.start_chars,
            window.end_chars,
            window.total_chars,
            self.named(),
        ))
    }

    /// Who and what the hit is.
    pub(super) fn identity_line(&self, rank: usize) -> String {
        let hit = self.hit;
        let when = told(hit.authored_at.as_deref().unwrap_or(&hit.emitted_at));
        let when = when.map_or_else(String::new, |when| format!(" {}", instant(text::cut(when, 40))));
        let stream = told(&hit.stream).map_or_else(String::new, |stream| format!(" {}", name(stream)));
        let named = if self.evidence.is_some() { String::new() } else { self.named() };
        format!("{rank}. {}{}{stream}{when}{named}\n", literal(&self.title), origin(hit))
    }

    /// Its whole id, and its connection where the id does not embed it.
    fn named(&self) -> String {
        let hit = self.hit;
        let connection = || told(&hit.connection_id).map(literal);
        if let Some(record) = &self.record {
            let unnamed = connection().filter(|_| record.connection_id.is_none());
            let unnamed = unnamed.map(|id| format!(" connection_id {id} (which no call can pass)"));
            return format!(" id {}{}", quoted(record), unnamed.unwrap_or_default());
        }
        let connection = connection().map(|id| format!(" connection_id {id}")).unwrap_or_default();
        let url = link(hit).filter(|url| *url != hit.record_key).map(literal);
        let url = url.map(|url| format!(" url {url}")).unwrap_or_default();
        format!(" id {}{connection}{url} (not a record that fetch can read)", literal(&hit.record_key))
    }
}

impl Evidence {
    /// The first window that is proof, and no part of encoded bytes.
    fn of(hit: &Hit, record: &RecordRef, chars: usize) -> Option<Self> {
        let is_shown = |window: &&MatchWindow| {
            is_field(&window.field_path) && !binary::is_base64_run(&window.text, window.total_chars)
        };
        let window = around_match(hit.match_windows.iter().find(is_shown)?, chars);
        Some(Self { read: ReadCall::field(record, &window.field_path, window.start_chars), window })
    }

    fn add_to(&self, result: &mut Value, places: bool) {
        let Self { window, read } = self;
        result["evidence_preview"] = window.text.as_str().into();
        if places {
            result["match"] = json!({
                "field_path": window.field_path,
                "start_chars": window.start_chars,
                "end_chars": window.end_chars,
                "match_start_chars": window.match_start_chars,
                "match_end_chars": window.match_end_chars,
                "total_chars": window.total_chars,
                "complete": window.complete,
            });
        }
        if places || !window.complete {
            result["read"] = json!(read);
        }
    }

    fn rung(&self, hit: &Hit, record: &RecordRef) -> Rung {
        let Self { window, read } = self;
        let mut rung = Rung::new(record);
        rung.connection_id = told(&hit.connection_id).map(str::to_owned);
        rung.evidence_preview = Some(window.text.clone());
        rung.field_windows.push(FieldHint {
            field_path: window.field_path.clone(),
            preview_status: status(window),
            size_chars: window.total_chars,
            read: read.clone(),
        });
        rung
    }
}

fn status(window: &MatchWindow) -> &'static str {
    if window.complete { "complete" } else { "truncated" }
}

/// The account and the kind of source, as far as they are known.
fn origin(hit: &Hit) -> String {
    let from = |account: &str| format!(" from {}", literal(label(account)));
    let of = |key: &str| format!(" ({})", name(label(key)));
    told(&hit.display_name).map(from).unwrap_or_default() + &told(&hit.connector_key).map(of).unwrap_or_default()
}

/// The link that a provider gave to what is no record.
fn link(hit: &Hit) -> Option<&str> {
    let is_link = |url: &&str| url.starts_with("https://") || url.starts_with("http://");
    [hit.record_url.as_str(), &hit.record_key].into_iter().find(is_link)
}

fn result(hit: &Hit, record: Option<&RecordRef>, title: &str, frame: Frame<'_>) -> Value {
    let mut result = match record {
        Some(record) => {
            let read = ReadRequest::Record(RecordRequest {
                stream: hit.stream.clone(),
                id: hit.record_key.clone(),
                connection_id: told(&hit.connection_id).map(str::to_owned),
                ..RecordRequest::default()
            });
            json!({ "id": record.result_id(), "title": title, "url": frame.url(&route::path_and_query(&read)) })
        }
        None => json!({ "id": hit.record_key, "title": title }),
    };
    if let Some(url) = link(hit).filter(|_| record.is_none()) {
        result["url"] = url.into();
    }
    for (name, value) in [
        ("connection_id", hit.connection_id.as_str()),
        ("connector_key", label(&hit.connector_key)),
        ("display_name", label(&hit.display_name)),
        ("stream", &hit.stream),
        ("record_id", record.map_or("", |record| &record.record_id)),
    ] {
        if let Some(value) = told(value) {
            result[name] = value.into();
        }
    }
    if let Some(authored_at) = &hit.authored_at {
        result["authored_at"] = text::cut(authored_at, 40).into();
    }
    result
}

/// The part of a window around its match, still exactly the field's characters.
fn around_match(window: &MatchWindow, chars: usize) -> MatchWindow {
    let held = usize::try_from(window.end_chars.saturating_sub(window.start_chars)).unwrap_or(usize::MAX);
    let at = |position: u64| usize::try_from(position.saturating_sub(window.start_chars)).unwrap_or(0).min(held);
    let (from, to) = (at(window.match_start_chars), at(window.match_end_chars));
    let matched = to.saturating_sub(from);
    let chars = chars.max(matched).min(MAX_CHARS);
    if held <= chars {
        return window.clone();
    }
    let start = from.saturating_sub(chars.saturating_sub(matched) / 2).min(held - chars);
    let end_chars = window.start_chars + (start + chars) as u64;
    MatchWindow {
        text: text::slice(&window.text, start, start + chars).to_owned(),
        start_chars: window.start_chars + start as u64,
        end_chars,
        match_end_chars: window.match_end_chars.min(end_chars),
        complete: false,
        ..window.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(field: &str, from: usize, to: usize) -> MatchWindow {
        MatchWindow {
            field_path: "body".into(),
            text: field.to_owned(),
            start_chars: 100,
            end_chars: 100 + field.chars().count() as u64,
            match_start_chars: 100 + from as u64,
            match_end_chars: 100 + to as u64,
            total_chars: 5_000,
            complete: false,
        }
    }

    #[test]
    fn evidence_stays_exactly_where_it_stands_in_the_field() {
        let field = "日本 the quick brown fox jumps over the lazy dog, again and again and again.";
        let chars = field.chars().count();
        for (from, to) in [(0, 2), (17, 20), (chars - 6, chars)] {
            let cut = around_match(&window(field, from, to), 30);
            let start = usize::try_from(cut.start_chars - 100).unwrap();
            assert_eq!(cut.text, text::slice(field, start, start + 30));
            assert_eq!(cut.end_chars - cut.start_chars, 30);
            assert!(cut.start_chars <= cut.match_start_chars && cut.match_end_chars <= cut.end_chars);
        }
    }

    #[test]
    fn a_match_longer_than_the_excerpt_is_not_lost() {
        let field = "x".repeat(300);
        for (to, shown) in [(90, 80), (290, MAX_CHARS)] {
            let cut = around_match(&window(&field, 10, to), 40);
            assert_eq!(cut.text.chars().count(), shown);
            assert_eq!((cut.start_chars, cut.match_start_chars), (110, 110));
            assert_eq!((cut.end_chars, cut.match_end_chars), (110 + shown as u64, 110 + shown as u64));
        }
    }
}
