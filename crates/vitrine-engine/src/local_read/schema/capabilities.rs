//! What can be done with one stream, as far as the caller may see it.

use serde_json::Value;
use vitrine_contract::record::Tag;
use vitrine_contract::request::{CountMode, SearchMode};
use vitrine_contract::schema::{
    AggregationCapability, ExpandCapability, FieldCapability, RangeCapability, StreamRow, View,
};

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::declaration::{Field, FieldKind};
use crate::gate::{Scope, expand};
use crate::local_read::SEARCH_MODES;

/// The stream's row, with counts still to be filled in.
pub(super) fn row(scope: &Scope, expandable: Vec<ExpandCapability>) -> StreamRow {
    let stream = scope.stream();
    let visible = |field: &&String| scope.visible().contains(field);
    let views = stream.views.iter().map(|view| View {
        id: view.id.clone(),
        label: view.label.clone(),
        fields: view.fields.iter().filter(visible).cloned().collect(),
    });
    StreamRow {
        object: Tag::default(),
        name: stream.name.clone(),
        description: stream.description.clone().or_else(|| stream.detail.clone()).or_else(|| stream.label.clone()),
        connector_key: None,
        connection_ids: vec![scope.connection().connection_id.to_string()],
        primary_key: stream.primary_key.clone(),
        cursor_field: stream.cursor_field.clone().filter(|field| scope.visible().contains(field)),
        semantics: stream.semantics.as_str().to_owned(),
        record_count: Some(0),
        last_updated: None,
        views: views.filter(|view| !view.fields.is_empty()).collect(),
        sort: scope.visible_fields().filter(|f| f.sortable(stream)).map(|f| f.name.clone()).collect(),
        count: CountMode::ALL.iter().map(|mode| mode.as_str().to_owned()).collect(),
        projection: Some(true),
        search_modes: search_modes(scope),
        field_capabilities: stream
            .fields
            .iter()
            .map(|field| (field.name.clone(), capability(field, scope.visible().contains(&field.name))))
            .collect(),
        fields: std::collections::BTreeMap::new(),
        expand_capabilities: expandable,
    }
}

fn search_modes(scope: &Scope) -> Vec<String> {
    let lexical = scope.visible_fields().any(|f| f.lexical);
    let semantic = scope.visible_fields().any(|f| f.semantic);
    let offered = |mode: &&SearchMode| match mode {
        SearchMode::Lexical => lexical,
        SearchMode::Semantic => semantic,
        SearchMode::Hybrid => lexical && semantic,
    };
    SEARCH_MODES.iter().filter(offered).map(|mode| mode.as_str().to_owned()).collect()
}

fn capability(field: &Field, granted: bool) -> FieldCapability {
    if !granted {
        return FieldCapability {
            kind: type_word(field).to_owned(),
            granted,
            schema: Value::Null,
            exact_filter: false,
            range_filter: None,
            lexical_search: false,
            semantic_search: false,
            aggregation: AggregationCapability::default(),
        };
    }
    let operators: Vec<String> = field.range_filter.iter().map(|op| op.as_str().to_owned()).collect();
    FieldCapability {
        kind: type_word(field).to_owned(),
        granted,
        schema: field.schema.clone(),
        exact_filter: field.exact_filter,
        range_filter: (!operators.is_empty()).then_some(RangeCapability { operators }),
        lexical_search: field.lexical && SEARCH_MODES.contains(&SearchMode::Lexical),
        semantic_search: field.semantic && SEARCH_MODES.contains(&SearchMode::Semantic),
        aggregation: field.aggregations,
    }
}

/// The relationships whose other side the caller may see too.
pub(super) fn expandable(scope: &Scope, caller: &Caller, catalog: &Catalog) -> Vec<ExpandCapability> {
    let offered = scope.stream().relationships.iter().filter_map(|relationship| {
        let limits = relationship.expand?;
        expand::related_scope(scope, &relationship.name, caller, catalog)?;
        Some(ExpandCapability {
            name: relationship.name.clone(),
            stream: relationship.stream.clone(),
            cardinality: if relationship.has_one { "has_one" } else { "has_many" }.to_owned(),
            default_limit: limits.default,
            max_limit: limits.max,
        })
    });
    offered.collect()
}

/// The field's type in one word.
fn type_word(field: &Field) -> &'static str {
    let declared = |word: &str| match field.schema.get("type") {
        Some(Value::String(name)) => name == word,
        Some(Value::Array(names)) => names.iter().any(|name| name == word),
        _ => false,
    };
    match field.kind {
        FieldKind::Text => "string",
        FieldKind::Time if field.schema.get("format").and_then(Value::as_str) == Some("date") => "date",
        FieldKind::Time => "date-time",
        FieldKind::Number if declared("integer") => "integer",
        FieldKind::Number => "number",
        FieldKind::Boolean => "boolean",
        FieldKind::Blob => "blob_ref",
        FieldKind::Json if declared("array") => "array",
        FieldKind::Json => "object",
        FieldKind::Any => "any",
    }
}
