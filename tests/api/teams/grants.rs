//! Grants to a team apply to its members while they are in it, and end when the team is deleted.

use serde_json::{Value, json};

use crate::api::people::company::{group, join, leave};
use crate::harness::{Client, TestServer, text};

async fn team(client: &Client, members: Value) -> String {
    text(&client.post("/api/teams", json!({"name": "T", "members": members})).await.created()["id"])
}

fn shared(team: &str) -> Value {
    json!({"name": "Shared", "visibility": "shared",
        "grants": [{"principal": {"kind": "team", "id": team}, "level": "viewer"}]})
}

#[tokio::test]
async fn team_grant_applies_to_every_member() {
    let server = TestServer::start().await;
    let (ada, ada_person) = join(&server, "ada").await;
    let (bob, bob_person) = join(&server, "bob").await;
    let crew = group(&server, "Crew", &[&bob_person]).await;
    let editor = server.editor();
    let members = json!([{"kind": "user", "id": ada_person.id}, {"kind": "group", "id": crew}]);
    let team = team(&editor, members).await;
    let path = format!(
        "/api/assistants/{}",
        text(&editor.post("/api/assistants", shared(&team)).await.created()["id"])
    );
    server.user().get(&path).await.not_found();
    for member in [&ada, &bob] {
        member.get(&path).await.ok();
    }
    leave(&server, &crew, &bob_person).await;
    bob.get(&path).await.not_found();
    let without = json!({"principals": [{"kind": "group", "id": crew}]});
    editor.put(&format!("/api/teams/{team}/members"), without).await.ok();
    ada.get(&path).await.not_found();
}

#[tokio::test]
async fn deleting_a_team_removes_its_grants() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (ada, person) = join(&server, "ada").await;
    let gone = team(&editor, json!([{"kind": "user", "id": person.id}])).await;
    let kept = team(&editor, json!([])).await;
    let two = |path: &str| {
        (path.to_owned(), {
            let mut body = shared(&gone);
            body["grants"].as_array_mut().expect("grants").push(shared(&kept)["grants"][0].clone());
            body
        })
    };
    let mut paths = Vec::new();
    for (path, body) in [two("/api/assistants"), two("/api/knowledge-bases")] {
        paths.push(format!("{path}/{}", text(&editor.post(&path, body).await.created()["id"])));
    }
    let project = text(&editor.post("/api/projects", json!({"name": "P"})).await.created()["id"]);
    let project = format!("/api/projects/{project}");
    let members = json!({"members": [{"kind": "team", "id": gone}, {"kind": "team", "id": kept}]});
    editor.post(&format!("{project}/members"), members).await.created();
    ada.get(&project).await.ok();
    let untouched = text(&editor.post("/api/assistants", json!({"name": "Own"})).await.created()["id"]);

    editor.delete(&format!("/api/teams/{gone}")).await.no_content();
    for path in &paths {
        let grants = editor.get(path).await.ok()["grants"].clone();
        assert_eq!(grants, shared(&kept)["grants"], "{path}");
        ada.get(path).await.not_found();
    }
    ada.get(&project).await.not_found();
    let members = editor.get(&format!("{project}/members")).await.ok();
    assert_eq!(members["total"], 2, "{members}");
    assert_eq!(editor.get(&format!("/api/assistants/{untouched}")).await.ok()["version"], 1);
    server.stored().await;
}
