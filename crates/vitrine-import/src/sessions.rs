//! Sessions with coding agents, from the logs they keep: JSON lines, one file a session.

pub(super) mod claude_code;
pub(super) mod codex;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use vitrine_contract::{chars, time};

use super::export::{Export, Member};
use super::json;
use super::lines::{LineRead, MAX_LINE_BYTES, read_line};
use super::sink::{ImportError, Sink};

/// Characters kept of a tool call's arguments; the rest is files and patches.
const MAX_ARGUMENT_CHARS: usize = 4_000;

/// Why what no person wrote becomes no prompt.
const OF_THE_PROGRAM: &str = "instructions of the program itself";

/// Logs that are looked into to know what they are.
const MAX_LOOKED_INTO: usize = 20;

/// A session while its log is read.
#[derive(Default)]
struct Session {
    id: String,
    /// Whether it has said what it is.
    told: bool,
    project: Option<String>,
    branch: Option<String>,
    version: Option<String>,
    model: Option<String>,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    messages: u64,
}

/// Something that was said or done.
struct Said<'a> {
    id: String,
    role: &'a str,
    tool: Option<&'a str>,
    text: &'a str,
    at: Option<Timestamp>,
}

#[derive(Serialize)]
struct SessionRecord<'a> {
    id: &'a str,
    project: Option<&'a str>,
    branch: Option<&'a str>,
    version: Option<&'a str>,
    started_at: Option<String>,
    ended_at: Option<String>,
    message_count: u64,
}

#[derive(Serialize)]
struct MessageRecord<'a> {
    id: &'a str,
    session_id: &'a str,
    position: u64,
    role: &'a str,
    kind: &'a str,
    tool: Option<&'a str>,
    model: Option<&'a str>,
    project: Option<&'a str>,
    text: String,
    created_at: Option<String>,
}

impl Session {
    fn seen(&mut self, at: Option<Timestamp>) {
        self.started_at = self.started_at.or(at);
        self.ended_at = self.ended_at.max(at);
    }

    fn say(&mut self, said: &Said<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let text = if said.tool.is_some() { arguments(said.text) } else { said.text.to_owned() };
        let record = MessageRecord {
            id: &said.id,
            session_id: &self.id,
            position: self.messages,
            role: said.role,
            kind: if said.tool.is_some() { "tool_call" } else { "text" },
            tool: said.tool,
            model: self.model.as_deref().filter(|_| said.role == "assistant"),
            project: self.project.as_deref(),
            text,
            created_at: said.at.map(time::format),
        };
        self.messages += 1;
        sink.record("messages", said.at, &record)
    }

    fn record(&self, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let record = SessionRecord {
            id: &self.id,
            project: self.project.as_deref(),
            branch: self.branch.as_deref(),
            version: self.version.as_deref(),
            started_at: self.started_at.map(time::format),
            ended_at: self.ended_at.map(time::format),
            message_count: self.messages,
        };
        sink.record("sessions", self.ended_at, &record)
    }
}

/// The arguments of a tool call, which say where they are cut.
fn arguments(text: &str) -> String {
    let Some(end) = chars::offset(text, MAX_ARGUMENT_CHARS) else { return text.to_owned() };
    format!("{}… (cut: {} more characters)", &text[..end], text[end..].chars().count())
}

/// Reads every log with `line`, which takes one line of it.
fn read_logs(
    export: &mut Export,
    sink: &mut Sink<'_>,
    line: fn(&mut Session, u64, &Value, &mut Sink<'_>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    for member in export.select(is_log) {
        let stem = member.file_name().trim_end_matches(".jsonl").to_owned();
        let mut session = Session { id: stem, ..Session::default() };
        let mut reader = export.reader(&member)?;
        let (mut buffer, mut number) = (Vec::new(), 0);
        loop {
            buffer.clear();
            number += 1;
            let place = || format!("{}, line {number}", member.name);
            match read_line(&mut *reader, &mut buffer, MAX_LINE_BYTES)? {
                LineRead::End => break,
                LineRead::Cut => sink.reject("a line longer than 64 MB", place()),
                LineRead::Whole if buffer.trim_ascii().is_empty() => {}
                LineRead::Whole => match json::parse(&buffer) {
                    Some(entry) => line(&mut session, number, &entry, sink)?,
                    None => sink.reject("a line that is no JSON", place()),
                },
            }
        }
        if session.messages == 0 {
            sink.leave_out("a session without messages", member.name);
        } else {
            session.record(sink)?;
        }
    }
    Ok(())
}

fn is_log(member: &Member) -> bool {
    member.has_extension("jsonl")
}

/// Whether one of the first logs starts like this. Some have nothing in them but a snapshot.
fn some_log(export: &mut Export, is_one: fn(&[u8]) -> bool) -> Result<bool, ImportError> {
    let logs = export.members().iter().filter(|member| is_log(member) && member.size > 0);
    for log in logs.take(MAX_LOOKED_INTO).cloned().collect::<Vec<_>>() {
        if is_one(&export.head(&log, 64 * 1024)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has(head: &[u8], mark: &str) -> bool {
    memchr::memmem::find(head, mark.as_bytes()).is_some()
}

fn text<'a>(entry: &'a Value, field: &str) -> Option<&'a str> {
    entry.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn instant(entry: &Value) -> Option<Timestamp> {
    text(entry, "timestamp").and_then(time::parse)
}
