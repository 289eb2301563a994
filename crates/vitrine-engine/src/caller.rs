//! Who asks, and under which grants.

use std::sync::Arc;

use jiff::Timestamp;
use vitrine_contract::schema::Bearer;
use vitrine_contract::{ApiError, ErrorCode, time};

use crate::grant::Grant;
use crate::port::{BearerRow, GrantRow, PackageRow, Store, StoreError, SubjectRow};
use crate::token::{TokenDigest, TokenKind};

/// Someone whose credential was checked for this one request.
#[derive(Debug, Clone)]
pub struct Caller {
    bearer: Bearer,
    kind: TokenKind,
    grants: Vec<Arc<Grant>>,
}

impl Caller {
    /// Checks a bearer token against the store as it is now.
    pub async fn from_token(store: &impl Store, token: &str, now: Timestamp) -> Result<Self, ApiError> {
        let presented = TokenDigest::of(token);
        let known = store.bearer(&presented).await?;
        let known = known.filter(|BearerRow { token, .. }| token.digest.matches(&presented) && !token.revoked);
        let BearerRow { token: row, subject } = known.ok_or_else(unknown_token)?;
        if row.expires_at.as_deref().and_then(time::parse).is_some_and(|end| end <= now) {
            return Err(ApiError::new(
                ErrorCode::AuthenticationError,
                "The access token has expired. Refresh it, or connect again.",
            ));
        }
        match (row.kind, subject) {
            (TokenKind::Owner, _) => Ok(Self::owner()),
            (_, Some(SubjectRow::Grant(grant))) => Self::from_grant(grant, now),
            (_, Some(SubjectRow::Package(package))) => Self::from_package(package, now),
            (_, None) => Err(unknown_token()),
        }
    }

    /// The caller a grant or package id stands for, as the local adapter names it.
    pub async fn from_grant_or_package(store: &impl Store, id: &str, now: Timestamp) -> Result<Self, ApiError> {
        if let Some(package) = store.package(id).await? {
            return Self::from_package(package, now);
        }
        Self::from_grant(store.grant(id).await?.ok_or_else(unknown_token)?, now)
    }

    fn from_grant(row: GrantRow, now: Timestamp) -> Result<Self, ApiError> {
        let grant = live(row, now)?;
        let bearer = Bearer {
            token_kind: TokenKind::Client.as_str().into(),
            grant_id: Some(grant.grant_id.clone()),
            grant_package_id: None,
            client_id: Some(grant.client.client_id.clone()),
        };
        Ok(Self { bearer, kind: TokenKind::Client, grants: vec![grant] })
    }

    fn from_package(package: PackageRow, now: Timestamp) -> Result<Self, ApiError> {
        let PackageRow { package_id, client_id, revoked, members } = package;
        if revoked {
            return Err(revoked_error());
        }
        let mut grants = Vec::with_capacity(members.len());
        let mut ended = revoked_error();
        for member in members {
            match live(member, now) {
                Ok(grant) => grants.push(grant),
                Err(error) if error.code == ErrorCode::GrantExpired => ended = error,
                Err(_) => {}
            }
        }
        if grants.is_empty() {
            return Err(ended);
        }
        let bearer = Bearer {
            token_kind: TokenKind::McpPackage.as_str().into(),
            grant_id: None,
            grant_package_id: Some(package_id),
            client_id: Some(client_id),
        };
        Ok(Self { bearer, kind: TokenKind::McpPackage, grants })
    }

    /// The owner: a caller with the widest grant there is.
    pub fn owner() -> Self {
        let bearer = Bearer { token_kind: TokenKind::Owner.as_str().into(), ..Bearer::default() };
        Self { bearer, kind: TokenKind::Owner, grants: Vec::new() }
    }

    /// A caller under one grant that no store holds, for trying out what a grant would disclose.
    pub fn preview(grant: Arc<Grant>) -> Self {
        let bearer = Bearer {
            token_kind: TokenKind::Client.as_str().into(),
            grant_id: Some(grant.grant_id.clone()),
            grant_package_id: None,
            client_id: Some(grant.client.client_id.clone()),
        };
        Self { bearer, kind: TokenKind::Client, grants: vec![grant] }
    }

    /// What the credential is.
    pub fn kind(&self) -> TokenKind {
        self.kind
    }

    /// What a schema document says about the credential.
    pub fn bearer(&self) -> &Bearer {
        &self.bearer
    }

    /// The grants it reads under; the owner needs none.
    pub fn grants(&self) -> &[Arc<Grant>] {
        &self.grants
    }

    /// What cursors are bound to: the same for every token of a grant or package.
    pub(crate) fn identity(&self) -> String {
        let Bearer { token_kind, grant_id, grant_package_id, .. } = &self.bearer;
        format!("{token_kind}:{}", grant_id.as_deref().or(grant_package_id.as_deref()).unwrap_or_default())
    }
}

fn live(row: GrantRow, now: Timestamp) -> Result<Arc<Grant>, ApiError> {
    if row.revoked {
        return Err(revoked_error());
    }
    if row.grant.expired(now) {
        return Err(ApiError::new(ErrorCode::GrantExpired, "The grant has expired. Ask the owner for a new one."));
    }
    Ok(row.grant)
}

fn revoked_error() -> ApiError {
    ApiError::new(ErrorCode::GrantRevoked, "The owner has revoked this grant. Ask for a new one.")
}

fn unknown_token() -> ApiError {
    ApiError::new(ErrorCode::AuthenticationError, "The bearer token is missing or not known here. Connect to get one.")
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::TooSlow => ApiError::new(
                ErrorCode::ApiError,
                "The read took too long and was stopped. Narrow it with a filter, a connection or a smaller limit.",
            ),
            other => {
                tracing::error!(error = %other, "the store failed");
                ApiError::internal()
            }
        }
    }
}
