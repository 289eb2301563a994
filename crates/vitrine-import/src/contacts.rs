//! vCard files, as address books export them.

use calcard::vcard::{VCard, VCardEntry, VCardProperty, VCardValue};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::components::{self, Piece};
use super::export::{Export, Member};
use super::hash;
use super::kind::Importer;
use super::moments::{Moment, moment};
use super::settings::Settings;
use super::sink::{ImportError, Sink};
use super::text as text_file;

pub(super) const IMPORTER: Importer = Importer::declared(
    "a vCard file",
    "a `.vcf` file, which starts with BEGIN:VCARD, or a ZIP or directory with such files",
    include_str!("declarations/contacts.json"),
    recognizes,
    read,
);

const MAX_ENTRIES: usize = 100;
/// What Apple writes for a year that is not told.
const OMITTED_YEAR: u16 = 1604;

#[derive(Serialize)]
struct Contact {
    id: String,
    name: Option<String>,
    given_name: Option<String>,
    family_name: Option<String>,
    nickname: Option<String>,
    organization: Option<String>,
    job_title: Option<String>,
    emails: Vec<String>,
    phones: Vec<String>,
    addresses: Vec<String>,
    urls: Vec<String>,
    birthday: Option<String>,
    note: Option<String>,
    categories: Vec<String>,
    text: String,
    updated_at: Option<String>,
}

fn is_card(member: &Member) -> bool {
    member.has_extension("vcf") || member.has_extension("vcard")
}

fn recognizes(export: &mut Export) -> Result<bool, ImportError> {
    let members = export.members();
    let Some(first) = members.iter().find(|m| is_card(m)).or(members.first()).cloned() else { return Ok(false) };
    Ok(text_file::head(export, &first, 512)?.trim_start().to_ascii_uppercase().starts_with("BEGIN:VCARD"))
}

fn read(export: &mut Export, _: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let several = export.members().len() > 1;
    for member in export.select(|member| !several || is_card(member)) {
        let mut reader = text_file::reader(export, &member)?;
        components::each(&mut *reader, &member.name, &["VCARD"], sink, &mut |piece, sink| {
            let Piece::Component(_, number, component) = piece else { return Ok(()) };
            let contact = VCard::parse(component).ok().map(|card| contact(&card, component));
            if let Some(contact) = contact.filter(|contact| !contact.text.is_empty()) {
                return sink.record("contacts", None, &contact);
            }
            sink.reject("an entry that tells nobody", format!("{}, entry {number}", member.name));
            Ok(())
        })?;
    }
    Ok(())
}

fn contact(card: &VCard, source: &str) -> Contact {
    let all = |name: VCardProperty| -> Vec<String> {
        let entries = card.entries.iter().filter(|entry| entry.name == name).take(MAX_ENTRIES);
        entries.map(words).filter(|text| !text.is_empty()).collect()
    };
    let first = |name: VCardProperty| all(name).into_iter().next();
    let structured = card.entries.iter().find(|entry| entry.name == VCardProperty::N).map(parts).unwrap_or_default();
    let part = |at: usize| structured.get(at).filter(|part| !part.is_empty()).cloned();
    let (family_name, given_name) = (part(0), part(1));
    let built = [given_name.clone(), family_name.clone()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let organization = first(VCardProperty::Org);
    let name = first(VCardProperty::Fn).or((!built.is_empty()).then_some(built)).or_else(|| organization.clone());
    let emails = all(VCardProperty::Email);
    let phones: Vec<String> =
        all(VCardProperty::Tel).into_iter().map(|number| number.trim_start_matches("tel:").to_owned()).collect();
    let addresses = all(VCardProperty::Adr);
    let lists = [&emails, &phones, &addresses].into_iter().flatten().map(String::as_str);
    let text = name.as_deref().into_iter().chain(lists).collect::<Vec<_>>().join("\n");
    let birthday = card.entries.iter().find(|entry| entry.name == VCardProperty::Bday);
    let birthday = written_birthday(source).or_else(|| birthday.and_then(parsed_birthday));
    let updated = card.entries.iter().find(|entry| entry.name == VCardProperty::Rev);
    let updated_at = updated.and_then(|entry| {
        entry.values.iter().find_map(|value| match value {
            VCardValue::PartialDateTime(at) => moment(at, &TimeZone::UTC).map(Moment::text),
            _ => None,
        })
    });
    Contact {
        id: first(VCardProperty::Uid).unwrap_or_else(|| fallback_id(name.as_deref(), &emails, &phones, source)),
        name,
        given_name,
        family_name,
        nickname: first(VCardProperty::Nickname),
        organization,
        job_title: first(VCardProperty::Title),
        emails,
        phones,
        addresses,
        urls: all(VCardProperty::Url),
        birthday,
        note: first(VCardProperty::Note),
        categories: card.entries.iter().filter(|e| e.name == VCardProperty::Categories).flat_map(parts).collect(),
        text,
        updated_at,
    }
}

/// Who it is, so that a changed note is no other person.
fn fallback_id(name: Option<&str>, emails: &[String], phones: &[String], source: &str) -> String {
    let first = emails.first().or(phones.first()).map(String::as_str);
    hash::text_key(&[name.unwrap_or_default(), first.unwrap_or(if name.is_none() { source } else { "" })])
}

fn parts(entry: &VCardEntry) -> Vec<String> {
    let mut parts = Vec::new();
    for value in &entry.values {
        match value {
            VCardValue::Text(text) => parts.push(text.trim().to_owned()),
            VCardValue::Component(texts) => parts.push(texts.join(" ").trim().to_owned()),
            _ => {}
        }
    }
    parts
}

fn words(entry: &VCardEntry) -> String {
    parts(entry).into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A birthday written `--03-12`, `--0312` or `1980-03-12`: the parser makes no date of the first, nor of the last
/// in newer cards.
fn written_birthday(source: &str) -> Option<String> {
    let value = source.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let name = name.split(';').next()?.rsplit('.').next()?;
        name.eq_ignore_ascii_case("BDAY").then_some(value.trim())
    })?;
    if let Some(rest) = value.strip_prefix("--") {
        let digits = rest.replace('-', "");
        let (month, day) = digits.split_at_checked(2).filter(|_| digits.len() == 4)?;
        return Some(told_birthday(None, month.parse().ok()?, day.parse().ok()?));
    }
    let day: Date = value.get(..10)?.parse().ok()?;
    Some(told_birthday(u16::try_from(day.year()).ok(), day.month().unsigned_abs(), day.day().unsigned_abs()))
}

/// `1980-05-01`, or `--05-01` where the year is kept back.
fn told_birthday(year: Option<u16>, month: u8, day: u8) -> String {
    match year.filter(|year| *year != OMITTED_YEAR) {
        Some(year) => format!("{year:04}-{month:02}-{day:02}"),
        None => format!("--{month:02}-{day:02}"),
    }
}

fn parsed_birthday(entry: &VCardEntry) -> Option<String> {
    entry.values.iter().find_map(|value| match value {
        VCardValue::PartialDateTime(at) => Some(told_birthday(at.year, at.month?, at.day?)),
        VCardValue::Text(text) => Some(text.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Kind;
    use crate::testing::read;

    const CARDS: &str = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Müller;Anna;;Dr.;\r\nFN:Dr. Anna Müller\r\nORG:Elbe Bakery;Ovens\r\n\
EMAIL;type=INTERNET;type=HOME:anna@example.org\r\nTEL;type=CELL:+49 170 5550100\r\nADR;type=HOME:;;Am Deich 1;Hamburg;;20459;Germany\r\n\
BDAY:1980-05-01\r\nNOTE:Likes rye\\, not spelt\r\nPHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRg==\r\nUID:abc-1\r\nREV:2024-01-02T03:04:05Z\r\nEND:VCARD\r\n\
BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=96zt=C3=BCrk;Can\r\nTEL;CELL:0170 1\r\nBDAY:--0317\r\nEND:VCARD\r\n\
BEGIN:VCARD\r\nVERSION:3.0\r\nEND:VCARD\r\n";

    #[test]
    fn people_are_told_whichever_version_the_book_writes() {
        let found = read(Kind::Vcard, "contacts.vcf", CARDS);
        let [anna, can] = found.of("contacts")[..] else { panic!("{:?}", found.records) };
        assert_eq!((&anna["id"], &anna["name"]), (&json!("abc-1"), &json!("Dr. Anna Müller")));
        assert_eq!((&anna["family_name"], &anna["organization"]), (&json!("Müller"), &json!("Elbe Bakery, Ovens")));
        assert_eq!((&anna["birthday"], &anna["note"]), (&json!("1980-05-01"), &json!("Likes rye, not spelt")));
        assert_eq!(anna["addresses"], json!(["Am Deich 1, Hamburg, 20459, Germany"]));
        assert_eq!(anna["updated_at"], "2024-01-02T03:04:05Z");
        assert_eq!((&can["name"], &can["phones"]), (&json!("Can Öztürk"), &json!(["0170 1"])));
        assert_eq!(found.reasons(), ["an entry that tells nobody"]);
    }

    #[test]
    fn a_birthday_without_a_year_has_none() {
        for line in ["BDAY:--03-12", "BDAY:--0312", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-12", "BDAY;VALUE=date:--03-12"]
        {
            for version in ["3.0", "4.0"] {
                let card = format!("BEGIN:VCARD\r\nVERSION:{version}\r\nFN:Anna\r\n{line}\r\nEND:VCARD\r\n");
                let found = read(Kind::Vcard, "contacts.vcf", card);
                assert_eq!(found.of("contacts")[0]["birthday"], "--03-12", "{version} {line}");
            }
        }
    }
}
