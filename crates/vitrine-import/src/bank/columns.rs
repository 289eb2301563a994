//! Which column of a bank's table is what.

/// What a column may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Booked,
    Value,
    Amount,
    Out,
    In,
    Currency,
    Account,
    Kind,
    Counterparty,
    CounterpartyAccount,
    Reference,
    Balance,
    Id,
}

/// Starts of headings, in small letters; the first that fits a heading decides.
const HEADINGS: &[(Role, &[&str])] = &[
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
            "started date",
            "date",
            "datum",
            "buchung",
            "fecha",
        ],
    ),
    (Role::Balance, &["saldo", "balance", "kontostand", "running balance"]),
    (Role::Out, &["soll", "debit", "paid out", "money out", "withdrawal", "belastung", "ausgabe"]),
    (Role::In, &["haben", "credit", "paid in", "money in", "deposit", "gutschrift", "einnahme"]),
    (Role::Amount, &["betrag", "amount", "umsatz in", "importe", "montant", "bedrag", "transaction amount"]),
    (Role::Currency, &["währung", "waehrung", "whrg", "currency", "devise", "divisa"]),
    (Role::Account, &["auftragskonto", "iban auftragskonto", "account name", "own account", "kontobezeichnung"]),
    (
        Role::CounterpartyAccount,
        &[
            "kontonummer/iban",
            "iban zahlungsbeteiligter",
            "iban",
            "counterparty iban",
            "kontonummer",
            "partner iban",
            "account number",
        ],
    ),
    (
        Role::Counterparty,
        &[
            "beguenstigter",
            "begünstigter",
            "name zahlungsbeteiligter",
            "auftraggeber",
            "empfänger",
            "empfaenger",
            "zahlungsempfänger",
            "zahlungspflichtige",
            "payee",
            "merchant",
            "counterparty",
            "partner name",
            "name",
        ],
    ),
    (Role::Kind, &["buchungstext", "umsatztyp", "umsatzart", "transaction type", "type", "vorgang"]),
    (
        Role::Reference,
        &[
            "verwendungszweck",
            "description",
            "reference",
            "memo",
            "details",
            "purpose",
            "narrative",
            "payment reference",
            "concepto",
            "libellé",
            "buchungsdetails",
        ],
    ),
    (Role::Id, &["transaction id", "transaction reference", "umsatz-id", "fitid", "id"]),
];

/// The columns of a table, by what they hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns(Vec<Option<Role>>);

impl Columns {
    /// The columns of a row of headings, if it is one.
    pub(super) fn of_headings<'a>(row: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut columns: Vec<Option<Role>> = Vec::new();
        for heading in row {
            let heading = heading.trim().trim_matches('"').to_lowercase();
            let fits = |starts: &[&str]| starts.iter().any(|start| is_start(&heading, start));
            let role = HEADINGS.iter().find(|(role, starts)| !columns.contains(&Some(*role)) && fits(starts));
            columns.push(role.map(|(role, _)| *role));
        }
        // A bank that lists one day calls it what it likes.
        if !columns.contains(&Some(Role::Booked)) {
            let only = columns.iter().position(|role| *role == Some(Role::Value))?;
            columns[only] = Some(Role::Booked);
        }
        let has = |role| columns.contains(&Some(role));
        (has(Role::Amount) || (has(Role::Out) && has(Role::In))).then_some(Self(columns))
    }

    /// What stands in a row in the column of this role.
    pub(super) fn get<'a>(&self, row: &'a csv::StringRecord, role: Role) -> Option<&'a str> {
        let at = self.0.iter().position(|known| *known == Some(role))?;
        row.get(at).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// Whether a heading starts with these words, and not with a longer one.
fn is_start(heading: &str, start: &str) -> bool {
    heading.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_alphabetic) || start.len() > 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(headings: &str) -> Option<Vec<Option<Role>>> {
        Columns::of_headings(headings.split(';')).map(|columns| columns.0)
    }

    #[test]
    fn headings_of_banks_are_understood() {
        let sparkasse = roles(
            "Auftragskonto;Buchungstag;Valutadatum;Buchungstext;Verwendungszweck;Beguenstigter/Zahlungspflichtiger;Kontonummer/IBAN;BIC (SWIFT-Code);Betrag;Waehrung;Info",
        );
        assert_eq!(
            sparkasse.unwrap()[..9].iter().flatten().copied().collect::<Vec<_>>(),
            [
                Role::Account,
                Role::Booked,
                Role::Value,
                Role::Kind,
                Role::Reference,
                Role::Counterparty,
                Role::CounterpartyAccount,
                Role::Amount
            ]
        );
        let dkb = roles(
            "Buchungsdatum;Wertstellung;Status;Zahlungspflichtige*r;Zahlungsempfänger*in;Verwendungszweck;Umsatztyp;IBAN;Betrag (€)",
        );
        assert!(dkb.unwrap().contains(&Some(Role::Amount)));
        let barclays = roles("Date;Description;Paid out;Paid in;Balance");
        assert_eq!(barclays.unwrap()[4], Some(Role::Balance));
        assert_eq!(roles("Artist;Song;Plays"), None);
        assert_eq!(roles("Date;Title"), None);
    }
}
