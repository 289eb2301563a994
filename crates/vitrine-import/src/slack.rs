//! A Slack workspace: a directory a channel, with a file a day, and lists of channels and people.

mod words;

use std::collections::HashMap;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vitrine_contract::time;

use super::elements;
use super::export::{Export, Member};
use super::json;
use super::kind::Importer;
use super::settings::Settings;
use super::sink::{ImportError, Sink};

pub(super) const IMPORTER: Importer = Importer::declared(
    "a Slack export",
    "the ZIP archive of a Slack export, with `channels.json` and `users.json`",
    include_str!("declarations/slack.json"),
    |export| {
        let has = |name: &str| export.members().iter().any(|member| member.file_name() == name);
        Ok(has("users.json") && CHANNEL_LISTS.iter().any(|list| has(list)))
    },
    read,
);

/// People whose names make up that of a conversation; Slack allows nine.
const MAX_TOGETHER: usize = 9;
/// Names that call everyone.
const BROADCASTS: [&str; 3] = ["here", "channel", "everyone"];
const CHANNEL_LISTS: [&str; 4] = ["channels.json", "groups.json", "mpims.json", "dms.json"];

#[derive(Deserialize)]
struct User {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    deleted: bool,
    #[serde(default)]
    is_bot: bool,
    #[serde(default)]
    real_name: Option<String>,
    #[serde(default)]
    profile: Profile,
}

#[derive(Deserialize, Default)]
struct Profile {
    #[serde(default)]
    real_name: Option<String>,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    email: Option<String>,
}

#[derive(Serialize)]
struct UserRecord<'a> {
    id: &'a str,
    name: &'a str,
    real_name: Option<&'a str>,
    display_name: Option<&'a str>,
    title: Option<&'a str>,
    email: Option<&'a str>,
    bot: bool,
    deleted: bool,
}

#[derive(Deserialize)]
struct Channel {
    id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    created: Option<i64>,
    #[serde(default)]
    is_archived: Option<bool>,
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    topic: Option<Words>,
    #[serde(default)]
    purpose: Option<Words>,
}

#[derive(Deserialize)]
struct Words {
    #[serde(default)]
    value: String,
}

#[derive(Serialize)]
struct ChannelRecord<'a> {
    id: &'a str,
    name: &'a str,
    topic: Option<String>,
    purpose: Option<String>,
    member_count: usize,
    archived: Option<bool>,
    created_at: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    ts: String,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    user_profile: Option<Profile>,
    #[serde(default)]
    username: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    thread_ts: Option<String>,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default)]
    reply_count: u64,
    #[serde(default)]
    reactions: Vec<Reaction>,
    #[serde(default)]
    files: Vec<Attached>,
    #[serde(default)]
    edited: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    blocks: Value,
    #[serde(default)]
    attachments: Value,
}

#[derive(Deserialize)]
struct Reaction {
    name: String,
    #[serde(default)]
    count: u64,
}

#[derive(Deserialize)]
struct Attached {
    #[serde(default)]
    name: Option<String>,
}

#[derive(Serialize)]
struct MessageRecord<'a> {
    id: String,
    channel: &'a str,
    channel_id: Option<&'a str>,
    user_id: Option<&'a str>,
    user_name: Option<&'a str>,
    thread_id: &'a str,
    is_reply: bool,
    subtype: Option<&'a str>,
    text: String,
    reply_count: u64,
    reaction_count: u64,
    reactions: Vec<&'a str>,
    files: Vec<&'a str>,
    edited: bool,
    sent_at: String,
}

/// Names by id, as far as they are needed to tell messages.
#[derive(Default)]
struct Names {
    users: HashMap<String, String>,
    /// By the directory of their messages.
    channels: HashMap<String, Shown>,
}

/// A channel as its messages show it.
struct Shown {
    id: String,
    name: String,
}

fn read(export: &mut Export, _: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let mut names = Names::default();
    let members = export.select(|member| member.has_extension("json"));
    for member in members.iter().filter(|member| member.file_name() == "users.json") {
        each(export, member, sink, "an entry that is no member", |user: User, sink| names.user(&user, sink))?;
    }
    for member in members.iter().filter(|member| CHANNEL_LISTS.contains(&member.file_name())) {
        each(export, member, sink, "an entry that is no channel", |channel, sink| names.channel(&channel, sink))?;
    }
    for member in members.iter().filter(|member| is_day(member)) {
        let directory = member.directory();
        each(export, member, sink, "an entry that is no message", |said, sink| names.message(directory, &said, sink))?;
    }
    Ok(())
}

/// `general/2024-05-01.json`
fn is_day(member: &Member) -> bool {
    let day = member.file_name().trim_end_matches(".json");
    member.name.contains('/') && day.len() == 10 && day.parse::<jiff::civil::Date>().is_ok()
}

fn each<T: DeserializeOwned>(
    export: &mut Export,
    member: &Member,
    sink: &mut Sink<'_>,
    otherwise: &'static str,
    mut take: impl FnMut(T, &mut Sink<'_>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let read = elements::each(&mut *export.reader(member)?, &member.name, sink, &mut |_, number, text, sink| {
        if let Some(entry) = json::parse(text) {
            return take(entry, sink);
        }
        sink.reject(otherwise, format!("{}, entry {number}", member.name));
        Ok(())
    });
    // One of thousands of files is no reason to leave out the others.
    match read {
        Err(ImportError::Damaged(_)) => sink.reject("the rest of a file that is cut off or damaged", &member.name),
        read => read?,
    }
    Ok(())
}

impl Names {
    fn user(&mut self, user: &User, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let real_name = user.profile.real_name.as_deref().or(user.real_name.as_deref()).filter(|name| !name.is_empty());
        self.users.insert(user.id.clone(), real_name.unwrap_or(&user.name).to_owned());
        let record = UserRecord {
            id: &user.id,
            name: &user.name,
            real_name,
            display_name: user.profile.display_name.as_deref().filter(|name| !name.is_empty()),
            title: user.profile.title.as_deref().filter(|title| !title.is_empty()),
            email: user.profile.email.as_deref(),
            bot: user.is_bot,
            deleted: user.deleted,
        };
        sink.record("users", None, &record)
    }

    fn channel(&mut self, channel: &Channel, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        // A direct conversation has no name, and its directory is called by its id.
        let directory = channel.name.as_deref().unwrap_or(&channel.id);
        let name = if channel.name.is_none() || directory.starts_with("mpdm-") {
            self.together(&channel.members).unwrap_or_else(|| directory.to_owned())
        } else {
            directory.to_owned()
        };
        let words = |words: &Option<Words>| {
            words.as_ref().map(|words| self.readable(&words.value)).filter(|text| !text.is_empty())
        };
        let created = channel.created.and_then(|second| Timestamp::from_second(second).ok());
        let record = ChannelRecord {
            id: &channel.id,
            name: &name,
            topic: words(&channel.topic),
            purpose: words(&channel.purpose),
            member_count: channel.members.len(),
            archived: channel.is_archived,
            created_at: created.map(time::format),
        };
        sink.record("channels", created, &record)?;
        self.channels.insert(directory.to_owned(), Shown { id: channel.id.clone(), name });
        Ok(())
    }

    /// Those who talk to each other.
    fn together(&self, members: &[String]) -> Option<String> {
        let name = |id: &String| self.users.get(id).unwrap_or(id).clone();
        let names: Vec<String> = members.iter().take(MAX_TOGETHER).map(name).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn message(&self, directory: &str, said: &Said, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let Some(at) = instant(&said.ts) else {
            sink.reject("a message whose time cannot be read", format!("{directory} {}", said.ts));
            return Ok(());
        };
        // Guests of other workspaces are in no list; their messages say who they are.
        let guest = || said.user_profile.as_ref()?.real_name.as_deref().filter(|name| !name.is_empty());
        let named = said.user.as_deref().and_then(|id| self.users.get(id)).map(String::as_str).or_else(guest);
        let channel = self.channels.get(directory);
        let text = if said.text.trim().is_empty() {
            self.readable(&words::of(&said.blocks, &said.attachments))
        } else {
            self.readable(&words::beside(&said.text, &said.attachments))
        };
        let record = MessageRecord {
            id: format!("{directory}-{}", said.ts),
            channel: channel.map_or(directory, |channel| &channel.name),
            channel_id: channel.map(|channel| channel.id.as_str()),
            user_id: said.user.as_deref(),
            user_name: named.or(said.username.as_deref()).or(said.user.as_deref()),
            thread_id: said.thread_ts.as_deref().unwrap_or(&said.ts),
            is_reply: said.thread_ts.as_ref().is_some_and(|thread| *thread != said.ts),
            subtype: said.subtype.as_deref(),
            text,
            reply_count: said.reply_count,
            reaction_count: said.reactions.iter().map(|reaction| reaction.count).fold(0, u64::saturating_add),
            reactions: said.reactions.iter().map(|reaction| reaction.name.as_str()).collect(),
            files: said.files.iter().filter_map(|file| file.name.as_deref()).collect(),
            edited: said.edited.is_some(),
            sent_at: time::format(at),
        };
        sink.record("messages", Some(at), &record)
    }

    fn channel_name(&self, id: &str) -> Option<&str> {
        self.channels.values().find(|channel| channel.id == id).map(|channel| channel.name.as_str())
    }

    /// Mentions and links as a reader sees them: `<@U1>` is `@Anna`, `<https://x|here>` is `here (https://x)`.
    fn readable(&self, text: &str) -> String {
        let mut readable = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('<') {
            let Some((inside, after)) = after.split_once('>') else { break };
            readable.push_str(before);
            let (target, label) =
                inside.split_once('|').map_or((inside, None), |(target, label)| (target, Some(label)));
            match (target.chars().next(), label) {
                (Some('@'), label) => {
                    let name = self.users.get(&target[1..]).map(String::as_str);
                    readable.extend(["@", name.or(label).unwrap_or(&target[1..])]);
                }
                (Some('#'), label) => {
                    let named = label.filter(|label| !label.is_empty());
                    readable.extend(["#", named.or_else(|| self.channel_name(&target[1..])).unwrap_or(&target[1..])]);
                }
                (Some('!'), _) if BROADCASTS.contains(&&target[1..]) => readable.extend(["@", &target[1..]]),
                (Some('!'), label) => readable.push_str(label.unwrap_or(&target[1..])),
                (_, Some(label)) => readable.extend([label, " (", target, ")"]),
                (_, None) => readable.push_str(target),
            }
            rest = after;
        }
        readable.push_str(rest);
        readable.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }
}

/// `1700000000.123456`
fn instant(ts: &str) -> Option<Timestamp> {
    let (seconds, micros) = ts.split_once('.').unwrap_or((ts, "0"));
    let micros = micros.get(..6).unwrap_or(micros);
    let nanos = micros.parse::<i32>().ok()? * 10_i32.pow(9 - u32::try_from(micros.len()).ok()?);
    Timestamp::new(seconds.parse().ok()?, nanos).ok()
}

#[cfg(test)]
mod tests;
