//! The default values of all records: members that have them are not stored, so a default that changes would change rows
//! that have been written.

use crate::records::defaults;
use serde_json::Value;

const PINNED: &str = include_str!("defaults.json");

#[test]
fn default_values_of_stored_members_do_not_change() {
    let pinned: Value = serde_json::from_str(PINNED).unwrap();
    let mut now = serde_json::Map::new();
    for (name, value) in defaults() {
        // Members that are added have no rows yet.
        let mut known = pinned[name].clone();
        if let (Some(known), Some(members)) = (known.as_object_mut(), value.as_object()) {
            for (member, default) in members {
                known.entry(member.clone()).or_insert_with(|| default.clone());
            }
            known.retain(|member, _| members.contains_key(member));
        }
        if !known.is_null() {
            assert_eq!(
                value, known,
                "{name}: rows without the member would change. Give it the former default, or write a migration that stores the \
                 member in all rows"
            );
        }
        now.insert(name.to_owned(), value);
    }
    let now = Value::Object(now);
    if std::env::var_os("UNDERSTUDY_WRITE_DEFAULTS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/defaults.json");
        std::fs::write(path, format!("{now:#}\n")).unwrap();
    } else {
        assert_eq!(pinned, now, "run this test with UNDERSTUDY_WRITE_DEFAULTS=1 to add new members");
    }
}
