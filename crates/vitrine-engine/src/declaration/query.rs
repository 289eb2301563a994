//! What a stream's `query` block lets a caller do with each field.

use vitrine_contract::request::RangeOp;

use super::error::{DeclarationError, quoted};
use super::fields::{Demand, Fields};
use super::shape::Shape;
use super::{Aggregations, Field};

/// Marks each field with what the stream's `query` offers on it.
pub(super) fn apply(stream: &Shape<'_>, fields: &mut Fields<'_>) -> Result<(), DeclarationError> {
    let Some(query) = stream.object("query")? else {
        filter_every_scalar(fields);
        return Ok(());
    };
    // Grouping by time settles which fields hold times, so it goes before all that asks for kinds.
    aggregations(&query, fields)?;
    match query.texts("exact_filters")? {
        Some(names) => exact_filters(&names, fields)?,
        None => filter_every_scalar(fields),
    }
    range_filters(&query, fields)?;
    search(&query, fields)
}

fn filter_every_scalar(fields: &mut Fields<'_>) {
    for field in fields.iter_mut() {
        field.exact_filter = field.kind.is_scalar();
    }
}

fn exact_filters(names: &[&str], fields: &mut Fields<'_>) -> Result<(), DeclarationError> {
    for name in names {
        fields.of_kind("exact_filter", name, Demand::Scalar)?.exact_filter = true;
    }
    Ok(())
}

fn range_filters(query: &Shape<'_>, fields: &mut Fields<'_>) -> Result<(), DeclarationError> {
    let Some(ranges) = query.object("range_filters")? else { return Ok(()) };
    for name in ranges.entries() {
        let field = fields.of_kind("range_filter", name, Demand::Scalar)?;
        for word in ranges.required(name, ranges.texts(name)?)? {
            let op = RangeOp::parse(word).ok_or_else(|| {
                let message = format!("`{}` is no comparison; use gte, gt, lte or lt", quoted(word));
                ranges.refuse(name, "range_filter_unknown_op", message)
            })?;
            if !field.range_filter.contains(&op) {
                field.range_filter.push(op);
            }
        }
        if field.range_filter.is_empty() {
            let message = "list at least one of gte, gt, lte and lt, or take the field out";
            return Err(ranges.refuse(name, "range_filter_empty", message));
        }
    }
    Ok(())
}

fn search(query: &Shape<'_>, fields: &mut Fields<'_>) -> Result<(), DeclarationError> {
    let Some(search) = query.object("search")? else { return Ok(()) };
    for name in search.texts("lexical_fields")?.unwrap_or_default() {
        fields.of_kind("lexical_field", name, Demand::Textual)?.lexical = true;
    }
    for name in search.texts("semantic_fields")?.unwrap_or_default() {
        fields.of_kind("semantic_field", name, Demand::Textual)?.semantic = true;
    }
    Ok(())
}

/// How an aggregation is switched on for a field.
type Switch = fn(&mut Aggregations) -> &mut bool;

fn aggregations(query: &Shape<'_>, fields: &mut Fields<'_>) -> Result<(), DeclarationError> {
    let Some(offered) = query.object("aggregations")? else { return Ok(()) };
    // Counting always works, whatever the declaration says; only the type is checked.
    offered.flag("count")?;
    for name in offered.texts("group_by_time")?.unwrap_or_default() {
        fields.count_as_time("group_by_time", name)?;
        fields.in_role("group_by_time", name)?.aggregations.group_by_time = true;
    }
    let offers: [(&str, Demand, Switch); 5] = [
        ("sum", Demand::Number, |a| &mut a.sum),
        ("min", Demand::Ordered, |a| &mut a.min),
        ("max", Demand::Ordered, |a| &mut a.max),
        ("count_distinct", Demand::Scalar, |a| &mut a.count_distinct),
        ("group_by", Demand::Scalar, |a| &mut a.group_by),
    ];
    for (metric, demand, switch) in offers {
        for name in offered.texts(metric)?.unwrap_or_default() {
            let field: &mut Field = fields.of_kind(metric, name, demand)?;
            *switch(&mut field.aggregations) = true;
        }
    }
    Ok(())
}
