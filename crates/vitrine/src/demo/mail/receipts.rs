//! Mail about money and appointments, each matched by a booking or an event.

use super::{Letter, Mailbox};
use crate::demo::Story;
use crate::demo::story::{Bill, Concert, Order, TRIPS, Trip, Visit, euros};
use crate::demo::when::{self, days_after, spoken};

pub(super) fn deliver(mailbox: &mut Mailbox, story: &Story) {
    for bill in &story.bills {
        invoice(mailbox, bill);
    }
    for order in &story.orders {
        confirmation(mailbox, order);
    }
    for concert in &story.concerts {
        ticket(mailbox, concert);
    }
    for visit in &story.visits {
        reminder(mailbox, visit);
    }
    for trip in &TRIPS {
        bookings(mailbox, trip);
    }
}

fn invoice(mailbox: &mut Mailbox, bill: &Bill) {
    let Bill { number, from, cents, issued, paid } = bill;
    let subject = format!("Invoice {number} from {}", from.name);
    let body = format!(
        "Dear Nora Lindgren,\n\nplease find attached invoice {number} of {} for {}.\n\nAmount due: EUR {}\nDue by: {}\n\
         Reference for your transfer: {number}\n\nYours sincerely,\n{}",
        spoken(*issued),
        from.what,
        euros(*cents),
        spoken(days_after(*paid, 1)),
        from.name
    );
    let at = when::during(&mut mailbox.dice, *issued, 6, 11);
    let letter = Letter::new(at, (from.name, from.mail), &mailbox.owner, subject, body).labelled("receipts");
    mailbox.deliver(letter.with_file(format!("{number}.pdf")));
}

fn confirmation(mailbox: &mut Mailbox, order: &Order) {
    let Order { number, shop, mail, item, cents, day } = order;
    let ordered = when::during(&mut mailbox.dice, *day, 8, 20);
    let body = format!(
        "Thank you for your order {number}.\n\n1 x {item}\nTotal: EUR {}\n\nWe have charged your card and will write \
         again when the parcel leaves.\n\n{shop}",
        euros(*cents)
    );
    let from = (*shop, *mail);
    let subject = format!("Order {number}: {item}");
    let mut letter = Letter::new(ordered, from, &mailbox.owner, subject, body).labelled("receipts");
    letter.thread = Some(format!("thread-order-{number}"));
    mailbox.deliver(letter);
    let body =
        format!("Your order {number} ({item}) has been handed to the courier and should be with you in two days.");
    let sent = when::minutes_after(ordered, mailbox.dice.between(900, 2_900));
    if when::is_past(sent) {
        let subject = format!("Order {number} is on its way");
        let mut letter = Letter::new(sent, from, &mailbox.owner, subject, body).labelled("notifications");
        letter.thread = Some(format!("thread-order-{number}"));
        mailbox.deliver(letter);
    }
}

fn ticket(mailbox: &mut Mailbox, concert: &Concert) {
    let Concert { artist, venue, day, booked, order, cents, with } = concert;
    let body = format!(
        "Your tickets for {artist}\n{venue}, Hamburg, {}\nDoors 19:00, start 20:00\n\n2 tickets, order {order}, EUR {} \
         in all. The PDF is attached; show it on your phone.\n\nHave a good evening!",
        spoken(*day),
        euros(*cents * 2)
    );
    let at = when::during(&mut mailbox.dice, *booked, 9, 22);
    let from = ("Kartenkutter", "tickets@kartenkutter.example");
    let subject = format!("Your tickets: {artist} at {venue}");
    let letter = Letter::new(at, from, &mailbox.owner, subject, body).labelled("receipts");
    mailbox.deliver(letter.with_file(format!("{order}.pdf")));
    let body = format!(
        "Hi Nora,\n\n{artist} tonight! Meet at seven in front of {venue}? I have been listening all week and still \
         cannot sing along. I owe you {} euros for the ticket.\n\n{}",
        euros(*cents),
        with.first_name()
    );
    let at = when::during(&mut mailbox.dice, *day, 9, 13);
    mailbox.deliver(Letter::new(at, (with.name, with.mail), &mailbox.owner, format!("Tonight: {artist}"), body));
}

fn reminder(mailbox: &mut Mailbox, visit: &Visit) {
    let Visit { doctor, mail, street, reason, day, hour } = visit;
    let body = format!(
        "Dear Ms Lindgren,\n\nwe look forward to seeing you on {} at {hour}:00 ({reason}), {street}, Hamburg.\n\nIf you \
         cannot come, please tell us a day before.\n\n{doctor}",
        spoken(*day)
    );
    let at = when::during(&mut mailbox.dice, days_after(*day, -2), 7, 9);
    let subject = format!("Your appointment on {}", spoken(*day));
    mailbox.deliver(Letter::new(at, (doctor, mail), &mailbox.owner, subject, body).labelled("notifications"));
}

fn bookings(mailbox: &mut Mailbox, trip: &Trip) {
    let Trip { place, start, with, carrier, fare_cents, hotel, hotel_cents, .. } = trip;
    let (code, end) = (trip.code(), trip.end());
    let booked = days_after(*start, -trip.booked_before);
    let at = when::during(&mut mailbox.dice, booked, 17, 22);
    let body = format!(
        "Booking {code}\nHamburg - {place}, {}\n{place} - Hamburg, {}\nPassengers: Nora Lindgren and {with}\nFare: EUR \
         {}\n\nPlease be there 40 minutes before departure.",
        spoken(*start),
        spoken(end),
        euros(*fare_cents)
    );
    let from = (*carrier, "booking@fernweh.example");
    let subject = format!("Booking {code}: Hamburg - {place}");
    let letter = Letter::new(at, from, &mailbox.owner, subject, body).labelled("travel");
    mailbox.deliver(letter.with_file(format!("{code}.pdf")));
    if *hotel_cents > 0 {
        let body = format!(
            "Dear Nora Lindgren,\n\nyour room at {hotel}, {place}, is reserved from {} to {} for two persons. Price: EUR \
             {}, paid on departure.",
            spoken(*start),
            spoken(end),
            euros(*hotel_cents)
        );
        let at = when::minutes_after(at, mailbox.dice.between(20, 400));
        let subject = format!("{hotel}: reservation {code}-H");
        mailbox.deliver(
            Letter::new(at, (hotel, "stay@fernweh.example"), &mailbox.owner, subject, body).labelled("travel"),
        );
    }
}
