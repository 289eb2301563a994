//! Codex: `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`.

use serde_json::Value;

use super::{Said, Session, instant, text};
use crate::kind::Importer;
use crate::sink::{ImportError, Sink};

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a directory of Codex sessions",
    "`~/.codex/sessions`, a directory of `rollout-….jsonl` files, or one of them",
    include_str!("../declarations/codex.json"),
    |export| super::first_log_has(export, &["\"session_meta\"", "\"response_item\""]),
    |export, _, sink| super::read_logs(export, sink, line),
);

fn line(session: &mut Session, number: u64, entry: &Value, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let at = instant(entry);
    session.seen(at);
    let Some(payload) = entry.get("payload") else { return Ok(()) };
    match text(entry, "type") {
        Some("session_meta") => about(session, payload),
        Some("turn_context") => {
            session.model = text(payload, "model").map(str::to_owned).or(session.model.take());
        }
        Some("response_item") => {
            let id = format!("{}-{number}", session.id);
            return item(session, id, payload, at, sink);
        }
        _ => {}
    }
    Ok(())
}

fn about(session: &mut Session, payload: &Value) {
    if let Some(id) = text(payload, "id") {
        id.clone_into(&mut session.id);
    }
    session.project = text(payload, "cwd").map(str::to_owned);
    session.version = text(payload, "cli_version").map(str::to_owned);
    session.branch = payload.get("git").and_then(|git| text(git, "branch")).map(str::to_owned);
}

fn item(
    session: &mut Session,
    id: String,
    payload: &Value,
    at: Option<jiff::Timestamp>,
    sink: &mut Sink<'_>,
) -> Result<(), ImportError> {
    match text(payload, "type") {
        Some("message") => {
            let role = text(payload, "role").unwrap_or("assistant");
            if !matches!(role, "user" | "assistant") {
                sink.leave_out("instructions of the program itself", id);
                return Ok(());
            }
            let blocks = payload.get("content").and_then(Value::as_array).into_iter().flatten();
            let said = blocks.filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n");
            if said.starts_with("<environment_context>") || said.starts_with("<user_instructions>") {
                sink.leave_out("instructions of the program itself", id);
                return Ok(());
            }
            session.say(&Said { id, role, tool: None, text: &said, at }, sink)
        }
        Some("function_call" | "custom_tool_call") => {
            let said = text(payload, "arguments").or(text(payload, "input")).unwrap_or_default();
            session.say(&Said { id, role: "assistant", tool: text(payload, "name"), text: said, at }, sink)
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            sink.leave_out("what a tool gave back", id);
            Ok(())
        }
        Some("reasoning") => {
            sink.leave_out("the model's thinking", id);
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Kind;
    use crate::testing::read;

    #[test]
    fn a_rollout_becomes_a_session() {
        let at = |second: u32, kind: &str, payload: serde_json::Value| {
            json!({ "timestamp": format!("2026-02-03T04:05:{second:02}Z"), "type": kind, "payload": payload })
                .to_string()
        };
        let said = |role: &str, text: &str| json!({ "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }] });
        let log = [
            at(
                0,
                "session_meta",
                json!({ "id": "s9", "cwd": "/work", "cli_version": "0.9", "git": { "branch": "dev" } }),
            ),
            at(1, "turn_context", json!({ "model": "gpt-5-codex" })),
            at(2, "response_item", said("user", "<environment_context>x")),
            at(3, "response_item", said("user", "Add a flag")),
            at(
                4,
                "response_item",
                json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}" }),
            ),
            at(5, "response_item", json!({ "type": "function_call_output", "output": "a b" })),
            at(6, "response_item", said("assistant", "Done.")),
            at(7, "event_msg", json!({ "type": "token_count" })),
        ];
        let found = read(Kind::Codex, "rollout-2026-02-03.jsonl", log.join("\n"));
        let told: Vec<_> =
            found.of("messages").iter().map(|m| json!([m["id"], m["role"], m["tool"], m["text"]])).collect();
        assert_eq!(
            json!(told),
            json!([
                ["s9-4", "user", null, "Add a flag"],
                ["s9-5", "assistant", "shell", "{\"command\":[\"ls\"]}"],
                ["s9-7", "assistant", null, "Done."]
            ])
        );
        assert_eq!(found.of("messages")[0]["model"], "gpt-5-codex");
        assert_eq!(found.of("sessions")[0]["branch"], "dev");
    }
}
