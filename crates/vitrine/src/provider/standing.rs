//! What a provider has said about an agent's credential since it was opened. It may tell only later whose it is, and
//! from then on nothing is read with one that an agent may not hold.

use std::sync::{Arc, OnceLock};

use vitrine_contract::read_api::Answer;
use vitrine_contract::schema::Bearer;
use vitrine_contract::{ApiError, ErrorCode};

use super::credential;

/// Shared by every clone of a reader: the refusal, once there was one.
#[derive(Clone, Default)]
pub(super) struct Standing(Arc<OnceLock<ApiError>>);

impl Standing {
    /// Refuses once the credential was.
    pub(super) fn check(&self) -> Answer<()> {
        self.0.get().map_or(Ok(()), |refused| Err(refused.clone()))
    }

    /// Takes note of whose credential it is, as an answer says.
    pub(super) fn hear(&self, bearer: &Bearer) -> Answer<()> {
        if let Err(error) = credential::scoped(&bearer.token_kind) {
            tracing::warn!(%error, "nothing more is read with this credential");
            let _ = self.0.set(ApiError::new(ErrorCode::OwnerTokenRefused, error.to_string()));
        }
        self.check()
    }
}
