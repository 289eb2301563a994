//! Invoices and orders: each is a mail, and a booking of the same amount.

use jiff::civil::Date;

use crate::demo::dice::Dice;
use crate::demo::when::{self, TODAY, days_after};

/// Somebody who sends invoices.
pub(crate) struct Biller {
    pub(crate) name: &'static str,
    pub(crate) mail: &'static str,
    pub(crate) code: &'static str,
    pub(crate) category: &'static str,
    pub(crate) what: &'static str,
    cents: (i64, i64),
    every_months: usize,
}

/// An invoice that came and was paid.
pub(crate) struct Bill {
    pub(crate) number: String,
    pub(crate) from: &'static Biller,
    pub(crate) cents: i64,
    pub(crate) issued: Date,
    pub(crate) paid: Date,
}

/// Something ordered from a shop.
pub(crate) struct Order {
    pub(crate) number: String,
    pub(crate) shop: &'static str,
    pub(crate) mail: &'static str,
    pub(crate) item: &'static str,
    pub(crate) cents: i64,
    pub(crate) day: Date,
}

#[rustfmt::skip]
const BILLERS: [Biller; 9] = [
    Biller { name: "Elbstrom", mail: "rechnung@elbstrom.example", code: "ELB", category: "utilities", what: "electricity", cents: (4_800, 9_600), every_months: 1 },
    Biller { name: "Nordnetz", mail: "service@nordnetz.example", code: "NN", category: "utilities", what: "internet at home", cents: (3_990, 3_990), every_months: 1 },
    Biller { name: "Funkwerk Mobil", mail: "rechnung@funkwerk.example", code: "FW", category: "utilities", what: "mobile phone", cents: (1_499, 2_890), every_months: 1 },
    Biller { name: "Hanse Versicherung", mail: "post@hanse-versicherung.example", code: "HV", category: "insurance", what: "liability and household insurance", cents: (8_400, 9_900), every_months: 3 },
    Biller { name: "Radwerk Jensen", mail: "werkstatt@radwerk-jensen.example", code: "RW", category: "transport", what: "bicycle repair: brake cable, chain and labour", cents: (3_500, 24_000), every_months: 4 },
    Biller { name: "Zahnarztpraxis Dr. Peters", mail: "praxis@zahnarzt-peters.example", code: "ZP", category: "health", what: "dental cleaning and treatment", cents: (9_500, 86_000), every_months: 6 },
    Biller { name: "Segelverein Övelgönne", mail: "kasse@segelverein.example", code: "SV", category: "leisure", what: "berth 14 and crane", cents: (18_000, 34_000), every_months: 12 },
    Biller { name: "Klempner Otte", mail: "otte@klempner-otte.example", code: "KO", category: "home", what: "tap, seal and call-out", cents: (7_900, 19_500), every_months: 11 },
    Biller { name: "Steuerbüro Hinrichs", mail: "kanzlei@hinrichs-steuer.example", code: "SH", category: "services", what: "tax return", cents: (24_000, 38_000), every_months: 12 },
];

/// Shop, address, item, price in cents.
const GOODS: [(&str, &str, &str, i64); 14] = [
    ("Buchhandlung Lüders", "shop@lueders.example", "The Tide Tables of Brest, hardcover", 3_450),
    ("Buchhandlung Lüders", "shop@lueders.example", "two novels and a notebook", 4_180),
    ("Kletterwerk Shop", "shop@kletterwerk.example", "chalk and finger tape", 1_890),
    ("Kletterwerk Shop", "shop@kletterwerk.example", "climbing shoes, size 39", 12_950),
    ("Küchenkontor", "bestellung@kuechenkontor.example", "enamel pot, 7 litres", 6_900),
    ("Küchenkontor", "bestellung@kuechenkontor.example", "bread knife", 4_290),
    ("Schiffsbedarf Petersen", "order@petersen-schiff.example", "varnish, sandpaper and brushes", 8_740),
    ("Schiffsbedarf Petersen", "order@petersen-schiff.example", "mooring line, 14 mm, 20 m", 7_380),
    ("Notenversand Kranz", "noten@kranz.example", "choral score, alto", 1_650),
    ("Regenzeug", "hallo@regenzeug.example", "waterproof trousers", 11_900),
    ("Regenzeug", "hallo@regenzeug.example", "bicycle lamp", 3_990),
    ("Samenhaus", "gruss@samenhaus.example", "seeds: beans, chard, pumpkin", 1_470),
    ("Technikhafen", "service@technikhafen.example", "headphones with noise cancelling", 21_900),
    ("Technikhafen", "service@technikhafen.example", "external drive, 4 TB", 10_990),
];

pub(super) fn bills() -> Vec<Bill> {
    let mut dice = Dice::named("bills");
    let mut bills = Vec::new();
    for biller in &BILLERS {
        for (turn, month) in when::every_month().step_by(biller.every_months).enumerate() {
            let issued = days_after(month, dice.between(1, 9));
            let paid = days_after(issued, dice.between(3, 14));
            if paid < TODAY {
                let number = format!("{}-{}-{:04}", biller.code, issued.year(), 1000 + turn * 7 + dice.below(7));
                let cents = dice.between(biller.cents.0, biller.cents.1);
                bills.push(Bill { number, from: biller, cents, issued, paid });
            }
        }
    }
    bills
}

pub(super) fn orders() -> Vec<Order> {
    let mut dice = Dice::named("orders");
    let sternwarte = Order {
        number: "SO-20931".to_owned(),
        shop: "Sternwarte Optik",
        mail: "hilfe@sternwarte-optik.example",
        item: "binoculars 8x42",
        cents: 28_900,
        day: jiff::civil::date(2026, 2, 27),
    };
    let orders = (0..220).map(|turn| {
        let (shop, mail, item, price) = *dice.pick(&GOODS);
        let day = when::some_day(&mut dice);
        let number = format!("{}{}", 100_200 + turn * 37, dice.between(0, 9));
        Order { number, shop, mail, item, cents: price + dice.between(0, 3) * 150, day }
    });
    orders.chain([sternwarte]).collect()
}

/// An amount as a person writes it.
pub(crate) fn euros(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
