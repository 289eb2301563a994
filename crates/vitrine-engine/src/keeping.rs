//! What the owner does: register sources, configure connections, bring records in, give and end
//! grants. The stores implement [`Keeper`]; REST and CLI call the functions of [`crate::owner`]
//! and [`crate::ingest`].

use std::future::Future;

use serde::Serialize;
use vitrine_contract::BlobRef;

use crate::declaration::Declaration;
use crate::grant::Grant;
use crate::ingest::{Incoming, RejectionCode};
use crate::ledger::Ledger;
use crate::oauth::vault::Vault;
use crate::port::{Store, StoreResult, TokenRow};

/// A store that can be written to. Whatever it acknowledges is durable.
pub trait Keeper: Store + Ledger + Vault {
    /// Registers a source, or replaces its declaration. Refused when the new declaration would
    /// change what existing records or grants mean.
    fn register_source(&self, declaration: &Declaration) -> impl Future<Output = StoreResult<()>> + Send;
    /// Configures an account. Refused when the id is taken or the source unknown.
    fn add_connection(&self, connection: &NewConnection) -> impl Future<Output = StoreResult<()>> + Send;
    /// Changes an account's label; false when there is none.
    fn rename_connection(&self, connection_id: &str, name: &str) -> impl Future<Output = StoreResult<bool>> + Send;
    /// Removes an account with all its records; false when there is none.
    fn remove_connection(&self, connection_id: &str) -> impl Future<Output = StoreResult<bool>> + Send;
    /// Takes a batch of changes in, whole or not at all; one outcome each, in order.
    fn write(&self, target: &Target, batch: &[Incoming]) -> impl Future<Output = StoreResult<Vec<Outcome>>> + Send;
    /// Stores a blob.
    fn put_blob(
        &self,
        connection_id: &str,
        info: &BlobRef,
        bytes: &[u8],
    ) -> impl Future<Output = StoreResult<()>> + Send;
    /// Stores several blobs, together where the store can; one it has already costs a look.
    fn put_blobs(&self, connection_id: &str, blobs: &[NewBlob]) -> impl Future<Output = StoreResult<()>> + Send {
        async move {
            for blob in blobs {
                self.put_blob(connection_id, &blob.reference, &blob.bytes).await?;
            }
            Ok(())
        }
    }
    /// Stores grants, the package around them if any, and the token that reads under them.
    fn add_grants(&self, new: &NewGrants) -> impl Future<Output = StoreResult<()>> + Send;
    /// Stores a token.
    fn add_token(&self, token: &TokenRow) -> impl Future<Output = StoreResult<()>> + Send;
    /// Every grant ever given, newest first.
    fn grants(&self) -> impl Future<Output = StoreResult<Vec<KeptGrant>>> + Send;
    /// Ends a grant; false when there is none.
    fn revoke_grant(&self, grant_id: &str) -> impl Future<Output = StoreResult<bool>> + Send;
    /// Ends a package and all its grants; false when there is none.
    fn revoke_package(&self, package_id: &str) -> impl Future<Output = StoreResult<bool>> + Send;
}

/// An account to configure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConnection {
    /// Its identity.
    pub connection_id: String,
    /// Its source's short name.
    pub connector_key: String,
    /// The owner's label.
    pub display_name: String,
}

/// A blob to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBlob {
    /// How records refer to it.
    pub reference: BlobRef,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Where records go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The account.
    pub connection_id: String,
    /// The stream.
    pub stream: String,
}

/// What became of one incoming change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is stored.
    Accepted,
    /// It was there already.
    Unchanged,
    /// It cannot be.
    Rejected(RejectionCode),
}

/// Grants to store.
#[derive(Debug, Clone)]
pub struct NewGrants {
    /// The package's identity, if there is one.
    pub package_id: Option<String>,
    /// The grants.
    pub grants: Vec<Grant>,
    /// The token that reads under them.
    pub token: TokenRow,
}

/// A grant with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptGrant {
    /// The grant.
    pub grant: Grant,
    /// The package it belongs to.
    pub package_id: Option<String>,
    /// When it was ended.
    pub revoked_at: Option<String>,
}
