//! Who calls: the doors of `/v1` and `/mcp`, which stand before any routing by method.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_engine::Caller;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::token::TokenKind;

use crate::app::App;
use crate::failure::Failure;
use crate::metadata;
use crate::pace::Pace;
use crate::peer::Peer;

/// Where a challenge and its error object name the protected resource's description.
pub(crate) const RESOURCE_METADATA: &str = "resource_metadata";

/// What the doors share.
pub(crate) struct Doors<S> {
    app: Arc<App<S>>,
    pace: Pace,
}

impl<S: Keeper> Doors<S> {
    pub(crate) fn new(app: Arc<App<S>>) -> Arc<Self> {
        Arc::new(Self { pace: Pace::new(app.limits), app })
    }
}

/// The door of `/v1`: any live token.
pub(crate) async fn resource_door<S: Keeper>(
    State(doors): State<Arc<Doors<S>>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let caller = identify(&doors, request.headers(), peer(&request), metadata::RESOURCE_PATH).await?;
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

/// The door of `/mcp`: tokens of a grant or package only.
pub(crate) async fn mcp_door<S: Keeper>(
    State(doors): State<Arc<Doors<S>>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let caller = identify(&doors, request.headers(), peer(&request), metadata::MCP_PATH).await?;
    if caller.kind() == TokenKind::Owner {
        let message = "An owner token opens everything and is never accepted here. Connect with a grant's token.";
        return Err(ApiError::new(ErrorCode::OwnerTokenRefused, message).into());
    }
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

/// The door of the authorization server: everybody may come, but not in crowds.
pub(crate) async fn open_door<S: Keeper>(
    State(doors): State<Arc<Doors<S>>>,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    doors.pace.stranger(peer(&request), doors.app.clock.now())?;
    Ok(next.run(request).await)
}

fn peer(request: &Request) -> Option<Peer> {
    request.extensions().get().copied()
}

async fn identify<S: Keeper>(
    Doors { app, pace }: &Doors<S>,
    headers: &HeaderMap,
    peer: Option<Peer>,
    metadata_path: &str,
) -> Result<Caller, ApiError> {
    let now = app.clock.now();
    let token = bearer(headers);
    let caller = match token {
        Some(token) => Caller::from_token(&*app.store, token, now).await,
        None => Err(ApiError::new(
            ErrorCode::AuthenticationError,
            "Send a token in the header `Authorization: Bearer …`. Connect to get one.",
        )),
    };
    match (caller, token) {
        (Err(mut error), _) if error.status == StatusCode::UNAUTHORIZED => {
            pace.stranger(peer, now)?;
            let url = format!("{}{metadata_path}", app.public_url);
            error.extra.insert(RESOURCE_METADATA.to_owned(), url.into());
            Err(error)
        }
        (caller, token) => {
            token.map_or(Ok(()), |token| pace.caller(token, now))?;
            caller
        }
    }
}

/// The token, unless it is missing, of another scheme, or one of several.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Proof that the owner calls. Handlers of the owner's endpoints ask for it.
pub(crate) struct AsOwner(());

impl<S: Send + Sync> FromRequestParts<S> for AsOwner {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        match parts.extensions.get::<Caller>() {
            Some(caller) if caller.kind() == TokenKind::Owner => Ok(Self(())),
            _ => Err(Failure::own(
                StatusCode::FORBIDDEN,
                "owner_token_required",
                "Only the owner may do this. Use a token from `vitrine owner token`.",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presented(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn one_bearer_token_is_taken_and_nothing_else() {
        assert_eq!(presented(&["Bearer abc"]).as_deref(), Some("abc"));
        assert_eq!(presented(&["bearer  abc "]).as_deref(), Some("abc"));
        for wrong in [&[][..], &["Basic abc"], &["Bearer"], &["Bearer "], &["abc"], &["Bearer a", "Bearer a"]] {
            assert_eq!(presented(wrong), None, "{wrong:?}");
        }
    }
}
