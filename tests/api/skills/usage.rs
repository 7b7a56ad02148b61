//! The assistants and workflows that use a skill, and its deletion.

use serde_json::{Value, json};

use super::scene::{SKILLS, bundle, names, skill, upload};
use crate::harness::{Client, TestServer, text};

async fn assistant(client: &Client, body: Value) -> String {
    text(&client.post("/api/assistants", body).await.created()["id"])
}

#[tokio::test]
async fn usage_lists_the_assistants_that_the_caller_can_see() {
    let server = TestServer::start().await;
    let (editor, admin) = (server.editor(), server.admin());
    let id = skill(&editor, "Used", &[]).await;
    let path = format!("{SKILLS}/{id}/assistants");
    assert_eq!(editor.get(&path).await.ok()["items"], json!([]));
    assistant(&editor, json!({"name": "Open", "skills": [id], "visibility": "tenant"})).await;
    assistant(&editor, json!({"name": "Closed", "skills": [id]})).await;
    assistant(&admin, json!({"name": "Admin's", "skills": [id]})).await;
    assistant(&editor, json!({"name": "Other"})).await;
    for (client, seen) in
        [(&editor, &["Open", "Closed"][..]), (&admin, &["Open", "Admin's"]), (&server.user(), &["Open"])]
    {
        let listed = client.get(&path).await.ok();
        assert_eq!(
            (names(&listed), &listed["total"]),
            (seen.iter().map(|name| (*name).to_owned()).collect(), &json!(3))
        );
    }
    server.stranger().get(&path).await.not_found();
}

#[tokio::test]
async fn delete_refuses_a_skill_in_use() {
    let server = TestServer::start().await;
    let (editor, user, admin) = (server.editor(), server.user(), server.admin());
    let made = upload(&editor, "double.skill", &bundle()).await.created();
    let id = text(&made["id"]);
    let path = format!("{SKILLS}/{id}");
    let own = assistant(&editor, json!({"name": "Own", "skills": [id]})).await;
    let other = assistant(&admin, json!({"name": "Other", "skills": [id]})).await;
    let talk = text(&user.post("/api/conversations", json!({})).await.created()["id"]);
    let switched = format!("/api/conversations/{talk}/skills/{id}");
    user.post(&switched, json!({})).await.ok();

    let refusal = editor.delete(&path).await.problem(409, "in_use");
    assert_eq!(refusal["assistants"][0]["id"], json!(own));
    assert_eq!((&refusal["other_assistants"], &refusal["other_conversations"]), (&json!(1), &json!(1)));
    assert_eq!(refusal["conversations"], json!([]), "conversations of others are not listed");
    assert!(!refusal.to_string().contains(&talk) && !refusal.to_string().contains(&other));

    editor.patch(&format!("/api/assistants/{own}"), json!({"skills": []})).await.ok();
    admin.delete(&format!("/api/assistants/{other}")).await.ok();
    let refusal = editor.delete(&path).await.problem(409, "in_use");
    assert_eq!(refusal["assistants"], json!([]), "assistants in the bin do not count");
    assert_eq!(editor.get(&path).await.ok(), made);
    user.delete(&switched).await.ok();
    editor.delete(&path).await.no_content();
    editor.get(&path).await.not_found();
    editor.delete(&path).await.not_found();
    // Uploading the same bundle creates a skill again.
    let again = upload(&editor, "double.skill", &bundle()).await.created();
    assert_ne!(again["id"], made["id"]);
}

#[tokio::test]
async fn delete_refuses_a_skill_that_a_workflow_names() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = skill(&editor, "Named", &[]).await;
    let graph = json!({"nodes": [{"id": "start", "type": "start"}, {"id": "done", "type": "end"}],
        "edges": [{"from": "start", "to": "done"}], "ui": {"skill": id}});
    let body = json!({"name": "Flow", "type": "workflow", "workflow": graph});
    let flow = assistant(&editor, body).await;
    let refusal = editor.delete(&format!("{SKILLS}/{id}")).await.problem(409, "in_use");
    assert_eq!(refusal["assistants"][0]["id"], json!(flow));
}
