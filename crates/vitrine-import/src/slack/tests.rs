use serde_json::json;

use crate::testing::{read, zip};
use crate::{Export, ImportError, Kind};

const USERS: &str = r#"[{"id":"U1","name":"anna","deleted":false,"is_bot":false,"profile":{"real_name":"Anna Müller","display_name":"anni","title":"","email":"anna@example.org"}}]"#;
const CHANNELS: &str = r#"[{"id":"C1","name":"general","created":1600000000,"is_archived":false,"members":["U1"],"topic":{"value":"All"},"purpose":{"value":"T &amp; U, <@U1>"}}]"#;
const DAY: &str = r#"[{"type":"message","user":"U1","text":"Hi <@U1> &amp; <!here>: <https://x.example|docs> <#C1|general>","ts":"1700000000.123456",
    "thread_ts":"1700000000.123456","reply_count":1,"reactions":[{"name":"+1","users":["U1"],"count":2}],"files":[{"id":"F1","name":"a.pdf"}]},
    {"type":"message","subtype":"bot_message","username":"ci","bot_id":"B1","text":"1 < 2","ts":"1700000001.000000","thread_ts":"1700000000.123456","edited":{"user":"U1","ts":"1"}},
    {"type":"message","text":"x","ts":"soon"}, {"type":"message"}]"#;

fn archive() -> Vec<u8> {
    zip(&[
        ("channels.json", CHANNELS.as_bytes()),
        ("users.json", USERS.as_bytes()),
        ("integration_logs.json", b"[]"),
        ("general/2023-11-14.json", DAY.as_bytes()),
        ("../../etc/2023-11-14.json", DAY.as_bytes()),
    ])
}

#[test]
fn channels_people_and_threads_are_told() {
    let found = read(Kind::Slack, "acme.zip", archive());
    let [first, second] = found.of("messages")[..] else { panic!("{:?}", found.records) };
    assert_eq!(first["id"], "general-1700000000.123456");
    assert_eq!(first["text"], "Hi @Anna Müller & @here: docs (https://x.example) #general");
    assert_eq!((&first["user_name"], &first["channel_id"]), (&json!("Anna Müller"), &json!("C1")));
    assert_eq!((&first["reaction_count"], &first["files"]), (&json!(2), &json!(["a.pdf"])));
    assert_eq!((&second["thread_id"], &second["is_reply"]), (&json!("1700000000.123456"), &json!(true)));
    assert_eq!(
        (&second["user_name"], &second["text"], &second["edited"]),
        (&json!("ci"), &json!("1 < 2"), &json!(true))
    );
    assert_eq!(
        (&found.of("channels")[0]["topic"], &found.of("channels")[0]["purpose"]),
        (&json!("All"), &json!("T & U, @Anna Müller"))
    );
    assert_eq!(
        (&found.of("users")[0]["email"], &found.of("users")[0]["display_name"]),
        (&json!("anna@example.org"), &json!("anni"))
    );
    let reasons =
        ["a path that leads out of the archive", "a message whose time cannot be read", "an entry that is no message"];
    assert_eq!(found.reasons(), reasons);
}

#[test]
fn it_is_told_from_other_archives() {
    let mut export = Export::of_bytes("acme.zip", archive()).unwrap();
    let refused = Kind::Mbox.check(&mut export);
    assert!(
        matches!(refused, Err(ImportError::Wrong(why)) if why.contains("a Slack export; use `vitrine import slack`"))
    );
}

#[test]
fn what_apps_write_beside_the_text_is_told() {
    let day = r#"[{"type":"message","subtype":"bot_message","username":"GitHub","text":"","ts":"1700000000.000001",
        "attachments":[{"fallback":"PR opened","title":"PR #1","text":"Fix &amp; test"},{"fallback":"only this"}]},
        {"type":"message","user":"U1","text":"","ts":"1700000000.000002","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section",
        "elements":[{"type":"text","text":"only in blocks, "},{"type":"user","user_id":"U1"},{"type":"text","text":" "},{"type":"broadcast","range":"channel"},
        {"type":"channel","channel_id":"C1"},{"type":"text","text":" "},{"type":"link","url":"https://a.example","text":"L"}]}]},
        {"type":"section","text":{"type":"mrkdwn","text":"a section"}}]},
        {"type":"message","user":"U7","user_profile":{"real_name":"Guest G","name":"gg"},"text":"said in <#C1|>","ts":"1700000000.000003","blocks":[{"type":"section","text":{"text":"said"}}]},
        {"type":"message","user":"U1","text":"look: PR #2","ts":"1700000000.000004","blocks":[{"type":"section","text":{"text":"look: PR #2"}}],
        "attachments":[{"title":"PR #2","text":"Ask <@U1>"}]}]"#;
    let files = [("channels.json", CHANNELS), ("users.json", USERS), ("general/2023-11-14.json", day)];
    let found = read(Kind::Slack, "acme.zip", zip(&files.map(|(name, text)| (name, text.as_bytes()))));
    let texts: Vec<_> = found.of("messages").iter().map(|m| m["text"].clone()).collect();
    let expected = [
        "PR #1\nFix & test\nonly this",
        "only in blocks, @Anna Müller @channel#general L (https://a.example)\na section",
        "said in #general",
        "look: PR #2\nAsk @Anna Müller",
    ];
    assert_eq!(json!(texts), json!(expected));
    assert_eq!(found.of("messages")[2]["user_name"], "Guest G");
}

#[test]
fn a_damaged_day_is_rejected_alone() {
    let good = r#"[{"type":"message","user":"U1","text":"x","ts":"1700000000.000001"}, "no object", 3]"#;
    let cut = r#"[{"type":"message","user":"U1","text":"y","ts":"1700000000.000002"}, {"user":"U1", trunc"#;
    let files = [
        ("channels.json", CHANNELS),
        ("users.json", USERS),
        ("general/2023-11-14.json", cut),
        ("general/2023-11-15.json", "gone"),
        ("general/2023-11-16.json", good),
    ];
    let found = read(Kind::Slack, "acme.zip", zip(&files.map(|(name, text)| (name, text.as_bytes()))));
    let texts: Vec<_> = found.of("messages").iter().map(|m| m["text"].clone()).collect();
    assert_eq!(json!(texts), json!(["y", "x"]));
    let damaged = "the rest of a file that is cut off or damaged";
    assert_eq!(found.reasons(), [damaged, damaged, "an entry that is no object", "an entry that is no object"]);
    assert!(found.skips.iter().all(|skip| skip.rejected));
}

#[test]
fn direct_conversations_are_called_by_who_is_in_them() {
    let users = r#"[{"id":"U1","name":"anna","profile":{"real_name":"Anna"}},{"id":"U2","name":"ben"}]"#;
    let day = r#"[{"type":"message","user":"U1","text":"x","ts":"1700000000.000001"}]"#;
    let files = [
        ("users.json", users),
        ("dms.json", r#"[{"id":"D1","members":["U1","U2"]}]"#),
        ("mpims.json", r#"[{"id":"M1","name":"mpdm-anna--ben-1","members":["U2","U1"]}]"#),
        ("D1/2023-11-14.json", day),
        ("mpdm-anna--ben-1/2023-11-14.json", day),
    ];
    let found = read(Kind::Slack, "acme.zip", zip(&files.map(|(name, text)| (name, text.as_bytes()))));
    let told: Vec<_> = found.of("messages").iter().map(|m| json!([m["id"], m["channel"], m["channel_id"]])).collect();
    let first = json!(["D1-1700000000.000001", "Anna, ben", "D1"]);
    assert_eq!(json!(told), json!([first, ["mpdm-anna--ben-1-1700000000.000001", "ben, Anna", "M1"]]));
    let names: Vec<_> = found.of("channels").iter().map(|c| c["name"].clone()).collect();
    assert_eq!(json!(names), json!(["Anna, ben", "ben, Anna"]));
}
