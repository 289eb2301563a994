use serde_json::{Value, json};

use super::name;
use crate::testing::{read, read_export, settings, zip};
use crate::{Export, ImportError, Kind};

fn told(found: &crate::testing::Found) -> Value {
    found.of("messages").iter().map(|m| json!([m["sent_at"], m["sender"], m["kind"], m["text"]])).collect()
}

#[test]
fn android_and_ios_tell_the_same_chat() {
    let android = "31.12.23, 23:58 - Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.\n\
        31.12.23, 23:59 - Anna: Guten Rutsch!\nund Küsse: viele\n01.01.24, 00:01 - Ben B.: Dir auch\n";
    let ios = "\u{feff}[31.12.23, 23:58:00] Anna: \u{200e}Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.\r\n\
        [31.12.23, 23:59:00] Anna: Guten Rutsch!\nund Küsse: viele\r\n\u{200e}[01.01.24, 00:01:00] Ben B.: Dir auch\r\n";
    let from_android = read(Kind::Whatsapp, "WhatsApp Chat with Anna.txt", android);
    let from_ios = read(Kind::Whatsapp, "_chat.txt", ios);
    let (android, ios) = (told(&from_android), told(&from_ios));
    assert_eq!(
        android[0],
        json!(["2023-12-31T22:58:00Z", null, "notice", "Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt."])
    );
    assert_eq!(android[1], json!(["2023-12-31T22:59:00Z", "Anna", "text", "Guten Rutsch!\nund Küsse: viele"]));
    assert_eq!(android[2], json!(["2023-12-31T23:01:00Z", "Ben B.", "text", "Dir auch"]));
    assert_eq!((&android[1], &android[2]), (&ios[1], &ios[2]));
    assert_eq!(from_android.of("messages")[0]["chat"], "Anna");
}

#[test]
fn marks_around_a_number_are_no_part_of_it() {
    for (before, after) in [("\u{202a}", "\u{202c}"), ("\u{200e}\u{2066}", "\u{2069}")] {
        let text = format!("[15.03.26, 12:05:00] {before}+49 170 1234567{after}: a \u{2068}word\u{2069}\n");
        let told = told(&read(Kind::Whatsapp, "_chat.txt", text));
        assert_eq!((&told[0][1], &told[0][3]), (&json!("+49 170 1234567"), &json!("a \u{2068}word\u{2069}")));
    }
}

#[test]
fn american_dates_and_halves_of_the_day_are_found_out() {
    let text = "12/30/23, 11:59\u{202f}PM - Anna: a\n1/2/24, 12:05\u{202f}AM - Anna: b\n1/2/24, 9:05 a. m. - Anna: c\n";
    let found = read(Kind::Whatsapp, "chat.txt", text);
    let times: Vec<_> = found.of("messages").iter().map(|m| m["sent_at"].clone()).collect();
    assert_eq!(json!(times), json!(["2023-12-30T22:59:00Z", "2024-01-01T23:05:00Z", "2024-01-02T08:05:00Z"]));
}

#[test]
fn the_same_words_in_the_same_minute_are_two_messages() {
    let text = "2024/01/02 10:00 - A: ok\n2024/01/02 10:00 - A: ok\n";
    let found = read(Kind::Whatsapp, "chat.txt", text);
    let ids: Vec<_> = found.of("messages").iter().map(|m| m["id"].clone()).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    assert_eq!(
        json!(ids),
        json!(
            read(Kind::Whatsapp, "chat.txt", text).of("messages").iter().map(|m| m["id"].clone()).collect::<Vec<_>>()
        )
    );
}

#[test]
fn pictures_come_along() {
    let text = "[02.01.24, 10:00:00] A: \u{200e}<Anhang: 0001-PHOTO.jpg>\n[02.01.24, 10:01:00] A: IMG-1.jpg (Datei angehängt)\nsee\n\
        [02.01.24, 10:02:00] A: that was it (really.ok)\n[31.02.24, 10:00:00] A: never\n";
    let bytes = zip(&[("_chat.txt", text.as_bytes()), ("0001-PHOTO.jpg", b"\xff\xd8"), ("stray.jpg", b"x")]);
    let found = read(Kind::Whatsapp, "WhatsApp Chat - Book club.zip", bytes);
    let messages = found.of("messages");
    assert_eq!((&messages[0]["chat"], &messages[0]["kind"]), (&json!("Book club"), &json!("media")));
    assert_eq!(messages[0]["blob_ref"]["mime_type"], "image/jpeg");
    assert_eq!((&messages[1]["media_filename"], &messages[1]["blob_ref"]), (&json!("IMG-1.jpg"), &Value::Null));
    assert_eq!(messages[2]["kind"], "text");
    assert_eq!(found.blobs.len(), 1);
    assert_eq!(found.reasons(), ["a message whose date is none; try --date-order"]);
}

#[test]
fn what_was_left_out_of_an_export_is_media() {
    for said in [
        "<Media omitted>",
        "<Medien ausgeschlossen>",
        "<Multimedia omitido>",
        "<Mídia oculta>",
        "<Médias omis>",
        "<Media omessi>",
        "<メディアは含まれていません>",
    ] {
        let found = read(Kind::Whatsapp, "chat.txt", format!("31.12.23, 23:59 - Ben: {said}\n"));
        assert_eq!(told(&found)[0], json!(["2023-12-31T22:59:00Z", "Ben", "media", said]));
    }
    for said in ["image omitted", "Bild weggelassen", "imagen omitida", "afbeelding weggelaten"] {
        let found = read(Kind::Whatsapp, "chat.txt", format!("[31.12.23, 23:59:00] Ben: \u{200e}{said}\n"));
        assert_eq!(told(&found)[0], json!(["2023-12-31T22:59:00Z", "Ben", "media", said]));
    }
    let found = read(Kind::Whatsapp, "chat.txt", "31.12.23, 23:59 - Ben: I omitted the <media>\n");
    assert_eq!(told(&found)[0][2], "text");
}

#[test]
fn a_notice_is_nobody_s_message() {
    let ios = "[31.12.23, 23:59:00] Family: \u{200e}Messages and calls are end-to-end encrypted.\n\
        [31.12.23, 23:59:01] Ben: \u{200e}Location: https://maps.google.com/?q=1,2\n\
        [31.12.23, 23:59:02] Ben: \u{200e}POLL:\nWhen?\n";
    let found = read(Kind::Whatsapp, "_chat.txt", ios);
    let kinds: Vec<_> = found.of("messages").iter().map(|m| json!([m["sender"], m["kind"]])).collect();
    assert_eq!(json!(kinds), json!([[null, "notice"], ["Ben", "text"], ["Ben", "text"]]));
    let android = "31.12.23, 23:59 - Anna changed the subject from \"a: b\" to \"c\"\n";
    let found = read(Kind::Whatsapp, "chat.txt", android);
    let words = "Anna changed the subject from \"a: b\" to \"c\"";
    assert_eq!(told(&found)[0], json!(["2023-12-31T22:59:00Z", null, "notice", words]));
}

#[test]
fn phones_write_times_in_many_languages() {
    for line in [
        "12/03/2024 à 21:45 - Ann: x",
        "[12/03/2024 à 21:45:00] Ann: x",
        "12.3.2024 klo 21.45 - Ann: x",
        "12.03.2024 kl. 21.45 - Ann: x",
        "2024년 3월 12일 오후 9:45, Ann : x",
        "2024. 3. 12. 오후 9:45, Ann : x",
        "[2024. 3. 12. 오후 9:45:00] Ann: x",
        "[2024/3/12 下午9:45:00] Ann: x",
        "[2024. 03. 12. 21:45:00] Ann: x",
        "2024. 03. 12. 21:45 - Ann: x",
        "\u{200f}12\u{200f}/3\u{200f}/2024، 9:45 م - Ann: x",
        "١٢/٣/٢٠٢٤، ٩:٤٥ م - Ann: x",
        "12.03.24 г., 21:45 - Ann: x",
        "12.03.24 г., 21:45 ч. - Ann: x",
        "12/03/24, 9:45 अपराह्न - Ann: x",
        "12/3/2567 21:45 - Ann: x",
    ] {
        let found = read(Kind::Whatsapp, "chat.txt", line);
        assert_eq!(told(&found)[0], json!(["2024-03-12T20:45:00Z", "Ann", "text", "x"]), "{line}");
    }
}

#[test]
fn a_chat_in_an_unknown_language_is_not_sent_to_tables() {
    let text = "12 mars 2024, 21h45 - Ann: x\n12 mars 2024, 21h46 - Ann: y\n";
    let refused = Kind::Whatsapp.check(&mut Export::of_bytes("chat.txt", text.as_bytes()).unwrap());
    assert!(matches!(&refused, Err(ImportError::Wrong(why)) if why.contains("Export chat")), "{refused:?}");
}

#[test]
fn chats_are_called_by_whom_they_are_with() {
    for (file, name) in [
        ("WhatsApp Chat with Anna.txt", "Anna"),
        ("WhatsApp-Chat mit Anna M..txt", "Anna M."),
        ("WhatsApp Chat - Book club.zip", "Book club"),
        ("WhatsApp Chat mit Anna.txt", "Anna"),
        ("WhatsApp-chat met Anna.txt", "Anna"),
        ("Conversa do WhatsApp com Anna.txt", "Anna"),
        ("WhatsApp Chat - Dr. Who", "Dr. Who"),
        ("_chat.txt", "_chat"),
    ] {
        assert_eq!(name::named(file), name);
    }
}

#[test]
fn chats_in_directories_of_their_own_stay_apart() {
    let directory = tempfile::tempdir().unwrap();
    let chat = |who: &str| {
        let said =
            format!("[31.12.23, 23:59:00] {who}: a\n[31.12.23, 23:59:00] {who}: \u{200e}<attached: 1-PHOTO.jpg>\n");
        said.replace("Bob: a", "Anna: a")
    };
    for who in ["Anna", "Bob"] {
        let folder = directory.path().join(format!("WhatsApp Chat - {who}"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("_chat.txt"), chat(who)).unwrap();
        std::fs::write(folder.join("1-PHOTO.jpg"), who).unwrap();
        std::fs::write(folder.join("stray.jpg"), "stray").unwrap();
    }
    let mut export = Export::open(directory.path()).unwrap();
    Kind::Whatsapp.check(&mut export).unwrap();
    let (found, _) = read_export(Kind::Whatsapp, &mut export, &settings());
    let chats: Vec<_> = found.of("messages").iter().map(|m| m["chat"].clone()).collect();
    assert_eq!(json!(chats), json!(["Anna", "Anna", "Bob", "Bob"]));
    let ids: std::collections::HashSet<_> = found.of("messages").iter().map(|m| m["id"].to_string()).collect();
    assert_eq!(ids.len(), 4);
    let pictures: Vec<_> = found.blobs.iter().map(|blob| String::from_utf8_lossy(&blob.bytes).into_owned()).collect();
    assert_eq!(pictures, ["Anna", "Bob"], "each chat has its own, and no other file is kept");
    assert_ne!(found.of("messages")[1]["blob_ref"], found.of("messages")[3]["blob_ref"]);

    let alone = directory.path().join("WhatsApp Chat - Anna").join("_chat.txt");
    let (again, _) = read_export(Kind::Whatsapp, &mut Export::open(&alone).unwrap(), &settings());
    assert_eq!(again.records[0], found.records[0], "a chat alone is called as its folder");
    let other = directory.path().join("_chat.txt");
    std::fs::write(&other, chat("Eva")).unwrap();
    let (other, _) = read_export(Kind::Whatsapp, &mut Export::open(&other).unwrap(), &settings());
    assert_eq!(other.of("messages")[0]["chat"], "_chat");
}

#[test]
fn messages_of_one_minute_stay_in_their_order() {
    let line = |n: u32| format!("13/03/2024, 21:41 - Eva: {n}\n");
    let ids = |text: &str| -> Vec<String> {
        let found = read(Kind::Whatsapp, "chat.txt", text);
        found.of("messages").iter().map(|m| m["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = ids(&(0..30).map(line).collect::<String>());
    assert!(all.is_sorted(), "{all:?}");
    assert_eq!(ids(&(0..7).map(line).collect::<String>()), all[..7], "also when the chat has grown since");
}

#[test]
fn captions_stay_beside_what_they_are_about() {
    let text = "\u{200e}[13/03/2024, 09:41:13] Anna: Vertrag.pdf • \u{200e}1 page \u{200e}<attached: 36-Vertrag.pdf>\n\
        \u{200e}[13/03/2024, 09:41:15] Anna: Look at this \u{200e}<attached: 37-PHOTO.jpg>\n\
        \u{200e}[13/03/2024, 09:41:16] Anna: Two\nlines \u{200e}<attached: 38-PHOTO.jpg>\n\
        [13/03/2024, 09:41:17] Anna: if a <b: c.de>\n";
    let files = ["36-Vertrag.pdf", "37-PHOTO.jpg", "38-PHOTO.jpg"].map(|name| (name, name.as_bytes()));
    let found =
        read(Kind::Whatsapp, "WhatsApp Chat - Doc.zip", zip(&[&[("_chat.txt", text.as_bytes())], &files[..]].concat()));
    let told: Vec<_> =
        found.of("messages").iter().map(|m| json!([m["kind"], m["text"], m["media_filename"]])).collect();
    assert_eq!(
        json!(told),
        json!([
            ["media", "Vertrag.pdf • \u{200e}1 page", "36-Vertrag.pdf"],
            ["media", "Look at this", "37-PHOTO.jpg"],
            ["media", "Two\nlines", "38-PHOTO.jpg"],
            ["text", "if a <b: c.de>", null]
        ])
    );
    assert!(found.of("messages")[..3].iter().all(|m| m["blob_ref"].is_object()));
    assert_eq!(found.blobs.len(), 3);
}

#[test]
fn a_deleted_message_keeps_who_sent_it() {
    for said in ["You deleted this message.", "This message was deleted.", "Diese Nachricht wurde gelöscht."] {
        let found = read(Kind::Whatsapp, "_chat.txt", format!("[31.12.23, 23:59:00] Anna: \u{200e}{said}\n"));
        assert_eq!(told(&found)[0], json!(["2023-12-31T22:59:00Z", "Anna", "text", said]));
    }
    let icon = "[31.12.23, 23:59:00] Trip: \u{200e}Ben deleted this group's icon\n";
    assert_eq!(told(&read(Kind::Whatsapp, "_chat.txt", icon))[0][2], "notice");
}
