//! Newsletters. One of them comes to both mailboxes, word for word and under the same message id.

use jiff::civil::Date;

use super::{Letter, Mailbox};
use crate::demo::Scale;
use crate::demo::dice::Dice;
use crate::demo::when::{self, spoken};

/// A newsletter and its habits.
struct Newsletter {
    name: &'static str,
    mail: &'static str,
    rule: &'static str,
    every_days: usize,
    paragraphs: i64,
}

const TIDELINE: Newsletter = Newsletter {
    name: "The Tideline",
    mail: "post@tideline.example",
    rule: "tideline",
    every_days: 14,
    paragraphs: 24,
};
const DIGEST: Newsletter =
    Newsletter { name: "Small Data", mail: "hello@smalldata.example", rule: "digest", every_days: 14, paragraphs: 9 };
const KITCHEN: Newsletter = Newsletter {
    name: "Rain Kitchen",
    mail: "cook@rainkitchen.example",
    rule: "kitchen",
    every_days: 10,
    paragraphs: 5,
};

pub(super) fn deliver_private(mailbox: &mut Mailbox, scale: Scale) {
    deliver(mailbox, &TIDELINE, scale);
    deliver(mailbox, &KITCHEN, scale);
}

pub(super) fn deliver_at_work(mailbox: &mut Mailbox, scale: Scale) {
    deliver(mailbox, &TIDELINE, scale);
    deliver(mailbox, &DIGEST, scale);
}

fn deliver(mailbox: &mut Mailbox, newsletter: &Newsletter, scale: Scale) {
    let days: Vec<Date> = when::every_day().skip(3).step_by(newsletter.every_days).collect();
    // An issue depends on its name and day alone, so that both mailboxes get the same one.
    for (number, day) in days.iter().enumerate().take(scale.of(days.len())) {
        let mut dice = Dice::named(&format!("{} {day}", newsletter.rule));
        let title = mailbox.grammar.say(&mut dice, &format!("{}.title", newsletter.rule), &[]);
        let body = issue(mailbox, &mut dice, newsletter, number + 1, *day, &title);
        let at = when::during(&mut dice, *day, 5, 8);
        let from = (newsletter.name, newsletter.mail);
        let subject = format!("{} #{}: {title}", newsletter.name, number + 1);
        let mut letter = Letter::new(at, from, &mailbox.owner, subject, body).labelled("newsletters");
        letter.message_id = Some(format!("<{}@{}.example>", dice.hex::<6>(), newsletter.rule));
        mailbox.deliver(letter);
    }
}

fn issue(mailbox: &Mailbox, dice: &mut Dice, of: &Newsletter, number: usize, day: Date, title: &str) -> String {
    let mut parts = vec![format!("{}, issue {number}, {}\n\n{}", of.name, spoken(day), title.to_uppercase())];
    for _ in 0..dice.between(of.paragraphs / 2, of.paragraphs) {
        parts.push(mailbox.grammar.several(dice, of.rule, 3, &[]).join(" "));
    }
    parts.push("You get this because you subscribed. Unsubscribe with one click; we will not ask why.".to_owned());
    parts.join("\n\n")
}
