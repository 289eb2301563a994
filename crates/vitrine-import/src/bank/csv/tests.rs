use serde_json::json;

use crate::testing::{Found, read, read_export, settings};
use crate::{Export, ImportError, Kind};

fn told(found: &Found) -> serde_json::Value {
    found
        .of("transactions")
        .iter()
        .map(|t| json!([t["booked_on"], t["amount"], t["counterparty"], t["reference"]]))
        .collect()
}

#[test]
fn a_german_bank_is_read_with_its_preamble_and_encoding() {
    let text = "\"Girokonto\";\"DE02120300000000202051\"\r\n\"Kontostand vom 05.03.2024:\";\"1.234,56 €\"\r\n\"\"\r\n\
\"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungsempfänger*in\";\"Verwendungszweck\";\"Umsatztyp\";\"IBAN\";\"Betrag (€)\"\r\n\
\"04.03.24\";\"05.03.24\";\"Gebucht\";\"Bäckerei Müller\";\"Brötchen; 2 Stück\";\"Ausgang\";\"DE89\";\"-1.003,40\"\r\n\
\"04.03.24\";\"05.03.24\";\"Gebucht\";\"Bäckerei Müller\";\"Brötchen; 2 Stück\";\"Ausgang\";\"DE89\";\"-1.003,40\"\r\n\
\"31.01.24\";\"31.01.24\";\"Gebucht\";\"ACME GmbH\";\"Gehalt\";\"Eingang\";\"DE11\";\"2.500\"\r\n\
\"99.99.24\";\"\";\"\";\"X\";\"\";\"\";\"\";\"1,00\"\r\n";
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let found = read(Kind::BankCsv, "umsaetze.csv", latin);
    assert_eq!(
        told(&found),
        json!([
            ["2024-03-04T00:00:00Z", -1003.4, "Bäckerei Müller", "Brötchen; 2 Stück"],
            ["2024-03-04T00:00:00Z", -1003.4, "Bäckerei Müller", "Brötchen; 2 Stück"],
            ["2024-01-31T00:00:00Z", 2500.0, "ACME GmbH", "Gehalt"],
        ])
    );
    let ids: Vec<_> = found.of("transactions").iter().map(|t| t["id"].clone()).collect();
    assert_ne!(ids[0], ids[1], "two equal bookings are two");
    assert_eq!(found.reasons(), ["a row without a date"]);
}

#[test]
fn an_english_bank_with_two_amount_columns_is_read() {
    let text = "Date,Description,Paid out,Paid in,Balance\n12/31/2023,\"COFFEE, LONDON\",3.20,,100.00\n01/02/2024,SALARY,,\"1,000.00\",1100.00\n";
    let found = read(Kind::BankCsv, "statement.csv", text);
    assert_eq!(
        told(&found),
        json!([
            ["2023-12-31T00:00:00Z", -3.2, null, "COFFEE, LONDON"],
            ["2024-01-02T00:00:00Z", 1000.0, null, "SALARY"]
        ])
    );
    assert_eq!(found.of("transactions")[1]["balance"], 1100.0);
}

#[test]
fn a_sign_in_a_column_of_its_own_is_no_income() {
    for (headings, out, came) in [
        ("Date;Description;Amount;D/C", "D", "C"),
        ("Date;Description;Amount;Transaction Type", "debit", "credit"),
        ("Datum;Verwendungszweck;Betrag;Soll/Haben", "S", "H"),
        ("Datum;Verwendungszweck;Betrag;S/H", "Soll", "Haben"),
        ("Date;Description;Amount;CR/DR", "DR", "CR"),
        ("Date;Description;Amount;Type", "Debit", "Credit"),
        ("Buchungstag;Verwendungszweck;Umsatz; ", "S", "H"),
    ] {
        let text = format!("{headings}\n2024-03-12;Shop;5.00;{out}\n2024-03-13;Pay;7.00;{came}\n");
        let found = read(Kind::BankCsv, "a.csv", text);
        let told: Vec<_> = found.of("transactions").iter().map(|t| json!([t["amount"], t["direction"]])).collect();
        assert_eq!(json!(told), json!([[-5.0, "out"], [7.0, "in"]]), "{headings}");
    }
}

#[test]
fn amounts_that_have_a_sign_keep_it_beside_a_word_for_it() {
    let text = "Details,Posting Date,Description,Amount,Type\nDEBIT,03/13/2024,SHOP,-12.34,ACH_DEBIT\n\
        CREDIT,03/14/2024,PAY,10.00,ACH_CREDIT\n";
    let found = read(Kind::BankCsv, "chase.csv", text);
    assert_eq!(
        told(&found),
        json!([["2024-03-13T00:00:00Z", -12.34, null, "SHOP"], ["2024-03-14T00:00:00Z", 10.0, null, "PAY"]])
    );
}

#[test]
fn a_row_that_does_not_say_which_way_money_went_is_rejected() {
    let text = "Date;Description;Amount;D/C\n2024-03-12;Shop;5.00;D\n2024-03-12;Pay;5.00;C\n2024-03-12;X;5.00;?\n";
    let found = read(Kind::BankCsv, "a.csv", text);
    assert_eq!((found.of("transactions").len(), found.reasons().len()), (2, 1));
    assert_eq!(found.reasons(), ["a row that does not say whether money came or went"]);
}

#[test]
fn the_owner_is_not_taken_for_the_merchant() {
    let text = "Buchungsdatum;Wertstellung;Status;Zahlungspflichtige*r;Zahlungsempfänger*in;Verwendungszweck;Umsatztyp;IBAN;Betrag (€)\n\
        12.03.24;12.03.24;Gebucht;Nora;REWE;Einkauf;Ausgang;DE99;-12,34\n13.03.24;13.03.24;Gebucht;ACME;Nora;Gehalt;Eingang;DE98;3.500\n";
    let found = read(Kind::BankCsv, "dkb.csv", text);
    let whom: Vec<_> = found.of("transactions").iter().map(|t| json!([t["counterparty"], t["currency"]])).collect();
    assert_eq!(json!(whom), json!([["REWE", "EUR"], ["ACME", "EUR"]]));
    let text = "Buchungstag;Auftraggeber/Zahlungsempfänger;Empfänger/Zahlungspflichtiger;Vorgang/Verwendungszweck;Umsatz\n\
        12.03.2024;Nora;REWE;Einkauf;-1,00\n";
    assert_eq!(read(Kind::BankCsv, "vr.csv", text).of("transactions")[0]["counterparty"], "REWE");
}

#[test]
fn the_only_text_of_a_booking_is_its_reference() {
    for headings in ["Umsatzart;Buchungstext", "Vorgang;Buchungstext", "Vorgang;Beschreibung", "Vorgang;Memo"] {
        let text = format!("Buchungstag;{headings};Umsatz in EUR\n12.03.2024;Lastschrift;REWE SAGT DANKE;-1,00\n");
        let found = read(Kind::BankCsv, "a.csv", text);
        let booking = found.of("transactions")[0];
        let told = json!([booking["kind"], booking["reference"], booking["currency"]]);
        assert_eq!(told, json!(["Lastschrift", "REWE SAGT DANKE", "EUR"]), "{headings}");
    }
}

#[test]
fn payments_that_never_took_place_are_no_bookings() {
    let text = "Type,Started Date,Description,Amount,Currency,State\nCARD_PAYMENT,2024-03-12 10:00:00,Uber,-10.50,GBP,COMPLETED\n\
        CARD_PAYMENT,2024-03-12 10:00:00,Uber,-10.50,GBP,REVERTED\nCARD_PAYMENT,2024-03-12 10:00:00,Uber,-1.50,GBP,DECLINED\n";
    let found = read(Kind::BankCsv, "revolut.csv", text);
    assert_eq!(found.of("transactions").len(), 1);
    assert_eq!(found.reasons(), ["a payment that failed or was taken back"; 2]);
    assert!(found.skips.iter().all(|skip| !skip.rejected));
}

#[test]
fn payments_under_way_are_no_bookings_yet() {
    let text = "Buchungstag;Vorgang;Buchungstext;Umsatz in EUR\n20240312;Karte;REWE;-1,00\noffen;Karte;Tea;-2,00\n";
    let found = read(Kind::BankCsv, "comdirect.csv", text);
    assert_eq!(told(&found), json!([["2024-03-12T00:00:00Z", -1.0, null, "REWE"]]));
    assert_eq!((found.reasons(), found.skips[0].rejected), (vec!["a payment that is not booked yet"], false));
}

#[test]
fn an_amount_that_fell_apart_into_two_cells_is_rejected() {
    let found =
        read(Kind::BankCsv, "a.csv", "Date,Description,Amount\n2024-03-12,Tea,$3.00\n2024-03-13,Pay,$1,234.00\n");
    assert_eq!(told(&found), json!([["2024-03-12T00:00:00Z", 3.0, null, "Tea"]]));
    assert_eq!(found.reasons(), ["a row with more cells than headings"]);
}

#[test]
fn categories_and_notes_are_kept_and_what_is_not_is_named() {
    let text = "Date,Description,Amount,Category,Notes,Fee,Shop hours\n2024-03-12,Tea,-3.00,Food,with Ben,0,9-5\n";
    let found = read(Kind::BankCsv, "a.csv", text);
    let booking = found.of("transactions")[0];
    assert_eq!((&booking["category"], &booking["note"]), (&json!("Food"), &json!("with Ben")));
    assert_eq!(found.notes, ["Columns that nothing is taken from: Fee, Shop hours."]);
}

#[test]
fn dates_that_fit_both_orders_are_told() {
    let found = read(Kind::BankCsv, "a.csv", "Date,Description,Amount\n03/04/2024,X,-1.00\n");
    assert!(matches!(&found.notes[..], [note] if note.contains("--date-order mdy")), "{:?}", found.notes);
}

#[test]
fn a_card_number_is_no_amount() {
    let sparkasse = "\"Umsatz getätigt von\";\"Belegdatum\";\"Buchungsdatum\";\"Originalbetrag\";\"Originalwährung\";\"Umrechnungskurs\";\"Buchungsbetrag\";\"Buchungswährung\";\"Transaktionsbeschreibung\"\n\
        \"4000********1234\";\"11.03.24\";\"12.03.24\";\"-13,00\";\"USD\";\"1,0744\";\"-12,10\";\"EUR\";\"AMAZON\"\n";
    let amazon = "Umsatz getätigt von;Belegdatum;Buchungsdatum;Originalbetrag;Beschreibung;Betrag;Währung\n\
        1234;11.03.2024;12.03.2024;-13,00 USD;AMAZON;-12,10;EUR\n";
    for text in [sparkasse, amazon] {
        let found = read(Kind::BankCsv, "karte.csv", text);
        assert_eq!(told(&found), json!([["2024-03-12T00:00:00Z", -12.1, null, "AMAZON"]]));
        assert_eq!(found.of("transactions")[0]["currency"], "EUR");
    }
    let found = read(Kind::BankCsv, "a.csv", "Date,Description,Amount\n2024-03-12,Tea,4000********1234\n");
    assert_eq!((found.of("transactions").len(), found.reasons()), (0, vec!["a row without an amount"]));
}

#[test]
fn what_a_card_paid_for_went_out() {
    let amex = "Date,Description,Card Member,Account #,Amount\n03/12/2024,AMAZON,ANNA,-1001,45.67\n03/13/2024,ACH,ANNA,-1001,-100.00\n";
    let apple = "Transaction Date,Clearing Date,Description,Merchant,Category,Type,Amount (USD),Purchased By\n\
        03/12/2024,03/13/2024,WHOLE FOODS,Whole Foods,Grocery,Purchase,45.67,Anna\n\
        03/14/2024,03/15/2024,ACH DEPOSIT,ACH Deposit,Payment,Payment,-100.00,Anna\n";
    let discover = "Trans. Date,Post Date,Description,Amount,Category\n03/12/2024,03/13/2024,AMAZON,45.67,Merchandise\n\
        03/15/2024,03/15/2024,INTERNET PAYMENT - THANK YOU,-100.00,Payments and Credits\n";
    let citi =
        "Status,Date,Description,Debit,Credit\nCleared,03/12/2024,COSTCO,45.67,\nCleared,03/13/2024,PAYMENT,,-100.00\n";
    let chase = "Transaction Date,Post Date,Description,Category,Type,Amount\n03/12/2024,03/13/2024,AMAZON,Shopping,Sale,-45.67\n\
        03/14/2024,03/15/2024,Payment Thank You - Web,,Payment,100.00\n";
    for text in [amex, apple, discover, citi, chase] {
        let found = read(Kind::BankCsv, "card.csv", text);
        let told: Vec<_> = found.of("transactions").iter().map(|t| json!([t["amount"], t["direction"]])).collect();
        assert_eq!(json!(told), json!([[-45.67, "out"], [100.0, "in"]]), "{text}");
    }
    let note =
        "card.csv is a card's statement, on which purchases have no minus; they were taken as money that went out.";
    assert!(read(Kind::BankCsv, "card.csv", amex).notes.contains(&note.to_owned()));
}

#[test]
fn amounts_that_do_not_say_which_way_they_went_are_told() {
    let found = read(
        Kind::BankCsv,
        "a.csv",
        "Date,Description,Amount\n2024-03-12,Tea,3.00\n2024-03-13,Pay,-7.00\n2024-03-14,Bun,2.00\n",
    );
    assert_eq!(found.of("transactions")[0]["direction"], "in");
    assert!(
        matches!(&found.notes[..], [note] if note.contains("were taken as money that came in")),
        "{:?}",
        found.notes
    );
    for plain in [
        "Amount\n2024-03-12,Tea,-3.00",
        "Amount,Balance\n2024-03-12,Tea,3.00,10.00",
        "Amount,D/C\n2024-03-12,Tea,3.00,C",
    ] {
        assert_eq!(read(Kind::BankCsv, "a.csv", format!("Date,Description,{plain}\n")).notes, [""; 0], "{plain}");
    }
}

#[test]
fn dates_may_name_their_month() {
    for date in ["12 Mar 2024", "12-Mar-24", "12. März 2024", "12 March 2024"] {
        let found = read(
            Kind::BankCsv,
            "a.csv",
            format!("Date,Type,Description,Paid out,Paid in,Balance\n{date},VIS,TESCO,12.34,,100.00\n"),
        );
        assert_eq!(told(&found), json!([["2024-03-12T00:00:00Z", -12.34, null, "TESCO"]]), "{date}");
    }
}

#[test]
fn an_account_number_alone_is_the_owner_s() {
    let text = "Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,Debit Amount,Credit Amount,Balance\n\
        12/03/2024,DEB,'11-22-33,12345678,TESCO,12.34,,100.00\n";
    let found = read(Kind::BankCsv, "lloyds.csv", text);
    let booking = found.of("transactions")[0];
    assert_eq!((&booking["account"], &booking["counterparty_account"]), (&json!("12345678"), &json!(null)));
    assert_eq!((&booking["reference"], &booking["amount"]), (&json!("TESCO"), &json!(-12.34)));
}

#[test]
fn a_line_that_states_a_balance_is_no_damaged_booking() {
    let text = "Description,,Summary Amt.\nBeginning balance as of 01/01/2024,,\"1,000.00\"\nTotal credits,,\"500.00\"\n\
        Total debits,,\"-20.00\"\nEnding balance as of 01/31/2024,,\"1,480.00\"\n\n\
        Date,Description,Amount,Running Bal.\n01/01/2024,Beginning balance as of 01/01/2024,,\"1,000.00\"\n\
        01/15/2024,\"TESCO\",\"-20.00\",\"980.00\"\n01/31/2024,\"PAYROLL\",\"500.00\",\"1,480.00\"\n";
    let found = read(Kind::BankCsv, "stmt.csv", text);
    let told: Vec<_> = found.of("transactions").iter().map(|t| json!([t["amount"], t["balance"]])).collect();
    assert_eq!(json!(told), json!([[-20.0, 980.0], [500.0, 1480.0]]));
    assert_eq!(found.reasons(), ["a line that states a balance"]);
    assert!(
        !found.skips[0].rejected && found.notes.iter().all(|note| !note.contains("Running Bal")),
        "{:?}",
        found.notes
    );
}

#[test]
fn a_statement_cut_inside_a_quote_says_so() {
    let text = "Date,Description,Amount\n2024-03-12,Tea,-3.00\n2024-03-13,\"Bre";
    let mut export = Export::of_bytes("a.csv", text.as_bytes()).unwrap();
    let (found, end) = read_export(Kind::BankCsv, &mut export, &settings());
    assert_eq!(found.of("transactions").len(), 1);
    assert!(matches!(&end, Err(ImportError::Damaged(why)) if why.contains("line 3")), "{end:?}");
}
