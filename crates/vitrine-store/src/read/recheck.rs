//! Whether records that changed while someone pages still are what is looked for: a walk finds them where they stood when
//! it began, and shows them as they are.

use vitrine_contract::values;
use vitrine_engine::declaration::FieldKind;
use vitrine_engine::gate::{ReadPlan, Scope, Test};
use vitrine_engine::sort_key::SortKey;

use crate::fault::Result;
use crate::row;

/// What the fields of a scope's records must satisfy.
pub(super) struct Recheck<'p>(Vec<(&'p str, FieldKind, &'p Test)>);

impl<'p> Recheck<'p> {
    pub(super) fn of(plan: &'p ReadPlan, scope: &'p Scope) -> Self {
        let asked = plan.conditions().iter().filter_map(|condition| {
            let field =
                scope.visible_fields().find(|field| scope.field_number(&field.name) == Some(condition.field))?;
            Some((field.name.as_str(), field.kind, &condition.test))
        });
        Self(asked.collect())
    }

    /// Whether a payload satisfies all of it. Values too long for the row are not looked at again.
    pub(super) fn is_met_by(&self, data: &str, long: Option<&str>) -> Result<bool> {
        if self.0.is_empty() {
            return Ok(true);
        }
        let long = row::long_fields(long)?;
        let values = values::fields(data);
        Ok(self.0.iter().all(|(name, kind, test)| {
            let value = values.iter().find(|(field, _)| field == name);
            let key = value.and_then(|(_, json)| SortKey::of_json(*kind, json));
            long.iter().any(|field| field.name == *name) || key.is_some_and(|key| test.is_met_by(&key))
        }))
    }
}
