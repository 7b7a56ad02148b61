//! Projects with members.

use serde_json::{Value, json};

use crate::harness::{Client, TestServer, text};

/// Creates a project and returns its path.
pub async fn project(client: &Client, name: &str) -> String {
    let made = client.post("/api/projects", json!({"name": name})).await.created();
    format!("/api/projects/{}", text(&made["id"]))
}

/// Returns the id at the end of a path.
pub fn id(path: &str) -> String {
    path.rsplit('/').next().expect("an id").to_owned()
}

/// A member to be added.
pub fn member(kind: &str, id: &str, level: &str) -> Value {
    json!({"kind": kind, "id": id, "level": level})
}

/// Adds members, and returns the status of each.
pub async fn let_in(owner: &Client, project: &str, members: Value) -> Vec<String> {
    let added = owner.post(&format!("{project}/members"), json!({"members": members})).await.created();
    added["results"].as_array().expect("results").iter().map(|one| text(&one["status"])).collect()
}

/// Creates a project of the user in which the editor has this level.
pub async fn shared(server: &TestServer, level: &str) -> String {
    let path = project(&server.user(), "Tides").await;
    let_in(&server.user(), &path, json!([member("user", &server.editor_person().id, level)])).await;
    path
}

/// Creates a conversation of this client in a project.
pub async fn inside(client: &Client, project: &str) -> String {
    let body = json!({"project_id": id(project), "user_data": {"mine": "marker"}});
    text(&client.post("/api/conversations", body).await.created()["id"])
}

/// Returns the ids of the conversations of a project in their order.
pub async fn listed(client: &Client, project: &str) -> Vec<String> {
    let list = client.get(&format!("{project}/conversations")).await.ok();
    list["items"].as_array().expect("items").iter().map(|one| text(&one["id"])).collect()
}

/// Returns the members of a project as `kind name level`.
pub async fn members(client: &Client, project: &str) -> Vec<String> {
    let list = client.get(&format!("{project}/members")).await.ok();
    let items = list["items"].as_array().expect("items").iter();
    items.map(|one| ["kind", "name", "level"].map(|field| text(&one[field])).join(" ")).collect()
}
