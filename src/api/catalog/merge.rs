//! Three-way merge of fields: the value of the installed version, the current value, and the value of another version.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::kinds::Fields;

/// How a conflict is resolved: a field that was changed both here and, differently, by the other version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// The field keeps its current value.
    #[default]
    Keep,
    /// The field takes the value of the other version.
    Take,
    /// Nothing is changed, and the response is 409 `update_conflict`.
    Fail,
}

/// How a field was merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldOutcome {
    /// Neither side changed the field.
    Unchanged,
    /// Only the other version changed the field, and its value was taken.
    Taken,
    /// The field was changed here but not by the other version, and its value was kept.
    Kept,
    /// Both sides changed the field to the same value.
    Agreed,
    /// Both sides changed the field, and the current value was kept.
    ConflictKept,
    /// Both sides changed the field, and the value of the other version was taken.
    ConflictTaken,
}

/// The result of the merge for one field.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MergedField {
    /// Name of the field; `documents/<path>` for a document, whose value is the SHA-256 of its bytes.
    pub field: String,
    /// Which sides changed the field, and which value it has now.
    pub outcome: FieldOutcome,
    /// Value in the installed version. Present if the sides differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub base: Option<Value>,
    /// Value before the update.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub ours: Option<Value>,
    /// Value in the other version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub theirs: Option<Value>,
}

/// Merges three versions of the same fields. Returns the fields whose current value changes, with their new values, and the result for each
/// field.
pub fn merge(
    base: &Fields,
    ours: &Fields,
    theirs: &Fields,
    on_conflict: OnConflict,
) -> (Fields, Vec<MergedField>) {
    let (mut changed, mut report) = (Fields::new(), Vec::new());
    for (field, theirs) in theirs {
        let at = |side: &Fields| side.get(field).cloned().unwrap_or(Value::Null);
        let (base, ours) = (at(base), at(ours));
        let outcome = match (ours == base, *theirs == base, ours == *theirs) {
            (true, true, _) => FieldOutcome::Unchanged,
            (true, false, _) => FieldOutcome::Taken,
            (false, true, _) => FieldOutcome::Kept,
            (false, false, true) => FieldOutcome::Agreed,
            (false, false, false) if on_conflict == OnConflict::Take => FieldOutcome::ConflictTaken,
            (false, false, false) => FieldOutcome::ConflictKept,
        };
        if matches!(outcome, FieldOutcome::Taken | FieldOutcome::ConflictTaken) {
            changed.insert(field.clone(), theirs.clone());
        }
        let differs = outcome != FieldOutcome::Unchanged;
        let shown = |value: Value| differs.then_some(value);
        let (base, ours, theirs) = (shown(base), shown(ours), shown(theirs.clone()));
        report.push(MergedField { field: field.clone(), outcome, base, ours, theirs });
    }
    (changed, report)
}

impl FieldOutcome {
    /// Whether both sides changed the field, each to a different value.
    pub fn is_conflict(self) -> bool {
        matches!(self, Self::ConflictKept | Self::ConflictTaken)
    }
}
