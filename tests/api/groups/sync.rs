//! Synchronisations: their effect, one at a time, stopping, history, restarts.

use serde_json::{Value, json};

use super::{HISTORY, SYNC, choose, members, people, stage, sync};
use crate::harness::fake_directory::{Act, FakeDirectory};
use crate::harness::{Client, comes, text};

const BOTH: [&str; 2] = ["editor@example.org", "user@example.org"];

#[tokio::test]
async fn sync_updates_groups_from_the_directory() {
    for graph in [false, true] {
        let directory = FakeDirectory::start().await;
        people(&directory);
        directory.group("staff", &["user", "ada"]);
        // Nested groups that contain each other.
        directory.group("inner", &["editor", "bob", "outer"]);
        directory.group("outer", &["inner", "user"]);
        directory.group("other", &["editor"]);
        let credential = if graph { directory.graph() } else { directory.scim() };
        let (server, admin) = stage(&credential).await;
        choose(&admin, &["staff", "outer"]).await;
        let done = sync(&admin, json!({})).await;
        assert_eq!(done["status"], "succeeded", "{done}");
        let counts = &done["counts"];
        let told = ["groups_seen", "groups_added", "members_added", "members_removed", "members_unknown"];
        assert_eq!(told.map(|name| counts[name].as_u64().unwrap()), [2, 2, 3, 0, 2], "{counts}");
        assert_eq!(members(&server, "Group staff").await, ["user@example.org"]);
        assert_eq!(members(&server, "Group outer").await, BOTH);
        assert!(members(&server, "Group other").await.is_empty());
        // The next synchronisation has nothing to do.
        let again = sync(&admin, json!({"full": true})).await["counts"].clone();
        assert_eq!(told.map(|name| again[name].as_u64().unwrap()), [2, 0, 0, 0, 2], "{again}");
        // A member leaves, another joins, and the name changes.
        directory.group("staff", &["editor"]);
        directory.rename("staff", "Everybody");
        let changed = sync(&admin, json!({})).await["counts"].clone();
        let told = ["members_added", "members_removed", "groups_renamed"];
        assert_eq!(told.map(|name| changed[name].as_u64().unwrap()), [1, 1, 1], "{changed}");
        assert_eq!(members(&server, "Everybody").await, ["editor@example.org"]);
        // A disabled directory entry belongs to none of its groups.
        directory.state.people.lock().get_mut("editor").unwrap().enabled = false;
        sync(&admin, json!({"full": true})).await;
        assert!(members(&server, "Everybody").await.is_empty());
        assert_eq!(members(&server, "Group outer").await, ["user@example.org"]);
        server.stored().await;
    }
}

#[tokio::test]
async fn dry_run_reports_and_changes_nothing() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["user", "editor", "ada"]);
    let (server, admin) = stage(&directory.graph()).await;
    choose(&admin, &["staff"]).await;
    let before = admin.get("/api/groups").await.ok();
    let dry = sync(&admin, json!({"dry_run": true})).await;
    assert_eq!((&dry["status"], &dry["dry_run"]), (&json!("succeeded"), &json!(true)));
    assert_eq!(admin.get("/api/groups").await.ok(), before);
    assert!(members(&server, "Group staff").await.is_empty());
    let real = sync(&admin, json!({})).await;
    assert_eq!(dry["counts"], real["counts"]);
    assert_eq!(members(&server, "Group staff").await, BOTH);
}

#[tokio::test]
async fn sync_runs_one_at_a_time_and_can_be_stopped() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("a", &["user"]);
    directory.group("b", &["editor"]);
    let (server, admin) = stage(&directory.graph()).await;
    choose(&admin, &["a", "b"]).await;
    directory.next("groups/b/", 1, Act::Silence);
    let running = text(&admin.post(SYNC, json!({})).await.ok()["sync_id"]);
    directory.until_asked("groups/b/", 1).await;
    let refused = admin.post(SYNC, json!({})).await.problem(409, "sync_running");
    assert_eq!(refused["sync_id"], running);
    let set = admin.put(super::CREDENTIAL, directory.graph()).await.problem(409, "sync_running");
    assert_eq!(set["sync_id"], running);
    assert_eq!(admin.get(HISTORY).await.ok()["items"][0]["status"], "running");
    // Of many concurrent requests only one starts a synchronisation.
    let asked = futures::future::join_all((0..8).map(|_| admin.post(SYNC, json!({})))).await;
    assert!(asked.iter().all(|answer| answer.status == 409), "{asked:?}");
    let cancel = format!("/api/groups/sync/{running}/cancel");
    let stopped = admin.post(&cancel, json!({})).await.ok();
    assert_eq!((&stopped["status"], &stopped["error_code"]), (&json!("cancelled"), &json!("cancelled")));
    assert_eq!(admin.post(&cancel, json!({})).await.ok(), stopped);
    admin.post(&format!("/api/groups/sync/{}/cancel", uuid::Uuid::now_v7()), json!({})).await.not_found();
    // Changes made before the stop remain.
    assert_eq!(members(&server, "Group a").await, ["user@example.org"]);
    assert!(members(&server, "Group b").await.is_empty());
    // The winner does not end before the others have tried.
    let before = directory.asked("groups/a/");
    directory.next("groups/a/", 1, Act::Silence);
    let racing = futures::future::join_all((0..8).map(|_| admin.post(SYNC, json!({})))).await;
    let won: Vec<_> = racing.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(won.len(), 1, "{racing:?}");
    directory.until_asked("groups/a/", before + 1).await;
    directory.calm();
    ended(&admin, &text(&won[0].json()["sync_id"])).await;
    server.stored().await;
}

#[tokio::test]
async fn removing_the_directory_stops_a_running_sync() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("a", &["user"]);
    let (_server, admin) = stage(&directory.scim()).await;
    choose(&admin, &["a"]).await;
    directory.next("Groups/a", 1, Act::Silence);
    admin.post(SYNC, json!({})).await.ok();
    directory.until_asked("Groups/a", 1).await;
    admin.delete(super::CREDENTIAL).await.no_content();
    assert_eq!(admin.get(HISTORY).await.ok()["items"][0]["status"], "cancelled");
}

#[tokio::test]
async fn sync_resumes_after_a_restart() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("a", &["user"]);
    directory.group("b", &["editor", "user"]);
    let (server, admin) = stage(&directory.graph()).await;
    choose(&admin, &["a", "b"]).await;
    directory.next("groups/b/", 1, Act::Silence);
    let running = text(&admin.post(SYNC, json!({})).await.ok()["sync_id"]);
    directory.until_asked("groups/b/", 1).await;
    assert_eq!(members(&server, "Group a").await, ["user@example.org"]);
    let (asked_a, asked_b) = (directory.asked("groups/a/"), directory.asked("groups/b/"));
    let server = server.restart().await;
    let done = ended(&server.admin(), &running).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let counts =
        ["groups_seen", "groups_added", "members_added"].map(|name| done["counts"][name].as_u64().unwrap());
    assert_eq!(counts, [2, 2, 3], "nothing is counted twice");
    assert_eq!(members(&server, "Group b").await, BOTH);
    assert_eq!(directory.asked("groups/a/"), asked_a, "completed work is not repeated");
    assert!(directory.asked("groups/b/") > asked_b);
    server.stored().await;
}

#[tokio::test]
async fn sync_history_is_newest_first() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("a", &["user"]);
    let (server, admin) = stage(&directory.scim()).await;
    choose(&admin, &["a"]).await;
    let mut ids = Vec::new();
    for number in 0..3 {
        let asked = json!({"full": number == 1, "dry_run": number == 0});
        ids.insert(0, sync(&admin, asked).await["sync_id"].clone());
    }
    let all = admin.get(HISTORY).await.ok();
    let told: Vec<Value> =
        all["items"].as_array().unwrap().iter().map(|item| item["sync_id"].clone()).collect();
    assert_eq!((&all["total"], told), (&json!(3), ids));
    assert_eq!(all["items"][1]["full"], true);
    assert_eq!(all["items"][0]["user_id"], server.admin_person().id);
    let part = admin.get(&format!("{HISTORY}?limit=1&offset=1")).await.ok();
    assert_eq!((&part["items"][0], part["items"].as_array().unwrap().len()), (&all["items"][1], 1));
    admin.get(&format!("{HISTORY}?limit=1000")).await.problem(422, "invalid");
}

/// Waits until a synchronisation has ended, and returns it.
async fn ended(admin: &Client, sync: &str) -> Value {
    let mut found = Value::Null;
    let ended = comes(async || {
        let all = admin.get(HISTORY).await.ok();
        let items = all["items"].as_array().unwrap().clone();
        found = items.into_iter().find(|item| item["sync_id"] == sync).expect("it is remembered");
        !found["finished_at"].is_null()
    });
    assert!(ended.await, "{found}");
    found
}
