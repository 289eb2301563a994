//! The gate: the only place that decides what a caller may read.
//!
//! [`enforce`] takes who asks and what is asked, and either refuses or makes a [`ReadPlan`]. A
//! plan never reaches past the grant it was made under: what it may read comes from the grant,
//! what can be done with it from the source's present declaration, cut down to the granted fields.

mod conditions;
pub(crate) mod expand;
mod measure;
mod plan;
pub(crate) mod scopes;

use std::collections::BTreeSet;
use std::sync::Arc;

use vitrine_contract::request::{FieldWindowRequest, Order, ReadRequest, RecordsRequest};
use vitrine_contract::{ApiError, ErrorCode};

use crate::caller::Caller;
use crate::catalog::Catalog;

pub use plan::{
    Condition, Expansion, Fields, Grouping, Measure, MeasureField, PageOrder, ReadPlan, Related, Scope, Test,
    TimeWindow,
};

/// Decides what of a request may be read.
pub fn enforce(caller: &Caller, catalog: &Catalog, request: &ReadRequest) -> Result<ReadPlan, ApiError> {
    let mut plan = ReadPlan {
        catalog_version: catalog.version,
        scopes: Vec::new(),
        conditions: Vec::new(),
        order: PageOrder::Id(Order::Desc),
        measure: None,
        expansions: Vec::new(),
        joins: Vec::new(),
    };
    match request {
        ReadRequest::Schema(r) => {
            plan.scopes = scopes::survey(caller, catalog, r.stream.as_deref(), r.connection_id.as_deref())?;
        }
        ReadRequest::Streams(r) => plan.scopes = scopes::survey(caller, catalog, None, r.connection_id.as_deref())?,
        ReadRequest::Stream(r) => {
            plan.scopes = scopes::survey(caller, catalog, Some(&r.stream), r.connection_id.as_deref())?;
        }
        ReadRequest::Records(r) => {
            plan.scopes = scopes::of_one_source(caller, catalog, &r.stream, r.connection_id.as_deref())?;
            plan.order = order(&plan.scopes, r)?;
            plan.conditions = conditions::of_filter(&plan.scopes, &r.filter)?;
            let fields = selected(&plan.scopes, r)?;
            project(&mut plan.scopes, fields.as_deref(), "fields")?;
            expand::attach(&mut plan, caller, catalog, &r.expand, &r.expand_limit)?;
        }
        ReadRequest::Record(r) => {
            plan.scopes = scopes::of_one_source(caller, catalog, &r.stream, r.connection_id.as_deref())?;
            project(&mut plan.scopes, r.fields.as_deref(), "fields")?;
            expand::attach(&mut plan, caller, catalog, &r.expand, &r.expand_limit)?;
        }
        ReadRequest::FieldWindow(r) => {
            plan.scopes = scopes::of_one_source(caller, catalog, &r.stream, r.connection_id.as_deref())?;
            let field = window_field(r)?;
            project(&mut plan.scopes, Some(&[field.to_owned()]), "field")?;
        }
        ReadRequest::Aggregate(r) => {
            plan.scopes = scopes::of_one_source(caller, catalog, &r.stream, r.connection_id.as_deref())?;
            plan.conditions = conditions::of_filter(&plan.scopes, &r.filter)?;
            plan.measure = Some(measure::of_request(&plan.scopes, r)?);
        }
        ReadRequest::Search(r) => {
            let find = if r.filter.is_empty() { scopes::of_search } else { scopes::of_filtered_search };
            plan.scopes = find(caller, catalog, &r.streams, r.connection_id.as_deref())?;
            plan.conditions = conditions::of_filter(&plan.scopes, &r.filter)?;
        }
        ReadRequest::Blob(r) => plan.scopes = scopes::survey(caller, catalog, None, r.connection_id.as_deref())?,
    }
    Ok(plan)
}

/// The field a window is asked of.
pub(crate) fn window_field(request: &FieldWindowRequest) -> Result<&str, ApiError> {
    request.field.as_deref().filter(|field| !field.is_empty()).ok_or_else(|| {
        ApiError::new(ErrorCode::InvalidFieldPath, "Pass `field`, the name of a top-level field of the record.")
            .param("field")
    })
}

/// Refuses a field that the caller may not use in any of the scopes, or that is not declared.
fn check_field(scopes: &[Scope], field: &str, param: &str, everywhere: bool) -> Result<(), ApiError> {
    let visible = |scope: &Scope| match scope.visible() {
        Fields::All => scope.stream().field(field).is_some(),
        only @ Fields::Only(_) => only.contains(field),
    };
    let allowed = if everywhere { scopes.iter().all(visible) } else { scopes.iter().any(visible) };
    if allowed {
        return Ok(());
    }
    if scopes.iter().any(|scope| scope.stream().field(field).is_some()) {
        let message = format!("The grant does not cover field `{field}`. GET /v1/schema lists the fields it covers.");
        return Err(ApiError::new(ErrorCode::FieldNotGranted, message).param(param));
    }
    let shown: String = field.chars().take(80).collect();
    let message = format!("`{shown}` is not a field of this stream. GET /v1/schema lists its fields.");
    Err(ApiError::new(ErrorCode::UnknownField, message).param(param))
}

/// Narrows what is returned to the named fields.
fn project(scopes: &mut [Scope], fields: Option<&[String]>, param: &str) -> Result<(), ApiError> {
    let Some(fields) = fields else { return Ok(()) };
    for field in fields {
        check_field(scopes, field, param, false)?;
    }
    for scope in scopes {
        let names: BTreeSet<String> = fields.iter().filter(|f| scope.visible.contains(f)).cloned().collect();
        scope.projection = Fields::Only(Arc::new(names));
    }
    Ok(())
}

/// The fields a request selects by name or by view.
fn selected(scopes: &[Scope], request: &RecordsRequest) -> Result<Option<Vec<String>>, ApiError> {
    let Some(id) = &request.view else { return Ok(request.fields.clone()) };
    let views = scopes.first().map(|scope| scope.stream().views.as_slice()).unwrap_or_default();
    let view = views.iter().find(|view| view.id == *id).ok_or_else(|| {
        ApiError::invalid("view", "The stream has no such view. GET /v1/schema lists its views; `fields` works too.")
    })?;
    let visible = |field: &&String| scopes.iter().any(|scope| scope.visible().contains(field));
    Ok(Some(view.fields.iter().filter(visible).cloned().collect()))
}

fn order(scopes: &[Scope], request: &RecordsRequest) -> Result<PageOrder, ApiError> {
    let first = &scopes[0];
    let Some(sort) = &request.sort else {
        let direction = request.order.unwrap_or(Order::Desc);
        let cursor =
            first.stream().cursor_field.as_deref().filter(|field| scopes.iter().all(|s| s.visible().contains(field)));
        return Ok(match cursor.and_then(|field| first.field_number(field)) {
            Some(number) => PageOrder::Field(number, direction),
            None => PageOrder::Id(direction),
        });
    };
    let invalid = |message: String| ApiError::new(ErrorCode::InvalidSort, message).param("sort");
    let direction = match (sort.direction, request.order) {
        (Some(sign), Some(order)) if sign != order => {
            return Err(invalid("`sort` and `order` disagree on the direction. Pass one of them.".into()));
        }
        (Some(order), _) | (None, Some(order)) => order,
        (None, None) => Order::Asc,
    };
    check_field(scopes, &sort.field, "sort", true)?;
    let stream = first.stream();
    let sortable = stream.field(&sort.field).is_some_and(|field| field.sortable(stream));
    match first.field_number(&sort.field).filter(|_| sortable) {
        Some(number) => Ok(PageOrder::Field(number, direction)),
        None => Err(invalid(format!(
            "Pages cannot be sorted by `{}`. GET /v1/schema lists under `sort` what works.",
            sort.field
        ))),
    }
}
