//! Bookings: what the story costs, and what a month costs anyway.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use serde::Serialize;
use vitrine_contract::time;

use super::dice::Dice;
use super::grammar::Grammar;
use super::load::Load;
use super::story::TRIPS;
use super::when::{self, DAYS, TODAY, days_after};
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

impl Statement {
    fn book(&mut self, day: Date, cents: i64, merchant: &str, category: &'static str, reference: String) {
        self.book_in(day, cents, merchant, category, reference, CURRENT, None);
    }

    #[expect(clippy::too_many_arguments, reason = "a booking has that many columns")]
    fn book_in(
        &mut self,
        day: Date,
        cents: i64,
        merchant: &str,
        category: &'static str,
        reference: String,
        account: &'static str,
        city: Option<&'static str>,
    ) {
        let at = when::during(&mut self.dice, day, 5, 21);
        if !when::is_past(at) {
            return;
        }
        let transaction = Transaction {
            id: format!("tx_{}", self.dice.hex::<6>()),
            account,
            booked_at: time::format(at),
            value_date: day.to_string(),
            amount: in_euros(cents),
            currency: "EUR",
            direction: if cents < 0 { "out" } else { "in" },
            merchant: merchant.to_owned(),
            category,
            reference,
            city,
        };
        self.bookings.push((at, transaction));
    }

    fn book_story(&mut self, story: &Story) {
        for bill in &story.bills {
            self.book(bill.paid, -bill.cents, bill.from.name, bill.from.category, format!("Invoice {}", bill.number));
        }
        for order in &story.orders {
            let reference = format!("Order {}", order.number);
            self.book_in(order.day, -order.cents, order.shop, "shopping", reference, CARD, None);
        }
        for concert in &story.concerts {
            let reference = format!("{} {} 2 tickets", concert.order, concert.artist);
            self.book_in(concert.booked, -concert.cents * 2, "Kartenkutter", "leisure", reference, CARD, None);
            let reference = format!("ticket {}", concert.artist);
            self.book(days_after(concert.day, 2), concert.cents, concert.with.name, "friends", reference);
        }
    }

    fn book_trips(&mut self) {
        for trip in &TRIPS {
            let reference = format!("Booking {} {}", trip.code(), trip.place);
            self.book_in(days_after(trip.start, -40), -trip.fare_cents, trip.carrier, "travel", reference, CARD, None);
            if trip.hotel_cents > 0 {
                let reference = format!("Reservation {}-H", trip.code());
                let city = Some(trip.place);
                self.book_in(trip.end(), -trip.hotel_cents, trip.hotel, "travel", reference, CARD, city);
            }
            for number in 0..trip.days * 2 {
                let cents = -self.dice.between(650, 7_400);
                let what = *self.dice.pick(&["Café", "Market", "Restaurant", "Museum", "Kiosk", "Bakery"]);
                let merchant = format!("{what} {}", trip.place);
                let day = days_after(trip.start, number / 2);
                self.book_in(day, cents, &merchant, "travel", format!("Card {}", trip.country), CARD, Some(trip.place));
            }
        }
    }

    fn book_months(&mut self) {
        for month in when::every_month() {
            let reference = format!("Rent {}", month.strftime("%B %Y"));
            self.book(month, -rent(month), "Hausverwaltung Krüger", "rent", reference);
            let salary = 412_400 + i64::from(month.year() - 2021) * 15_250;
            self.book(days_after(month, 26), salary, "Fathom Tide GmbH", "salary", "Salary Nora Lindgren".to_owned());
            self.book_in(days_after(month, 11), -1_099, "Spotify", "subscriptions", "Premium".to_owned(), CARD, None);
            self.book(days_after(month, 2), -3_900, "Kletterwerk", "leisure", "Membership 20417".to_owned());
            self.book(days_after(month, 4), -2_500, "Seenotretter", "donations", "Thank you".to_owned());
        }
    }

    /// The refund of the lost parcel, and its way back once it was found.
    fn book_parcel(&mut self) {
        let shop = "Sternwarte Optik";
        self.book(date(2026, 4, 15), 28_900, shop, "shopping", "Refund SO-20931".to_owned());
        self.book(date(2026, 5, 5), -28_900, shop, "shopping", "SO-20931 has turned up".to_owned());
    }

    fn book_everyday(&mut self, scale: Scale) {
        let grammar = Grammar::of(&[include_str!("material/private.txt")]);
        for (rule, category, low, high, count) in EVERYDAY {
            for _ in 0..scale.of(count) {
                let merchant = grammar.say(&mut self.dice, rule, &[]);
                let day = when::day(self.dice.between(0, DAYS - 1));
                let cents = -self.dice.between(low, high);
                let reference = format!("Card payment {}", self.dice.between(100_000, 999_999));
                self.book_in(day, cents, &merchant, category, reference, CARD, Some("Hamburg"));
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
