//! Which currency a text names.

const SYMBOLS: [(char, &str); 4] = [('€', "EUR"), ('$', "USD"), ('£', "GBP"), ('¥', "JPY")];
const CODES: [&str; 24] = [
    "EUR", "USD", "GBP", "CHF", "JPY", "AUD", "BGN", "BRL", "CAD", "CNY", "CZK", "DKK", "HKD", "HUF", "INR", "MXN",
    "NOK", "NZD", "PLN", "RON", "SEK", "SGD", "TRY", "ZAR",
];

/// The currency in a text such as `Betrag (€)`, `Amount in CHF` or `Débit euros`.
pub(super) fn of(text: &str) -> Option<&'static str> {
    let code = text.split(|c: char| !c.is_alphanumeric()).find_map(|word| match word {
        "euro" | "euros" | "Euro" | "Euros" => Some("EUR"),
        word => CODES.into_iter().find(|code| *code == word),
    });
    code.or_else(|| SYMBOLS.iter().find(|(symbol, _)| text.contains(*symbol)).map(|(_, code)| *code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_codes_and_words_are_known() {
        for (text, currency) in [
            ("Betrag (€)", Some("EUR")),
            ("Amount (EUR)", Some("EUR")),
            ("Umsatz in CHF", Some("CHF")),
            ("Débit euros", Some("EUR")),
            ("Amount", None),
            ("-12.50 USD", Some("USD")),
            ("$3", Some("USD")),
        ] {
            assert_eq!(of(text), currency, "{text}");
        }
    }
}
