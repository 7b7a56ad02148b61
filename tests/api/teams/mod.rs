//! Teams: who sees and manages them, the rights they give, and what remains after their deletion.

mod grants;

use serde_json::{Value, json};
use storage::Scan;
use storage::records::AuditRecord;

use super::people::company::{group, join, tenant};
use crate::harness::{Client, TestServer, text};

fn user(id: &str) -> Value {
    json!({"kind": "user", "id": id})
}

async fn names(client: &Client, path: &str) -> Vec<String> {
    let list = client.get(path).await.ok();
    list["items"].as_array().expect("items").iter().map(|team| text(&team["name"])).collect()
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().expect("a list").iter().map(|one| text(&one["id"])).collect()
}

#[tokio::test]
async fn team_is_created_changed_and_deleted() {
    let server = TestServer::start().await;
    let (me, editor) = (server.user_person().id.clone(), server.editor_person().id.clone());
    let body =
        json!({"name": " Tides ", "description": "The sea.", "members": [user(&editor), user(&editor)]});
    let made = server.user().post("/api/teams", body).await.created();
    assert_eq!((&made["name"], &made["version"]), (&json!("Tides"), &json!(1)));
    assert_eq!((ids(&made["owners"]), ids(&made["members"])), (vec![me.clone()], vec![editor.clone()]));
    assert_eq!(made["owners"][0]["email"], "user@example.org");
    assert_eq!(made["permissions"], json!({"manage": true}));
    let path = format!("/api/teams/{}", text(&made["id"]));
    assert_eq!(server.user().get(&path).await.header("etag"), Some("\"1\""));
    assert_eq!(server.editor().get(&path).await.ok()["permissions"], json!({"manage": false}));

    let changed = server.user().patch(&path, json!({"description": null, "version": 1})).await.ok();
    assert_eq!((&changed["name"], &changed["description"]), (&json!("Tides"), &Value::Null));
    assert_eq!(server.user().patch(&path, json!({})).await.ok()["version"], 2, "nothing changed");
    server.user().patch(&path, json!({"name": "x", "version": 1})).await.problem(412, "stale");
    let stale =
        server.user().request(reqwest::Method::PUT, &format!("{path}/members")).header("if-match", "\"1\"");
    Client::send(stale.json(&json!({"principals": []}))).await.problem(412, "stale");
    let wrong = json!({"name": null, "description": "x".repeat(1_001), "color": 1});
    assert_eq!(
        server.user().patch(&path, wrong).await.faults(),
        ["body.color", "body.description", "body.name"]
    );

    let server = server.restart().await;
    server.user().delete(&path).await.no_content();
    server.user().delete(&path).await.not_found();
    server.editor().get(&path).await.not_found();
    assert_eq!(names(&server.editor(), "/api/teams").await, Vec::<String>::new());
}

#[tokio::test]
async fn team_is_visible_to_members_and_managed_by_owners() {
    let server = TestServer::start().await;
    let (outsider, _) = join(&server, "outsider").await;
    let (member, ada) = join(&server, "ada").await;
    let body = json!({"name": "Tides", "members": [user(&ada.id)]});
    let team = text(&server.user().post("/api/teams", body).await.created()["id"]);
    let path = format!("/api/teams/{team}");
    let set = json!({"principals": [user(&ada.id)]});
    for stranger in [&outsider, &server.stranger(), &server.editor()] {
        stranger.get(&path).await.not_found();
        stranger.patch(&path, json!({"name": "x"})).await.not_found();
        stranger.put(&format!("{path}/owners"), set.clone()).await.not_found();
        stranger.put(&format!("{path}/members"), set.clone()).await.not_found();
        stranger.delete(&path).await.not_found();
        assert_eq!(names(stranger, "/api/teams").await, Vec::<String>::new());
    }
    member.get(&path).await.ok();
    member.patch(&path, json!({"name": "x"})).await.problem(403, "not_allowed");
    member.put(&format!("{path}/owners"), set.clone()).await.problem(403, "not_allowed");
    member.put(&format!("{path}/members"), set.clone()).await.problem(403, "not_allowed");
    member.delete(&path).await.problem(403, "not_allowed");
    // An administrator of the tenant is not a member, and manages the team.
    assert_eq!(names(&server.admin(), "/api/teams").await, Vec::<String>::new());
    assert_eq!(names(&server.admin(), "/api/teams?all=true").await, ["Tides"]);
    assert_eq!(names(&server.stranger(), "/api/teams?all=true").await, Vec::<String>::new());
    member.get("/api/teams?all=true").await.problem(403, "role_missing");
    server.admin().put(&format!("{path}/owners"), set).await.ok();
    member.patch(&path, json!({"name": "Ebb"})).await.ok();
    server.user().get(&path).await.not_found();
    server.anonymous().get(&path).await.problem(401, "credentials_missing");
    let (reads, writes) = (server.token(&["teams:read"]).await, server.token(&["teams:write"]).await);
    reads.get(&path).await.ok();
    reads.delete(&path).await.problem(403, "scope_missing");
    writes.get(&path).await.problem(403, "scope_missing");
    writes.delete(&path).await.no_content();
}

#[tokio::test]
async fn members_are_replaced_and_the_same_set_changes_nothing() {
    let server = TestServer::start().await;
    let (me, editor) = (server.user_person().id.clone(), server.editor_person().id.clone());
    let crew = group(&server, "Crew", &[server.editor_person()]).await;
    let path = format!(
        "/api/teams/{}",
        text(&server.user().post("/api/teams", json!({"name": "T"})).await.created()["id"])
    );
    let members = format!("{path}/members");
    let set = json!({"principals": [user(&editor), {"kind": "group", "id": crew}]});
    let first = server.user().put(&members, set.clone()).await.ok();
    assert_eq!(ids(&first["members"]), [editor.clone(), crew.clone()]);
    let turned =
        json!({"principals": [{"kind": "group", "id": crew}, user(&editor)], "version": first["version"]});
    assert_eq!(server.user().put(&members, turned).await.ok()["version"], first["version"]);
    let wrong =
        json!({"principals": [user(&me), user(&server.stranger_person().id), {"kind": "group", "id": me}]});
    assert_eq!(server.user().put(&members, wrong).await.faults(), ["body.principals.1", "body.principals.2"]);
    let odd = json!({"principals": [{"kind": "team", "id": me}]});
    assert_eq!(server.user().put(&members, odd).await.faults(), ["body.principals.0.kind"]);
    assert_eq!(
        ids(&server.user().get(&path).await.ok()["members"]),
        [editor.clone(), crew],
        "a fault changes nothing"
    );
    assert_eq!(
        ids(&server.user().put(&members, json!({"principals": []})).await.ok()["members"]),
        Vec::<String>::new()
    );
    server.editor().get(&path).await.not_found();
}

#[tokio::test]
async fn team_always_has_an_owner() {
    let server = TestServer::start().await;
    let me = server.user_person().id.clone();
    let (empty, crew) =
        (group(&server, "Empty", &[]).await, group(&server, "Crew", &[server.editor_person()]).await);
    let path = format!(
        "/api/teams/{}",
        text(&server.user().post("/api/teams", json!({"name": "T"})).await.created()["id"])
    );
    let owners = format!("{path}/owners");
    for no_owner in [json!([]), json!([{"kind": "group", "id": empty}])] {
        let answer = server.user().put(&owners, json!({"principals": no_owner})).await;
        assert_eq!(answer.faults(), ["body.principals"]);
    }
    assert_eq!(ids(&server.user().get(&path).await.ok()["owners"]), std::slice::from_ref(&me));
    let set = json!({"principals": [{"kind": "group", "id": crew}]});
    let handed = server.user().put(&owners, set).await.ok();
    assert_eq!(handed["permissions"]["manage"], false, "given away");
    server.editor().patch(&path, json!({"name": "Theirs"})).await.ok();
    // The creator of a team owns it, beside the owners that they name; administrators may create one for others.
    let made = server
        .user()
        .post("/api/teams", json!({"name": "U", "owners": [{"kind": "group", "id": crew}]}))
        .await;
    assert_eq!(ids(&made.created()["owners"]), [me.clone(), crew.clone()]);
    let made = server.admin().post("/api/teams", json!({"name": "V", "owners": [user(&me)]})).await.created();
    assert_eq!(ids(&made["owners"]), [me]);
    let ownerless = server
        .admin()
        .post("/api/teams", json!({"name": "W", "owners": [{"kind": "group", "id": empty}]}))
        .await;
    assert_eq!(ownerless.faults(), ["body.owners"]);
}

#[tokio::test]
async fn tenant_records_whether_it_has_teams() {
    let server = TestServer::start().await;
    let made = async || text(&server.user().post("/api/teams", json!({"name": "T"})).await.created()["id"]);
    // A team is created while the last one is deleted: whichever commits last, the remaining team is visible.
    for _ in 0..4 {
        let old = made().await;
        let (user, path) = (server.user(), format!("/api/teams/{old}"));
        let (new, gone) = tokio::join!(made(), user.delete(&path));
        gone.no_content();
        assert_eq!(ids(&user.get("/api/teams").await.ok()["items"]), std::slice::from_ref(&new));
        user.delete(&format!("/api/teams/{new}")).await.no_content();
        assert_eq!(names(&user, "/api/teams").await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn team_changes_are_audited() {
    let server = TestServer::start().await;
    let path = format!(
        "/api/teams/{}",
        text(&server.user().post("/api/teams", json!({"name": "T"})).await.created()["id"])
    );
    server.admin().patch(&path, json!({"name": "U"})).await.ok();
    server
        .admin()
        .put(&format!("{path}/members"), json!({"principals": [user(&server.editor_person().id)]}))
        .await
        .ok();
    server.admin().delete(&path).await.no_content();
    let tenant = tenant(&server);
    let records = server.store().read(move |reader| reader.scan::<AuditRecord>(tenant, Scan::table())).await;
    let records = records.expect("read").items;
    let told: Vec<_> = records.iter().filter(|row| row.action.starts_with("team.")).collect();
    let actions: Vec<_> = told.iter().map(|row| row.action.as_str()).collect();
    assert_eq!(actions, ["team.create", "team.update", "team.members", "team.delete"]);
    assert_eq!(told[0].actor.to_string(), server.user_person().id);
    assert!(
        told[1..].iter().all(|row| row.actor.to_string() == server.admin_person().id && row.act.is_none())
    );
}
