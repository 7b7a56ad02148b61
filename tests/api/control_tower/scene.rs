//! Reports as numbers, and operations on assistants.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use storage::records::usage::Spend;
use storage::records::{Notice, Run};
use storage::{Reader, Scan};

use crate::api::usage::scene::{self, id, tenant};
use crate::harness::{Client, Person, TestServer, text};

pub const TOWER: &str = "/api/control-tower";

/// The reports, with the key field of their lines.
pub const REPORTS: [(&str, &str); 3] =
    [("overview", "assistant_id"), ("models", "model"), ("users", "user_id")];

pub async fn report(admin: &Client, name: &str, query: &str) -> Value {
    admin.get(&format!("{TOWER}/{name}?{query}")).await.ok()
}

/// Returns the lines of a report with any usage, by their keys.
pub fn used(report: &Value, key: &str) -> BTreeMap<String, Spend> {
    let parts = scene::parts(&report["items"], key);
    parts.into_iter().filter(|(_, spend)| *spend != Spend::default()).collect()
}

/// Returns the line of a report with this key.
#[track_caller]
pub fn line(report: &Value, key: &str, wanted: &str) -> Value {
    let mut lines = report["items"].as_array().expect("items").iter();
    lines.find(|line| line[key] == wanted).unwrap_or_else(|| panic!("no {wanted} in {report}")).clone()
}

/// Returns the numbers of conversations, messages and errors.
pub fn counts(line: &Value) -> [u64; 3] {
    ["conversations", "messages", "errors"]
        .map(|name| line[name].as_u64().unwrap_or_else(|| panic!("no {name} in {line}")))
}

/// Creates a chat assistant that everybody in the tenant may use.
pub async fn assistant(author: &Client, name: &str, parameters: Value) -> String {
    let body = json!({"name": name, "model": "builtin/scribe", "model_parameters": parameters, "visibility": "tenant"});
    text(&author.post("/api/assistants", body).await.created()["id"])
}

/// The path of an operation on an assistant.
pub fn at(assistant: &str, what: &str) -> String {
    format!("{TOWER}/overview/{assistant}/{what}")
}

pub async fn disable(admin: &Client, assistant: &str) -> Value {
    admin.post(&at(assistant, "disable"), json!({"reason": "It talks too much."})).await.ok()
}

/// Returns the notifications of a person, oldest first.
pub fn told(server: &TestServer, person: &Person) -> Vec<Notice> {
    let own = Scan::index("by_user").prefix(id(person).as_bytes().to_vec());
    let read = |reader: &Reader| reader.scan::<Notice>(tenant(person), own);
    let rows = server.store().read_now::<_, storage::Error>(read).expect("the store reads").items;
    rows.into_iter().map(|row| row.body).filter(|notice| notice.kind.starts_with("assistant.")).collect()
}

/// Returns the runs of an assistant that have not ended.
pub fn live(server: &TestServer, assistant: &str) -> Vec<Run> {
    let all = |reader: &Reader| reader.scan::<Run>(tenant(server.admin_person()), Scan::index("live"));
    let rows = server.store().read_now::<_, storage::Error>(all).expect("the store reads").items;
    let of_it = |run: &Run| run.assistant_id.is_some_and(|id| id.to_string() == assistant);
    rows.into_iter().map(|row| row.body).filter(of_it).collect()
}

/// Returns the audit records of an assistant, oldest first.
pub async fn audited(admin: &Client, assistant: &str) -> Vec<Value> {
    let path = format!("/api/tenant-admin/audit?target=assistant {assistant}&limit=200");
    let mut all = admin.get(&path).await.ok()["items"].as_array().expect("items").clone();
    all.retain(|entry| {
        ["assistant.disable", "assistant.enable", "assistant.transfer"]
            .contains(&entry["action"].as_str().unwrap_or_default())
    });
    // Several records may share a millisecond; their ids are in the order of creation.
    all.sort_by_key(|entry| text(&entry["id"]));
    all
}
