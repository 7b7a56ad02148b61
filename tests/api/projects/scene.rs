//! Projects with people in them.

use serde_json::{Value, json};

use crate::harness::{Client, TestServer, text};

/// Creates a project and returns its path.
pub async fn project(client: &Client, name: &str) -> String {
    let made = client.post("/api/projects", json!({"name": name})).await.created();
    format!("/api/projects/{}", text(&made["id"]))
}

/// The id at the end of an address.
pub fn id(path: &str) -> String {
    path.rsplit('/').next().expect("an id").to_owned()
}

/// A member to be added.
pub fn member(kind: &str, id: &str, level: &str) -> Value {
    json!({"kind": kind, "id": id, "level": level})
}

/// Lets them in, and gives the states of that.
pub async fn let_in(owner: &Client, project: &str, members: Value) -> Vec<String> {
    let added = owner.post(&format!("{project}/members"), json!({"members": members})).await.created();
    added["results"].as_array().expect("results").iter().map(|one| text(&one["status"])).collect()
}

/// A project of the user's in which the editor has this level.
pub async fn shared(server: &TestServer, level: &str) -> String {
    let path = project(&server.user(), "Tides").await;
    let_in(&server.user(), &path, json!([member("user", &server.editor_person().id, level)])).await;
    path
}

/// A conversation of this client's in a project.
pub async fn inside(client: &Client, project: &str) -> String {
    let body = json!({"project_id": id(project), "user_data": {"mine": "marker"}});
    text(&client.post("/api/conversations", body).await.created()["id"])
}

/// Ids of the conversations of a project, in their order.
pub async fn listed(client: &Client, project: &str) -> Vec<String> {
    let list = client.get(&format!("{project}/conversations")).await.ok();
    list["items"].as_array().expect("items").iter().map(|one| text(&one["id"])).collect()
}

/// The members of a project, as `kind name level`.
pub async fn members(client: &Client, project: &str) -> Vec<String> {
    let list = client.get(&format!("{project}/members")).await.ok();
    let items = list["items"].as_array().expect("items").iter();
    items.map(|one| ["kind", "name", "level"].map(|field| text(&one[field])).join(" ")).collect()
}
