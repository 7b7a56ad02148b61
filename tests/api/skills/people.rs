//! Rights on skills.

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{Field, SKILLS, bundle, change, form, skill, upload, words};
use crate::harness::{Client, TestServer, text};

fn grant(kind: &str, id: &str, level: &str) -> String {
    json!([{"principal": {"kind": kind, "id": id}, "level": level}]).to_string()
}

async fn see(client: &Client, id: &str) -> u16 {
    client.get(&format!("{SKILLS}/{id}")).await.status
}

/// Returns the statuses of changing and of sharing a skill.
async fn may(client: &Client, id: &str) -> [u16; 2] {
    let changed = change(client, id, &[Field::Text("description", "Changed.")]).await;
    let shared = change(client, id, &[Field::Text("visibility", "shared")]).await;
    [changed.status, shared.status]
}

#[tokio::test]
async fn upload_requires_the_editor_role() {
    let server = TestServer::start().await;
    upload(&server.user(), "double.skill", &bundle()).await.problem(403, "role_missing");
    upload(&server.editor(), "double.skill", &bundle()).await.created();
    upload(&server.admin(), "double.skill", &bundle()).await.created();
    upload(&server.anonymous(), "double.skill", &bundle()).await.problem(401, "credentials_missing");
}

#[tokio::test]
async fn skill_operations_require_scopes() {
    let server = TestServer::start().await;
    let reads = server.token(&["skills:read"]).await;
    let writes = server.token(&["skills:write"]).await;
    let other = server.token(&["knowledge:write", "assistants:read"]).await;
    upload(&reads, "double.skill", &bundle()).await.problem(403, "scope_missing");
    upload(&other, "double.skill", &bundle()).await.problem(403, "scope_missing");
    let id = text(&upload(&writes, "double.skill", &bundle()).await.created()["id"]);
    writes.get(SKILLS).await.problem(403, "scope_missing");
    other.get(SKILLS).await.problem(403, "scope_missing");
    assert_eq!(reads.get(SKILLS).await.ok()["total"], 1);
    assert_eq!(see(&reads, &id).await, 200);
    change(&reads, &id, &[Field::Text("name", "X")]).await.problem(403, "scope_missing");
    reads.delete(&format!("{SKILLS}/{id}")).await.problem(403, "scope_missing");
    writes.delete(&format!("{SKILLS}/{id}")).await.no_content();
}

#[tokio::test]
async fn private_skill_is_visible_to_its_owner_only() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = skill(&editor, "Secret", &[("visibility", "private")]).await;
    for other in [server.user(), server.admin(), server.stranger()] {
        assert_eq!(see(&other, &id).await, 404);
        assert_eq!(may(&other, &id).await, [404, 404]);
        other.delete(&format!("{SKILLS}/{id}")).await.not_found();
        other.get(&format!("{SKILLS}/{id}/assistants")).await.not_found();
        assert_eq!(other.get(SKILLS).await.ok()["total"], 0);
    }
    assert_eq!(see(&editor, &id).await, 200);
    change(&editor, &id, &[Field::Text("visibility", "tenant")]).await.ok();
    assert_eq!([see(&server.user(), &id).await, see(&server.stranger(), &id).await], [200, 404]);
}

#[tokio::test]
async fn grants_allow_operations_by_level() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let person = &server.user_person().id;
    for (level, wanted, deleted) in
        [("viewer", [403, 403], 403), ("editor", [200, 403], 403), ("owner", [200, 200], 204)]
    {
        let grants = grant("user", person, level);
        let id = skill(&editor, level, &[("visibility", "shared"), ("grants", &grants)]).await;
        assert_eq!(see(&user, &id).await, 200, "{level}");
        assert_eq!(may(&user, &id).await, wanted, "{level}");
        assert_eq!(may(&server.stranger(), &id).await, [404, 404], "{level}");
        let regrant = change(&user, &id, &[Field::Text("grants", "[]")]).await.status;
        assert_eq!(regrant, if level == "owner" { 200 } else { 403 }, "{level}");
        if level == "owner" {
            // The change also removed the user's own grant; it is added again for the deletion below.
            assert_eq!(see(&user, &id).await, 404);
            change(&editor, &id, &[Field::Text("grants", &grants)]).await.ok();
        }
        assert_eq!(user.delete(&format!("{SKILLS}/{id}")).await.status, deleted, "{level}");
    }
    let tenant = &server.user_person().tenant;
    let id =
        skill(&editor, "All", &[("visibility", "shared"), ("grants", &grant("tenant", tenant, "editor"))])
            .await;
    assert_eq!(may(&user, &id).await, [200, 403]);
}

#[tokio::test]
async fn skill_with_grants_is_not_reported_as_private() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let grants = grant("user", &server.user_person().id, "viewer");
    let id = skill(&editor, "Ours", &[("visibility", "private"), ("grants", &grants)]).await;
    assert_eq!(editor.get(&format!("{SKILLS}/{id}")).await.ok()["visibility"], "shared");
    let private = Field::Text("visibility", "private");
    assert_eq!(change(&editor, &id, &[private]).await.faults(), ["body.visibility"]);
    assert_eq!(see(&user, &id).await, 200);
    let mine =
        change(&editor, &id, &[Field::Text("visibility", "private"), Field::Text("grants", "[]")]).await;
    assert_eq!(mine.ok()["visibility"], "private");
    assert_eq!(see(&user, &id).await, 404);
}

#[tokio::test]
async fn administrators_manage_shared_skills() {
    let server = TestServer::start().await;
    let id = skill(&server.editor(), "Shared", &[]).await;
    assert_eq!(may(&server.user(), &id).await, [403, 403]);
    server.user().delete(&format!("{SKILLS}/{id}")).await.problem(403, "not_allowed");
    assert_eq!(may(&server.admin(), &id).await, [200, 200]);
    server.admin().delete(&format!("{SKILLS}/{id}")).await.no_content();
    assert_eq!(see(&server.editor(), &id).await, 404);
}

#[tokio::test]
async fn skill_that_the_user_cannot_see_is_not_used() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let secret = skill(&editor, "Secret", &[("visibility", "private")]).await;
    let open = skill(&editor, "Open", &[]).await;
    let talk = text(&user.post("/api/conversations", json!({})).await.created()["id"]);
    let path = format!("/api/conversations/{talk}/skills");
    user.post(&format!("{path}/{secret}"), Value::Null).await.not_found();
    let on = user.post(&format!("{path}/{open}"), Value::Null).await.ok();
    assert_eq!((&on["items"][0]["name"], &on["items"][0]["functions"]), (&json!("Open"), &json!([])));
    // After the user loses access, the skill is no longer shown as enabled.
    change(&editor, &open, &[Field::Text("visibility", "private")]).await.ok();
    assert_eq!(user.get(&path).await.ok()["items"], json!([]));
}

#[tokio::test]
async fn publish_refuses_drafts_of_others() {
    let server = TestServer::start().await;
    let assistant = editor_assistant(&server.editor()).await;
    let path = format!("/api/skills/assistants/{assistant}/build");
    let draft = server.editor().post(&path, json!({"prompt": "Be kind."})).await.expect(202).json();
    let job = text(&draft["job_id"]);
    let words = words("X");
    for (client, status) in [(server.admin(), 404), (server.stranger(), 404)] {
        let fields = [Field::Text("draft_assistant_id", &assistant), Field::Text("draft_job_id", &job)];
        assert_eq!(form(&client, Method::POST, SKILLS, &fields).await.status, status);
    }
    upload(&server.editor(), "SKILL.md", words.as_bytes()).await.created();
}

async fn editor_assistant(editor: &Client) -> String {
    text(&editor.post("/api/assistants", json!({"name": "Mine"})).await.created()["id"])
}
