//! Related records: brought along only from streams and by keys the caller may see too.

use std::collections::BTreeMap;

use vitrine_contract::request::Order;
use vitrine_contract::{ApiError, ErrorCode};

use super::plan::{Expansion, PageOrder, ReadPlan, Scope};
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::declaration::{FieldKind, KeySide, Relationship};

pub(super) fn attach(
    plan: &mut ReadPlan,
    caller: &Caller,
    catalog: &Catalog,
    names: &[String],
    limits: &BTreeMap<String, u64>,
) -> Result<(), ApiError> {
    if let Some(stray) = limits.keys().find(|name| !names.contains(name)) {
        return Err(invalid(format!(
            "`expand_limit` names a relationship that `expand` does not: `{}`.",
            shown(stray)
        )));
    }
    for name in names {
        let mut related = Vec::with_capacity(plan.scopes.len());
        for scope in &plan.scopes {
            related.push(related_scope(scope, name, caller, catalog));
        }
        let relationship = plan.scopes.first().and_then(|scope| scope.stream().expandable(name));
        let Some(relationship) = relationship.filter(|_| related.iter().any(Option::is_some)) else {
            let stream = plan.scopes.first().map_or("", |s| s.stream_name());
            return Err(invalid(format!(
                "Stream `{stream}` has no relationship `{}` to expand. GET /v1/schema lists them under `expand_capabilities`.",
                shown(name)
            )));
        };
        let expansion = expansion(relationship, related, limits.get(name).copied(), &mut plan.joins, &plan.scopes[0]);
        plan.expansions.push(expansion);
    }
    Ok(())
}

/// The related stream's scope beside `scope`, if the caller may see it and the key that ties them.
pub(crate) fn related_scope(scope: &Scope, name: &str, caller: &Caller, catalog: &Catalog) -> Option<Scope> {
    let relationship = scope.stream().expandable(name)?;
    let connection = &scope.connection().connection_id;
    let related = super::scopes::survey(caller, catalog, Some(&relationship.stream), Some(connection)).ok()?.pop()?;
    let key_holder = match relationship.key_side {
        KeySide::Related => &related,
        KeySide::Own => scope,
    };
    key_holder.visible().contains(&relationship.foreign_key).then_some(related)
}

fn expansion(
    relationship: &Relationship,
    related: Vec<Option<Scope>>,
    asked: Option<u64>,
    joins: &mut Vec<String>,
    scope: &Scope,
) -> Expansion {
    let limits = relationship.expand.expect("only expandable relationships are looked up");
    let target = related.iter().flatten().next();
    let field = target.and_then(|t| t.stream().field(&relationship.foreign_key));
    let key_field = match relationship.key_side {
        KeySide::Related => scope.stream().primary_key.first().cloned().unwrap_or_default(),
        KeySide::Own => relationship.foreign_key.clone(),
    };
    let join = joins.iter().position(|known| *known == key_field).unwrap_or_else(|| {
        joins.push(key_field);
        joins.len() - 1
    });
    let limit = if relationship.has_one { 1 } else { asked.unwrap_or(limits.default.into()).min(limits.max.into()) };
    let by_cursor = |t: &Scope| {
        let field = t.stream().cursor_field.as_deref()?;
        t.visible().contains(field).then(|| t.field_number(field)).flatten()
    };
    Expansion {
        name: relationship.name.clone(),
        has_one: relationship.has_one,
        key_side: relationship.key_side,
        key_kind: field.map_or(FieldKind::Any, |f| f.kind),
        key_number: target.and_then(|t| t.field_number(&relationship.foreign_key)),
        limit: usize::try_from(limit).unwrap_or(1),
        order: target.and_then(by_cursor).map_or(PageOrder::Id(Order::Desc), |n| PageOrder::Field(n, Order::Desc)),
        related,
        join,
    }
}

fn invalid(message: String) -> ApiError {
    ApiError::new(ErrorCode::InvalidExpand, message).param("expand")
}

fn shown(name: &str) -> String {
    name.chars().take(80).collect()
}
