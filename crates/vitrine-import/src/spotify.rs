//! Spotify's extended streaming history: JSON arrays with one entry a play.

use serde::{Deserialize, Serialize};
use vitrine_contract::time;

use super::elements;
use super::export::{Export, Member};
use super::hash;
use super::json;
use super::kind::Importer;
use super::settings::Settings;
use super::sink::{ImportError, Sink};

pub(super) const IMPORTER: Importer = Importer::declared(
    "a Spotify extended streaming history",
    "the ZIP archive or directory with `Streaming_History_Audio_….json` files, or one of them",
    include_str!("declarations/spotify.json"),
    recognizes,
    read,
);

/// An entry as Spotify writes it.
#[derive(Deserialize)]
struct Entry {
    ts: String,
    #[serde(default)]
    ms_played: i64,
    #[serde(default, rename = "master_metadata_track_name")]
    track: Option<String>,
    #[serde(default, rename = "master_metadata_album_artist_name")]
    artist: Option<String>,
    #[serde(default, rename = "master_metadata_album_album_name")]
    album: Option<String>,
    #[serde(default)]
    spotify_track_uri: Option<String>,
    #[serde(default)]
    episode_name: Option<String>,
    #[serde(default)]
    episode_show_name: Option<String>,
    #[serde(default)]
    spotify_episode_uri: Option<String>,
    #[serde(default)]
    audiobook_title: Option<String>,
    #[serde(default)]
    audiobook_uri: Option<String>,
    #[serde(default)]
    audiobook_chapter_title: Option<String>,
    #[serde(default)]
    audiobook_chapter_uri: Option<String>,
    #[serde(default)]
    platform: Option<String>,
    #[serde(default)]
    conn_country: Option<String>,
    #[serde(default)]
    reason_start: Option<String>,
    #[serde(default)]
    reason_end: Option<String>,
    #[serde(default)]
    shuffle: Option<bool>,
    #[serde(default)]
    skipped: Option<bool>,
}

#[derive(Serialize)]
struct Play {
    id: String,
    played_at: String,
    kind: &'static str,
    title: Option<String>,
    artist: Option<String>,
    album: Option<String>,
    chapter: Option<String>,
    uri: Option<String>,
    ms_played: i64,
    platform: Option<String>,
    country: Option<String>,
    reason_start: Option<String>,
    reason_end: Option<String>,
    shuffle: Option<bool>,
    skipped: Option<bool>,
}

fn is_history(member: &Member) -> bool {
    let name = member.file_name();
    (name.starts_with("Streaming_History") || name.starts_with("endsong")) && member.has_extension("json")
}

fn recognizes(export: &mut Export) -> Result<bool, ImportError> {
    let Some(first) = export.members().iter().find(|m| is_history(m)).or(export.members().first()).cloned() else {
        return Ok(false);
    };
    let head = export.head(&first, 4_096)?;
    Ok(memchr::memmem::find(&head, b"\"ms_played\"").is_some() && memchr::memmem::find(&head, b"\"ts\"").is_some())
}

fn read(export: &mut Export, _: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let several = export.members().len() > 1;
    for member in export.select(|member| !several || is_history(member)) {
        elements::each(&mut *export.reader(&member)?, &member.name, sink, &mut |_, number, text, sink| {
            let place = || format!("{}, entry {number}", member.name);
            let Some(entry) = json::parse::<Entry>(text) else {
                sink.reject("an entry that is no play", place());
                return Ok(());
            };
            let Some(ended) = time::parse(&entry.ts) else {
                sink.reject("a play whose time cannot be read", place());
                return Ok(());
            };
            sink.record("plays", Some(ended), &play(entry, time::format(ended)))
        })?;
    }
    Ok(())
}

fn play(entry: Entry, played_at: String) -> Play {
    let (kind, title, artist, uri) = if entry.track.is_some() {
        ("track", entry.track, entry.artist, entry.spotify_track_uri)
    } else if entry.episode_name.is_some() {
        ("episode", entry.episode_name, entry.episode_show_name, entry.spotify_episode_uri)
    } else if entry.audiobook_title.is_some() {
        ("audiobook", entry.audiobook_title, entry.artist, entry.audiobook_chapter_uri.or(entry.audiobook_uri))
    } else {
        ("unknown", None, None, entry.spotify_track_uri)
    };
    let (chapter, ms_played) = (entry.audiobook_chapter_title, entry.ms_played.to_string());
    let mut parts = vec![&*played_at, uri.as_deref().unwrap_or_default(), title.as_deref().unwrap_or_default()];
    parts.push(&ms_played);
    parts.extend(chapter.as_deref());
    let id = hash::text_key(&parts);
    Play {
        id,
        played_at,
        kind,
        title,
        artist,
        album: entry.album,
        chapter,
        uri,
        ms_played: entry.ms_played,
        platform: entry.platform,
        country: entry.conn_country,
        reason_start: entry.reason_start,
        reason_end: entry.reason_end,
        shuffle: entry.shuffle,
        skipped: entry.skipped,
    }
}

#[cfg(test)]
mod tests {
    use crate::Kind;
    use crate::testing::{read, zip};

    const HISTORY: &str = r#"[
  {"ts":"2024-05-01T07:30:00Z","platform":"android","ms_played":201000,"conn_country":"DE","ip_addr":"1.2.3.4",
   "master_metadata_track_name":"Hoppípolla","master_metadata_album_artist_name":"Sigur Rós",
   "master_metadata_album_album_name":"Takk...","spotify_track_uri":"spotify:track:1","episode_name":null,
   "episode_show_name":null,"spotify_episode_uri":null,"reason_start":"clickrow","reason_end":"trackdone",
   "shuffle":false,"skipped":false,"offline":false,"offline_timestamp":null,"incognito_mode":false},
  {"ts":"2024-05-01T08:00:00Z","ms_played":900,"master_metadata_track_name":null,"episode_name":"One","episode_show_name":"Pod"},
  {"ts":"someday","ms_played":1}, {"ms_played":1}
]"#;

    #[test]
    fn plays_are_told_with_what_was_played() {
        let bytes = zip(&[
            ("Spotify Extended Streaming History/Streaming_History_Audio_2024_1.json", HISTORY.as_bytes()),
            ("Spotify Extended Streaming History/ReadMeFirst.pdf", b"%PDF"),
        ]);
        let found = read(Kind::Spotify, "my_spotify_data.zip", bytes);
        let [song, episode] = found.of("plays")[..] else { panic!("{:?}", found.records) };
        assert_eq!((&song["title"], &song["artist"]), (&"Hoppípolla".into(), &"Sigur Rós".into()));
        assert_eq!(song["played_at"], "2024-05-01T07:30:00Z");
        assert!(song.get("ip_addr").is_none(), "addresses of the network stay behind");
        assert_eq!((&episode["kind"], &episode["artist"]), (&"episode".into(), &"Pod".into()));
        assert_eq!(found.reasons(), ["a play whose time cannot be read", "an entry that is no play"]);
        assert_ne!(song["id"], episode["id"]);
    }

    #[test]
    fn chapters_of_a_book_stay_apart() {
        let chapter = |title: &str, uri: &str| {
            format!(
                r#"{{"ts":"2024-05-01T07:30:00Z","ms_played":0,"audiobook_title":"Emma","audiobook_uri":"spotify:show:1",
                "audiobook_chapter_uri":{uri},"audiobook_chapter_title":"{title}"}}"#
            )
        };
        let history = [
            chapter("One", r#""spotify:episode:1""#),
            chapter("Two", r#""spotify:episode:2""#),
            chapter("Three", "null"),
        ];
        let found = read(Kind::Spotify, "Streaming_History_Audio.json", format!("[{}]", history.join(",")));
        let [one, two, three] = found.of("plays")[..] else { panic!("{:?}", found.records) };
        assert_eq!(
            (&one["title"], &one["chapter"], &one["uri"]),
            (&"Emma".into(), &"One".into(), &"spotify:episode:1".into())
        );
        assert_eq!(three["uri"], "spotify:show:1");
        assert!(one["id"] != two["id"] && two["id"] != three["id"]);
    }
}
