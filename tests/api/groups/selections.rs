//! The selection of groups to synchronise, and its effect on rights.

use serde_json::{Value, json};

use super::{SELECTIONS, choose, members, people, stage, sync};
use crate::harness::fake_directory::FakeDirectory;
use crate::harness::text;

#[tokio::test]
async fn selection_accepts_only_groups_of_the_directory() {
    let directory = FakeDirectory::start().await;
    directory.group("a", &[]);
    directory.group("b", &[]);
    let (server, admin) = stage(&directory.scim()).await;
    let early = admin.put(SELECTIONS, json!({"group_ids": ["a"]})).await.problem(422, "invalid");
    assert_eq!(early["errors"][0]["loc"], json!(["body", "group_ids", 0]));
    let chosen = choose(&admin, &["a"]).await;
    assert_eq!((&chosen["selected"], &chosen["added"][0]["name"]), (&json!(1), &json!("Group a")));
    let before = admin.get("/api/groups").await.ok();
    let wrong = admin.put(SELECTIONS, json!({"group_ids": ["b", "x", "y"]})).await.problem(422, "invalid");
    let places: Vec<&Value> =
        wrong["errors"].as_array().unwrap().iter().map(|fault| &fault["loc"][2]).collect();
    assert_eq!(places, [&json!(1), &json!(2)]);
    for (ids, place) in [(json!(["a", "a"]), 1), (json!([""]), 0)] {
        let wrong = admin.put(SELECTIONS, json!({"group_ids": ids})).await.problem(422, "invalid");
        assert_eq!(wrong["errors"][0]["loc"], json!(["body", "group_ids", place]));
    }
    assert_eq!(admin.get("/api/groups").await.ok(), before);
    // A group keeps its id when the selection changes.
    let same = choose(&admin, &["b", "a"]).await;
    assert_eq!((&same["selected"], same["added"].as_array().unwrap().len()), (&json!(2), 1));
    let after = admin.get("/api/groups").await.ok();
    assert_eq!(after["items"][0], before["items"][0]);
    server.stored().await;
}

#[tokio::test]
async fn group_grants_apply_until_the_group_is_deselected() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["user"]);
    let (server, admin) = stage(&directory.graph()).await;
    choose(&admin, &["staff"]).await;
    let group = text(&admin.get("/api/groups").await.ok()["items"][0]["id"]);
    let grants = json!([{"principal": {"kind": "group", "id": group}, "level": "viewer"}]);
    let assistant = json!({"name": "Shared with staff", "grants": grants});
    let assistant = text(&server.editor().post("/api/assistants", assistant).await.created()["id"]);
    let path = format!("/api/assistants/{assistant}");
    // A selected group has no effect before it is synchronised.
    server.user().get(&path).await.not_found();
    sync(&admin, json!({})).await;
    assert_eq!(members(&server, "Group staff").await, ["user@example.org"]);
    server.user().get(&path).await.ok();
    let only = json!({"visibility": "selected", "groups": [group]});
    admin.put("/api/tenant-admin/features/video/visibility", only).await.ok();
    let gone = admin.put(SELECTIONS, json!({"group_ids": []})).await.ok();
    assert_eq!(gone["removed"][0]["id"], group);
    let mut uses: Vec<_> =
        gone["removed"][0]["used_by"].as_array().unwrap().iter().map(|one| text(&one["kind"])).collect();
    uses.sort();
    assert_eq!(uses, ["assistant", "feature"]);
    server.user().get(&path).await.not_found();
    assert_eq!(admin.get("/api/groups").await.ok()["total"], 0);
    // A group that is not selected gives no membership.
    let counts = sync(&admin, json!({})).await["counts"].clone();
    assert_eq!(counts["groups_seen"], 0);
    server.stored().await;
}

#[tokio::test]
async fn selected_groups_outlive_the_directory_settings() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["user", "editor"]);
    let (server, admin) = stage(&directory.scim()).await;
    choose(&admin, &["staff"]).await;
    sync(&admin, json!({})).await;
    admin.delete(super::CREDENTIAL).await.no_content();
    assert_eq!(members(&server, "Group staff").await, ["editor@example.org", "user@example.org"]);
    assert_eq!(admin.get(super::AVAILABLE).await.ok()["total"], 0);
    // The group can still be deselected.
    assert_eq!(admin.put(SELECTIONS, json!({"group_ids": ["staff"]})).await.ok()["selected"], 1);
    assert_eq!(admin.put(SELECTIONS, json!({"group_ids": []})).await.ok()["selected"], 0);
}
