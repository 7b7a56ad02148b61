//! Turning a project into a team project.

use serde_json::{Value, json};

use super::scene::{id, inside, let_in, member, members, project, shared};
use crate::api::people::company::{group, join};
use crate::harness::{TestServer, text};

fn promotion(path: &str) -> String {
    format!("/api/projects/admin/{}/promote-to-team", id(path))
}

#[tokio::test]
async fn promotion_creates_a_team_of_the_members() {
    let server = TestServer::start().await;
    let (admin, user) = (server.admin(), server.user());
    let (_, ada) = join(&server, "ada").await;
    let crew = group(&server, "Crew", &[]).await;
    let path = shared(&server, "viewer").await;
    let further = json!([member("user", &ada.id, "owner"), member("group", &crew, "viewer")]);
    let_in(&user, &path, further).await;
    let made = admin.post(&promotion(&path), json!({})).await.ok();
    let team = text(&made["team_id"]);
    assert_eq!((&made["kind"], &made["permissions"]["member"]), (&json!("team"), &json!(false)));
    let shown = admin.get(&format!("/api/teams/{team}")).await.ok();
    assert_eq!(shown["name"], "Tides");
    let names = |list: &Value| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|one| text(&one["name"])).collect()
    };
    assert_eq!(names(&shown["owners"]), ["user@example.org", "ada"]);
    assert_eq!(names(&shown["members"]), ["editor@example.org", "Crew"]);
    let expected = [
        "user user@example.org owner",
        "user editor@example.org viewer",
        "user ada owner",
        "group Crew viewer",
        "team Tides viewer",
    ];
    assert_eq!(members(&user, &path).await, expected);
    // A former viewer is in the team, with the same rights as before.
    assert_eq!(server.editor().get(&path).await.ok()["permissions"]["level"], "viewer");
    inside(&user, &path).await;
    // Repeating the request changes nothing. A second team is refused.
    assert_eq!(
        admin.post(&promotion(&path), json!({"name": "Other"})).await.ok(),
        admin.get(&path).await.ok()
    );
    assert_eq!(
        admin.post(&promotion(&path), json!({"team_id": team})).await.ok()["version"],
        admin.get(&path).await.ok()["version"]
    );
    let other = text(&admin.post("/api/teams", json!({"name": "Other"})).await.created()["id"]);
    admin.post(&promotion(&path), json!({"team_id": other})).await.problem(409, "conflict");
    // Without its team the project is personal again.
    admin.delete(&format!("/api/teams/{team}")).await.no_content();
    let left = user.get(&path).await.ok();
    assert_eq!((&left["kind"], &left["team_id"]), (&json!("personal"), &Value::Null));
    assert_eq!(members(&user, &path).await, expected[..4]);
}

#[tokio::test]
async fn promotion_can_use_an_existing_team() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let (ada, person) = join(&server, "ada").await;
    let body = json!({"name": "Crew", "owners": [{"kind": "user", "id": person.id}]});
    let team = text(&admin.post("/api/teams", body).await.created()["id"]);
    let path = shared(&server, "viewer").await;
    let made = admin.post(&promotion(&path), json!({"team_id": team})).await.ok();
    assert_eq!(made["team_id"], team);
    assert_eq!(ada.get(&path).await.ok()["permissions"]["level"], "editor");
    let nothing = json!({"team_id": server.user_person().id});
    let private = project(&admin, "Own").await;
    assert_eq!(admin.post(&promotion(&private), nothing).await.faults(), ["body.team_id"]);
    let both = json!({"team_id": team, "name": "x"});
    assert_eq!(admin.post(&promotion(&private), both).await.faults(), ["body.name"]);
    // Removing the team from the members makes the project personal again.
    server.user().delete(&format!("{path}/members/{team}")).await.ok();
    assert_eq!(server.user().get(&path).await.ok()["kind"], "personal");
}

#[tokio::test]
async fn promotion_requires_an_administrator_and_gives_them_no_access() {
    let server = TestServer::start().await;
    let path = shared(&server, "owner").await;
    for client in [server.user(), server.editor()] {
        client.post(&promotion(&path), json!({})).await.problem(403, "role_missing");
    }
    server.stranger().post(&promotion(&path), json!({})).await.not_found();
    server
        .token(&["projects:read"])
        .await
        .post(&promotion(&path), json!({}))
        .await
        .problem(403, "scope_missing");
    let own = text(&server.admin().post("/api/teams", json!({"name": "Mine"})).await.created()["id"]);
    let asked = json!({"team_id": own});
    server.admin().post(&promotion(&path), asked.clone()).await.problem(403, "not_allowed");
    server.admin().get(&format!("{path}/conversations")).await.problem(403, "not_allowed");
    let_in(&server.user(), &path, json!([member("user", &server.admin_person().id, "editor")])).await;
    server.admin().post(&promotion(&path), asked).await.ok();
    let hidden = project(&server.user(), "Hidden").await;
    server.admin().post(&promotion(&hidden), json!({})).await.not_found();
}
