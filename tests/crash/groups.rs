//! A synchronisation under `kill -9`: it continues where it was interrupted, and counts nothing
//! twice.

use serde_json::{Value, json};

use super::server::{EMAIL, PASSWORD, Server};
use crate::harness::fake_directory::{Act, FakeDirectory};
use crate::harness::{Client, Person, text};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn synchronisation_continues_after_every_crash() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let directory = FakeDirectory::start().await;
    let people = ["ada", "bob", "carl", "dora"];
    let groups = ["a", "b", "c", "d"];
    for (group, person) in groups.iter().zip(people) {
        directory.person(&format!("{person}@example.org"));
        directory.group(group, &[person, "everybody"]);
    }
    directory.group("everybody", &people);
    let mut server = Server::install_with("").await;
    let person = Person::log_in(&server.url, EMAIL, PASSWORD).await;
    let client = Client::new(server.url.clone(), Some(person.access_token));
    for person in people {
        let body = json!({"email": format!("{person}@example.org"), "password": PASSWORD, "role": "user"});
        client.post("/api/auth/users", body).await.created();
    }
    let made = client.post("/api/auth/api-tokens", json!({"name": "crash test"})).await.created();
    let token = text(&made["token"]);
    client.put("/api/groups/sync/credential", directory.graph()).await.ok();
    client.post("/api/groups/sync/available/refresh", json!({})).await.ok();
    client.put("/api/groups/sync/selections", json!({"group_ids": groups})).await.ok();
    // The server is killed before each group except the first, while the directory does not respond
    // to the interrupted request.
    for group in &groups[1..] {
        directory.next(&format!("groups/{group}/"), 1, Act::Silence);
    }
    let sync = text(&client.post("/api/groups/sync", json!({})).await.ok()["sync_id"]);
    for group in &groups[1..] {
        directory.until_asked(&format!("groups/{group}/"), 1).await;
        server.kill();
        server.spawn();
        server.ready().await;
    }
    let client = Client::new(server.url.clone(), Some(token));
    let done = ended(&client, &sync).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let told =
        ["groups_seen", "groups_added", "members_added"].map(|name| done["counts"][name].as_u64().unwrap());
    assert_eq!(told, [4, 4, 16], "{done}");
    assert_eq!(directory.asked("groups/a?"), 1, "completed groups are not synchronised again");
    let list = client.get("/api/groups").await.ok();
    assert!(list["items"].as_array().unwrap().iter().all(|group| group["member_count"] == 4), "{list}");
}

async fn ended(client: &Client, sync: &str) -> Value {
    for _ in 0..9_000 {
        let all = client.get("/api/groups/sync/history").await.ok();
        let found = all["items"].as_array().unwrap().iter().find(|item| item["sync_id"] == sync).cloned();
        let found = found.expect("it is remembered");
        if !found["finished_at"].is_null() {
            return found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the synchronisation does not end");
}
