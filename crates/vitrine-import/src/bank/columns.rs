//! Which column of a bank's table is what.

use super::{currency, headings, sign};

/// What a column may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Booked,
    Value,
    Amount,
    Out,
    In,
    Sign,
    Currency,
    Account,
    Kind,
    Counterparty,
    Payee,
    Payer,
    CounterpartyAccount,
    Reference,
    Category,
    Note,
    Balance,
    State,
    Id,
    /// The owner, unless nobody else is named.
    Holder,
    /// What for, unless another column says that.
    Wording,
    Memo,
}

/// The columns of a table, by what they hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    roles: Vec<Option<Role>>,
    headings: Vec<String>,
}

impl Columns {
    /// The columns of a row of headings, if it is one.
    pub(super) fn of_headings<'a>(row: impl Iterator<Item = &'a str>) -> Option<Self> {
        let headings: Vec<String> = row.map(|heading| heading.trim().trim_matches('"').to_owned()).collect();
        let mut roles: Vec<Option<Role>> = Vec::new();
        for heading in &headings {
            roles.push(headings::role(&heading.to_lowercase(), &roles));
        }
        let mut columns = Self { roles, headings };
        columns.settle();
        let has = |role| columns.has(role);
        (has(Role::Booked) && (has(Role::Amount) || (has(Role::Out) && has(Role::In)))).then_some(columns)
    }

    /// Gives columns that may hold one thing or another what the others leave to them.
    fn settle(&mut self) {
        // A bank that lists one day calls it what it likes.
        self.stand_in(Role::Value, Role::Booked);
        if !(self.has(Role::Out) && self.has(Role::In)) {
            self.stand_in(Role::Sign, Role::Amount);
        }
        self.stand_in(Role::Holder, Role::Counterparty);
        if !(self.has(Role::Payee) && self.has(Role::Payer)) {
            self.stand_in(Role::Payee, Role::Counterparty);
            self.stand_in(Role::Payer, Role::Counterparty);
        }
        let named = self.has(Role::Counterparty) || self.has(Role::Payee);
        if !named || self.has(Role::Kind) {
            self.stand_in(Role::Wording, Role::Reference);
        }
        self.stand_in(Role::Memo, Role::Reference);
        self.stand_in(Role::Wording, Role::Kind);
        self.stand_in(Role::Memo, Role::Note);
        for left in [Role::Holder, Role::Wording, Role::Memo] {
            self.roles.iter_mut().filter(|role| **role == Some(left)).for_each(|role| *role = None);
        }
    }

    /// Lets a column of one role have another that no column has.
    fn stand_in(&mut self, role: Role, missing: Role) {
        if let Some(at) = self.at(role)
            && !self.has(missing)
        {
            self.roles[at] = Some(missing);
        }
    }

    pub(super) fn has(&self, role: Role) -> bool {
        self.roles.contains(&Some(role))
    }

    fn at(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|known| *known == Some(role))
    }

    /// What stands in a row in the column of this role.
    pub(super) fn get<'a>(&self, row: &'a csv::StringRecord, role: Role) -> Option<&'a str> {
        row.get(self.at(role)?).map(str::trim).filter(|text| !text.is_empty())
    }

    /// Who is at the other end: where payer and payee are told apart, the one who is not the owner.
    pub(super) fn counterparty<'a>(&self, row: &'a csv::StringRecord, amount: f64) -> Option<&'a str> {
        let text = |role| self.get(row, role);
        let other = if self.has(Role::Payee) && self.has(Role::Payer) {
            text(if amount < 0.0 { Role::Payee } else { Role::Payer })
        } else {
            text(Role::Payee).or_else(|| text(Role::Payer))
        };
        other.or_else(|| text(Role::Counterparty))
    }

    /// Whether a row has text where no column is.
    pub(super) fn overflows(&self, row: &csv::StringRecord) -> bool {
        row.iter().skip(self.len()).any(|cell| !cell.trim().is_empty())
    }

    /// How many columns there are.
    pub(super) fn len(&self) -> usize {
        self.roles.len()
    }

    /// The column that says which way money went, as far as the headings and the cells tell.
    pub(super) fn sign(&self, tallies: &[sign::Tally]) -> Option<usize> {
        let by_cells = || {
            (0..self.len().min(tallies.len())).find(|at| match self.roles[*at] {
                None | Some(Role::Kind | Role::Reference) => {
                    tallies[*at].is_sign(self.roles[*at] == Some(Role::Kind) || self.headings[*at].is_empty())
                }
                Some(_) => false,
            })
        };
        self.at(Role::Sign).or_else(by_cells)
    }

    /// The currency that the heading of the amounts names.
    pub(super) fn currency(&self) -> Option<&'static str> {
        [Role::Amount, Role::Out, Role::In].into_iter().find_map(|role| currency::of(&self.headings[self.at(role)?]))
    }

    /// All headings.
    pub(super) fn headings(&self) -> impl Iterator<Item = &str> {
        self.headings.iter().map(String::as_str)
    }

    /// The headings of columns that nothing is taken from.
    pub(super) fn unknown(&self) -> Vec<&str> {
        let columns = self.roles.iter().zip(&self.headings);
        columns.filter(|(role, heading)| role.is_none() && !heading.is_empty()).map(|(_, heading)| &**heading).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(headings: &str) -> Option<Vec<Option<Role>>> {
        Columns::of_headings(headings.split(';')).map(|columns| columns.roles)
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
