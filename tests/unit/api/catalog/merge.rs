use proptest::prelude::*;
use serde_json::json;
use understudy::parts::api::Fields;
use understudy::parts::api::{OnConflict, merge};

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
        // Fields that the other version did not change keep their values.
        prop_assert_eq!(&go(&base, &ours, &base, OnConflict::Take).0, &ours);
        // If the other version becomes the base of the next merge, nothing changes any more, for every resolution of conflicts.
        let (result, report) = go(&base, &ours, &theirs, OnConflict::Keep);
        for how in [OnConflict::Keep, OnConflict::Take, OnConflict::Fail] {
            let (again, merged_fields) = go(&theirs, &result, &theirs, how);
            prop_assert_eq!(&again, &result);
            prop_assert!(merged_fields.iter().all(|field| !field.outcome.is_conflict()));
        }
        // No local change is lost with `Keep`; with `Take`, all conflicting changes are replaced.
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
