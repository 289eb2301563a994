//! Appointments with doctors.

use jiff::civil::Date;

use crate::demo::dice::Dice;
use crate::demo::when;

/// Doctor, address for mail, street, reason.
const DOCTORS: [(&str, &str, &str, &str); 5] = [
    ("Dr. Anselm Vogt", "praxis@vogt-altona.example", "Große Bergstraße 12", "check-up and blood test (iron)"),
    ("Dr. Imke Peters", "praxis@zahnarzt-peters.example", "Elbchaussee 88", "dental cleaning"),
    ("Physio am Hafen", "termin@physio-hafen.example", "Fischmarkt 3", "physiotherapy, ring finger and knee"),
    ("Dr. Anselm Vogt", "praxis@vogt-altona.example", "Große Bergstraße 12", "vaccination"),
    ("Augenzentrum Nord", "info@augenzentrum.example", "Max-Brauer-Allee 40", "eye test"),
];

/// An appointment with a doctor.
pub(crate) struct Visit {
    pub(crate) doctor: &'static str,
    pub(crate) mail: &'static str,
    pub(crate) street: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) day: Date,
    pub(crate) hour: i64,
}

pub(super) fn visits() -> Vec<Visit> {
    let mut dice = Dice::named("visits");
    let visit = |turn: usize| {
        let (doctor, mail, street, reason) = DOCTORS[turn % DOCTORS.len()];
        Visit { doctor, mail, street, reason, day: when::some_working_day(&mut dice), hour: dice.between(8, 16) }
    };
    (0..62).map(visit).collect()
}
