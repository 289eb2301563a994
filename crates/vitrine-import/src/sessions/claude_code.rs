//! Claude Code: `~/.claude/projects/<project>/<session>.jsonl`.

use serde_json::Value;

use super::{OF_THE_PROGRAM, Said, Session, has, instant, text};
use crate::kind::Importer;
use crate::sink::{ImportError, Sink};

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a directory of Claude Code sessions",
    "`~/.claude/projects`, a directory of `.jsonl` files, or one of them",
    include_str!("../declarations/claude-code.json"),
    |export| super::some_log(export, |head| has(head, "\"sessionId\"") || has(head, "\"leafUuid\"")),
    |export, _, sink| super::read_logs(export, sink, line),
);

fn line(session: &mut Session, number: u64, entry: &Value, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let kind = text(entry, "type").unwrap_or_default();
    if !matches!(kind, "user" | "assistant") {
        return Ok(());
    }
    let at = instant(entry);
    session.seen(at);
    let known = |known: &mut Option<String>, field: &str| {
        if known.is_none() {
            *known = text(entry, field).map(str::to_owned);
        }
    };
    known(&mut session.project, "cwd");
    known(&mut session.branch, "gitBranch");
    known(&mut session.version, "version");
    let Some(message) = entry.get("message") else { return Ok(()) };
    session.model = text(message, "model").map(str::to_owned).or(session.model.take());
    let id = text(entry, "uuid").map_or_else(|| format!("{}-{number}", session.id), str::to_owned);
    if ["isMeta", "isCompactSummary"].iter().any(|mark| entry.get(mark) == Some(&Value::Bool(true))) {
        sink.leave_out(OF_THE_PROGRAM, id);
        return Ok(());
    }
    match message.get("content") {
        Some(Value::String(said)) => session.say(&Said { id, role: kind, tool: None, text: said, at }, sink),
        Some(Value::Array(blocks)) => {
            for (part, block) in blocks.iter().enumerate() {
                let id = if part == 0 { id.clone() } else { format!("{id}-{part}") };
                let arguments;
                let (tool, said) = match text(block, "type") {
                    Some("text") => (None, text(block, "text")),
                    Some("tool_use") => {
                        arguments = block.get("input").map(Value::to_string).unwrap_or_default();
                        (text(block, "name"), Some(arguments.as_str()))
                    }
                    Some(other @ ("tool_result" | "thinking" | "image")) => {
                        sink.leave_out(left_out(other), id);
                        continue;
                    }
                    _ => continue,
                };
                if let Some(said) = said {
                    session.say(&Said { id, role: kind, tool, text: said, at }, sink)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn left_out(block: &str) -> &'static str {
    match block {
        "tool_result" => "what a tool gave back",
        "thinking" => "the model's thinking",
        _ => "an image",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::OF_THE_PROGRAM;
    use crate::testing::{read, read_export, settings};
    use crate::{Export, Kind};

    #[test]
    fn prompts_answers_and_tool_calls_are_told() {
        let lines = [
            json!({ "type": "summary", "summary": "Fix it", "leafUuid": "u3" }),
            json!({ "type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-01-02T03:04:05.678Z", "cwd": "/home/n/shop",
                "gitBranch": "main", "version": "2.0.1", "message": { "role": "user", "content": "Fix the tests" } }),
            json!({ "type": "assistant", "uuid": "u2", "sessionId": "s1", "timestamp": "2026-01-02T03:04:09Z", "message": {
                "role": "assistant", "model": "claude-x", "content": [{ "type": "thinking", "thinking": "hm" },
                { "type": "text", "text": "On it." }, { "type": "tool_use", "name": "Bash", "input": { "command": "cargo test" } }] } }),
            json!({ "type": "user", "uuid": "u3", "sessionId": "s1", "timestamp": "2026-01-02T03:05:00Z", "message": {
                "role": "user", "content": [{ "type": "tool_result", "content": "ok" }] } }),
            json!({ "type": "user", "uuid": "u4", "isMeta": true, "message": { "role": "user", "content": "Caveat: …" } }),
            json!({ "type": "user", "uuid": "u5", "isCompactSummary": true, "message": { "content": "This session …" } }),
            json!({ "type": "user", "uuid": "u6", "isMeta": false, "message": { "role": "user", "content": "Thanks" } }),
        ];
        let mut log = lines.map(|line| line.to_string()).join("\n");
        log.push_str("\n{\"type\":\"user\",\"cut");
        let found = read(Kind::ClaudeCode, "5b1f.jsonl", log);
        let told: Vec<_> =
            found.of("messages").iter().map(|m| json!([m["id"], m["kind"], m["model"], m["text"]])).collect();
        assert_eq!(
            json!(told),
            json!([
                ["u1", "text", null, "Fix the tests"],
                ["u2-1", "text", "claude-x", "On it."],
                ["u2-2", "tool_call", "claude-x", "{\"command\":\"cargo test\"}"],
                ["u6", "text", null, "Thanks"]
            ])
        );
        let session = found.of("sessions")[0];
        assert_eq!((&session["id"], &session["project"]), (&json!("5b1f"), &json!("/home/n/shop")));
        assert_eq!((&session["ended_at"], &session["message_count"]), (&json!("2026-01-02T03:05:00Z"), &json!(4)));
        assert_eq!(
            found.reasons(),
            ["the model's thinking", "what a tool gave back", OF_THE_PROGRAM, OF_THE_PROGRAM, "a line that is no JSON"]
        );
    }

    #[test]
    fn a_first_log_without_messages_refuses_no_directory() {
        let directory = tempfile::tempdir().unwrap();
        let snapshot = json!({ "type": "file-history-snapshot", "messageId": "m", "snapshot": {} }).to_string();
        let log =
            json!({ "type": "user", "uuid": "u1", "sessionId": "s1", "message": { "content": "Hi" } }).to_string();
        for (name, text) in [("a.jsonl", ""), ("b.jsonl", &snapshot), ("c.jsonl", &log)] {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let mut export = Export::open(directory.path()).unwrap();
        Kind::ClaudeCode.check(&mut export).expect("it is of this kind");
        let (found, _) = read_export(Kind::ClaudeCode, &mut export, &settings());
        assert_eq!((found.of("messages").len(), found.reasons()), (1, vec!["a session without messages"; 2]));
    }

    #[test]
    fn arguments_that_are_cut_say_so() {
        let input = json!({ "content": "é".repeat(10_000) });
        let log = json!({ "type": "assistant", "uuid": "u", "sessionId": "s", "message": {
            "content": [{ "type": "tool_use", "name": "Write", "input": input }] } });
        let found = read(Kind::ClaudeCode, "s.jsonl", log.to_string());
        let text = found.of("messages")[0]["text"].as_str().unwrap().to_owned();
        assert!(text.len() < 9_000 && text.ends_with("… (cut: 6014 more characters)"), "{}", &text[text.len() - 60..]);
    }
}
