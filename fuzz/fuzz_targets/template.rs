//! Templates: parsing and evaluating any text terminates within the budget, and returns the same
//! value twice.

#![no_main]

use std::sync::Arc;

use expr::{Template, Values};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|input: &str| {
    let Ok(template) = Template::read(&Value::String(input.to_owned())) else { return };
    let values: Values = [
        ("inputs", json!({"name": "Ada", "count": 3, "ratio": 0.5, "none": null, "flag": true})),
        ("list", json!([3, 1, 2, {"a": [1, [2]]}, "x"])),
        ("text", json!("ä<b>\u{202e}\n{{ inputs }}")),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), Arc::new(value)))
    .collect();
    let first = template.evaluate(&values);
    let second = template.evaluate(&values);
    match (first, second) {
        (Ok(first), Ok(second)) => assert_eq!(first, second),
        (Err(_), Err(_)) => {}
        (first, second) => panic!("one evaluation failed: {first:?} and {second:?}"),
    }
});
