//! Who was told, and under which grants.

use vitrine_contract::read_api::Answer;
use vitrine_contract::schema::Bearer;
use vitrine_contract::{ApiError, ErrorCode};

use super::disclosed::Disclosed;
use super::{Disclosure, Ledger, Ledgered};
use crate::caller::Caller;
use crate::port::Store;
use crate::token::TokenKind;

impl<S: Store + Ledger> Ledgered<S> {
    /// Enters what an answer discloses. What the owner reads is no disclosure.
    pub(super) async fn enter(&self, endpoint: &'static str, disclosed: Disclosed<'_>) -> Answer<()> {
        let caller = self.read.caller();
        if caller.kind() == TokenKind::Owner {
            return Ok(());
        }
        let Disclosed { mut items, filtered_by, outcome, characters, bytes } = disclosed;
        for item in &mut items {
            item.grant_id = covering(caller, item.connection_id, item.stream);
        }
        let Bearer { client_id, grant_package_id, .. } = caller.bearer();
        let disclosure = Disclosure {
            at: self.read.now(),
            client_id: client_id.as_deref().unwrap_or_default(),
            grant_package_id: grant_package_id.as_deref(),
            via: self.via,
            endpoint,
            records: items.iter().map(|item| item.record_ids.len() as u64).sum(),
            items,
            filtered_by,
            outcome,
            characters,
            bytes,
        };
        self.read.store().enter(&disclosure).await.map_err(|error| {
            tracing::error!(%error, "a disclosure could not be entered, so the answer is withheld");
            ApiError::new(
                ErrorCode::ApiError,
                "The answer could not be entered in the owner's ledger, so it is not given. Ask the operator to \
                 look at the log, then try again.",
            )
        })
    }
}

/// The grant that lets the caller read the stream of the connection.
fn covering<'a>(caller: &'a Caller, connection_id: &str, stream: &str) -> Option<&'a str> {
    let covers = |grant: &&std::sync::Arc<crate::grant::Grant>| {
        let selected = grant.streams.iter().filter(|selection| selection.name == stream);
        selected.flat_map(|selection| &selection.instance_ids).any(|id| id == connection_id)
    };
    caller.grants().iter().find(covers).map(|grant| grant.grant_id.as_str())
}
