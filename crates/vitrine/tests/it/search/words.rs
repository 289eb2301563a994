//! Finding words.

use serde_json::json;
use vitrine_contract::route;

use super::{found, letter, mailbox};
use crate::app::TestApp;
use crate::fixtures::{gmail, mail, slack};

#[tokio::test]
async fn forms_case_and_diacritics_of_a_word_are_found() {
    let (app, token) = mailbox(&[
        letter("a", "Team meetings", "nothing"),
        letter("b", "Lunch", "We MEET at the Café"),
        letter("c", "Other", "An organ in Orange"),
    ])
    .await;
    for (q, expected) in [("meeting", vec!["a", "b"]), ("cafe", vec!["b"]), ("CAF%C3%89S", vec!["b"]), ("oran", vec![])]
    {
        let mut ids = found(&app, &token, &format!("?q={q}")).await;
        ids.sort();
        assert_eq!(ids, expected, "{q}");
    }
    assert_eq!(found(&app, &token, "?q=oran*").await, ["c"]);
}

#[tokio::test]
async fn a_word_inside_text_without_spaces_is_found() {
    let (app, token) = mailbox(&[
        letter("ja", "会議", "明日は東京タワーで会いましょう"),
        letter("ko", "학교", "학교에서 만나요"),
        letter("th", "น้ำ", "ฉันดื่มน้ำเย็น"),
        letter("zh", "发票", "请查收附件中的发票"),
    ])
    .await;
    for (q, id) in [("東京タワー", "ja"), ("학교", "ko"), ("ดื่มน้ำ", "th"), ("附件", "zh")] {
        let q = route::encode_segment(q);
        assert_eq!(found(&app, &token, &format!("?q={q}")).await, [id]);
    }
    assert!(found(&app, &token, &format!("?q={}", route::encode_segment("京東"))).await.is_empty());
}

#[tokio::test]
async fn vowel_signs_tell_words_apart() {
    let (app, token) = mailbox(&[
        letter("din", "दिन", "अच्छा दिन"),
        letter("dan", "दान", "दान दिया"),
        letter("nay", "நாய்", "ஒரு நாய்"),
        letter("shalom", "שָׁלוֹם", "كِتَاب"),
    ])
    .await;
    for (q, expected) in [
        ("दिन", vec!["din"]),
        ("दान", vec!["dan"]),
        ("நய", vec![]),
        ("நாய்", vec!["nay"]),
        ("שלום", vec!["shalom"]),
        ("كتاب", vec!["shalom"]),
    ] {
        let ids = found(&app, &token, &format!("?q={}", route::encode_segment(q))).await;
        assert_eq!(ids, expected, "{q}");
    }
}

#[tokio::test]
async fn text_is_found_however_its_characters_are_composed() {
    let (app, token) = mailbox(&[
        letter("ko", "\u{1112}\u{1161}\u{11a8}\u{1100}\u{116d}", "x"),
        letter("ja", "か\u{3099}く", "x"),
        letter("half", "ｶﾞｽ", "x"),
        letter("whole", "학교", "がく ガス"),
    ])
    .await;
    for (q, id) in [("학교", "ko"), ("がく", "ja"), ("ガス", "half")] {
        let mut ids = found(&app, &token, &format!("?q={}", route::encode_segment(q))).await;
        ids.sort();
        assert_eq!(ids, [id, "whole"], "{q}");
    }
    let (_, body) = app.get(&token, &format!("/v1/search?q={}", route::encode_segment("교"))).await;
    let hits = body["data"].as_array().unwrap();
    let hit = hits.iter().find(|hit| hit["record_key"] == "ko").unwrap();
    let window = &hit["match_windows"][0];
    assert_eq!((&window["match_start_chars"], &window["match_end_chars"]), (&json!(3), &json!(5)));
}

#[tokio::test]
async fn signs_that_are_not_seen_do_not_hide_a_word() {
    let (app, token) = mailbox(&[
        letter("soft", "inter\u{ad}national", "x"),
        letter("tatweel", "كـتاب", "x"),
        letter("persian", "می\u{200c}خواهم", "x"),
        letter("apart", "night\u{200b}shift", "x"),
    ])
    .await;
    for (q, id) in [
        ("international", "soft"),
        ("كتاب", "tatweel"),
        ("كتــاب", "tatweel"),
        ("میخواهم", "persian"),
        ("shift", "apart"),
    ] {
        assert_eq!(found(&app, &token, &format!("?q={}", route::encode_segment(q))).await, [id], "{q}");
    }
}

#[tokio::test]
async fn long_words_are_told_apart_by_all_of_them() {
    let (plain, other) = ("a".repeat(80), "ж".repeat(80));
    let (app, token) =
        mailbox(&[letter("a", &format!("{plain}1"), &format!("{other}1")), letter("b", &format!("{plain}2"), "x")])
            .await;
    for (q, expected) in [
        (format!("{plain}1"), vec!["a"]),
        (format!("{plain}2"), vec!["b"]),
        (format!("{plain}3"), vec![]),
        (format!("{other}1"), vec!["a"]),
        (format!("{other}2"), vec![]),
        (format!("{}*", &plain[..60]), vec!["a", "b"]),
    ] {
        let mut ids = found(&app, &token, &format!("?q={}", route::encode_segment(&q))).await;
        ids.sort();
        assert_eq!(ids, expected, "{q}");
    }
}

#[tokio::test]
async fn words_are_anded_and_relaxed_only_when_nothing_has_them_all() {
    let (app, token) = mailbox(&[
        letter("a", "annual report", "figures"),
        letter("b", "report", "of the annual fair"),
        letter("c", "report", "weekly"),
    ])
    .await;
    let (_, both) = app.get(&token, "/v1/search?q=annual+report").await;
    assert_eq!(super::keys(&both).len(), 2);
    assert_eq!(both["meta"]["count"], 2);
    assert_eq!(both["meta"]["count_accuracy"], "exact");
    assert_eq!(both["meta"]["recall"], json!({ "complete": true, "ranking_scope": "all_matches", "truncated": false }));
    assert!(both["meta"].get("relaxed").is_none());
    let (_, any) = app.get(&token, "/v1/search?q=weekly+fair").await;
    assert_eq!((super::keys(&any).len(), &any["meta"]["relaxed"]), (2, &json!(true)));
    assert_eq!(found(&app, &token, "?q=%22annual+report%22").await, ["a"]);
    assert_eq!(found(&app, &token, "?q=report+-annual").await, ["c"]);
}

#[tokio::test]
async fn signs_set_words_apart_or_join_them() {
    let (app, token) = mailbox(&[
        letter("a", "picnic", "then a meeting"),
        letter("b", "京都", "東京まで"),
        letter("c", "mail", "e"),
        letter("d", "e-mail", "due 2026-03-12"),
    ])
    .await;
    for (q, id) in
        [("picnic/meeting", "a"), ("(picnic),meeting;", "a"), ("京都、東京", "b"), ("e-mail", "d"), ("2026-03-12", "d")]
    {
        let (_, body) = app.get(&token, &format!("/v1/search?q={}", route::encode_segment(q))).await;
        assert_eq!((super::keys(&body), body["meta"].get("relaxed")), (vec![id.to_owned()], None), "{q}");
    }
}

#[tokio::test]
async fn names_fall_apart_when_no_record_has_them_whole() {
    let (app, token) = mailbox(&[
        letter("a", "อากาศ", "วันนี้สวยงามมาก"),
        letter("b", "mail", "for work"),
        letter("c", "work", "mail enclosed, no e"),
    ])
    .await;
    for (q, expected) in [("อากาศสวยงาม", vec!["a"]), ("work-mail", vec!["b", "c"])] {
        let (_, body) = app.get(&token, &format!("/v1/search?q={}", route::encode_segment(q))).await;
        let mut ids = super::keys(&body);
        ids.sort();
        assert_eq!(ids, expected, "{q}");
    }
    let q = route::encode_segment("อากาศสวยงาม");
    let (_, body) = app.get(&token, &format!("/v1/search?q={q}")).await;
    assert_eq!(body["meta"]["relaxed"], true);
    assert_eq!(body["data"][0]["matched_fields"], json!(["subject", "body"]));
    let (_, first) = app.get(&token, "/v1/search?q=work-mail&limit=1").await;
    assert_eq!((&first["meta"]["relaxed"], &first["meta"]["count"]), (&json!(true), &json!(2)));
    let (_, second) = app.get(&token, first["links"]["next"].as_str().unwrap()).await;
    assert_eq!((&second["meta"]["relaxed"], &second["meta"]["count"]), (&json!(true), &json!(2)));
    assert_ne!(super::keys(&first), super::keys(&second));
    for q in ["%22work+mail%22", "-%22for+work%22+%22work+mail%22"] {
        assert!(found(&app, &token, &format!("?q={q}")).await.is_empty(), "a phrase stays one: {q}");
    }
    assert_eq!(found(&app, &token, "?q=enclosed+-mail-for").await, ["c"], "what is excluded stays as it is");
}

#[tokio::test]
async fn titles_and_stressed_words_count_more() {
    let (app, token) = mailbox(&[
        letter("a", "Garden walk", "harbour trip"),
        letter("b", "Harbour walk", "garden trip"),
        letter("c", "The", "the the the of the the the"),
        letter("d", "Ferry", "a ferry"),
    ])
    .await;
    assert_eq!(found(&app, &token, "?q=garden").await, ["a", "b"]);
    assert_eq!(found(&app, &token, "?q=harbour").await, ["b", "a"]);
    assert_eq!(found(&app, &token, "?q=harbour+garden+garden").await, ["a", "b"]);
    assert_eq!(found(&app, &token, "?q=garden+harbour+harbour").await, ["b", "a"]);
    assert_eq!(found(&app, &token, "?q=the+ferry").await[0], "d", "not the one with the most articles");
}

#[tokio::test]
async fn words_that_stand_as_they_were_typed_rank_higher() {
    let (app, token) = mailbox(&[
        letter("a", "Plan", "window open near the garden seat"),
        letter("b", "Plan", "near the open window garden seat"),
        letter("c", "Quotes", "letter ferry ticket"),
        letter("d", "Trip", "the quiet river harbour walk"),
    ])
    .await;
    assert_eq!(found(&app, &token, "?q=open+window").await, ["b", "a"]);
    assert_eq!(found(&app, &token, "?q=window+open").await, ["a", "b"]);
    assert_eq!(found(&app, &token, "?q=open+window+submarine").await, ["b", "a"], "relaxed too");
    let phrase = found(&app, &token, "?q=letter+ferry+%22quiet+river+harbour+walk%22+submarine").await;
    assert_eq!(phrase, ["d", "c"], "four words, not one");
}

#[tokio::test]
async fn a_hit_is_a_reference_with_evidence() {
    let (app, token) = mailbox(&[letter("a", "Invoice 7", "Please pay the invoice by Friday.")]).await;
    let (_, body) = app.get(&token, "/v1/search?q=invoices").await;
    let hit = &body["data"][0];
    assert_eq!(hit["object"], "search_result");
    assert_eq!((&hit["title"], &hit["authored_at"]), (&json!("Invoice 7"), &json!("2026-03-01T09:00:00Z")));
    assert_eq!(hit["matched_fields"], json!(["subject", "body"]));
    assert_eq!(
        hit["match_windows"][1],
        json!({ "field_path": "body", "text": "Please pay the invoice by Friday.", "start_chars": 0, "end_chars": 33,
                "match_start_chars": 15, "match_end_chars": 22, "total_chars": 33, "complete": true })
    );
    assert_eq!((&hit["score"]["kind"], &hit["score"]["order"]), (&json!("bm25"), &json!("descending")));
    assert!(hit.get("data").is_none());
    let url = hit["record_url"].as_str().unwrap();
    assert_eq!(app.get(&token, url).await.1["id"], "a");
}

#[tokio::test]
async fn a_match_deep_in_a_long_field_is_shown_where_it_stands() {
    let filler = "lorem ipsum dolor sit amet, ".repeat(40_000);
    let body = format!("{filler}the zanzibar clause {filler}");
    let (app, token) = mailbox(&[letter("long", "Contract", &body)]).await;
    let (_, answer) = app.get(&token, "/v1/search?q=%22zanzibar+clause%22").await;
    let window = &answer["data"][0]["match_windows"][0];
    let start = filler.len() + "the ".len();
    assert_eq!(window["match_start_chars"], start);
    assert_eq!(window["match_end_chars"], start + "zanzibar clause".len());
    assert_eq!(window["text"].as_str().unwrap().chars().count(), 320);
    assert_eq!(window["total_chars"], body.len());
}

#[tokio::test]
async fn what_is_not_granted_takes_no_part() {
    let app = TestApp::start().await;
    app.source(&gmail()).await;
    app.connection("gmail", "cin_work").await;
    app.ingest("cin_work", "messages", &[letter("a", "plain", "hidden treasure"), letter("b", "treasure", "x")]).await;
    let narrow = json!({ "connections": ["cin_work"], "streams": [{ "name": "messages", "fields": ["subject"] }] });
    let token = app.grant(narrow).await;
    assert_eq!(found(&app, &token, "?q=treasure").await, ["b"]);
    assert!(found(&app, &token, "?q=hidden").await.is_empty());
}

#[tokio::test]
async fn streams_connections_and_filters_narrow_a_search() {
    let app = TestApp::with_mail().await;
    app.source(&slack()).await;
    app.connection("slack", "cin_chat").await;
    let token = app.grant(json!({ "connections": ["cin_work", "cin_home"] })).await;
    assert_eq!(found(&app, &token, "?q=body").await.len(), 4);
    assert_eq!(found(&app, &token, "?q=body&connection_id=cin_home").await, ["h1"]);
    assert_eq!(found(&app, &token, "?q=body&streams=messages&filter[size][gte]=3").await, ["w3"]);
    assert_eq!(found(&app, &token, "?q=body&streams[]=messages&limit=1").await.len(), 1);
}

#[tokio::test]
async fn equal_hits_always_come_in_the_same_order() {
    let app = TestApp::with_mail().await;
    app.ingest("cin_home", "messages", &[mail("a1", 5), mail("z1", 5)]).await;
    let token = app.grant(json!({ "connections": ["cin_work", "cin_home"] })).await;
    let whole = found(&app, &token, "?q=body").await;
    assert_eq!(whole, ["a1", "h1", "z1", "w1", "w2", "w3"]);
    let mut walked = Vec::new();
    let mut path = "/v1/search?q=body&limit=1".to_owned();
    loop {
        let (_, page) = app.get(&token, &path).await;
        walked.extend(super::keys(&page));
        match page["links"]["next"].as_str() {
            Some(next) => path = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(walked, whole);
}
