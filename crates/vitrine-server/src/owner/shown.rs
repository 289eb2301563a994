//! Grants and packages as the owner sees them, over REST and on the command line.

use serde::Serialize;
use vitrine_engine::clock::Clock;
use vitrine_engine::grant::{Client, Grant};
use vitrine_engine::keeping::{Keeper, KeptGrant};
use vitrine_engine::owner::{Owner, OwnerError};

/// A grant with what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct GrantShown {
    object: &'static str,
    /// The grant.
    #[serde(flatten)]
    pub grant: Grant,
    /// The package it belongs to.
    pub grant_package_id: Option<String>,
    /// When it was ended.
    pub revoked_at: Option<String>,
    /// Whether it can be read under.
    pub status: Status,
}

/// Whether a grant can be read under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It can.
    Active,
    /// It has ended by itself.
    Expired,
    /// The owner has ended it.
    Revoked,
}

/// A package with its grants.
#[derive(Debug, Clone, Serialize)]
pub struct PackageShown {
    object: &'static str,
    /// Its identity.
    pub grant_package_id: String,
    /// Who may read.
    pub client: Client,
    /// Whether any of its grants can be read under.
    pub status: Status,
    /// Its grants.
    pub grants: Vec<GrantShown>,
}

impl Status {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl GrantShown {
    fn new(kept: KeptGrant, clock: &Clock) -> Self {
        let KeptGrant { grant, package_id, revoked_at } = kept;
        let status = match &revoked_at {
            Some(_) => Status::Revoked,
            None if grant.expired(clock.now()) => Status::Expired,
            None => Status::Active,
        };
        Self { object: "grant", grant, grant_package_id: package_id, revoked_at, status }
    }
}

/// Every grant ever given, newest first.
pub async fn grants<S: Keeper>(owner: &Owner<'_, S>, clock: &Clock) -> Result<Vec<GrantShown>, OwnerError> {
    Ok(owner.grants().await?.into_iter().map(|kept| GrantShown::new(kept, clock)).collect())
}

/// The grant of that id.
pub async fn grant<S: Keeper>(owner: &Owner<'_, S>, clock: &Clock, id: &str) -> Result<GrantShown, OwnerError> {
    let found = grants(owner, clock).await?.into_iter().find(|shown| shown.grant.grant_id == id);
    found.ok_or_else(|| OwnerError::NotFound(format!("There is no grant `{id}`.")))
}

/// The package of that id.
pub async fn package<S: Keeper>(owner: &Owner<'_, S>, clock: &Clock, id: &str) -> Result<PackageShown, OwnerError> {
    let mut members = grants(owner, clock).await?;
    members.retain(|shown| shown.grant_package_id.as_deref() == Some(id));
    let first = members.first().ok_or_else(|| OwnerError::NotFound(format!("There is no package `{id}`.")))?;
    let best = |status| members.iter().any(|shown| shown.status == status).then_some(status);
    Ok(PackageShown {
        object: "grant_package",
        grant_package_id: id.to_owned(),
        client: first.grant.client.clone(),
        status: best(Status::Active).or(best(Status::Expired)).unwrap_or(Status::Revoked),
        grants: members,
    })
}
