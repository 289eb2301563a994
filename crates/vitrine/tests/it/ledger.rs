//! The account of every disclosure.

mod book;
mod doors;
mod kills;
mod questions;
mod tampering;

use serde_json::Value;

use crate::app::TestApp;

impl TestApp {
    /// What the ledger says, oldest first.
    pub(crate) async fn ledger(&self, query: &str) -> Vec<Value> {
        let (status, list) = self.get(&self.owner, &format!("/v1/owner/ledger?limit=100&{query}")).await;
        assert_eq!(status, 200, "{list}");
        let mut entries = list["data"].as_array().expect("a list").clone();
        entries.reverse();
        entries
    }

    /// The last thing the ledger says, without what differs from run to run.
    async fn last_entry(&self) -> Value {
        let mut entry = self.ledger("").await.pop().expect("an entry");
        let members = entry.as_object_mut().expect("an object");
        members.retain(|name, _| !["object", "seq", "hash", "at", "client_id"].contains(&name.as_str()));
        for item in members.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten() {
            item.as_object_mut().expect("an item").remove("grant_id");
        }
        entry
    }
}
