//! Bookings: what the story costs, and what a month costs anyway.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use serde::Serialize;
use vitrine_contract::time;

use super::dice::Dice;
use super::grammar::Grammar;
use super::load::Load;
use super::story::{Bill, Concert, Order, TRIPS};
use super::when::{self, TODAY, days_after};
use super::{Scale, Story};

const CONNECTION: &str = "bank-elbe";
const CURRENT: &str = "Current account";
const CARD: &str = "Credit card";

/// Rule of the merchants, category, cents, how many in five years.
const EVERYDAY: [(&str, &str, i64, i64, usize); 5] = [
    ("grocery", "groceries", 690, 6_400, 1_350),
    ("coffee", "eating out", 280, 990, 1_150),
    ("restaurant", "eating out", 1_150, 7_800, 620),
    ("transport", "transport", 190, 4_900, 900),
    ("leisure", "leisure", 850, 5_400, 420),
];

#[derive(Serialize)]
struct Transaction {
    id: String,
    account: &'static str,
    booked_at: String,
    value_date: String,
    amount: f64,
    currency: &'static str,
    direction: &'static str,
    merchant: String,
    category: &'static str,
    reference: String,
    city: Option<&'static str>,
}

/// A statement being written.
struct Statement {
    dice: Dice,
    bookings: Vec<(Timestamp, Transaction)>,
}

/// Both accounts, in one stream.
pub(crate) fn transactions(story: &Story, scale: Scale) -> Vec<Load> {
    let mut statement = Statement { dice: Dice::named(CONNECTION), bookings: Vec::new() };
    statement.book_story(story);
    statement.book_trips();
    statement.book_months();
    statement.book_parcel();
    statement.book_everyday(scale);
    statement.bookings.sort_by_key(|(at, _)| *at);
    vec![Load::of(CONNECTION, "transactions", statement.bookings)]
}

/// Money that moves.
struct Booking {
    day: Date,
    cents: i64,
    merchant: String,
    category: &'static str,
    reference: String,
    account: &'static str,
    city: Option<&'static str>,
}

impl Booking {
    /// A transfer from or to the current account.
    fn new(day: Date, cents: i64, merchant: &str, category: &'static str, reference: impl Into<String>) -> Self {
        let (merchant, reference) = (merchant.to_owned(), reference.into());
        Self { day, cents, merchant, category, reference, account: CURRENT, city: None }
    }

    fn by_card(self) -> Self {
        Self { account: CARD, ..self }
    }

    fn in_city(self, city: &'static str) -> Self {
        Self { city: Some(city), ..self }
    }
}

impl Statement {
    fn book(&mut self, booking: Booking) {
        let at = when::during(&mut self.dice, booking.day, 5, 21);
        if !when::is_past(at) {
            return;
        }
        let transaction = Transaction {
            id: format!("tx_{}", self.dice.hex::<6>()),
            account: booking.account,
            booked_at: time::format(at),
            value_date: booking.day.to_string(),
            amount: in_euros(booking.cents),
            currency: "EUR",
            direction: if booking.cents < 0 { "out" } else { "in" },
            merchant: booking.merchant,
            category: booking.category,
            reference: booking.reference,
            city: booking.city,
        };
        self.bookings.push((at, transaction));
    }

    fn book_story(&mut self, story: &Story) {
        for Bill { number, from, cents, paid, .. } in &story.bills {
            self.book(Booking::new(*paid, -cents, from.name, from.category, format!("Invoice {number}")));
        }
        for Order { number, shop, cents, day, .. } in &story.orders {
            self.book(Booking::new(*day, -cents, shop, "shopping", format!("Order {number}")).by_card());
        }
        for Concert { artist, order, cents, booked, day, with, .. } in &story.concerts {
            let reference = format!("{order} {artist} 2 tickets");
            self.book(Booking::new(*booked, -cents * 2, "Kartenkutter", "leisure", reference).by_card());
            let paid_back = days_after(*day, 2);
            self.book(Booking::new(paid_back, *cents, with.name, "friends", format!("ticket {artist}")));
        }
    }

    fn book_trips(&mut self) {
        for trip in &TRIPS {
            let reference = format!("Booking {} {}", trip.code(), trip.place);
            let booked = days_after(trip.start, -trip.booked_before);
            self.book(Booking::new(booked, -trip.fare_cents, trip.carrier, "travel", reference).by_card());
            if trip.hotel_cents > 0 {
                let reference = format!("Reservation {}-H", trip.code());
                let stay = Booking::new(trip.end(), -trip.hotel_cents, trip.hotel, "travel", reference);
                self.book(stay.by_card().in_city(trip.place));
            }
            for number in 0..trip.days * 2 {
                let cents = -self.dice.between(650, 7_400);
                let what = *self.dice.pick(&["Café", "Market", "Restaurant", "Museum", "Kiosk", "Bakery"]);
                let merchant = format!("{what} {}", trip.place);
                let day = days_after(trip.start, number / 2);
                let spent = Booking::new(day, cents, &merchant, "travel", format!("Card {}", trip.country));
                self.book(spent.by_card().in_city(trip.place));
            }
        }
    }

    fn book_months(&mut self) {
        for month in when::every_month() {
            let on = |day: i64| days_after(month, day - 1);
            let salary = 412_400 + i64::from(month.year() - 2021) * 15_250;
            let rent_of = format!("Rent {}", month.strftime("%B %Y"));
            self.book(Booking::new(month, -rent(month), "Hausverwaltung Krüger", "rent", rent_of));
            self.book(Booking::new(on(3), -3_900, "Kletterwerk", "leisure", "Membership 20417"));
            self.book(Booking::new(on(5), -2_500, "Seenotretter", "donations", "Thank you"));
            self.book(Booking::new(on(12), -1_099, "Spotify", "subscriptions", "Premium").by_card());
            self.book(Booking::new(on(27), salary, "Fathom Tide GmbH", "salary", "Salary Nora Lindgren"));
        }
    }

    /// The refund of the lost parcel, and its way back once it was found.
    fn book_parcel(&mut self) {
        let shop = "Sternwarte Optik";
        self.book(Booking::new(date(2026, 4, 15), 28_900, shop, "shopping", "Refund SO-20931"));
        self.book(Booking::new(date(2026, 5, 5), -28_900, shop, "shopping", "SO-20931 has turned up"));
    }

    fn book_everyday(&mut self, scale: Scale) {
        let grammar = Grammar::of(&[include_str!("material/private.txt")]);
        for (rule, category, low, high, count) in EVERYDAY {
            for _ in 0..scale.of(count) {
                let merchant = grammar.say(&mut self.dice, rule, &[]);
                let day = when::some_day(&mut self.dice);
                let cents = -self.dice.between(low, high);
                let reference = format!("Card payment {}", self.dice.between(100_000, 999_999));
                self.book(Booking::new(day, cents, &merchant, category, reference).by_card().in_city("Hamburg"));
            }
        }
    }
}

/// Less while the wall was damp, more since the letter of September 2025.
fn rent(month: Date) -> i64 {
    let damp = date(2024, 2, 1)..date(2024, 4, 1);
    match month {
        month if damp.contains(&month) => 111_600,
        month if (date(2026, 1, 1)..TODAY).contains(&month) => 131_000,
        _ => 124_000,
    }
}

#[expect(clippy::cast_precision_loss, reason = "amounts are far below the limit of exact numbers")]
fn in_euros(cents: i64) -> f64 {
    cents as f64 / 100.0
}
