//! What a provider has said about an agent's credential since it was opened. It may tell only later whose it is, and
//! from then on nothing is read with one that an agent may not hold.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use vitrine_contract::error::{CandidateConnection, Candidates};
use vitrine_contract::read_api::Answer;
use vitrine_contract::schema::{Bearer, Connector, GrantedConnection, SchemaDocument};
use vitrine_contract::{ApiError, ErrorCode};

use super::credential::{self, PACKAGE};

/// Shared by every clone of a reader, and by those that take over when its token ends.
#[derive(Clone, Default)]
pub(crate) struct Standing {
    /// The refusal, once there was one.
    refused: Arc<OnceLock<ApiError>>,
    /// The connections of a package, as the schema last told them; none for any other credential.
    package: Arc<RwLock<Vec<Member>>>,
}

/// One connection of a package.
struct Member {
    connection: GrantedConnection,
    connector_key: String,
    streams: Vec<String>,
}

impl Standing {
    /// Refuses once the credential was.
    pub(super) fn check(&self) -> Answer<()> {
        self.refused.get().map_or(Ok(()), |refused| Err(refused.clone()))
    }

    /// Takes note of whose credential it is, as an answer says.
    pub(super) fn hear(&self, bearer: &Bearer) -> Answer<()> {
        if let Err(error) = credential::scoped(&bearer.token_kind) {
            tracing::warn!(%error, "nothing more is read with this credential");
            let _ = self.refused.set(ApiError::new(ErrorCode::OwnerTokenRefused, error.to_string()));
        }
        self.check()
    }

    /// Takes note of the connections, as a whole schema tells them.
    pub(super) fn learn(&self, schema: &SchemaDocument) {
        let mut members: Vec<Member> = Vec::new();
        let of_package = schema.connectors.iter().filter(|_| schema.bearer.token_kind == PACKAGE);
        for member in of_package.flat_map(members_of) {
            // Several grants may cover one connection.
            match members.iter_mut().find(|known| known.connection.connection_id == member.connection.connection_id) {
                Some(known) => known.streams.extend(member.streams),
                None => members.push(member),
            }
        }
        *self.package.write().unwrap_or_else(PoisonError::into_inner) = members;
    }

    /// Asks back which connection is meant, if there are several in a package. Which of them have the stream makes no
    /// difference: that one has it alone today must not decide what is read tomorrow.
    pub(super) fn one_connection(&self, stream: &str) -> Answer<()> {
        let members = self.package.read().unwrap_or_else(PoisonError::into_inner);
        if members.len() < 2 {
            return Ok(());
        }
        let candidates = members.iter().map(|member| member.candidate(stream)).collect();
        Err(ApiError::ambiguous_connection(Candidates::of(candidates)))
    }
}

fn members_of(connector: &Connector) -> impl Iterator<Item = Member> {
    connector.granted_connections.iter().map(|connection| {
        let of_it = |ids: &[String]| ids.is_empty() || ids.contains(&connection.connection_id);
        let rows = connector.streams.iter().filter(|row| of_it(&row.connection_ids));
        Member {
            connection: connection.clone(),
            connector_key: connector.connector_key.clone(),
            streams: rows.map(|row| row.name.clone()).collect(),
        }
    })
}

impl Member {
    fn candidate(&self, stream: &str) -> CandidateConnection {
        CandidateConnection {
            connection_id: self.connection.connection_id.clone(),
            connector_key: self.connector_key.clone(),
            display_name: self.connection.display_name.clone(),
            grant_id: self.connection.grant_id.clone(),
            has_stream: Some(self.streams.iter().any(|name| name == stream)),
        }
    }
}
