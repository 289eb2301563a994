use vitrine_server::clients::{Client, Here, Reach, recommend};

use crate::app::{PUBLIC_URL, TestApp};
use crate::browser::{Browser, text};

#[tokio::test]
async fn connecting_is_one_way_for_each_client() {
    let app = TestApp::with_mail().await;
    assert_eq!(Browser::new(&app).get("/connect").await.status, 403);
    let browser = Browser::signed_in(&app).await;
    let answer = browser.get("/connect").await;
    assert_eq!(answer.status, 200);
    let page = text(&answer).replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&");
    let reach = Reach::Url(format!("{PUBLIC_URL}/mcp"));
    for client in Client::ALL {
        let way = recommend(client, &reach, &Here::default());
        assert_eq!(page.matches(&format!("<h2>{}</h2>", way.name)).count(), 1, "{page}");
        match (&way.command, &way.entry) {
            (Some(command), _) => assert!(page.contains(command), "{command}"),
            (None, Some(entry)) => assert!(page.contains(&entry.snippet()), "{}", entry.snippet()),
            (None, None) => assert!(way.steps.iter().all(|step| page.contains(step)), "{:?}", way.steps),
        }
    }
    for word in ["Bearer", "owner token", "<script", "profile"] {
        assert!(!page.contains(word), "{word}");
    }
}
