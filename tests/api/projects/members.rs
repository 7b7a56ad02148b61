//! Adding and removing members.

use serde_json::{Value, json};

use super::scene::{let_in, member, members, project, shared};
use crate::api::people::company::{group, join};
use crate::harness::{TestServer, text};

#[tokio::test]
async fn add_members_returns_a_result_for_each() {
    let server = TestServer::start().await;
    let user = server.user();
    let crew = group(&server, "Crew", &[server.editor_person()]).await;
    let team = text(&user.post("/api/teams", json!({"name": "T"})).await.created()["id"]);
    let path = project(&user, "Tides").await;
    let (editor, stranger) = (&server.editor_person().id, &server.stranger_person().id);
    let all = json!([
        member("user", editor, "editor"),
        member("user", stranger, "viewer"),
        member("group", &crew, "viewer"),
        member("team", &team, "owner"),
        member("group", editor, "viewer"),
        member("user", &server.user_person().id, "owner")
    ]);
    let states = ["added", "not_found", "added", "added", "not_found", "unchanged"];
    assert_eq!(let_in(&user, &path, all).await, states);
    let expected = [
        "user user@example.org owner",
        "user editor@example.org editor",
        "group Crew viewer",
        "team T owner",
    ];
    assert_eq!(members(&user, &path).await, expected);
    let again = json!([member("user", editor, "viewer"), member("group", &crew, "viewer")]);
    assert_eq!(let_in(&user, &path, again).await, ["changed", "unchanged"]);
    // The group still makes them a viewer, and no more.
    assert_eq!(server.editor().get(&path).await.ok()["permissions"]["level"], "viewer");
    assert_eq!(members(&server.editor(), &path).await.len(), 4, "members see each other");
    let twice = json!({"members": [member("user", editor, "viewer"), member("user", editor, "owner")]});
    assert_eq!(user.post(&format!("{path}/members"), twice).await.faults(), ["body.members.1.id"]);
    let odd = json!({"members": [{"kind": "tenant", "id": editor, "level": "all"}]});
    let faults = ["body.members.0.kind", "body.members.0.level"];
    assert_eq!(user.post(&format!("{path}/members"), odd).await.faults(), faults);
    assert_eq!(
        user.post(&format!("{path}/members"), json!({"members": []})).await.faults(),
        ["body.members"]
    );
}

#[tokio::test]
async fn last_owner_cannot_be_removed() {
    let server = TestServer::start().await;
    let user = server.user();
    let path = shared(&server, "editor").await;
    let (me, editor) = (server.user_person().id.clone(), server.editor_person().id.clone());
    let crew = group(&server, "Crew", &[server.editor_person()]).await;
    let_in(&user, &path, json!([member("group", &crew, "owner")])).await;
    let mine = format!("{path}/members/{me}");
    user.delete(&mine).await.problem(409, "last_owner");
    let lower = json!({"members": [member("user", &me, "viewer"), member("user", &editor, "viewer")]});
    user.post(&format!("{path}/members"), lower.clone()).await.problem(409, "last_owner");
    let before = ["user user@example.org owner", "user editor@example.org editor", "group Crew owner"];
    assert_eq!(members(&user, &path).await, before, "a refusal changes nothing");
    // A transfer of ownership takes one request.
    let hand = json!([member("user", &editor, "owner"), member("user", &me, "viewer")]);
    assert_eq!(let_in(&user, &path, hand).await, ["changed", "changed"]);
    let after = ["user editor@example.org owner", "group Crew owner", "user user@example.org viewer"];
    assert_eq!(members(&user, &path).await, after);
    assert_eq!(user.get(&path).await.ok()["owner"], editor);
    user.post(&format!("{path}/members"), lower).await.problem(403, "not_allowed");
    // Two owners remove each other concurrently: one of them stays.
    let_in(&server.editor(), &path, json!([member("user", &me, "owner"), member("group", &crew, "viewer")]))
        .await;
    let theirs = format!("{path}/members/{editor}");
    let colleague = server.editor();
    let (one, other) = tokio::join!(user.delete(&theirs), colleague.delete(&mine));
    assert_eq!(
        [one.status, other.status].iter().filter(|status| **status == 200).count(),
        1,
        "{one:?} {other:?}"
    );
}

#[tokio::test]
async fn members_can_leave_and_be_removed() {
    let server = TestServer::start().await;
    let user = server.user();
    let (ada, person) = join(&server, "ada").await;
    let path = shared(&server, "viewer").await;
    let_in(&user, &path, json!([member("user", &person.id, "editor")])).await;
    let of = |id: &str| format!("{path}/members/{id}");
    server.editor().delete(&of(&person.id)).await.problem(403, "not_allowed");
    ada.delete(&of(&server.editor_person().id)).await.problem(403, "not_allowed");
    let gone = ada.delete(&of(&person.id)).await.ok();
    assert_eq!((&gone["member_id"], &gone["released_conversations"]), (&json!(person.id), &Value::Null));
    ada.get(&path).await.not_found();
    ada.delete(&of(&person.id)).await.not_found();
    user.delete(&of(&person.id)).await.not_found();
    user.delete(&of(&server.editor_person().id)).await.ok();
    server.editor().get(&path).await.not_found();
    assert_eq!(members(&user, &path).await, ["user user@example.org owner"]);
    let team = text(&user.post("/api/teams", json!({"name": "T"})).await.created()["id"]);
    let_in(&user, &path, json!([member("team", &team, "viewer")])).await;
    user.delete(&of(&team)).await.ok();
    assert_eq!(members(&user, &path).await.len(), 1);
}

#[tokio::test]
async fn administrators_manage_members_and_cannot_add_themselves() {
    let server = TestServer::start().await;
    let path = shared(&server, "viewer").await;
    let (admin, me) = (server.admin(), server.admin_person().clone());
    let crew = group(&server, "Board", &[&me]).await;
    let body = json!({"name": "T", "members": [{"kind": "user", "id": me.id}]});
    let team = text(&server.user().post("/api/teams", body).await.created()["id"]);
    assert_eq!(members(&admin, &path).await.len(), 2);
    for (kind, id) in [("user", &me.id), ("group", &crew), ("team", &team)] {
        let body = json!({"members": [member(kind, id, "viewer")]});
        admin.post(&format!("{path}/members"), body).await.problem(403, "not_allowed");
    }
    let (_, person) = join(&server, "ada").await;
    let others = json!({"members": [member("user", &person.id, "editor")]});
    admin.post(&format!("{path}/members"), others).await.problem(403, "not_allowed");
    assert_eq!(let_in(&server.user(), &path, json!([member("user", &person.id, "editor")])).await, ["added"]);
    admin.delete(&format!("{path}/members/{}", person.id)).await.ok();
    // Another member adds them; then they are a member like any other.
    let_in(&server.user(), &path, json!([member("user", &me.id, "owner")])).await;
    assert_eq!(admin.get(&path).await.ok()["permissions"]["member"], true);
    assert_eq!(let_in(&admin, &path, json!([member("group", &crew, "viewer")])).await, ["added"]);
}

#[tokio::test]
async fn member_groups_show_their_people() {
    let server = TestServer::start().await;
    let user = server.user();
    let people = [server.editor_person(), server.admin_person()];
    let (crew, within) =
        (group(&server, "Crew", &people).await, group(&server, "Within", &people[..1]).await);
    let apart = group(&server, "Apart", &people).await;
    let path = shared(&server, "viewer").await;
    let body = json!({"name": "T", "members": [{"kind": "group", "id": within}]});
    let team = text(&user.post("/api/teams", body).await.created()["id"]);
    let_in(&user, &path, json!([member("group", &crew, "viewer"), member("team", &team, "viewer")])).await;
    let of = |group: &str| format!("{path}/groups/{group}/members");
    let names = |list: Value| -> Vec<String> {
        list["items"].as_array().expect("items").iter().map(|one| text(&one["email"])).collect()
    };
    let mut found = names(server.editor().get(&of(&crew)).await.ok());
    found.sort();
    assert_eq!(found, [server.admin_person().email.clone(), "editor@example.org".into()]);
    assert_eq!(names(user.get(&of(&within)).await.ok()), ["editor@example.org"]);
    let first = user.get(&format!("{}?limit=1", of(&crew))).await.ok();
    let rest = user.get(&format!("{}?limit=1&cursor={}", of(&crew), text(&first["next_cursor"]))).await.ok();
    assert_eq!([names(first), names(rest)].concat().len(), 2);
    user.get(&of(&apart)).await.not_found();
    user.get(&of(&server.user_person().id)).await.not_found();
    server.stranger().get(&of(&crew)).await.not_found();
}

/// If the owner of a project is gone, an administrator names another one, so that its members keep access.
#[tokio::test]
async fn project_whose_owner_has_left_can_be_given_another() {
    let server = TestServer::start().await;
    let path = shared(&server, "viewer").await;
    let (admin, left) = (server.admin(), server.user_person().id.clone());
    let (ada, person) = join(&server, "ada").await;
    assert_eq!(admin.get(&path).await.ok()["member_count"], 2);
    admin.delete(&format!("/api/tenant-admin/users/{left}")).await.no_content();
    assert_eq!(admin.get(&path).await.ok()["member_count"], 1, "the count matches the list of members");
    assert_eq!(members(&admin, &path).await.len(), 1);
    // Administrators cannot name themselves, directly or through a team, nor a service account, nor another
    // administrator.
    let team = text(&admin.post("/api/teams", json!({"name": "T"})).await.created()["id"]);
    let account = json!({"display_name": "Reader", "role": "user"});
    let program = text(&admin.post("/api/tenant-admin/service-accounts", account).await.created()["id"]);
    for (kind, id) in [("user", &server.admin_person().id), ("team", &team), ("user", &program)] {
        let body = json!({"members": [member(kind, id, "owner")]});
        admin.post(&format!("{path}/members"), body).await.problem(403, "not_allowed");
    }
    admin.get(&format!("{path}/conversations")).await.problem(403, "not_allowed");
    assert_eq!(let_in(&admin, &path, json!([member("user", &person.id, "owner")])).await, ["added"]);
    assert_eq!(ada.get(&path).await.ok()["permissions"]["manage"], true);
    let more = json!({"members": [member("user", &server.editor_person().id, "owner")]});
    let refused = admin.post(&format!("{path}/members"), more).await.problem(403, "not_allowed");
    assert_eq!(refused["detail"], "this needs the level owner on it, and yours is none");
}

/// Administrators can put themselves, and service accounts whose tokens they have, into any team. That does not let
/// them read the project.
#[tokio::test]
async fn team_membership_does_not_let_administrators_or_service_accounts_read() {
    let server = TestServer::start().await;
    let path = shared(&server, "viewer").await;
    let (admin, user) = (server.admin(), server.user());
    let team = text(&user.post("/api/teams", json!({"name": "Crew"})).await.created()["id"]);
    let_in(&user, &path, json!([member("team", &team, "editor")])).await;
    let home =
        user.post("/api/conversations", json!({"project_id": path.rsplit('/').next()})).await.created();
    let home = format!("/api/conversations/{}", text(&home["id"]));
    let account = json!({"display_name": "Reader", "role": "user"});
    let program = text(&admin.post("/api/tenant-admin/service-accounts", account).await.created()["id"]);
    let tokens = format!("/api/tenant-admin/service-accounts/{program}/api-tokens");
    let reader = server.client(&text(&admin.post(&tokens, json!({"name": "r"})).await.created()["token"]));
    let (_, person) = join(&server, "ada").await;
    let crew = [&server.admin_person().id, &program, &person.id];
    let crew: Vec<_> = crew.iter().map(|id| json!({"kind": "user", "id": id})).collect();
    admin.put(&format!("/api/teams/{team}/members"), json!({"principals": crew})).await.ok();
    for client in [&admin, &reader] {
        client.get(&home).await.not_found();
        client.get(&format!("{path}/conversations")).await.problem(403, "not_allowed");
    }
    // Added by name, they are members like others.
    let_in(&user, &path, json!([member("user", &program, "viewer")])).await;
    reader.get(&home).await.ok();
}
