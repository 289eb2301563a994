//! What is known about photos: journeys, concerts, and days at home.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use vitrine_contract::time;
use vitrine_engine::keeping::NewBlob;

use super::dice::Dice;
use super::files;
use super::grammar::Grammar;
use super::load::{BlobRef, Load};
use super::story::TRIPS;
use super::when;
use super::{Scale, Story};

const CONNECTION: &str = "photos";
const AT_HOME: usize = 3_000;
const A_DAY_ON_JOURNEYS: usize = 14;
const AT_A_CONCERT: usize = 6;
/// How many of a hundred came over a messenger: small, and kept with their bytes.
const SENT_SMALL: usize = 8;

#[derive(Serialize)]
struct Photo {
    id: String,
    filename: String,
    taken_at: String,
    album: Option<String>,
    caption: Option<String>,
    place: &'static str,
    country: &'static str,
    latitude: Option<f64>,
    longitude: Option<f64>,
    camera: &'static str,
    width: i64,
    height: i64,
    people: Vec<String>,
    favorite: bool,
    blob_ref: BlobRef,
}

/// Where photos are taken.
#[derive(Clone, Copy)]
struct Spot {
    place: &'static str,
    country: &'static str,
    latitude: f64,
    longitude: f64,
}

const HOME: Spot = Spot { place: "Hamburg", country: "Germany", latitude: 53.546, longitude: 9.935 };

/// All photos.
pub(crate) fn photos(story: &Story, scale: Scale) -> Vec<Load> {
    let mut dice = Dice::named(CONNECTION);
    let grammar = Grammar::of(&[include_str!("material/friends.txt"), include_str!("material/private.txt")]);
    let mut photos = Vec::new();
    for trip in &TRIPS {
        let spot =
            Spot { place: trip.place, country: trip.country, latitude: trip.latitude, longitude: trip.longitude };
        for day in (0..trip.days).map(|number| when::days_after(trip.start, number)) {
            for _ in 0..scale.of(A_DAY_ON_JOURNEYS) {
                let mut photo = photo(&mut dice, day, spot);
                photo.1.album = Some(format!("{} {}", trip.place, trip.start.year()));
                if dice.chance(40) {
                    photo.1.people.push(trip.with.to_owned());
                }
                photos.push(photo);
            }
        }
    }
    for concert in &story.concerts {
        for _ in 0..AT_A_CONCERT {
            let mut photo = photo(&mut dice, concert.day, HOME);
            photo.1.caption = Some(format!("{} at {}", concert.artist, concert.venue));
            photo.1.album = Some("Concerts".to_owned());
            photo.1.people.push(concert.with.first_name().to_owned());
            photos.push(photo);
        }
    }
    for _ in 0..scale.of(AT_HOME) {
        let day = when::some_day(&mut dice);
        let mut photo = photo(&mut dice, day, HOME);
        photo.1.album = dice.chance(50).then(|| grammar.say(&mut dice, "album", &[]));
        photo.1.caption = dice.chance(35).then(|| grammar.say(&mut dice, "caption", &[]));
        photos.push(photo);
    }
    photos.sort_by_key(|(at, _)| *at);
    let blobs = photos.iter_mut().filter_map(|(_, photo)| photo.sent_small()).collect();
    vec![Load::of(CONNECTION, "photos", photos).with_blobs(blobs)]
}

impl Photo {
    /// Makes some of them small ones; the bytes of such a one.
    fn sent_small(&mut self) -> Option<NewBlob> {
        let mut dice = Dice::named(&self.blob_ref.blob_id);
        if !dice.chance(SENT_SMALL) {
            return None;
        }
        self.filename = self.filename.replace(".jpg", ".png");
        (self.width, self.height) = (files::WIDTH.into(), files::HEIGHT.into());
        self.blob_ref.mime_type = "image/png";
        Some(self.blob_ref.hold(files::picture(&mut dice)))
    }
}

fn photo(dice: &mut Dice, day: Date, spot: Spot) -> (Timestamp, Photo) {
    let at = when::during(dice, day, 6, 22);
    let located = dice.chance(85);
    let (width, height) = *dice.pick(&[(4_032, 3_024), (3_024, 4_032), (6_000, 4_000)]);
    let blob_ref = BlobRef {
        blob_id: format!("photo_{}", dice.hex::<8>()),
        mime_type: "image/jpeg",
        size_bytes: dice.between(900_000, 9_800_000),
        sha256: dice.hex::<32>(),
    };
    let photo = Photo {
        id: format!("img-{}", dice.hex::<6>()),
        filename: format!("IMG_{:05}.jpg", dice.between(100, 98_000)),
        taken_at: time::format(at),
        album: None,
        caption: None,
        place: spot.place,
        country: spot.country,
        latitude: located.then(|| near(dice, spot.latitude)),
        longitude: located.then(|| near(dice, spot.longitude)),
        camera: if width == 6_000 { "Halden M2" } else { "Phone" },
        width,
        height,
        people: Vec::new(),
        favorite: dice.chance(7),
        blob_ref,
    };
    (at, photo)
}

/// Some hundred metres off, to five decimals.
fn near(dice: &mut Dice, degrees: f64) -> f64 {
    let offset = i32::try_from(dice.between(-900, 900)).unwrap_or_default();
    ((degrees * 100_000.0).round() + f64::from(offset)) / 100_000.0
}
