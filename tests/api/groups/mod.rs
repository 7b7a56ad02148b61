//! `/api/groups`, against fake directories that speak the real protocols.

mod available;
mod clock;
mod credential;
mod faults;
mod joining;
mod selections;
mod slapd;
mod sync;

use serde_json::{Value, json};

use crate::harness::fake_directory::FakeDirectory;
use crate::harness::{Client, TestServer, text};

const CREDENTIAL: &str = "/api/groups/sync/credential";
const SELECTIONS: &str = "/api/groups/sync/selections";
const AVAILABLE: &str = "/api/groups/sync/available";
const SYNC: &str = "/api/groups/sync";
const HISTORY: &str = "/api/groups/sync/history";

/// Starts a server whose tenant has this directory.
async fn stage(credential: &Value) -> (TestServer, Client) {
    let server = TestServer::start().await;
    let admin = server.admin();
    admin.put(CREDENTIAL, credential.clone()).await.ok();
    (server, admin)
}

/// Selects groups after fetching the list again.
async fn choose(admin: &Client, groups: &[&str]) -> Value {
    admin.post(&format!("{AVAILABLE}/refresh"), json!({})).await.ok();
    admin.put(SELECTIONS, json!({"group_ids": groups})).await.ok()
}

/// Starts a synchronisation and waits until it has ended.
async fn sync(admin: &Client, mut asked: Value) -> Value {
    asked["wait"] = json!(true);
    admin.post(SYNC, asked).await.ok()
}

/// Returns the email addresses of the members of a group.
async fn members(server: &TestServer, group: &str) -> Vec<String> {
    let list = server.admin().get("/api/groups").await.ok();
    let items = list["items"].as_array().expect("items").clone();
    let Some(group) = items.iter().find(|item| item["name"] == group) else { return Vec::new() };
    let id: uuid::Uuid = text(&group["id"]).parse().expect("an id");
    let tenant = tenant(server);
    let read = move |reader: &storage::Reader| {
        use storage::records::{GroupMember, User};
        let rows = reader.scan::<GroupMember>(tenant, storage::Scan::table())?.items;
        let users = rows.iter().filter(|row| row.id.1 == id).map(|row| {
            let user = reader.require::<User>(storage::TenantId::SYSTEM, &row.id.0)?;
            Ok::<_, storage::Error>(user.body.email)
        });
        users.collect::<storage::Result<Vec<_>>>()
    };
    let mut found: Vec<String> = server.store().read(read).await.expect("the store reads");
    found.sort();
    assert_eq!(group["member_count"], found.len(), "the count of {group}");
    found
}

fn tenant(server: &TestServer) -> storage::TenantId {
    storage::TenantId(server.admin_person().tenant.parse().expect("an id"))
}

/// Four people, two of whom are members of the tenant.
fn people(directory: &FakeDirectory) {
    for mail in ["Editor@Example.org", "user@example.org", "ada@elsewhere.example", "bob@elsewhere.example"] {
        directory.person(mail);
    }
}
