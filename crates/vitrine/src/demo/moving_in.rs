//! The sample person moves into a store.

use std::io;
use std::sync::Arc;

use tokio::task::{JoinSet, spawn_blocking};
use vitrine_engine::grant::GrantRequest;
use vitrine_engine::ingest::{IngestResult, IngestSession, KeyFrom};
use vitrine_engine::keeping::{Keeper as _, Target};
use vitrine_store::Store;

use super::{ACCOUNTS, DECLARATIONS, Load, Scale, Story};
use crate::fault::Fault;
use crate::opened::Opened;

/// The credentials of a sample person.
pub(crate) struct Keys {
    /// Reads everything, as an agent would.
    pub(crate) access_token: String,
    /// The person's own.
    pub(crate) owner_token: String,
    /// How many records there are.
    pub(crate) records: u64,
}

/// Registers the sources, configures the accounts, loads the records and gives one package over all of them.
pub(crate) async fn move_in(opened: &Opened, scale: Scale) -> Result<Keys, Fault> {
    let owner = opened.owner();
    for declaration in DECLARATIONS {
        owner.register_source(declaration).await?;
    }
    for account in &ACCOUNTS {
        owner.add_connection(account.source, account.name, Some(account.id)).await?;
    }
    let records = load_all(&opened.store, scale).await?;
    let request = GrantRequest { client_name: Some("Demo agent".to_owned()), ..GrantRequest::default() };
    let access_token = owner.give_package(&request).await?.access_token;
    Ok(Keys { access_token, owner_token: owner.issue_owner_token().await?, records })
}

/// The accounts tell and are checked side by side, so that the one writer never waits.
async fn load_all(store: &Arc<Store>, scale: Scale) -> Result<u64, Fault> {
    let decided = Arc::new(Story::decided());
    let mut accounts = JoinSet::new();
    for account in &ACCOUNTS {
        let (decided, store) = (Arc::clone(&decided), Arc::clone(store));
        accounts.spawn(async move {
            let mut records = 0;
            for load in spawn_blocking(move || (account.tell)(&decided, scale)).await.map_err(io::Error::from)? {
                records += take_in(&store, &load).await?.records_accepted;
            }
            Ok::<_, Fault>(records)
        });
    }
    let mut records = 0;
    while let Some(account) = accounts.join_next().await {
        records += account.map_err(io::Error::from)??;
    }
    Ok(records)
}

/// Takes the records of one stream in, after the bytes they refer to.
pub(crate) async fn take_in(store: &Store, load: &Load) -> Result<IngestResult, Fault> {
    if !load.blobs.is_empty() {
        store.put_blobs(load.connection_id, &load.blobs).await?;
    }
    let target = Target { connection_id: load.connection_id.to_owned(), stream: load.stream.to_owned() };
    let mut session = IngestSession::start(store, target).await?.keyed(KeyFrom::Data);
    session.push(&load.lines).await?;
    Ok(session.finish().await?)
}
