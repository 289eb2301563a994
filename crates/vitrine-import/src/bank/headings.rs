//! What the heading of a column promises.

use super::columns::Role;
use super::{currency, sign};

/// Headings in small letters; the first that fits decides.
const HEADINGS: &[(Role, &[&str])] = &[
    (Role::Wording, &["buchungstext", "buchungsdetails", "details"]),
    (
        Role::Value,
        &["valuta", "valutadatum", "wertstellung", "value date", "completed date", "date de valeur", "fecha valor"],
    ),
    (
        Role::Booked,
        &[
            "buchungstag",
            "buchungsdatum",
            "booking date",
            "posting date",
            "posted date",
            "transaction date",
            "trans. date",
            "post date",
            "started date",
            "date",
            "datum",
            "buchung",
            "fecha",
        ],
    ),
    (Role::Balance, &["saldo", "balance", "kontostand", "running balance", "running bal"]),
    (Role::Out, &["soll", "debit", "débit", "paid out", "money out", "withdrawal", "belastung", "ausgabe"]),
    (Role::In, &["haben", "credit", "crédit", "paid in", "money in", "deposit", "deposits", "gutschrift", "einnahme"]),
    (Role::Id, &["transaction id", "transaction reference", "umsatz-id", "fitid", "id"]),
    (
        Role::Amount,
        &[
            "betrag",
            "buchungsbetrag",
            "amount",
            "umsatz",
            "importe",
            "montant",
            "bedrag",
            "transaction amount",
            "gross",
        ],
    ),
    (Role::Currency, &["währung", "waehrung", "buchungswährung", "whrg", "currency", "devise", "divisa"]),
    (
        Role::Account,
        &[
            "auftragskonto",
            "iban auftragskonto",
            "iban kontoinhaber",
            "account name",
            "account number",
            "own account",
            "kontobezeichnung",
            "bezeichnung auftragskonto",
            "rekening",
        ],
    ),
    (
        Role::CounterpartyAccount,
        &[
            "kontonummer/iban",
            "iban zahlungsbeteiligter",
            "iban",
            "counterparty iban",
            "kontonummer",
            "partner iban",
            "tegenrekening",
        ],
    ),
    (Role::Holder, &["auftraggeber/zahlungsempfänger"]),
    (Role::Counterparty, &["name zahlungsbeteiligter", "merchant", "counterparty", "partner name", "naam", "name"]),
    (
        Role::Payee,
        &[
            "beguenstigter",
            "begünstigter",
            "empfänger",
            "empfaenger",
            "zahlungsempfänger",
            "zahlungsempfaenger",
            "payee",
            "recipient",
            "beneficiary",
        ],
    ),
    (Role::Payer, &["zahlungspflichtige", "auftraggeber", "payer", "sender"]),
    (Role::Kind, &["umsatztyp", "umsatzart", "transaction type", "type", "vorgang", "mutatiesoort"]),
    (
        Role::Reference,
        &[
            "verwendungszweck",
            "description",
            "transaction description",
            "beschreibung",
            "transaktionsbeschreibung",
            "reference",
            "purpose",
            "narrative",
            "payment reference",
            "concepto",
            "libellé",
            "omschrijving",
            "mededelingen",
        ],
    ),
    (Role::Memo, &["memo"]),
    (Role::Category, &["category", "kategorie", "catégorie", "categoría", "categorie"]),
    (Role::Note, &["note", "notes", "notiz", "notizen"]),
    (Role::State, &["state", "status"]),
];

/// Words that may follow a heading without making it another.
const MORE: &[&str] = &[
    "in",
    "of",
    "the",
    "and",
    "de",
    "du",
    "des",
    "la",
    "le",
    "l'opération",
    "opération",
    "operation",
    "operación",
    "contable",
    "comptabilisation",
    "comptable",
    "nach",
    "na",
    "after",
    "transaction",
    "transactions",
    "buchung",
    "mutatie",
    "amount",
    "date",
    "datum",
    "betrag",
    "bedrag",
    "total",
    "number",
    "no",
    "nr",
    "tags",
    "name",
    "time",
];
/// Endings that make no other word of one.
const ENDINGS: &[&str] = &["s", "e", "n", "r", "en", "in", "innen", "sdatum", "stag", "sbetrag"];

/// What a column with this heading, in small letters, holds, other than those before it.
pub(super) fn role(heading: &str, before: &[Option<Role>]) -> Option<Role> {
    let is_free = |role: Role| !before.contains(&Some(role));
    if sign::is_heading(heading) {
        return Some(Role::Sign).filter(|role| is_free(*role));
    }
    // `Auftraggeber/Empfänger` is whoever is at the other end.
    let whole = |role| match role {
        Role::Payee | Role::Payer if heading.contains('/') => Role::Counterparty,
        role => role,
    };
    let fitting = HEADINGS.iter().filter(|(_, known)| known.iter().any(|known| fits(heading, known)));
    fitting.map(|(role, _)| whole(*role)).find(|role| is_free(*role))
}

/// Whether a heading is a known one, with nothing after it that makes it another: `umsatz in eur` is an `umsatz`,
/// `umsatz getätigt von` is none.
fn fits(heading: &str, known: &str) -> bool {
    let Some(rest) = heading.strip_prefix(known) else { return false };
    let ending = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    if ending > 0 && !(known.len() > 3 && ENDINGS.contains(&&rest[..ending])) {
        return false;
    }
    let rest = rest[ending..].trim_start();
    let is_aside = rest.starts_with(['/', '(', '[', '*', ':']);
    is_aside || rest.split([' ', '-', '_', '.', '#', ',']).all(is_more)
}

fn is_more(word: &str) -> bool {
    !word.contains(char::is_alphabetic)
        || MORE.contains(&word)
        || currency::of(&word.to_uppercase()).is_some()
        || matches!(word, "euro" | "euros")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_known_as_a_whole() {
        for (heading, promised) in [
            ("umsatz in eur", Some(Role::Amount)),
            ("betrag (€)", Some(Role::Amount)),
            ("amount chf", Some(Role::Amount)),
            ("débit euros", Some(Role::Out)),
            ("debit amount", Some(Role::Out)),
            ("withdrawals", Some(Role::Out)),
            ("saldo nach buchung", Some(Role::Balance)),
            ("zahlungsempfänger*in", Some(Role::Payee)),
            ("naam / omschrijving", Some(Role::Counterparty)),
            ("notes and #tags", Some(Role::Note)),
            ("date de l'opération", Some(Role::Booked)),
            ("description 1", Some(Role::Reference)),
            ("umsatz getätigt von", None),
            ("amount type", None),
            ("credit card", None),
            ("date of birth", None),
            ("identity", None),
        ] {
            assert_eq!(role(heading, &[]), promised, "{heading}");
        }
    }
}
