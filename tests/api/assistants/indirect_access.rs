//! Rights that apply to every path of access.

use serde_json::{Value, json};

use crate::api::knowledge_bases::scene::{base, form, post_form, shown};
use crate::api::skills::scene::upload;
use crate::harness::{Client, TestServer, text};

const LEDGER: &str = r#"
const skill = { name: "Ledger", description: "Keeps entries.", services: ["data"] };
const functions = {
  count: { description: "Counts.", async run(_, host) { return (await host.data.query({ limit: 10 })).items.length; } },
};
"#;

/// Creates an assistant for everybody, with a skill that may read its only data item.
async fn clerk(editor: &Client) -> (String, String) {
    let skill = text(&upload(editor, "ledger.js", LEDGER.as_bytes()).await.created()["id"]);
    let body = json!({"name": "Clerk", "visibility": "tenant", "skills": [skill]});
    let clerk = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let path = format!("/api/assistants/{clerk}/approved-external-services");
    editor.put(&path, json!({"services": ["data"]})).await.ok();
    editor.post(&format!("/api/assistants/{clerk}/data"), json!({"data": {"salary": 1000}})).await.created();
    (clerk, skill)
}

/// Returns the result or the error of a function that the built-in model was asked to call.
async fn call_in_conversation(client: &Client, body: Value) -> Value {
    let conversation = text(&client.post("/api/conversations", json!({})).await.created()["id"]);
    client.post(&format!("/api/conversations/{conversation}/completion"), body).await.ok();
    let whole = client.get(&format!("/api/conversations/{conversation}")).await.ok();
    whole["messages"][1]["tool_calls"][0].clone()
}

#[tokio::test]
async fn approvals_apply_only_to_skills_of_the_assistant() {
    let server = TestServer::start().await;
    let (clerk, _) = clerk(&server.editor()).await;
    let question = |function: &str, skills: Value| json!({"message": format!("Use the function {function}"), "assistant_id": clerk, "skills": skills, "stream": false});
    let own = call_in_conversation(
        &server.user(),
        json!({"message": "Use the function count",
        "assistant_id": clerk, "stream": false}),
    )
    .await;
    assert_eq!((&own["name"], &own["output"]), (&json!("count"), &json!(1)), "{own}");

    // A user of the assistant who may not see its data attaches a skill of their own to the conversation.
    let admin = server.admin();
    admin.get(&format!("/api/assistants/{clerk}")).await.ok();
    let spy = LEDGER.replace("Ledger", "Spy").replace("count:", "spy:");
    let spy = text(&upload(&admin, "spy.js", spy.as_bytes()).await.created()["id"]);
    let told = call_in_conversation(&admin, question("spy", json!([spy]))).await;
    assert_eq!(told["name"], "spy", "{told}");
    assert!(text(&told["error"]).contains("not approved"), "{told}");
}

#[tokio::test]
async fn changed_code_of_a_skill_requires_a_new_approval() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (clerk, skill) = clerk(&editor).await;
    let approved = async || {
        editor.get(&format!("/api/assistants/{clerk}")).await.ok()["approved_external_services"].clone()
    };
    let change = async |code: &str| {
        let body = form(&[], &[("ledger.js", "text/javascript", code.as_bytes())]);
        let request = editor.request(reqwest::Method::PUT, &format!("/api/skills/global/{skill}"));
        let request = request.header("content-type", "multipart/form-data; boundary=x").body(body);
        Client::send(request).await.ok();
    };
    change(LEDGER).await;
    assert_eq!(approved().await, json!(["data"]), "the same code was treated as changed");
    change(&LEDGER.replace("limit: 10", "limit: 100")).await;
    assert_eq!(approved().await, json!([]));
}

#[tokio::test]
async fn token_with_assistant_scopes_cannot_access_knowledge_bases() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let kept = base(&admin, json!({"name": "Secrets"})).await;
    let body = json!({"name": "Clerk", "knowledge_bases": [kept]});
    let clerk = text(&admin.post("/api/assistants", body).await.created()["id"]);
    let token = server.token(&["assistants:read", "assistants:write"]).await;
    let path = format!("/api/assistants/{clerk}/knowledge-bases/{kept}");
    token.put(&path, json!({"visibility": "tenant"})).await.expect(403);
    assert_eq!(shown(&admin, &kept).await["visibility"], "private");

    // A token for knowledge bases cannot change the assistant's own knowledge.
    let files = format!("/api/assistants/{clerk}/files?wait=true");
    let own = post_form(&admin, &files, form(&[], &[("a.md", "text/markdown", b"# Tides")])).await.created();
    let own = text(&own["files"][0]["knowledge_base_id"]);
    let token = server.token(&["knowledge:read", "knowledge:write"]).await;
    let link = json!({"url": "http://127.0.0.1:9/"});
    token.post(&format!("/api/knowledge-bases/{own}/links"), link).await.expect(403);
    assert_eq!(admin.get(&format!("/api/assistants/{clerk}")).await.ok()["web_links"], json!([]));
}

#[tokio::test]
async fn file_format_is_not_determined_by_the_title() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let kept = base(&editor, json!({"name": "Prices"})).await;
    let path = format!("/api/knowledge-bases/{kept}/files?wait=true");
    let table = b"name;price\nBolt;3\nNut;2\n";
    let body = form(&[("title", "Prices")], &[("q.csv", "text/plain", table)]);
    let made = post_form(&editor, &path, body).await.created();
    assert_eq!(
        (&made["items"][0]["title"], &made["items"][0]["media_type"]),
        (&json!("Prices"), &json!("text/csv"))
    );
}
