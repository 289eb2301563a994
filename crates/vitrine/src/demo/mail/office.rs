//! What only an office produces: minutes, a contract, and machines that report.

use jiff::civil::date;

use super::{Letter, Mailbox};
use crate::demo::people::{COLLEAGUES, CUSTOMERS};
use crate::demo::when::{self, days_after, spoken};

const CONTRACT_BYTES: usize = 56_000;

pub(super) fn contract(mailbox: &mut Mailbox) {
    let Mailbox { grammar, dice, .. } = mailbox;
    let mut body =
        "Dear Nora,\n\nbelow the full text of the service agreement with the Port of Zeeland, as agreed in the \
                    call, so that it can be searched; the signed PDF is attached. Clause 5 now says thirty minutes.\n\n\
                    Karl Sommer\n\nSERVICE AGREEMENT\nbetween Port of Zeeland (the Customer) and Fathom Tide GmbH (the \
                    Provider)\n"
            .to_owned();
    for (number, title) in (1..).zip(grammar.lines("clause.title").iter().cycle()) {
        let points = (1..).zip(grammar.several(dice, "clause", 7, &[]));
        let points: Vec<String> = points.map(|(point, text)| format!("{number}.{point} {text}")).collect();
        body.extend(["\n", &format!("{number}. {title}"), "\n", &points.join("\n"), "\n"]);
        if body.len() > CONTRACT_BYTES {
            break;
        }
    }
    let lawyer = CUSTOMERS[2];
    let at = when::at(date(2026, 3, 12), 15, 26);
    let subject = "Service agreement Port of Zeeland, signed version".to_owned();
    let letter = Letter::new(at, (lawyer.name, lawyer.mail), &mailbox.owner, subject, body);
    mailbox.deliver(letter.with_file("service-agreement-signed.pdf".to_owned()));
}

pub(super) fn minutes(mailbox: &mut Mailbox, count: usize) {
    for week in (0_i64..).take(count) {
        let day = days_after(when::FIRST_DAY, 1 + week * 7);
        let author = *mailbox.dice.pick(&COLLEAGUES);
        let Mailbox { grammar, dice, .. } = mailbox;
        let mut parts = vec![format!("Minutes of the weekly meeting, {}\nWritten by {}", spoken(day), author.name)];
        for (number, point) in grammar.several(dice, "minutes.point", 5, &[]).iter().enumerate() {
            let talk = grammar.several(dice, "minutes.talk", 3, &[]).join(" ");
            parts.push(format!("{}. {point}\n{talk}", number + 1));
        }
        parts.push(format!("Actions\n- {}", grammar.several(dice, "minutes.action", 4, &[]).join("\n- ")));
        let at = when::during(dice, day, 12, 17);
        let subject = format!("Minutes, weekly meeting {}", spoken(day));
        mailbox.deliver(Letter::new(at, (author.name, author.mail), &mailbox.owner, subject, parts.join("\n\n")));
    }
}

pub(super) fn notices(mailbox: &mut Mailbox, count: usize) {
    for _ in 0..count {
        let day = when::some_day(&mut mailbox.dice);
        let at = when::during(&mut mailbox.dice, day, 0, 24);
        let (gauge, project, customer) = (mailbox.say("gauge"), mailbox.say("project"), mailbox.say("customer"));
        let given = [("gauge", gauge.as_str()), ("project", &project), ("customer", &customer)];
        let Mailbox { grammar, dice, .. } = mailbox;
        let kind = dice.below(grammar.lines("alert.subject").len());
        let subject = grammar.fill(dice, grammar.lines("alert.subject")[kind], &given);
        let body = grammar.fill(dice, grammar.lines("alert")[kind], &given);
        let from = ("Watchkeeper", "watchkeeper@fathomtide.example");
        mailbox.deliver(Letter::new(at, from, &mailbox.owner, subject, body).labelled("notifications"));
    }
}
