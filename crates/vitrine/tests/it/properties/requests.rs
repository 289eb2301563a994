//! Generated requests, valid and not.

use proptest::prelude::*;
use vitrine_contract::request::{Filter, Order, RangeOp, RecordsRequest, Sort};

/// Pages over `items` or `notes` in any order, under any filter, of any size.
pub(super) fn page() -> impl Strategy<Value = RecordsRequest> {
    let sort = proptest::sample::select(&[None, None, None, Some("at"), Some("amount"), Some("touched")][..]);
    let order = proptest::sample::select(&[None, Some(Order::Asc), Some(Order::Desc)][..]);
    let connection = proptest::sample::select(&[None, None, Some("cin_a"), Some("cin_b")][..]);
    let stream = proptest::sample::select(&["items", "notes"][..]);
    (stream, 1u64..6, order, sort, filter(), connection).prop_map(|(stream, limit, order, sort, filter, connection)| {
        RecordsRequest {
            stream: stream.into(),
            limit: Some(limit),
            order,
            sort: sort.map(|field| Sort { field: field.into(), direction: None }),
            filter,
            connection_id: connection.map(str::to_owned),
            ..RecordsRequest::default()
        }
    })
}

/// Up to three conditions.
pub(super) fn filter() -> impl Strategy<Value = Filter> {
    let kind = proptest::option::weighted(0.3, proptest::sample::select(&["x", "y", "é", "none"][..]));
    let done = proptest::option::weighted(0.2, proptest::sample::select(&["true", "false"][..]));
    let amount = proptest::option::weighted(0.3, (proptest::sample::select(RangeOp::ALL), -2i32..3));
    let at = proptest::option::weighted(
        0.3,
        (proptest::sample::select(RangeOp::ALL), proptest::sample::select(&super::world::TIMES[..])),
    );
    (kind, done, amount, at).prop_map(|(kind, done, amount, at)| {
        let mut filter = Filter::default();
        if let Some(kind) = kind {
            filter.equals("kind", kind);
        }
        if let Some(done) = done {
            filter.equals("done", done);
        }
        if let Some((op, n)) = amount {
            filter.bound("amount", op, &n.to_string());
        }
        if let Some((op, t)) = at {
            filter.bound("at", op, t);
        }
        filter
    })
}
