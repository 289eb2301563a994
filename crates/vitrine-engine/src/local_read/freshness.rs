//! How far the data behind an answer reaches.

use jiff::Timestamp;
use vitrine_contract::record::ConnectionFreshness;
use vitrine_contract::time;

use crate::gate::ReadPlan;

/// The newest of each connection, from the newest of each of a plan's scopes.
pub(super) fn of(plan: &ReadPlan, newest: &[Option<Timestamp>]) -> Vec<ConnectionFreshness> {
    // The scopes of a connection stand together.
    let scopes: Vec<_> = plan.scopes().iter().zip(newest).collect();
    scopes
        .chunk_by(|(a, _), (b, _)| a.connection().connection_id == b.connection().connection_id)
        .map(|scopes| ConnectionFreshness {
            connection_id: scopes[0].0.connection().connection_id.clone(),
            captured_at: scopes.iter().filter_map(|(_, newest)| **newest).max().map(time::format),
        })
        .collect()
}
