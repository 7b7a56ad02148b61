//! Three ways to see a field: as the installed version had it, as it is now, and as another version wants it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::kinds::Fields;

/// What becomes of a field that was changed here, and that the other version changes in another way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// It stays as it is here.
    #[default]
    Keep,
    /// It becomes what the other version wants.
    Take,
    /// Nothing is done at all: 409 `update_conflict`.
    Fail,
}

/// What became of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldOutcome {
    /// Neither side changed it.
    Unchanged,
    /// Only the other version changed it.
    Taken,
    /// It was changed here, and not by the other version.
    Kept,
    /// Both changed it to the same.
    Agreed,
    /// Both changed it, and it stays as it is here.
    ConflictKept,
    /// Both changed it, and it is now as the other version wants it.
    ConflictTaken,
}

/// A field, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MergedField {
    /// Its name; `documents/<path>` for a document, whose value is the SHA-256 of its bytes.
    pub field: String,
    /// What became of it.
    pub outcome: FieldOutcome,
    /// As the installed version had it; shown where the sides differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub base: Option<Value>,
    /// As it was here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub ours: Option<Value>,
    /// As the other version wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub theirs: Option<Value>,
}

/// Puts three versions of the same fields together: what each becomes, where that is not what it is here, and what
/// became of each.
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
    /// Whether both sides changed the field, each in its own way.
    pub fn is_conflict(self) -> bool {
        matches!(self, Self::ConflictKept | Self::ConflictTaken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn fields(values: &[u8]) -> Fields {
        values.iter().enumerate().map(|(at, value)| (format!("f{at}"), json!(value))).collect()
    }

    fn merged(ours: &Fields, changed: &Fields) -> Fields {
        ours.iter().map(|(name, was)| (name.clone(), changed.get(name).unwrap_or(was).clone())).collect()
    }

    proptest! {
        // Few values, so that the sides often agree.
        #[test]
        fn laws(sides in proptest::collection::vec((0_u8..3, 0_u8..3, 0_u8..3), 1..12)) {
            let side = |pick: fn(&(u8, u8, u8)) -> u8| fields(&sides.iter().map(pick).collect::<Vec<_>>());
            let (base, ours, theirs) = (side(|s| s.0), side(|s| s.1), side(|s| s.2));
            let go = |base: &Fields, ours: &Fields, theirs: &Fields, how| {
                let (changed, report) = merge(base, ours, theirs, how);
                (merged(ours, &changed), report)
            };
            // Without local changes the result is the other version.
            prop_assert_eq!(&go(&base, &base, &theirs, OnConflict::Keep).0, &theirs);
            // What the other version did not touch stays.
            prop_assert_eq!(&go(&base, &ours, &base, OnConflict::Take).0, &ours);
            // The other version as the base of the next time: nothing changes any more, whatever is said.
            let (result, report) = go(&base, &ours, &theirs, OnConflict::Keep);
            for how in [OnConflict::Keep, OnConflict::Take, OnConflict::Fail] {
                let (again, merged_fields) = go(&theirs, &result, &theirs, how);
                prop_assert_eq!(&again, &result);
                prop_assert!(merged_fields.iter().all(|field| !field.outcome.is_conflict()));
            }
            // Nothing that was done here is lost; all of it that conflicts goes where that is asked for.
            let (taken, _) = go(&base, &ours, &theirs, OnConflict::Take);
            for field in &report {
                let (name, outcome) = (&field.field, field.outcome);
                let edited = base[name] != ours[name];
                prop_assert!(!edited || result[name] == ours[name]);
                prop_assert!(edited || result[name] == theirs[name]);
                prop_assert_eq!(&taken[name], if base[name] == theirs[name] { &ours[name] } else { &theirs[name] });
                let differ = edited && base[name] != theirs[name] && ours[name] != theirs[name];
                prop_assert_eq!(outcome.is_conflict(), differ);
            }
        }
    }
}
