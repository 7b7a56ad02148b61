//! Directories that are empty, slow, overloaded or incomplete.

use serde_json::json;

use super::{CREDENTIAL, choose, members, people, stage, sync};
use crate::harness::fake_directory::{Act, FakeDirectory, SECRET};
use crate::harness::{Client, TestServer};

/// Six people in one group, two of whom are members of the tenant.
fn many(directory: &FakeDirectory) {
    people(directory);
    directory.person("carl@elsewhere.example");
    directory.person("dora@elsewhere.example");
    directory.group("staff", &["user", "editor", "ada", "bob", "carl", "dora"]);
    directory.group("other", &["user"]);
}

/// Starts a server with few retries.
async fn quick(directory: &FakeDirectory) -> (TestServer, Client) {
    let server = TestServer::start_with(|config| config.directories.retries = 1).await;
    let admin = server.admin();
    admin.put(CREDENTIAL, directory.graph()).await.ok();
    choose(&admin, &["staff", "other"]).await;
    assert_eq!(sync(&admin, json!({})).await["status"], "succeeded");
    (server, admin)
}

const BOTH: [&str; 2] = ["editor@example.org", "user@example.org"];

#[tokio::test]
async fn empty_directory_removes_no_members() {
    for graph in [true, false] {
        let directory = FakeDirectory::start().await;
        many(&directory);
        let credential = if graph { directory.graph() } else { directory.scim() };
        let (server, admin) = stage(&credential).await;
        choose(&admin, &["staff"]).await;
        sync(&admin, json!({})).await;
        let groups = std::mem::take(&mut *directory.state.groups.lock());
        for asked in [json!({}), json!({"full": true}), json!({"full": true, "force": true})] {
            let failed = sync(&admin, asked).await;
            assert_eq!(
                (&failed["status"], &failed["error_code"]),
                (&json!("failed"), &json!("directory_empty"))
            );
            assert_eq!(members(&server, "Group staff").await, BOTH);
        }
        *directory.state.groups.lock() = groups;
        assert_eq!(sync(&admin, json!({})).await["status"], "succeeded");
    }
}

#[tokio::test]
async fn large_group_that_becomes_empty_is_kept_until_forced() {
    let directory = FakeDirectory::start().await;
    many(&directory);
    let (server, admin) = quick(&directory).await;
    directory.group("staff", &[]);
    directory.group("other", &[]);
    for _ in 0..3 {
        let kept = sync(&admin, json!({})).await;
        assert_eq!(kept["status"], "partial", "{kept}");
        assert!(kept["warnings"][0].as_str().unwrap().contains("force"), "{kept}");
        assert_eq!(members(&server, "Group staff").await, BOTH);
        // A small number of members may leave at any time.
        assert!(members(&server, "Group other").await.is_empty());
    }
    assert_eq!(sync(&admin, json!({"force": true})).await["status"], "succeeded");
    assert!(members(&server, "Group staff").await.is_empty());
}

#[tokio::test]
async fn missing_group_is_emptied_when_it_is_missed_twice() {
    let directory = FakeDirectory::start().await;
    many(&directory);
    let (server, admin) = quick(&directory).await;
    directory.drop_group("other");
    // A run that cannot read all other groups does not count as a miss.
    directory.next("groups/staff", 9, Act::Status(500, None));
    assert_eq!(sync(&admin, json!({"full": true})).await["status"], "partial");
    directory.calm();
    let first = sync(&admin, json!({})).await;
    assert_eq!(
        (&first["status"], &first["counts"]["groups_removed"]),
        (&json!("partial"), &json!(0)),
        "{first}"
    );
    assert_eq!(members(&server, "Group other").await, ["user@example.org"]);
    // The group returns, so the earlier miss no longer counts.
    directory.group("other", &["user"]);
    assert_eq!(sync(&admin, json!({})).await["status"], "succeeded");
    directory.drop_group("other");
    assert_eq!(sync(&admin, json!({})).await["status"], "partial");
    assert_eq!(members(&server, "Group other").await, ["user@example.org"]);
    let second = sync(&admin, json!({})).await;
    assert_eq!((&second["status"], &second["counts"]["groups_removed"]), (&json!("succeeded"), &json!(1)));
    assert!(members(&server, "Group other").await.is_empty());
    assert_eq!(members(&server, "Group staff").await, BOTH);
    server.stored().await;
}

#[tokio::test]
async fn groups_that_are_all_missing_at_once_are_kept() {
    let directory = FakeDirectory::start().await;
    many(&directory);
    let (server, admin) = quick(&directory).await;
    directory.drop_group("other");
    directory.drop_group("staff");
    directory.group("something-else", &[]);
    for _ in 0..3 {
        let kept = sync(&admin, json!({})).await;
        assert_eq!(kept["status"], "partial", "{kept}");
        assert_eq!(members(&server, "Group staff").await, BOTH);
    }
    assert_eq!(sync(&admin, json!({"force": true})).await["counts"]["groups_removed"], 2);
    assert!(members(&server, "Group staff").await.is_empty());
}

#[tokio::test]
async fn partially_read_groups_are_left_unchanged() {
    let directory = FakeDirectory::start().await;
    many(&directory);
    let (server, admin) = quick(&directory).await;
    directory.group("other", &["editor"]);
    directory.group("staff", &["ada", "user", "bob"]);
    // Long enough for every page that arrives, even on a busy machine.
    let once = |config: &mut understudy::Config| {
        (config.directories.retries, config.directories.request_seconds) = (0, 5.0);
    };
    let server = server.restart_with(once).await;
    let admin = server.client(admin.bearer());
    // The second page of one group fails in each possible way.
    for act in [Act::Status(500, None), Act::HangUp, Act::Silence, Act::Status(404, None)] {
        directory.next("groups/staff/transitiveMembers?{\"$skiptoken\"", 9, act);
        let half = sync(&admin, json!({"full": true})).await;
        directory.calm();
        assert_eq!(half["status"], "partial", "{act:?}: {half}");
        assert!(half["warnings"][0].as_str().unwrap().contains("Group staff"), "{half}");
        assert!(!half.to_string().contains(SECRET), "{half}");
        assert_eq!(half["counts"]["groups_failed"], 1);
        assert_eq!(members(&server, "Group staff").await, BOTH, "{act:?}");
        assert_eq!(members(&server, "Group other").await, ["editor@example.org"], "{act:?}");
    }
    let whole = sync(&admin, json!({})).await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    assert_eq!(members(&server, "Group staff").await, ["user@example.org"]);
    server.stored().await;
}

#[tokio::test]
async fn directory_that_refuses_access_is_not_asked_again() {
    let directory = FakeDirectory::start().await;
    many(&directory);
    let (server, admin) = quick(&directory).await;
    directory.next("groups/", 1_000, Act::Status(403, None));
    let asked = directory.asked("groups/");
    let failed = sync(&admin, json!({"full": true})).await;
    assert_eq!((&failed["status"], &failed["error_code"]), (&json!("failed"), &json!("directory_refused")));
    assert!(directory.asked("groups/") - asked <= 2);
    assert_eq!(members(&server, "Group staff").await, BOTH);
    // An expired token is renewed instead.
    directory.calm();
    directory.expire_tokens();
    assert_eq!(sync(&admin, json!({"full": true})).await["status"], "succeeded");
}

#[tokio::test]
async fn unchanged_groups_are_not_read_again() {
    let directory = FakeDirectory::start().await;
    many(&directory);
    directory.group("nested", &["ada"]);
    directory.group("staff", &["nested", "editor", "ada", "bob", "carl", "dora"]);
    let (server, admin) = quick(&directory).await;
    let members_asked = |directory: &FakeDirectory| directory.asked("transitiveMembers");
    let before = members_asked(&directory);
    let same = sync(&admin, json!({})).await;
    assert_eq!((&same["status"], &same["counts"]["groups_unchanged"]), (&json!("succeeded"), &json!(2)));
    assert_eq!(members_asked(&directory), before);
    // A change in a nested group counts as a change of the group.
    directory.group("nested", &["ada", "user"]);
    let changed = sync(&admin, json!({})).await;
    assert_eq!(
        (&changed["counts"]["groups_unchanged"], &changed["counts"]["members_added"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(members(&server, "Group staff").await, BOTH);
    // The directory has lost its change token, so everything is read.
    directory.group("nested", &["ada"]);
    *directory.state.forgot.lock() = true;
    let full = sync(&admin, json!({})).await;
    assert_eq!(
        (&full["status"], &full["counts"]["groups_unchanged"]),
        (&json!("succeeded"), &json!(0)),
        "{full}"
    );
    assert_eq!(members(&server, "Group staff").await, ["editor@example.org"]);
    // A person who has joined the tenant since is added to unchanged groups at once.
    *directory.state.forgot.lock() = false;
    sync(&admin, json!({})).await;
    let body =
        json!({"email": "ada@elsewhere.example", "password": crate::harness::PASSWORD, "role": "user"});
    admin.post("/api/auth/users", body).await.created();
    let both = ["ada@elsewhere.example", "editor@example.org"];
    assert_eq!(members(&server, "Group staff").await, both);
    let come = sync(&admin, json!({})).await;
    assert_eq!(
        (&come["counts"]["groups_unchanged"], &come["counts"]["members_added"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(members(&server, "Group staff").await, both);
}

#[tokio::test]
async fn list_that_changes_while_it_is_read_is_read_again() {
    let directory = FakeDirectory::start().await;
    many(&directory);
    let (server, admin) = stage(&directory.scim()).await;
    choose(&admin, &["staff"]).await;
    // An entry before the reader's position disappears, so an entry behind it moves to an earlier position.
    directory.state.vanishing.lock().push("ada".to_owned());
    let done = sync(&admin, json!({})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    assert_eq!(members(&server, "Group staff").await, BOTH);
    // A list that never stops changing is not accepted.
    let gone: Vec<String> =
        (0..12).map(|number| directory.person(&format!("guest{number}@elsewhere.example"))).collect();
    directory.state.vanishing.lock().extend(gone);
    let failed = sync(&admin, json!({})).await;
    assert_eq!(failed["status"], "failed", "{failed}");
    assert_eq!(members(&server, "Group staff").await, BOTH);
}
