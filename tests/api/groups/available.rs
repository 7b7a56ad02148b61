//! The groups that a directory offers.

use serde_json::json;

use super::{AVAILABLE, CREDENTIAL, choose, people, stage};
use crate::harness::TestServer;
use crate::harness::fake_directory::{Act, FakeDirectory};

const REFRESH: &str = "/api/groups/sync/available/refresh";

#[tokio::test]
async fn group_list_is_fetched_and_served_in_pages() {
    let directory = FakeDirectory::start().await;
    for number in 0..7 {
        directory.group(&format!("g{number}"), &[]);
        directory.rename(&format!("g{number}"), &format!("Team {}", 9 - number));
    }
    for credential in [directory.scim(), directory.graph()] {
        let (_server, admin) = stage(&credential).await;
        let none = admin.get(AVAILABLE).await.ok();
        assert_eq!((&none["total"], &none["refreshed_at"]), (&json!(0), &json!(null)));
        assert_eq!(admin.post(REFRESH, json!({})).await.ok()["total"], 7);
        let part = admin.get(&format!("{AVAILABLE}?limit=2&offset=1&query=team")).await.ok();
        assert_eq!((&part["total"], &part["offset"]), (&json!(7), &json!(1)));
        let names: Vec<_> =
            part["items"].as_array().unwrap().iter().map(|item| item["name"].clone()).collect();
        assert_eq!(names, ["Team 4", "Team 5"]);
        choose(&admin, &["g3"]).await;
        let one = admin.get(&format!("{AVAILABLE}?query=team%206")).await.ok();
        assert_eq!(one["total"], 1);
        assert_eq!(
            (&one["items"][0]["external_id"], &one["items"][0]["selected"]),
            (&json!("g3"), &json!(true))
        );
        let shown = admin.get("/api/groups").await.ok();
        assert_eq!(shown["items"][0]["id"], one["items"][0]["group_id"]);
        admin.get(&format!("{AVAILABLE}?limit=0")).await.problem(422, "invalid");
        admin.get(&format!("{AVAILABLE}?offset=-1")).await.problem(422, "invalid");
    }
}

#[tokio::test]
async fn failed_fetch_keeps_the_previous_group_list() {
    let directory = FakeDirectory::start().await;
    for number in 0..5 {
        directory.group(&format!("g{number}"), &[]);
    }
    let server = TestServer::start_with(|config| config.directories.retries = 1).await;
    let admin = server.admin();
    admin.put(CREDENTIAL, directory.graph()).await.ok();
    admin.post(REFRESH, json!({})).await.ok();
    let before = admin.get(AVAILABLE).await.ok();
    directory.group("new", &[]);
    // The second page fails repeatedly, then breaks off, then is missing.
    directory.next("skiptoken", 9, Act::Status(500, None));
    let failed = admin.post(REFRESH, json!({})).await;
    assert_eq!(failed.problem(502, "directory_failed")["reason"], "directory_failed");
    assert!(!failed.text().contains(crate::harness::fake_directory::SECRET));
    directory.calm();
    directory.next("skiptoken", 9, Act::HangUp);
    admin.post(REFRESH, json!({})).await.problem(502, "directory_failed");
    directory.calm();
    let groups = std::mem::take(&mut *directory.state.groups.lock());
    let empty = admin.post(REFRESH, json!({})).await.problem(502, "directory_failed");
    assert_eq!(empty["reason"], "directory_incomplete");
    let mut after = admin.get(AVAILABLE).await.ok();
    assert!(after["refresh_error"].as_str().unwrap().contains("no groups at all"), "{after}");
    after["refresh_error"] = json!(null);
    assert_eq!(after, before);
    *directory.state.groups.lock() = groups;
    assert_eq!(admin.post(REFRESH, json!({})).await.ok()["total"], 6);
    assert_eq!(admin.get(AVAILABLE).await.ok()["refresh_error"], json!(null));
    server.stored().await;
}

#[tokio::test]
async fn rate_limit_of_the_directory_is_respected() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["user"]);
    let (_server, admin) = stage(&directory.scim()).await;
    directory.next("/scim/Groups", 2, Act::Status(429, Some("0")));
    directory.next("/scim/Groups", 1, Act::Status(503, Some("0")));
    let asked = directory.asked("/scim/Groups");
    assert_eq!(admin.post(REFRESH, json!({})).await.ok()["total"], 1);
    assert_eq!(directory.asked("/scim/Groups") - asked, 4);
    // A longer wait than the server accepts is reported at once.
    directory.next("/scim/Groups", 1, Act::Status(429, Some("3600")));
    let told = admin.post(REFRESH, json!({})).await.problem(502, "directory_failed");
    assert_eq!(told["reason"], "directory_throttled");
}

#[tokio::test]
async fn group_list_fetches_run_one_at_a_time() {
    let directory = FakeDirectory::start().await;
    directory.group("staff", &[]);
    let (_server, admin) = stage(&directory.scim()).await;
    directory.next("/scim/Groups", 1, Act::Silence);
    let before = directory.asked("/scim/Groups");
    let first = {
        let admin = admin.clone();
        tokio::spawn(async move { admin.post(REFRESH, json!({})).await })
    };
    directory.until_asked("/scim/Groups", before + 1).await;
    admin.post(REFRESH, json!({})).await.problem(409, "conflict");
    directory.calm();
    first.await.expect("no panic").ok();
    admin.post(REFRESH, json!({})).await.ok();
}
