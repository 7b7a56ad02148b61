//! Everything that a caller can read.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::Value;

use super::requests::{id_of, path_of};
use super::world::World;
use crate::harness::{Client, PATIENCE};
use crate::sweep::Called;

/// Fields that change without any request.
const OF_THE_HOUR: [&str; 13] = [
    "last_used_at",
    "request_id",
    "expires_in",
    "iat",
    "exp",
    "generated_at",
    // Reports end at the next quarter of an hour.
    "from_date",
    "to_date",
    "previous_from_date",
    // Notifications to an address without a server fail repeatedly.
    "last_error",
    "failing_since",
    "given_up",
    "last_delivered_at",
];

/// Reads everything that can be read of a world. Returns the responses by operation.
pub async fn crawl(client: &Client, document: &Value, world: &World) -> BTreeMap<String, String> {
    let mut told = BTreeMap::new();
    for called in Called::all(document) {
        if called.method != Method::GET || !called.operation["requestBody"].is_null() {
            continue;
        }
        let path = path_of(&called, world);
        // Read each response to its end, because none of the streams of a world is live.
        let answer = tokio::time::timeout(PATIENCE, client.get(&path)).await;
        let answer = answer.unwrap_or_else(|_| panic!("{path} does not end"));
        assert!(answer.status < 500, "{path}: {answer:?}");
        told.insert(id_of(&called).to_owned(), still(&answer.text()));
    }
    told
}

/// A text without the fields that change by themselves.
fn still(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) => {
            calm(&mut value);
            value.to_string()
        }
        Err(_) => text.to_owned(),
    }
}

fn calm(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !OF_THE_HOUR.contains(&name.as_str()));
            fields.values_mut().for_each(calm);
        }
        Value::Array(items) => items.iter_mut().for_each(calm),
        _ => {}
    }
}

/// The ids in a text: UUIDs, with any prefix, and hashes.
pub fn ids_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-' && letter != '_');
    words.filter(|word| is_id(word)).map(str::to_owned).collect()
}

fn is_id(word: &str) -> bool {
    let hex = |text: &str| text.chars().all(|letter| letter.is_ascii_hexdigit());
    let tail = word.rsplit('_').next().unwrap_or(word);
    let uuid = word.len() == 36 && word.matches('-').count() == 4 && hex(&word.replace('-', ""));
    uuid || (matches!(tail.len(), 32 | 64) && hex(tail))
}

/// An id of the same format that no object has.
pub fn unlike(id: &str) -> String {
    let keep = id.len() - 12;
    let turn = |letter: char| match letter.to_digit(16) {
        Some(digit) => char::from_digit((digit + 7) % 16, 16).unwrap_or('0'),
        None => letter,
    };
    id[..keep].chars().chain(id[keep..].chars().map(turn)).collect()
}

#[test]
fn ids_in_finds_uuids_and_prefixed_ids() {
    let text =
        r#"{"a":"01890000-0000-7000-8000-000000000000","b":"resp_01890000000070008000000000000000 word"}"#;
    let found = ids_in(text);
    assert_eq!(found.len(), 2, "{found:?}");
    for id in found {
        assert_ne!(unlike(&id), id);
        assert!(is_id(&unlike(&id)));
    }
}
