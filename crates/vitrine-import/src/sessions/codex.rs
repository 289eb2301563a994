//! Codex: `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`.

use serde_json::Value;

use super::{OF_THE_PROGRAM, Said, Session, has, instant, text};
use crate::kind::Importer;
use crate::sink::{ImportError, Sink};

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a directory of Codex sessions",
    "`~/.codex/sessions`, a directory of `rollout-….jsonl` files, or one of them",
    include_str!("../declarations/codex.json"),
    |export| super::some_log(export, is_rollout),
    |export, _, sink| super::read_logs(export, sink, line),
);

/// How texts start that Codex itself puts among the prompts.
const NO_PROMPTS: [&str; 4] =
    ["<environment_context>", "<user_instructions>", "# AGENTS.md instructions for ", "<turn_aborted>"];

/// The first versions put what they say of the session first, and the items bare after it.
fn is_rollout(head: &[u8]) -> bool {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_old = ["\"id\"", "\"timestamp\"", "\"instructions\""].iter().all(|field| has(first, field));
    is_old || has(head, "\"session_meta\"") || has(head, "\"response_item\"")
}

fn line(session: &mut Session, number: u64, entry: &Value, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let at = instant(entry);
    session.seen(at);
    let Some(payload) = entry.get("payload") else {
        if number == 1 && entry.get("type").is_none() {
            about(session, entry);
            return Ok(());
        }
        let id = format!("{}-{number}", session.id);
        return item(session, id, entry, at.or(session.started_at), sink);
    };
    match text(entry, "type") {
        // A fork goes on with what the session it came from says of itself.
        Some("session_meta") if !session.told => about(session, payload),
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
    session.told = true;
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
                sink.leave_out(OF_THE_PROGRAM, id);
                return Ok(());
            }
            let blocks = || payload.get("content").and_then(Value::as_array).into_iter().flatten();
            let said = blocks().filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n");
            let images =
                blocks().filter(|block| text(block, "type").is_some_and(|kind| kind.ends_with("image"))).count();
            for _ in 0..images {
                sink.leave_out("an image", &id);
            }
            if images > 0 && said.is_empty() {
                return Ok(());
            }
            if role == "user" && NO_PROMPTS.iter().any(|start| said.starts_with(start)) {
                sink.leave_out(OF_THE_PROGRAM, id);
                return Ok(());
            }
            session.say(&Said { id, role, tool: None, text: &said, at }, sink)
        }
        Some("function_call" | "custom_tool_call") => {
            let said = text(payload, "arguments").or(text(payload, "input")).unwrap_or_default();
            session.say(&Said { id, role: "assistant", tool: text(payload, "name"), text: said, at }, sink)
        }
        Some(call @ ("web_search_call" | "local_shell_call")) => {
            let said = payload.get("action").map(Value::to_string).unwrap_or_default();
            let tool = call.strip_suffix("_call");
            session.say(&Said { id, role: "assistant", tool, text: &said, at }, sink)
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
            at(8, "response_item", said("user", "# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>")),
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
        let models: Vec<_> = found.of("messages").iter().map(|m| m["model"].clone()).collect();
        assert_eq!(json!(models), json!([null, "gpt-5-codex", "gpt-5-codex"]));
        assert_eq!(found.of("sessions")[0]["branch"], "dev");
    }

    fn line(kind: &str, payload: &serde_json::Value) -> String {
        json!({ "timestamp": "2026-02-03T04:05:00Z", "type": kind, "payload": payload }).to_string()
    }

    fn said(role: &str, text: &str) -> serde_json::Value {
        json!({ "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }] })
    }

    #[test]
    fn rollouts_of_older_versions_are_read() {
        let log = [
            json!({ "id": "O", "timestamp": "2025-06-03T05:05:00.000Z", "instructions": null, "git": { "branch": "main" } }),
            json!({ "record_type": "state" }),
            said("user", "old question"),
            json!({ "type": "function_call", "name": "shell", "arguments": "ls" }),
            said("assistant", "old answer"),
        ];
        let found = read(Kind::Codex, "rollout-old.jsonl", log.map(|line| line.to_string()).join("\n"));
        let told: Vec<_> = found.of("messages").iter().map(|m| json!([m["id"], m["text"], m["created_at"]])).collect();
        let at = "2025-06-03T05:05:00Z";
        assert_eq!(json!(told), json!([["O-3", "old question", at], ["O-4", "ls", at], ["O-5", "old answer", at]]));
        let session = found.of("sessions")[0];
        assert_eq!(
            (&session["id"], &session["branch"], &session["started_at"]),
            (&json!("O"), &json!("main"), &json!(at))
        );
    }

    #[test]
    fn images_of_a_prompt_are_counted() {
        let image = json!({ "type": "input_image", "image_url": "data:image/png;base64,AAAA" });
        let words = json!({ "type": "input_text", "text": "What is this?" });
        let prompt = |content: serde_json::Value| json!({ "type": "message", "role": "user", "content": content });
        let log = [
            line("session_meta", &json!({ "id": "s" })),
            line("response_item", &prompt(json!([image, words, image]))),
            line("response_item", &prompt(json!([image]))),
        ];
        let found = read(Kind::Codex, "rollout.jsonl", log.join("\n"));
        let told: Vec<_> = found.of("messages").iter().map(|m| m["text"].clone()).collect();
        assert_eq!((json!(told), found.reasons()), (json!(["What is this?"]), vec!["an image"; 3]));
    }

    #[test]
    fn a_fork_stays_itself() {
        let log = [
            line("session_meta", &json!({ "id": "child", "cwd": "/new" })),
            line("session_meta", &json!({ "id": "parent", "cwd": "/old" })),
            line("response_item", &said("user", "go on")),
        ];
        let found = read(Kind::Codex, "rollout-fork.jsonl", log.join("\n"));
        assert_eq!(
            (&found.of("sessions")[0]["id"], &found.of("sessions")[0]["project"]),
            (&json!("child"), &json!("/new"))
        );
        assert_eq!(found.of("messages")[0]["session_id"], "child");
    }

    #[test]
    fn searches_and_shells_are_tool_calls() {
        let log = [
            line("session_meta", &json!({ "id": "s" })),
            line(
                "response_item",
                &json!({ "type": "web_search_call", "action": { "type": "search", "query": "rust" } }),
            ),
            line("response_item", &json!({ "type": "local_shell_call", "action": { "command": ["ls"] } })),
        ];
        let found = read(Kind::Codex, "rollout.jsonl", log.join("\n"));
        let told: Vec<_> = found.of("messages").iter().map(|m| json!([m["kind"], m["tool"], m["text"]])).collect();
        assert_eq!(
            json!(told),
            json!([
                ["tool_call", "web_search", "{\"type\":\"search\",\"query\":\"rust\"}"],
                ["tool_call", "local_shell", "{\"command\":[\"ls\"]}"]
            ])
        );
    }
}
