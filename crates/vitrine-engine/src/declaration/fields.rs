//! The declared fields of a stream while its declaration is read.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::error::{DeclarationError, quoted};
use super::{Aggregations, Field, FieldKind, kind, shape};

const MAX_FIELDS: usize = 2_000;

/// A stream's fields by name. Everything that names a field is checked against them.
pub(super) struct Fields<'a> {
    stream: &'a str,
    schema: &'a Value,
    list: Vec<Field>,
    positions: HashMap<&'a str, usize>,
}

impl<'a> Fields<'a> {
    pub(super) fn declared_by(
        schema: &'a Value,
        properties: &'a Map<String, Value>,
        stream: &'a str,
    ) -> Result<Self, DeclarationError> {
        if properties.len() > MAX_FIELDS {
            let message = format!("declare at most {MAX_FIELDS} fields");
            return Err(DeclarationError::in_stream(stream, "schema.properties", "too_many", message));
        }
        if let Some(name) = properties.keys().find(|name| !shape::is_field_name(name)) {
            let message = "name it with 1 to 128 visible characters, without `,`, `[` or `]`";
            return Err(DeclarationError::in_stream(stream, name, "invalid_field_name", message));
        }
        let list = properties.iter().map(|(name, property)| field(name, property, schema)).collect();
        let positions = properties.keys().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        Ok(Self { stream, schema, list, positions })
    }

    pub(super) fn into_list(self) -> Vec<Field> {
        self.list
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Field> {
        self.list.iter_mut()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Field> {
        self.positions.get(name).map(|&position| &self.list[position])
    }

    /// The field that plays a role, e.g. `cursor_field`. The role names the rule that is broken.
    pub(super) fn in_role(&mut self, role: &str, name: &str) -> Result<&mut Field, DeclarationError> {
        match self.positions.get(name) {
            Some(&position) => Ok(&mut self.list[position]),
            None => Err(DeclarationError::in_stream(
                self.stream,
                name,
                format!("{role}_not_declared"),
                format!("`{}` is not under schema.properties; declare it there or take it out of {role}", quoted(name)),
            )),
        }
    }

    /// As [`Self::in_role`], for a role only some kinds of field can play.
    pub(super) fn of_kind(&mut self, role: &str, name: &str, demand: Demand) -> Result<&mut Field, DeclarationError> {
        let stream = self.stream;
        let field = self.in_role(role, name)?;
        if demand.met_by(field.kind) {
            return Ok(field);
        }
        let message = format!("{role} needs {}; this field is declared otherwise", demand.wording());
        Err(DeclarationError::in_stream(stream, name, format!("{role}_{}", demand.rule()), message))
    }

    /// Takes the field's text for times. A declared role says so even where `format` does not.
    pub(super) fn count_as_time(&mut self, role: &str, name: &str) -> Result<(), DeclarationError> {
        let (stream, root) = (self.stream, self.schema);
        let field = self.in_role(role, name)?;
        if field.kind != FieldKind::Blob && kind::allows_text(&field.schema, root) {
            field.kind = FieldKind::Time;
            return Ok(());
        }
        let message = format!("{role} needs a field whose type allows strings, holding RFC 3339 times or dates");
        Err(DeclarationError::in_stream(stream, name, format!("{role}_not_text"), message))
    }
}

/// What a role asks of a field.
#[derive(Clone, Copy)]
pub(super) enum Demand {
    /// One comparable value.
    Scalar,
    /// A comparable value that can stand in an id.
    Key,
    /// Words.
    Textual,
    /// A number.
    Number,
    /// Values of one type with an order.
    Ordered,
}

impl Demand {
    fn met_by(self, kind: FieldKind) -> bool {
        match self {
            Self::Scalar => kind.is_scalar(),
            Self::Key => kind.is_scalar() && kind != FieldKind::Boolean,
            Self::Textual => matches!(kind, FieldKind::Text | FieldKind::Any),
            Self::Number => kind == FieldKind::Number,
            Self::Ordered => matches!(kind, FieldKind::Number | FieldKind::Time | FieldKind::Text),
        }
    }

    fn rule(self) -> &'static str {
        match self {
            Self::Scalar | Self::Key => "not_scalar",
            Self::Textual => "not_textual",
            Self::Number => "not_number",
            Self::Ordered => "not_ordered",
        }
    }

    fn wording(self) -> &'static str {
        match self {
            Self::Scalar => "a single value, not an object, list or blob",
            Self::Key => "a string or a number",
            Self::Textual => "a field of plain text",
            Self::Number => "a number or integer",
            Self::Ordered => "a number, a time or text",
        }
    }
}

fn field(name: &str, schema: &Value, root: &Value) -> Field {
    Field {
        name: name.to_owned(),
        kind: kind::of(name, schema, root),
        schema: schema.clone(),
        exact_filter: false,
        range_filter: Vec::new(),
        lexical: false,
        semantic: false,
        aggregations: Aggregations::default(),
    }
}
