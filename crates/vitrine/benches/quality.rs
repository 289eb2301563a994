//! How good searches are, on labelled collections, through the real endpoints: `cargo bench --bench quality -- DIRECTORY`
//! with the Cranfield and CACM collections in SMART format, `StackFAQ` as JSON, and any others in folders of their own, as
//! the BEIR benchmark keeps them (`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`); whichever of these are there. Prints
//! nDCG@10 and recall@10; relevance is yes or no. Weights and rules are decided on the collections that `gather.py` makes,
//! and only reported on the others. The floor is `SQLite`'s own BM25 over the same texts, with Porter's
//! stems, for records with any of the words.
#![expect(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, reason = "a program that measures")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use vitrine_contract::request::{ReadRequest, SearchMode, SearchRequest};
use vitrine_contract::route;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::grant::GrantRequest;
use vitrine_engine::ingest::IngestSession;
use vitrine_engine::keeping::Target;
use vitrine_engine::owner::Owner;
use vitrine_engine::words;
use vitrine_server::clients::Here;
use vitrine_server::{App, Limits, router};
use vitrine_store::Store;

/// Documents by id with title and text, and queries with the documents that answer them.
struct Collection {
    name: String,
    documents: BTreeMap<String, (String, String)>,
    queries: Vec<(String, BTreeSet<String>)>,
}

fn main() {
    let directory = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).map(PathBuf::from);
    let Some(directory) = directory else {
        println!("pass the directory of the collections: cargo bench --bench quality -- DIRECTORY");
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let columns = ["floor", "lexical", "semantic", "hybrid"].map(|name| format!("{name:<14}")).concat();
    println!("{:<24} {columns} nDCG@10 (recall@10)", "collection");
    for collection in collections(&directory) {
        runtime.block_on(measure(&collection));
    }
}

fn collections(directory: &Path) -> Vec<Collection> {
    let mut collections = Vec::new();
    if let Ok(faq) = std::fs::read_to_string(directory.join("stackfaq.json")) {
        let faq: Value = serde_json::from_str(&faq).unwrap();
        collections.push(stack_faq("StackFAQ", &faq, true));
        collections.push(stack_faq("StackFAQ, answers only", &faq, false));
    }
    let is_here = |(_, stem): &(&str, &str)| directory.join(format!("{stem}.all")).is_file();
    let smarts = [("Cranfield", "cran"), ("CACM", "cacm")].into_iter().filter(is_here);
    collections.extend(smarts.map(|(name, stem)| smart(name, directory, stem)));
    let mut folders: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join("corpus.jsonl").is_file());
    folders.sort();
    collections.extend(folders.iter().map(|folder| beir(folder)));
    collections
}

fn stack_faq(name: &str, faq: &Value, with_questions: bool) -> Collection {
    let mut collection = Collection { name: name.into(), documents: BTreeMap::new(), queries: Vec::new() };
    for (number, pair) in faq["root"]["qapair"].as_array().unwrap().iter().enumerate() {
        let id = format!("d{number}");
        let question = if with_questions { pair["question"].as_str().unwrap_or_default() } else { "" };
        collection.documents.insert(id.clone(), (question.into(), text_of(&pair["answer"])));
        for query in pair["rephr"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if query.chars().any(char::is_alphanumeric) {
                collection.queries.push((query.to_owned(), BTreeSet::from([id.clone()])));
            }
        }
    }
    collection
}

/// All text of a value, wherever it stands in it.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => members.values().map(text_of).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// `.I` number, `.T` title, `.W` text; queries are judged by their place in the file.
fn smart(name: &str, directory: &Path, stem: &str) -> Collection {
    let read = |extension: &str| {
        let bytes = std::fs::read(directory.join(format!("{stem}.{extension}"))).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let documents = entries(&read("all"))
        .into_iter()
        .map(|(number, parts)| {
            let part = |name: &str| parts.get(name).cloned().unwrap_or_default();
            (number, (part(".T"), part(".W")))
        })
        .collect();
    let mut judged: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for line in read("rel").lines() {
        let mut columns = line.split_whitespace();
        if let (Some(query), Some(document)) = (columns.next(), columns.next()) {
            judged.entry(query.parse().unwrap()).or_default().insert(document.to_owned());
        }
    }
    let queries = entries(&read("qry")).into_iter().enumerate().filter_map(|(at, (_, parts))| {
        judged.remove(&(at + 1)).map(|relevant| (parts.get(".W").cloned().unwrap_or_default(), relevant))
    });
    Collection { name: name.into(), documents, queries: queries.collect() }
}

/// `_id`, `title` and `text` a line; judgements are lines of query, document and grade, under a heading.
fn beir(folder: &Path) -> Collection {
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let lines =
        |file: &str| -> Vec<Value> { read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    let part = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let corpus = lines("corpus.jsonl");
    // Theirs may be addresses, which no record's id can be.
    let ids: BTreeMap<String, String> =
        (0..).zip(&corpus).map(|(n, it): (u32, _)| (part(it, "_id"), format!("d{n}"))).collect();
    let documents =
        corpus.iter().map(|it| (ids[&part(it, "_id")].clone(), (part(it, "title"), part(it, "text")))).collect();
    let mut judged: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in read("qrels/test.tsv").lines().skip(1) {
        let [query, document, grade] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        if grade != "0" {
            judged.entry(query.into()).or_default().extend(ids.get(document).cloned());
        }
    }
    let queries = lines("queries.jsonl");
    let queries = queries.iter().filter_map(|it| Some((part(it, "text"), judged.remove(it["_id"].as_str()?)?)));
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    Collection { name, documents, queries: queries.collect() }
}

fn entries(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut entries: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    let mut part = String::new();
    for line in text.lines() {
        if let Some(number) = line.strip_prefix(".I ") {
            entries.push((number.trim().to_owned(), BTreeMap::new()));
            part.clear();
        } else if line.len() == 2 && line.starts_with('.') {
            line.clone_into(&mut part);
        } else if let Some((_, parts)) = entries.last_mut() {
            let text = parts.entry(part.clone()).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }
    entries
}

async fn measure(collection: &Collection) {
    let directory = tempfile::tempdir().unwrap();
    let (clock, random) = (Clock::System, Random::System);
    let store = Store::open(&directory.path().join("vitrine.db"), clock.clone(), &random).unwrap();
    let token = fill(&store, collection).await;
    while store.read_meanings(64).await.unwrap() > 0 {}
    let app = App {
        store: Arc::new(store),
        clock,
        random,
        public_url: "http://127.0.0.1:7663".into(),
        here: Here::default(),
        limits: Limits::default(),
        guard: vitrine_server::Guard::default(),
    };
    let router = router(app);
    let mut shown = vec![floor(collection).to_string()];
    for mode in [SearchMode::Lexical, SearchMode::Semantic, SearchMode::Hybrid] {
        let mut tally = Tally::default();
        for (query, relevant) in &collection.queries {
            let search =
                SearchRequest { mode, q: query.trim().to_owned(), limit: Some(10), ..SearchRequest::default() };
            let uri = route::path_and_query(&ReadRequest::Search(search));
            let request = Request::get(uri).header("authorization", format!("Bearer {token}"));
            let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let page: Value = serde_json::from_slice(&body).unwrap();
            let hits = page["data"].as_array().unwrap_or_else(|| panic!("{query}: {page}"));
            tally.add(hits.iter().map(|hit| hit["record_key"].as_str().unwrap()), relevant);
        }
        shown.push(tally.to_string());
    }
    println!("{:<24} {}", collection.name, shown.join(" "));
}

/// How good the answers to some queries were, together.
#[derive(Default)]
struct Tally {
    gain: f64,
    recall: f64,
    queries: f64,
}

impl Tally {
    fn add<'a>(&mut self, hits: impl Iterator<Item = &'a str>, relevant: &BTreeSet<String>) {
        let hits: Vec<bool> = hits.map(|id| relevant.contains(id)).collect();
        self.gain += discounted(&hits) / discounted(&vec![true; relevant.len().min(10)]);
        self.recall += hits.iter().filter(|hit| **hit).count() as f64 / relevant.len() as f64;
        self.queries += 1.0;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} ({:.3})", self.gain / self.queries, self.recall / self.queries)
    }
}

fn floor(collection: &Collection) -> Tally {
    let db = rusqlite::Connection::open_in_memory().unwrap();
    db.execute_batch("CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, title, text, tokenize='porter unicode61')")
        .unwrap();
    for (id, (title, text)) in &collection.documents {
        db.execute("INSERT INTO words VALUES (?1, ?2, ?3)", (id, title, text)).unwrap();
    }
    let mut best = db.prepare("SELECT id FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT 10").unwrap();
    let mut tally = Tally::default();
    for (query, relevant) in &collection.queries {
        let mut any = Vec::new();
        words::each_word(query, |word| {
            any.push(format!("\"{}\"", word.term));
            true
        });
        let ids = best.query_map([any.join(" OR ")], |row| row.get::<_, String>(0)).unwrap();
        let ids: Vec<String> = ids.map(Result::unwrap).collect();
        tally.add(ids.iter().map(String::as_str), relevant);
    }
    tally
}

fn discounted(hits: &[bool]) -> f64 {
    hits.iter().zip(2_u32..).filter(|(hit, _)| **hit).map(|(_, rank)| 1.0 / f64::from(rank).log2()).sum()
}

async fn fill(store: &Store, collection: &Collection) -> String {
    let (clock, random) = (Clock::System, Random::System);
    let owner = Owner::new(store, &clock, &random);
    let text = json!({ "type": ["string", "null"] });
    let declaration = json!({
        "protocol_version": "0.1.0", "source": { "kind": "connector", "id": "https://example.test/library" },
        "connector_key": "library", "declaration_version": "1", "display": { "name": "Library" },
        "streams": [{
            "name": "documents", "semantics": "append_only", "primary_key": ["id"],
            "schema": { "type": "object", "required": ["id"],
                        "properties": { "id": { "type": "string" }, "title": text, "text": text } },
            "query": { "search": { "lexical_fields": ["title", "text"], "semantic_fields": ["title", "text"] } } }]
    });
    owner.register_source(&declaration.to_string()).await.unwrap();
    owner.add_connection("library", "Library", Some("cin_library")).await.unwrap();
    let target = Target { connection_id: "cin_library".into(), stream: "documents".into() };
    let mut session = IngestSession::start(store, target).await.unwrap();
    for (id, (title, text)) in &collection.documents {
        let data = json!({ "id": id, "title": title, "text": text });
        let line = json!({ "key": id, "data": data, "emitted_at": "2026-01-01T00:00:00Z" });
        session.push(format!("{line}\n").as_bytes()).await.unwrap();
    }
    assert_eq!(session.finish().await.unwrap().records_rejected, 0);
    let request =
        GrantRequest { source: Some("library".into()), client_name: Some("Bench".into()), ..GrantRequest::default() };
    owner.give_grant(&request).await.unwrap().access_token
}
