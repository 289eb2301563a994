//! Journeys: where, when, and with whom.

use jiff::civil::{Date, date};

use crate::demo::when::days_after;

/// A journey.
pub(crate) struct Trip {
    pub(crate) place: &'static str,
    pub(crate) country: &'static str,
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
    pub(crate) start: Date,
    pub(crate) days: i64,
    /// In days.
    pub(crate) booked_before: i64,
    pub(crate) with: &'static str,
    pub(crate) carrier: &'static str,
    pub(crate) fare_cents: i64,
    pub(crate) hotel: &'static str,
    pub(crate) hotel_cents: i64,
    pub(crate) memory: &'static str,
}

impl Trip {
    /// The day of the return.
    pub(crate) fn end(&self) -> Date {
        days_after(self.start, self.days - 1)
    }

    /// How its bookings are called.
    pub(crate) fn code(&self) -> String {
        let letters: String = self.place.chars().filter(char::is_ascii_alphabetic).take(3).collect();
        format!("{}{}", letters.to_uppercase(), self.start.strftime("%y%m%d"))
    }
}

#[rustfmt::skip]
/// All journeys, in order.
pub(crate) const TRIPS: [Trip; 12] = [
    Trip { place: "Malmö", country: "Sweden", latitude: 55.605, longitude: 13.003, start: date(2021, 12, 27), days: 5, booked_before: 38, with: "Tom", carrier: "Nachtfähre Nord", fare_cents: 18_600, hotel: "Jonas's workshop", hotel_cents: 0, memory: "Jonas planed a table leg at midnight to show us how quiet the new machine is." },
    Trip { place: "Lofoten", country: "Norway", latitude: 68.209, longitude: 13.611, start: date(2022, 6, 11), days: 12, booked_before: 74, with: "Priya", carrier: "Polarfly", fare_cents: 61_280, hotel: "Rorbu Reine", hotel_cents: 98_400, memory: "No night for twelve days. We had breakfast four times on Tuesday." },
    Trip { place: "Gdańsk", country: "Poland", latitude: 54.352, longitude: 18.646, start: date(2022, 10, 1), days: 4, booked_before: 41, with: "Ewa", carrier: "Baltbahn", fare_cents: 14_900, hotel: "Hotel Żuraw", hotel_cents: 27_600, memory: "Ewa's grandmother fed us until the tram driver asked whether we were well." },
    Trip { place: "Valencia", country: "Spain", latitude: 39.470, longitude: -0.376, start: date(2023, 3, 15), days: 6, booked_before: 57, with: "Lucía", carrier: "Solair", fare_cents: 22_340, hotel: "Lucía's flat", hotel_cents: 0, memory: "The mascletà is not fireworks, it is weather." },
    Trip { place: "Venice", country: "Italy", latitude: 45.438, longitude: 12.327, start: date(2023, 6, 19), days: 4, booked_before: 36, with: "Samir", carrier: "Adriabahn", fare_cents: 31_800, hotel: "Locanda Storta", hotel_cents: 61_200, memory: "The brass mark was painted over; we found it with a fridge magnet." },
    Trip { place: "Kyoto", country: "Japan", latitude: 35.012, longitude: 135.768, start: date(2023, 11, 10), days: 16, booked_before: 80, with: "Tom", carrier: "Nippon Wing", fare_cents: 214_600, hotel: "Ryokan Arashi", hotel_cents: 132_000, memory: "Left the umbrella in the entrance. Haruka's aunt keeps it as a hostage." },
    Trip { place: "Cork", country: "Ireland", latitude: 51.898, longitude: -8.472, start: date(2024, 5, 6), days: 5, booked_before: 44, with: "Grace", carrier: "Celtic Air", fare_cents: 27_950, hotel: "Quay House", hotel_cents: 54_500, memory: "Aoife knows every buoy by its first name." },
    Trip { place: "Dolomites", country: "Italy", latitude: 46.410, longitude: 11.844, start: date(2024, 8, 17), days: 9, booked_before: 61, with: "Mateo", carrier: "Alpenzug", fare_cents: 23_700, hotel: "Rifugio Lago", hotel_cents: 58_900, memory: "Storm at the fourth pitch. Mateo sang, I counted seconds between the lightning and him." },
    Trip { place: "Marrakesh", country: "Morocco", latitude: 31.629, longitude: -7.981, start: date(2025, 2, 7), days: 8, booked_before: 52, with: "Layla", carrier: "Atlas Jet", fare_cents: 38_420, hotel: "Riad Zitoun", hotel_cents: 62_300, memory: "Layla bargained for an hour over a lamp and then bought it at the first price, out of respect." },
    Trip { place: "Helgoland", country: "Germany", latitude: 54.182, longitude: 7.886, start: date(2025, 7, 25), days: 4, booked_before: 39, with: "Tom", carrier: "Elbfähren", fare_cents: 16_400, hotel: "Haus Lumme", hotel_cents: 41_800, memory: "The young guillemots jump at dusk. Tom asked me there, and I said yes." },
    Trip { place: "Venice", country: "Italy", latitude: 45.438, longitude: 12.327, start: date(2026, 4, 21), days: 5, booked_before: 47, with: "Samir", carrier: "Adriabahn", fare_cents: 34_600, hotel: "Locanda Storta", hotel_cents: 70_500, memory: "The third gate is seven centimetres off. Rosa bought the coffee." },
    Trip { place: "Lisbon", country: "Portugal", latitude: 38.722, longitude: -9.139, start: date(2026, 9, 12), days: 9, booked_before: 66, with: "Tom", carrier: "Tejo Air", fare_cents: 48_260, hotel: "Pensão Graça", hotel_cents: 88_200, memory: "Married for one week; nobody here knows, and everybody gives us cake." },
];
