//! The owner's acts, the same for REST and CLI.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use vitrine_contract::ident;

use crate::catalog::{Catalog, Connection};
use crate::clock::{Clock, Random};
use crate::declaration::{Declaration, DeclarationError};
use crate::grant::{Grant, GrantRefused, GrantRequest, Issue, StreamRequest};
use crate::keeping::{Keeper, KeptGrant, NewConnection, NewGrants};
use crate::port::{StoreError, TokenRow};
use crate::token::{Token, TokenKind, fresh_id};

/// The owner's identity in a store that has only one.
pub const OWNER_ID: &str = "owner";

/// Why an act of the owner's could not be done.
#[derive(Debug, thiserror::Error)]
pub enum OwnerError {
    /// The declaration is not valid.
    #[error(transparent)]
    Declaration(#[from] DeclarationError),
    /// The grant cannot be issued as asked.
    #[error(transparent)]
    Grant(#[from] GrantRefused),
    /// What was named is not there.
    #[error("{0}")]
    NotFound(String),
    /// What was asked cannot be done.
    #[error("{0}")]
    Invalid(String),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for OwnerError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(message) => Self::Invalid(message),
            other => Self::Store(other),
        }
    }
}

/// The owner of a store, at work.
pub struct Owner<'a, S> {
    store: &'a S,
    clock: &'a Clock,
    random: &'a Random,
}

/// A registered source, as shown to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceShown {
    /// Its short name.
    pub connector_key: String,
    /// Its identity.
    pub source_id: String,
    /// Its streams.
    pub streams: Vec<String>,
}

/// An account, as shown to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectionShown {
    /// Its identity.
    pub connection_id: String,
    /// Its source's short name.
    pub connector_key: String,
    /// The owner's label.
    pub display_name: String,
}

/// What was issued, with the only copy of its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issued {
    /// The package, when several grants were issued together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_package_id: Option<String>,
    /// The grants.
    pub grants: Vec<IssuedGrant>,
    /// Reads under them.
    pub access_token: String,
}

/// One issued grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IssuedGrant {
    /// Its identity.
    pub grant_id: String,
    /// The account it covers; the first, when it covers several.
    pub connection_id: String,
    /// The source.
    pub connector_key: String,
}

impl<'a, S: Keeper> Owner<'a, S> {
    /// The owner of `store`.
    pub fn new(store: &'a S, clock: &'a Clock, random: &'a Random) -> Self {
        Self { store, clock, random }
    }

    /// Registers a source from its declaration's text.
    pub async fn register_source(&self, text: &str) -> Result<SourceShown, OwnerError> {
        let declaration = Declaration::parse(text)?;
        self.store.register_source(&declaration).await?;
        Ok(shown_source(&declaration))
    }

    /// The registered sources.
    pub async fn sources(&self) -> Result<Vec<SourceShown>, OwnerError> {
        Ok(self.store.catalog().await?.sources.iter().map(|s| shown_source(&s.declaration)).collect())
    }

    /// Configures an account; without an id, one is made from its name.
    pub async fn add_connection(
        &self,
        source: &str,
        name: &str,
        id: Option<&str>,
    ) -> Result<ConnectionShown, OwnerError> {
        let name = label(name)?;
        let connection_id = id.map_or_else(|| fresh_id("cin", self.random), str::to_owned);
        if !ident::is_name(&connection_id) {
            return Err(OwnerError::Invalid("A connection id has 1 to 64 letters, digits, dots, dashes or underscores, and starts with a letter or digit.".into()));
        }
        let connection = NewConnection { connection_id, connector_key: source.to_owned(), display_name: name };
        self.store.add_connection(&connection).await?;
        let NewConnection { connection_id, connector_key, display_name } = connection;
        Ok(ConnectionShown { connection_id, connector_key, display_name })
    }

    /// The configured accounts.
    pub async fn connections(&self) -> Result<Vec<ConnectionShown>, OwnerError> {
        let shown = |c: &Arc<Connection>| ConnectionShown {
            connection_id: c.connection_id.to_string(),
            connector_key: c.connector_key.to_string(),
            display_name: c.display_name.to_string(),
        };
        Ok(self.store.catalog().await?.connections.iter().map(shown).collect())
    }

    /// Changes an account's label.
    pub async fn rename_connection(&self, id: &str, name: &str) -> Result<ConnectionShown, OwnerError> {
        let name = label(name)?;
        if !self.store.rename_connection(id, &name).await? {
            return Err(no_connection(id));
        }
        self.connections().await?.into_iter().find(|c| c.connection_id == id).ok_or_else(|| no_connection(id))
    }

    /// Removes an account with all its records.
    pub async fn remove_connection(&self, id: &str) -> Result<(), OwnerError> {
        if self.store.remove_connection(id).await? { Ok(()) } else { Err(no_connection(id)) }
    }

    /// Gives one grant, which may cover several connections of its source.
    pub async fn give_grant(&self, request: &GrantRequest) -> Result<Issued, OwnerError> {
        let catalog = self.store.catalog().await?;
        let grant = Grant::issue(request, &catalog, self.issue(request)?)?;
        self.store_grants(None, vec![grant]).await
    }

    /// Gives one grant per connection, grouped in a package when there are several. Without
    /// connections: all of them.
    pub async fn give_package(&self, request: &GrantRequest) -> Result<Issued, OwnerError> {
        let catalog = self.store.catalog().await?;
        let connections = package_connections(request, &catalog)?;
        let common = self.issue(request)?;
        let mut grants = Vec::with_capacity(connections.len());
        let mut used = vec![false; request.streams.len()];
        for id in &connections {
            let connection = catalog.connection(id).ok_or_else(|| no_connection(id))?;
            let declared = &connection.source.declaration.streams;
            let wanted: Vec<_> = request
                .streams
                .iter()
                .zip(&mut used)
                .filter(|(s, _)| s.name == "*" || declared.contains_key(&s.name))
                .filter(|(s, _)| s.instance_ids.as_ref().is_none_or(|ids| ids.contains(id)))
                .map(|(stream, used)| {
                    *used = true;
                    StreamRequest { instance_ids: None, ..stream.clone() }
                })
                .collect();
            if wanted.is_empty() && !request.streams.is_empty() {
                continue;
            }
            if request.connections.is_empty() && request.selected(&connection.source.declaration).is_empty() {
                continue;
            }
            let one = GrantRequest { connections: vec![id.clone()], streams: wanted, source: None, ..request.clone() };
            let issue = Issue { grant_id: fresh_id("grt", self.random), ..common.clone() };
            grants.push(Grant::issue(&one, &catalog, issue)?);
        }
        if let Some(unused) = request.streams.iter().zip(used).find_map(|(s, used)| (!used).then_some(s)) {
            return Err(OwnerError::Invalid(format!("None of the connections has a stream `{}`.", unused.name)));
        }
        let package_id = (grants.len() > 1).then(|| fresh_id("pkg", self.random));
        self.store_grants(package_id, grants).await
    }

    /// A fresh token for the owner's own scripts.
    pub async fn issue_owner_token(&self) -> Result<String, OwnerError> {
        let token = Token::generate(TokenKind::Owner, self.random);
        self.store.add_token(&token_row(&token, TokenKind::Owner, OWNER_ID.to_owned())).await?;
        Ok(token.into_text())
    }

    /// Every grant ever given.
    pub async fn grants(&self) -> Result<Vec<KeptGrant>, OwnerError> {
        Ok(self.store.grants().await?)
    }

    /// Ends a grant or a package.
    pub async fn revoke(&self, id: &str) -> Result<(), OwnerError> {
        if self.store.revoke_grant(id).await? || self.store.revoke_package(id).await? {
            return Ok(());
        }
        Err(OwnerError::NotFound(format!("There is no grant or package `{id}`.")))
    }

    async fn store_grants(&self, package_id: Option<String>, grants: Vec<Grant>) -> Result<Issued, OwnerError> {
        let first = grants.first().ok_or_else(|| OwnerError::Invalid("There is nothing to grant.".into()))?;
        let (kind, subject) = match &package_id {
            Some(id) => (TokenKind::McpPackage, id.clone()),
            None => (TokenKind::Client, first.grant_id.clone()),
        };
        let token = Token::generate(kind, self.random);
        let new = NewGrants { package_id, grants, token: token_row(&token, kind, subject) };
        self.store.add_grants(&new).await?;
        let catalog = self.store.catalog().await?;
        let issued = |grant: &Grant, connection: &str| IssuedGrant {
            grant_id: grant.grant_id.clone(),
            connection_id: connection.to_owned(),
            connector_key: catalog.connection(connection).map(|c| c.connector_key.to_string()).unwrap_or_default(),
        };
        let each = |grant| Grant::connections(grant).into_iter().map(move |connection| issued(grant, connection));
        Ok(Issued {
            grants: new.grants.iter().flat_map(each).collect(),
            grant_package_id: new.package_id,
            access_token: token.into_text(),
        })
    }

    fn issue(&self, request: &GrantRequest) -> Result<Issue, OwnerError> {
        let name = request.client_name.as_deref().or(request.client_id.as_deref()).unwrap_or_default();
        Ok(Issue {
            grant_id: fresh_id("grt", self.random),
            subject: OWNER_ID.to_owned(),
            client_id: request.client_id.clone().unwrap_or_else(|| client_id(name)),
            client_name: label(name).map_err(|_| OwnerError::Invalid("Name the client the grant is for.".into()))?,
            now: self.now(),
        })
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// The connections a package is about, each once: the named ones, or all of the source's, or all.
fn package_connections(request: &GrantRequest, catalog: &Catalog) -> Result<Vec<String>, OwnerError> {
    let named = request.streams.iter().flat_map(|s| s.instance_ids.iter().flatten()).chain(&request.connections);
    let of_source = |c: &&Arc<Connection>| {
        let declaration = &c.source.declaration;
        request.source.as_ref().is_none_or(|s| *s == declaration.connector_key || *s == declaration.source_id)
    };
    let all = || catalog.connections.iter().filter(of_source).map(|c| c.connection_id.to_string());
    let connections: BTreeSet<String> = named.cloned().collect();
    let connections = if connections.is_empty() { all().collect() } else { connections };
    if connections.is_empty() {
        return Err(OwnerError::Invalid("There is no connection to grant yet. Add one first.".into()));
    }
    if let Some(foreign) = connections.iter().find(|id| request.source.is_some() && !all().any(|known| known == **id)) {
        return Err(OwnerError::Invalid(format!("Connection `{foreign}` is not one of that source.")));
    }
    Ok(connections.into_iter().collect())
}

fn token_row(token: &Token, kind: TokenKind, subject: String) -> TokenRow {
    TokenRow { digest: token.digest(), kind, subject, expires_at: None, revoked: false }
}

/// A client the owner named by hand keeps one identity under that name.
fn client_id(name: &str) -> String {
    let slug: String = name.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    format!("local:{slug}")
}

fn label(name: &str) -> Result<String, OwnerError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 200 || name.chars().any(char::is_control) {
        return Err(OwnerError::Invalid("A name has 1 to 200 characters on one line.".into()));
    }
    Ok(name.to_owned())
}

fn no_connection(id: &str) -> OwnerError {
    OwnerError::NotFound(format!("There is no connection `{id}`."))
}

fn shown_source(declaration: &Declaration) -> SourceShown {
    SourceShown {
        connector_key: declaration.connector_key.clone(),
        source_id: declaration.source_id.clone(),
        streams: declaration.streams.keys().cloned().collect(),
    }
}
