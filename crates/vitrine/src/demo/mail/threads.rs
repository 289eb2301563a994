//! Conversations: somebody writes, others answer and quote.

use jiff::Timestamp;

use super::{Letter, Mailbox};
use crate::demo::people::{COLLEAGUES, CUSTOMERS, FRIENDS, Person};
use crate::demo::when::{self, minutes_after};

const MAX_QUOTED_LINES: usize = 13;

/// How a circle of people writes.
struct Manner {
    hello: &'static str,
    bye: &'static str,
    reply: &'static str,
    closing: Option<&'static str>,
    attachments_in_a_hundred: usize,
}

const FRIENDLY: Manner =
    Manner { hello: "hello", bye: "bye", reply: "reply", closing: None, attachments_in_a_hundred: 6 };
const OFFICIAL: Manner = Manner {
    hello: "work.hello",
    bye: "work.bye",
    reply: "work.reply",
    closing: Some("work.ask"),
    attachments_in_a_hundred: 7,
};

pub(super) fn among_friends(mailbox: &mut Mailbox, threads: usize) {
    for _ in 0..threads {
        let friend = *mailbox.dice.favourite(&FRIENDS);
        let day = when::some_day(&mut mailbox.dice);
        let first = when::during(&mut mailbox.dice, day, 6, 22);
        let topic = *mailbox.dice.pick(friend.topics);
        let absent = mailbox.dice.pick(&FRIENDS).person;
        converse(mailbox, &FRIENDLY, &Talk { other: friend.person, absent, topic, first });
    }
}

pub(super) fn among_colleagues(mailbox: &mut Mailbox, threads: usize) {
    for _ in 0..threads {
        let outside = mailbox.dice.chance(18);
        let colleague = *if outside { mailbox.dice.pick(&CUSTOMERS) } else { mailbox.dice.favourite(&COLLEAGUES) };
        let day = when::some_working_day(&mut mailbox.dice);
        let first = when::during(&mut mailbox.dice, day, 7, 18);
        let topic = *mailbox.dice.pick(mailbox.grammar.lines("project"));
        let absent = *mailbox.dice.pick(&COLLEAGUES);
        converse(mailbox, &OFFICIAL, &Talk { other: colleague, absent, topic, first });
    }
}

pub(super) fn social_notices(mailbox: &mut Mailbox, count: usize) {
    for _ in 0..count {
        let day = when::some_day(&mut mailbox.dice);
        let at = when::during(&mut mailbox.dice, day, 5, 23);
        let (subject, body) = (mailbox.say("social.subject"), mailbox.say("social"));
        let from = ("Kreisel", "notice@kreisel.example");
        mailbox.deliver(Letter::new(at, from, &mailbox.owner, subject, body).labelled("notifications"));
    }
}

/// Who talks about what, and whom they mention.
struct Talk {
    other: Person,
    absent: Person,
    topic: &'static str,
    first: Timestamp,
}

/// What is left to say in a conversation, so that nobody says it twice.
struct Unsaid {
    answers: Vec<String>,
    sentences: Vec<String>,
}

fn converse(mailbox: &mut Mailbox, manner: &Manner, talk: &Talk) {
    let thread = format!("thread-{}", mailbox.dice.hex::<6>());
    let subject = mailbox.say(&format!("{}.subject", talk.topic));
    let length = mailbox.dice.below(4) + mailbox.dice.below(3);
    let mut unsaid = Unsaid::about(mailbox, manner, talk);
    let mut mine = mailbox.dice.chance(45);
    let mut at = talk.first;
    let mut earlier: Option<(Person, Timestamp, String)> = None;
    for turn in 0..=length {
        let (from, to) = if mine { (mailbox.owner, talk.other) } else { (talk.other, mailbox.owner) };
        let mut body = text(mailbox, manner, &mut unsaid, from, to, turn > 0);
        if let Some((who, when, said)) = &earlier {
            body.push_str(&quoted(*who, *when, said));
        }
        let subject = if turn > 0 { format!("Re: {subject}") } else { subject.clone() };
        let mut letter = Letter::new(at, (from.name, from.mail), &to, subject, body.clone());
        letter.thread = Some(thread.clone());
        letter.label = if mine { "sent" } else { "inbox" };
        if mailbox.dice.chance(manner.attachments_in_a_hundred) {
            letter.files.push(file(mailbox, talk.topic));
        }
        mailbox.deliver(letter);
        earlier = Some((from, at, body));
        at = when::awake(minutes_after(at, mailbox.dice.between(7, 1_300)));
        mine = !mine;
        if !when::is_past(at) {
            break;
        }
    }
}

impl Unsaid {
    fn about(mailbox: &mut Mailbox, manner: &Manner, talk: &Talk) -> Self {
        // A word about somebody who takes part would sound odd.
        let absent = if talk.absent == talk.other { "my sister" } else { talk.absent.first_name() };
        let given = [("friendname", absent), ("colleague", absent)];
        let Mailbox { grammar, dice, .. } = mailbox;
        Self {
            answers: grammar.several(dice, manner.reply, usize::MAX, &given),
            sentences: grammar.several(dice, talk.topic, usize::MAX, &given),
        }
    }

    /// What this person would say next; nobody speaks of themselves by name.
    fn next(&mut self, from: Person) -> Option<String> {
        let fitting = self.sentences.iter().position(|sentence| !sentence.contains(from.first_name()))?;
        Some(self.sentences.remove(fitting))
    }
}

fn text(
    mailbox: &mut Mailbox,
    manner: &Manner,
    unsaid: &mut Unsaid,
    from: Person,
    to: Person,
    answers: bool,
) -> String {
    let names = [("from", from.first_name()), ("to", to.first_name())];
    let Mailbox { grammar, dice, .. } = mailbox;
    let mut paragraphs = vec![grammar.say(dice, manner.hello, &names)];
    if answers {
        paragraphs.extend(unsaid.answers.pop());
    }
    let wanted = if answers { dice.below(3) } else { 2 + dice.below(3) };
    let sentences: Vec<String> = (0..wanted).map_while(|_| unsaid.next(from)).collect();
    paragraphs.extend(sentences.chunks(2).map(|pair| pair.join(" ")));
    if let Some(closing) = manner.closing.filter(|_| dice.chance(50)) {
        paragraphs.push(grammar.say(dice, closing, &names));
    }
    paragraphs.push(grammar.say(dice, manner.bye, &names));
    paragraphs.join("\n\n")
}

fn quoted(who: Person, when: Timestamp, said: &str) -> String {
    let quote = |line: &str| if line.starts_with('>') { format!(">{line}") } else { format!("> {line}") };
    let lines: Vec<String> = said.lines().take(MAX_QUOTED_LINES).map(quote).collect();
    format!("\n\nOn {}, {} wrote:\n{}", when.strftime("%-d %b %Y at %H:%M"), who.name, lines.join("\n"))
}

fn file(mailbox: &mut Mailbox, topic: &str) -> String {
    let ending = *mailbox.dice.pick(&["pdf", "jpg", "jpg", "csv"]);
    format!("{}-{}.{ending}", topic.to_lowercase(), mailbox.dice.between(100, 999))
}
