use serde_json::json;

use crate::testing::{read, read_export, settings, zip};
use crate::{Export, ImportError, Kind};

/// As Gmail's Takeout writes it: CRLF, its own headers, quoted `From ` lines.
const TAKEOUT: &str = "From 1790000000000000001@xxx Mon Mar 09 08:15:02 +0000 2026\r\n\
X-GM-THRID: 1790000000000000001\r\nX-Gmail-Labels: =?UTF-8?Q?Inbox,Wichtig=2CUnread,R=C3=A4der?=\r\n\
Message-ID: <a1@mail.example>\r\nDate: Mon, 9 Mar 2026 09:15:02 +0100\r\n\
From: =?utf-8?B?QW5uYSBNw7xsbGVy?= <Anna@Example.org>\r\nTo: nora@example.org, \"Ben, B.\" <ben@example.org>\r\n\
Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
Content-Transfer-Encoding: quoted-printable\r\n\r\nSch=F6n, dass du da bist.\r\n\r\n>From the hills\r\n>>From deeper\r\n\r\n\
From 2@xxx Tue Mar 10 10:00:00 +0000 2026\r\n\
Message-ID: <a2@mail.example>\r\nIn-Reply-To: <a1@mail.example>\r\nReferences: <a1@mail.example>\r\n\
Date: Tue, 10 Mar 2026 10:00:00 +0000\r\nFrom: nora@example.org\r\nTo: Anna@Example.org\r\nSubject: Re: files\r\n\
MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n\
<div>See</div><div>the <b>file</b></div>\r\n--b\r\nContent-Type: application/pdf; name=x.pdf\r\n\
Content-Disposition: attachment; filename=\"résumé.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQ=\r\n--b--\r\n";

#[test]
fn a_takeout_becomes_mails_threads_and_files() {
    let found = read(Kind::Mbox, "All mail.mbox", TAKEOUT);
    let [first, second] = found.of("messages")[..] else { panic!("{:?}", found.records) };
    assert_eq!(first["id"], "a1@mail.example");
    assert_eq!(first["thread_id"], "1790000000000000001");
    assert_eq!(first["subject"], "Grüße");
    assert_eq!((&first["from_name"], &first["from_address"]), (&json!("Anna Müller"), &json!("anna@example.org")));
    assert_eq!(first["to"], "nora@example.org, \"Ben, B.\" <ben@example.org>");
    assert_eq!(first["sent_at"], "2026-03-09T08:15:02Z");
    assert_eq!(first["labels"], json!(["Inbox", "Wichtig", "Unread", "Räder"]));
    assert_eq!(first["unread"], true);
    assert_eq!(first["body"].as_str().unwrap().trim_end(), "Schön, dass du da bist.\n\nFrom the hills\n>From deeper");
    assert_eq!(second["thread_id"], "a1@mail.example");
    assert_eq!(second["body"], "See\n\nthe file");
    assert_eq!(second["attachment_count"], 1);
    let [file] = found.of("attachments")[..] else { panic!("{:?}", found.records) };
    assert_eq!((&file["message_id"], &file["mime_type"]), (&json!("a2@mail.example"), &json!("application/pdf")));
    assert_eq!(found.blobs[0].bytes, b"%PDF-1.4");
    assert_eq!(file["blob_ref"]["blob_id"], found.blobs[0].reference.blob_id.as_str());
}

#[test]
fn a_mail_without_an_id_gets_the_same_one_each_time() {
    let text = "From x Sat Jan  3 01:05:34 1998\nFrom: a@b\nSubject: hi\n\nbody\n";
    let id = |text: &str| read(Kind::Mbox, "m", text).of("messages")[0]["id"].clone();
    assert_eq!(id(text), id(&text.replace("From: a@b", "X-Gmail-Labels: Inbox\nFrom: a@b")));
    assert_ne!(id(text), id(&text.replace("body", "other")));
    assert_eq!(read(Kind::Mbox, "m", text).of("messages")[0]["sent_at"], "1998-01-03T01:05:34Z");
}

#[test]
fn a_sentence_that_starts_with_from_ends_no_mail() {
    let text =
        "From x Sat Jan  3 01:05:34 1998\nMessage-ID: <1@x>\n\nHello\n\nFrom here on it goes downhill, Mon or Tue.\n";
    assert_eq!(read(Kind::Mbox, "m", text).of("messages").len(), 1);
}

#[test]
fn mails_that_are_none_are_named_and_passed_over() {
    let text = "From x Sat Jan  3 01:05:34 1998\n\n\nFrom x Sat Jan  3 01:05:34 1998\nMessage-ID: <1@x>\n\ncut of";
    let found = read(Kind::Mbox, "m", text);
    assert_eq!(found.of("messages")[0]["body"], "cut of", "what is there of a mail that is cut off is kept");
    assert_eq!((found.reasons(), found.skips[0].place.as_str()), (vec!["a mail without headers"], "mail 1"));
}

#[test]
fn a_mail_too_large_takes_no_other_with_it() {
    let mail = |id: u8, body: &[u8]| {
        let head = format!("From x Sat Jan  3 01:05:34 1998\nMessage-ID: <{id}@x>\n\n");
        [head.as_bytes(), body, b"\n\n"].concat()
    };
    let lines = [&[b'x'; 99][..], b"\n"].concat().repeat(600_000);
    for large in [lines, vec![b'x'; 100_000_000]] {
        let found = read(Kind::Mbox, "m", [mail(1, b"a"), mail(2, &large), mail(3, b"c"), mail(4, b"d")].concat());
        let ids: Vec<_> = found.of("messages").iter().map(|mail| mail["id"].clone()).collect();
        assert_eq!(json!(ids), json!(["1@x", "3@x", "4@x"]));
        assert_eq!((found.reasons(), found.skips[0].place.as_str()), (vec!["a mail larger than 50 MB"], "mail 2"));
    }
}

#[test]
fn a_mailbox_is_read_out_of_its_archive() {
    let bytes = zip(&[("Takeout/Mail/All mail.mbox", TAKEOUT.as_bytes()), ("Takeout/archive_browser.html", b"<html>")]);
    let found = read(Kind::Mbox, "takeout.zip", bytes);
    assert_eq!(found.of("messages").len(), 2);
    assert_eq!(found.of("messages")[0]["folder"], "All mail");
}

#[test]
fn a_directory_of_mails_tells_folders_and_flags() {
    let directory = tempfile::tempdir().unwrap();
    for (path, id) in [("cur/1.host:2,S", 1), ("new/2.host", 2), (".Work.Old/cur/3.host:2,", 3), ("tmp/4", 4)] {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("Message-ID: <{id}@x>\r\nSubject: s\r\n\r\nb\r\n")).unwrap();
    }
    let mut export = Export::open(directory.path()).unwrap();
    Kind::Maildir.check(&mut export).unwrap();
    let (found, _) = read_export(Kind::Maildir, &mut export, &settings());
    let mut told: Vec<_> = found.of("messages").iter().map(|m| json!([m["id"], m["folder"], m["unread"]])).collect();
    told.sort_by_key(ToString::to_string);
    assert_eq!(json!(told), json!([["1@x", "Inbox", false], ["2@x", "Inbox", true], ["3@x", "Work/Old", true]]));
}

/// A mail with these headers and this body.
fn mail(rest: &[u8]) -> Vec<u8> {
    [b"From x Sat Jan  3 01:05:34 1998\nMessage-ID: <1@x>\n", rest, b"\n"].concat()
}

#[test]
fn lines_broken_for_the_way_are_whole_again() {
    let said = |kind: &str| {
        let mail = mail(format!("Content-Type: text/plain; {kind}\n\nDonau \ndampfschiff\n > me\n").as_bytes());
        read(Kind::Mbox, "m", mail).of("messages")[0]["body"].as_str().map(|body| body.trim_end().to_owned())
    };
    assert_eq!(said("charset=utf-8").as_deref(), Some("Donau \ndampfschiff\n > me"));
    assert_eq!(said("format=Flowed").as_deref(), Some("Donau dampfschiff\n> me"));
    assert_eq!(said("format=flowed; delsp=yes").as_deref(), Some("Donaudampfschiff\n> me"));
}

#[test]
fn an_empty_text_beside_markup_is_no_body() {
    let parts = "Content-Type: multipart/alternative; boundary=z\n\n--z\nContent-Type: text/plain\n\n \n\
        --z\nContent-Type: text/html; charset=utf-8\n\n<div>Only here</div>\n--z--\n";
    assert_eq!(read(Kind::Mbox, "m", mail(parts.as_bytes())).of("messages")[0]["body"], "Only here");
}

#[test]
fn bytes_without_a_known_charset_are_still_text() {
    for (charset, bytes, text) in [
        ("", &b"Gr\xf6\xdfe"[..], "Größe"),
        ("; charset=unknown-8bit", b"Gr\xf6\xdfe", "Größe"),
        ("; charset=x-unknown", "Größe".as_bytes(), "Größe"),
        ("; charset=default", b"Gr\xf6\xdfe", "Größe"),
        ("; charset=cp932", b"\x93\xfa\x96{", "日本"),
        ("; charset=cp949", b"\xbe\xc8\xb3\xe7", "안녕"),
        ("; charset=cp-850", b"Gr\x94\xe1e", "Größe"),
        ("; charset=utf-8", "Größe".as_bytes(), "Größe"),
    ] {
        let head = format!("Content-Type: text/plain{charset}\nContent-Transfer-Encoding: 8bit\n\n");
        let found = read(Kind::Mbox, "m", mail(&[head.as_bytes(), bytes].concat()));
        assert_eq!(found.of("messages")[0]["body"].as_str().unwrap().trim_end(), text, "{charset}");
    }
    let encoded =
        "Content-Type: text/plain; charset=x-unknown\nContent-Transfer-Encoding: quoted-printable\n\nGr=F6=DFe";
    let found = read(Kind::Mbox, "m", mail(encoded.as_bytes()));
    assert_eq!(found.of("messages")[0]["body"].as_str().unwrap().trim_end(), "Größe");
}

#[test]
fn a_subject_without_a_known_charset_is_still_text() {
    for (subject, text) in [
        (&b"Rohe \xdcml\xe4ute"[..], "Rohe Ümläute"),
        ("Rohe Ümläute".as_bytes(), "Rohe Ümläute"),
        (b"=?unknown-8bit?Q?Gr=F6=DFe?=", "Größe"),
        (b"=?x-unknown?Q?Gr=C3=B6=C3=9Fe?= =?x-unknown?B?R3L232U=?=", "GrößeGröße"),
        (b"=?cp932?B?k/qWew==?=", "日本"),
    ] {
        let found = read(Kind::Mbox, "m", mail(&[b"Subject: ", subject, b"\nFrom: a@b\n\nbody"].concat()));
        assert_eq!(found.of("messages")[0]["subject"], text);
    }
}

#[test]
fn a_character_split_between_two_encoded_words_is_one() {
    for (subject, text) in [
        ("=?utf-8?B?w7zD?= =?utf-8?B?vMO8?=", "üüü"),
        ("=?UTF-8?Q?a_=C3?=\n =?utf-8?Q?=BC_b?= c", "a ü b c"),
        ("=?utf-8?Q?=E2?= =?utf-8?B?gqw=?= =?utf-8?Q?!?=", "€!"),
        ("=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab"),
    ] {
        let found = read(Kind::Mbox, "m", mail(format!("Subject: {subject}\nFrom: a@b\n\nbody").as_bytes()));
        assert_eq!(found.of("messages")[0]["subject"], text, "{subject}");
    }
}

#[test]
fn a_mail_may_start_without_an_empty_line_before_it() {
    let next = "From anna@example.org Sat Jan  3 01:05:34 1998\nMessage-ID: <2@x>\nSubject: two\n\nb";
    let found = read(Kind::Mbox, "m", mail(format!("Subject: one\n\nlast line\n{next}").as_bytes()));
    let told: Vec<_> =
        found.of("messages").iter().map(|m| json!([m["subject"], m["body"].as_str().unwrap().trim()])).collect();
    assert_eq!(json!(told), json!([["one", "last line"], ["two", "b"]]));
    for said in [
        "From anna@example.org Sat Jan  3 01:05:34 1998\nshe wrote no more",
        "From Monday on, Sat Jan  3 01:05:34 1998\nSubject: x",
        "From anna@example.org Sat Jan  3 01:05:34 1998",
    ] {
        let found = read(Kind::Mbox, "m", mail(format!("Subject: one\n\nlast line\n{said}").as_bytes()));
        assert_eq!(found.of("messages").len(), 1, "{said}");
        assert!(found.of("messages")[0]["body"].as_str().unwrap().contains(said));
    }
}

#[test]
fn a_text_too_long_is_cut_and_not_lost() {
    let body = "words ü\n".repeat(2_200_000);
    let found = read(Kind::Mbox, "m", mail(["Content-Type: text/plain; charset=utf-8\n\n", &body].concat().as_bytes()));
    let kept = found.of("messages")[0]["body"].as_str().unwrap().to_owned();
    assert!((16_000_000..=16 * 1024 * 1024).contains(&kept.len()), "{}", kept.len());
    assert_eq!(found.reasons(), ["the rest of a text longer than 16 MB"]);
}

#[test]
fn answers_go_where_the_sender_wants_them() {
    let head = "From: a@b\nReply-To: List <list@example.org>\nBcc: c@d\nDate: 2024-03-12 10:41:00 +0100\n\nx";
    let found = read(Kind::Mbox, "m", mail(head.as_bytes()));
    let told = found.of("messages")[0];
    assert_eq!((&told["reply_to"], &told["bcc"]), (&json!("List <list@example.org>"), &json!("c@d")));
    assert_eq!(told["sent_at"], "2024-03-12T09:41:00Z");
}

#[test]
fn programs_tell_what_was_read_and_what_was_deleted() {
    for (head, unread) in [
        ("Status: RO", json!(false)),
        ("Status: O", json!(true)),
        ("X-Mozilla-Status: 0001", json!(false)),
        ("X-Mozilla-Status: 0000", json!(true)),
        ("X-Spam: no", json!(null)),
    ] {
        let found = read(Kind::Mbox, "m", mail(format!("{head}\n\nx").as_bytes()));
        assert_eq!(found.of("messages")[0]["unread"], unread, "{head}");
    }
    let found = read(Kind::Mbox, "m", mail(b"X-Mozilla-Status: 0009\n\nx"));
    assert_eq!((found.of("messages").len(), found.reasons()), (0, vec!["a mail that was deleted in Thunderbird"]));
    assert!(!found.skips[0].rejected);
}

#[test]
fn mailboxes_without_an_extension_are_known_by_how_they_start() {
    let apple = zip(&[("Old.mbox/mbox", TAKEOUT.as_bytes()), ("Old.mbox/table_of_contents", b"\0\x01")]);
    let thunderbird = zip(&[
        ("Mail/INBOX", TAKEOUT.as_bytes()),
        ("Mail/INBOX.msf", b"// <!-- <mdb:mork"),
        ("Mail/Sent.2024", TAKEOUT.as_bytes()),
        ("Mail/Sent.2024.msf", b"// <!-- <mdb:mork"),
        ("Mail/notes", b"From now on"),
    ]);
    for (archive, folders) in
        [(apple, &["Old", "Old"][..]), (thunderbird, &["INBOX", "INBOX", "Sent.2024", "Sent.2024"])]
    {
        let found = read(Kind::Mbox, "mail.zip", archive);
        let told: Vec<_> = found.of("messages").iter().map(|m| m["folder"].clone()).collect();
        assert_eq!(json!(told), json!(folders));
    }
}

#[test]
fn another_file_is_refused_before_anything_is_read() {
    let mut export = Export::of_bytes("notes.txt", b"Dear diary".as_slice()).unwrap();
    let refused = Kind::Mbox.check(&mut export);
    assert!(matches!(refused, Err(ImportError::Wrong(why)) if why.contains("starts with `From `")));
    let cut = zip(&[("a.mbox", TAKEOUT.as_bytes())]);
    let refused = Export::of_bytes("takeout.zip", &cut[..cut.len() - 30]);
    assert!(matches!(refused, Err(ImportError::Damaged(why)) if why.contains("Download it again")));
}

/// A mail of two parts: a text, and a file with these headers and this body.
fn with_file(head: &str, body: &str) -> Vec<u8> {
    let kind = "Content-Type: multipart/mixed; boundary=b1\n\n--b1\nContent-Type: text/plain\n\nSee\n--b1\n";
    mail(format!("{kind}{head}\nContent-Disposition: attachment\n\n{body}").as_bytes())
}

#[test]
fn base64_without_padding_keeps_its_last_bytes() {
    let plain = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n";
    for (encoded, text) in [("SGVsbG8gd29ybGQ", "Hello world"), ("SGVsbG8gd29ybGQh", "Hello world!"), ("w6Q\n", "ä")] {
        let found = read(Kind::Mbox, "m", mail(format!("{plain}{encoded}").as_bytes()));
        assert_eq!(found.of("messages")[0]["body"], text);
    }
    let head = "Content-Type: application/pdf; name=\"=?utf-8?B?w6QucGRm?=\"\nContent-Transfer-Encoding: base64";
    for end in ["\n--b1--\n", ""] {
        let mut bytes = with_file(head, &format!("aGVsbG8gd29ybGQ{end}"));
        bytes.truncate(bytes.trim_ascii_end().len());
        let (found, _) = read_export(Kind::Mbox, &mut Export::of_bytes("m", bytes).unwrap(), &settings());
        assert_eq!((found.blobs.len(), &found.blobs[0].bytes[..]), (1, &b"hello world"[..]));
        assert_eq!(found.of("attachments")[0]["filename"], "ä.pdf");
        assert_eq!(found.of("messages")[0]["body"], "See");
    }
}

#[test]
fn encoded_words_without_padding_keep_their_last_bytes() {
    for (subject, text) in [("=?utf-8?B?w6Q?=", "ä"), ("=?utf-8?b?w6Q?= =?iso-8859-1?B?5GI?=", "ääb")] {
        let found = read(Kind::Mbox, "m", mail(format!("Subject: {subject}\n\nx").as_bytes()));
        assert_eq!(found.of("messages")[0]["subject"], text, "{subject}");
    }
    let head = "Content-Type: application/pdf; name=\"=?utf-8?B?w6Q?=\"";
    let found = read(Kind::Mbox, "m", with_file(head, "x\n--b1--\n"));
    assert_eq!(found.of("attachments")[0]["filename"], "ä");
}

#[test]
fn what_a_list_adds_to_a_base64_text_stays_beside_it() {
    let footer = "_______________________________________________\nA list mailing list\nA@lists.example.org\n";
    for (kind, encoded, text) in [
        ("text/plain; charset=utf-8", "R3LDtsOfZQ==", "Größe"),
        ("text/plain; charset=iso-8859-1", "R3L232U=", "Größe"),
        ("text/plain; charset=utf-8", "SGVsbG8gd29ybGQhIQ", "Hello world!!"),
    ] {
        let head = format!("Content-Type: {kind}\nContent-Transfer-Encoding: base64\n\n");
        let found = read(Kind::Mbox, "m", mail(format!("{head}{encoded}\n{footer}").as_bytes()));
        assert_eq!(
            found.of("messages")[0]["body"].as_str().unwrap().trim_end(),
            format!("{text}\n{}", footer.trim_end())
        );
    }
    let html = "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGRpdj5IZWxsbzwvZGl2Pg==\n____ a\n";
    let found = read(Kind::Mbox, "m", mail(html.as_bytes()));
    assert_eq!((&found.of("messages")[0]["body"], found.blobs.len()), (&json!("Hello\n____ a"), 0));
}

#[test]
fn characters_that_are_not_base64_are_passed_over() {
    let head = "Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64";
    for body in ["aGVsbG8g!d29ybGQ=", "aGVsbG8gd29ybGQ=\n____\nA list of words\n", "aGVsbG8gd29y!\n bGQ"] {
        let found = read(Kind::Mbox, "m", with_file(head, &format!("{body}\n--b1--\n")));
        assert_eq!((found.blobs.len(), &found.blobs[0].bytes[..]), (1, &b"hello world"[..]), "{body}");
    }
    let plain = "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nSGVsbG8g!d29ybGQ=";
    assert_eq!(read(Kind::Mbox, "m", mail(plain.as_bytes())).of("messages")[0]["body"], "Hello world");
    let never = "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nHello,\nthis was never encoded.";
    let found = read(Kind::Mbox, "m", mail(never.as_bytes()));
    assert_eq!(found.of("messages")[0]["body"].as_str().unwrap().trim_end(), "Hello,\nthis was never encoded.");
}

#[test]
fn an_equals_sign_in_quoted_text_does_not_leave_it_encoded() {
    let head = "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n";
    let found = read(Kind::Mbox, "m", mail(format!("{head}<p>Gr=C3=B6=C3=9Fe ==3D 3=\n</p>").as_bytes()));
    assert_eq!((&found.of("messages")[0]["body"], found.blobs.len()), (&json!("Größe == 3"), 0));
}

/// What is found in a mailbox that may be cut off, and what is said of that.
fn read_cut(bytes: &[u8]) -> (crate::testing::Found, Option<String>) {
    let (found, end) = read_export(Kind::Mbox, &mut Export::of_bytes("m", bytes).unwrap(), &settings());
    (found, end.err().map(|error| error.to_string()))
}

#[test]
fn a_mailbox_that_is_cut_off_inside_a_file_gives_what_it_has_and_says_so() {
    let head = "Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64";
    let whole = with_file(head, "JVBERi0xLjQgYW5kIG1vcmU=\n--b1--\n");
    let start = memchr::memmem::find(&whole, b"JVBE").unwrap();
    let said = Some("m seems to be cut off in mail 1. Export it again.".to_owned());
    for (length, content) in
        [(8, "%PDF-1"), (9, "%PDF-1"), (10, "%PDF-1."), (24, "%PDF-1.4 and more"), (28, "%PDF-1.4 and more")]
    {
        let (found, end) = read_cut(&whole[..start + length]);
        assert_eq!(end, said, "{length}");
        assert_eq!((found.of("messages").len(), &found.of("messages")[0]["body"]), (1, &json!("See")));
        assert_eq!(
            found.blobs.iter().map(|blob| &blob.bytes[..]).collect::<Vec<_>>(),
            [content.as_bytes()],
            "{length}"
        );
        assert_eq!(found.of("attachments")[0]["mime_type"], "application/pdf");
    }
    assert_eq!(read_cut(&whole).1, None);
    let unclosed = [&whole[..start + 24], b"\n\n"].concat();
    let (found, end) = read_cut(&unclosed);
    assert_eq!((&found.blobs[0].bytes[..], end), (&b"%PDF-1.4 and more"[..], None), "its sender did not close it");
    assert_eq!(read_cut(b"From x Sat Jan  3 01:05:34 1998\nMessage-ID: <1@x>\nSubj").1, said);
}

#[test]
fn markup_that_is_cut_off_is_no_file() {
    let parts = "Content-Type: multipart/alternative; boundary=\"b 1\"\n\n--b 1\nContent-Type: text/plain\n\nHello\n--b 1\n\
        Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<p>Hello Gr=C3=B6=C3=9F";
    let (found, end) = read_cut(&mail(parts.as_bytes()));
    assert!(end.is_some_and(|said| said.contains("cut off in mail 1")));
    assert_eq!((&found.of("messages")[0]["body"], found.blobs.len()), (&json!("Hello"), 0));
    let markup = parts.replace("Content-Type: text/plain\n\nHello\n--b 1\n", "");
    let (found, _) = read_cut(&mail(markup.as_bytes()));
    assert_eq!((&found.of("messages")[0]["body"], found.blobs.len()), (&json!("Hello Größ"), 0));
}

#[test]
fn parts_after_some_that_do_not_say_where_they_end_are_not_lost() {
    let parts = "Content-Type: multipart/mixed; boundary=out\n\n--out\nContent-Type: multipart/alternative; boundary=in\n\n\
        --in\nContent-Type: text/html\n\n<p>Hello</p>\n--out\nContent-Type: application/pdf\n\
        Content-Transfer-Encoding: base64\n\naGVsbG8gd29ybGQ\n--out--\n";
    let found = read(Kind::Mbox, "m", mail(parts.as_bytes()));
    assert_eq!(found.of("messages")[0]["body"], "Hello");
    assert_eq!((found.blobs.len(), &found.blobs[0].bytes[..]), (1, &b"hello world"[..]));
}

#[test]
fn text_in_another_charset_than_it_names_is_still_text() {
    let guessed = ["m has mails that are not in the encoding they name; they were read as Windows-1252."];
    for (charset, bytes, text, notes) in [
        ("us-ascii", "café".as_bytes(), "café", &[][..]),
        ("US-ASCII", b"caf\xe9", "café", &guessed),
        ("utf-8", b"caf\xe9", "café", &guessed),
        ("utf-8", b"caf\xe9 \x80 5", "café € 5", &guessed),
        ("utf-8", b"Gr\xc3\xb6\xc3\x9fe caf\xe9 Gr\xc3\xb6\xc3\x9fe", "Größe café Größe", &guessed),
        ("utf-8", "a \u{fffd} ü".as_bytes(), "a \u{fffd} ü", &[]),
        ("iso-8859-1", b"caf\xe9", "café", &[]),
    ] {
        let head = format!("Content-Type: text/plain; charset={charset}\n\n");
        let found = read(Kind::Mbox, "m", mail(&[head.as_bytes(), bytes].concat()));
        assert_eq!(found.of("messages")[0]["body"].as_str().unwrap().trim_end(), text, "{charset}");
        assert_eq!(found.notes, notes, "{charset} {text}");
    }
    let head = "Content-Type: text/csv; charset=utf-8; name=a.csv\nContent-Transfer-Encoding: quoted-printable";
    let found = read(Kind::Mbox, "m", with_file(head, "caf=E9\n--b1--\n"));
    assert_eq!((&found.blobs[0].bytes[..], &found.notes[..]), ("café".as_bytes(), &guessed.map(str::to_owned)[..]));
}

#[test]
fn a_date_that_cannot_be_read_is_never_a_wrong_one() {
    for (date, sent_at, notes) in [
        ("Tue, 14 Nov 2023 2:13:20 PM +0100", "2023-11-14T13:13:20Z", 0),
        ("Tue, 14 Nov 2023 14.13.20 +0100", "2023-11-14T13:13:20Z", 0),
        ("14/11/2023 14:13:20 +0100", "1998-01-03T01:05:34Z", 1),
    ] {
        let found = read(Kind::Mbox, "m", mail(format!("Date: {date}\n\nx").as_bytes()));
        assert_eq!((&found.of("messages")[0]["sent_at"], found.notes.len()), (&json!(sent_at), notes), "{date}");
    }
}

#[test]
fn a_label_with_a_comma_is_one_label() {
    for header in ["Inbox,\"Kunden, wichtig\",Later", "=?UTF-8?Q?Inbox,\"Kunden=2C_wichtig\",Later?="] {
        let found = read(Kind::Mbox, "m", mail(format!("X-Gmail-Labels: {header}\n\nx").as_bytes()));
        assert_eq!(found.of("messages")[0]["labels"], json!(["Inbox", "Kunden, wichtig", "Later"]));
    }
}

#[test]
fn many_damaged_parts_are_all_mended() {
    let head = "Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\naGVsbG8g!d29ybGQ\n";
    let parts = format!("Content-Type: multipart/mixed; boundary=b1\n\n{}", format!("--b1\n{head}").repeat(500));
    let (found, _) = read_cut(&mail(parts.as_bytes()));
    assert_eq!(found.blobs.iter().filter(|blob| blob.bytes == b"hello world").count(), 500);
    let mut nested = String::new();
    for depth in 0..500 {
        nested.extend(["Content-Type: multipart/mixed; boundary=b", &depth.to_string(), ".\n\n"]);
        nested.extend(["--b", &depth.to_string(), ".\n"]);
    }
    let (found, _) = read_cut(&mail(format!("{nested}Content-Type: text/plain\n\ndeep").as_bytes()));
    assert_eq!(found.of("messages")[0]["body"], "deep");
}
