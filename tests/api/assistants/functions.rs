//! Functions of an assistant's skills, called directly over the API.

use reqwest::Method;
use serde_json::{Value, json};
use storage::records::{Assistant, Skill};
use storage::{Row, TenantId};

use crate::api::skills::scene::{bundle, upload};
use crate::api::streams::reading::Stream;
use crate::harness::{Client, TestServer, text};

const SCRIPT: &str = r#"
const skill = { name: "Ledger", description: "Keeps entries.", services: ["data", "web:api.example.org"] };
const functions = {
  add: {
    description: "Adds an entry.",
    parameters: { type: "object", properties: { sum: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
      required: ["sum"], additionalProperties: false },
    async run(args, host) {
      host.log("adding", args.sum);
      const item = await host.data.create(args);
      return { id: item.id, count: (await host.data.query({ limit: 1000 })).items.length };
    },
  },
  twice: { description: "Also twice.", run: ({ n }) => n + n },
  fall: { description: "Falls.", run() {
    console.log("falling");
    throw new RangeError("too deep");
  } },
};
"#;

/// Creates an assistant of the editor with both skills, usable by everybody in the tenant.
async fn scene(server: &TestServer) -> String {
    let editor = server.editor();
    let doubling = text(&upload(&editor, "double.skill", &bundle()).await.created()["id"]);
    let ledger = text(&upload(&editor, "ledger.js", SCRIPT.as_bytes()).await.created()["id"]);
    let body = json!({"name": "Clerk", "visibility": "tenant", "skills": [doubling, ledger]});
    text(&editor.post("/api/assistants", body).await.created()["id"])
}

fn at(assistant: &str, function: &str) -> String {
    format!("/api/assistants/{assistant}/functions/{function}")
}

async fn approve(client: &Client, assistant: &str, services: &[&str]) {
    let path = format!("/api/assistants/{assistant}/approved-external-services");
    client.put(&path, json!({"services": services})).await.ok();
}

#[tokio::test]
async fn functions_are_listed_and_called_by_name() {
    let server = TestServer::start().await;
    let (id, user) = (scene(&server).await, server.user());
    let listed = user.get(&format!("/api/assistants/{id}/functions")).await.ok();
    let items = listed["items"].as_array().expect("items");
    let names: Vec<_> = items.iter().map(|item| text(&item["name"])).collect();
    // Both skills have a function `twice`, so each function is named after its skill.
    assert_eq!(names, ["doubling_twice", "add", "ledger_twice", "fall"]);
    assert_eq!(
        (&items[1]["skill_name"], &items[1]["parameters"]["required"]),
        (&json!("Ledger"), &json!(["sum"]))
    );
    let skills = user.get(&format!("/api/assistants/{id}/skills")).await.ok();
    let names: Vec<_> =
        skills["items"].as_array().expect("items").iter().map(|item| text(&item["name"])).collect();
    assert_eq!(names, ["Doubling", "Ledger"]);

    let ran = user.post(&at(&id, "doubling_twice"), json!({"arguments": {"n": 21}})).await.ok();
    assert_eq!((&ran["result"], &ran["logs"]), (&json!({"twice": 42}), &json!([])));
    assert!(ran["elapsed_ms"].is_u64());
    let ran = user.post(&at(&id, "ledger_twice"), json!({"arguments": {"n": "ab"}})).await.ok();
    assert_eq!(ran["result"], json!("abab"));
    user.post(&at(&id, "twice"), json!({})).await.not_found();
    user.post(&at(&id, "toString"), json!({})).await.not_found();
}

#[tokio::test]
async fn function_call_requires_approval_of_its_services() {
    let server = TestServer::start().await;
    let (id, user, editor) = (scene(&server).await, server.user(), server.editor());
    let body = json!({"arguments": {"sum": 5, "tags": ["a"]}});
    let refusal = user.post(&at(&id, "add"), body.clone()).await.problem(500, "function_failed");
    assert!(text(&refusal["detail"]).contains("the service `data` is not approved"), "{refusal}");
    assert_eq!((&refusal["file"], &refusal["logs"]), (&json!("ledger.js"), &json!(["adding 5"])));

    approve(&editor, &id, &["data"]).await;
    assert_eq!(user.post(&at(&id, "add"), body.clone()).await.ok()["result"]["count"], json!(1));
    assert_eq!(user.post(&at(&id, "add"), body.clone()).await.ok()["result"]["count"], json!(2));
    let kept = editor.get(&format!("/api/assistants/{id}/data")).await.ok();
    assert_eq!(kept["items"][0]["data"], json!({"sum": 5, "tags": ["a"]}));
    // The data schema of the assistant also applies to items that functions write.
    let schema = json!({"type": "object", "properties": {"sum": {"maximum": 5}}});
    editor.patch(&format!("/api/assistants/{id}"), json!({"data_schema": schema})).await.ok();
    let refusal =
        user.post(&at(&id, "add"), json!({"arguments": {"sum": 6}})).await.problem(500, "function_failed");
    assert!(text(&refusal["detail"]).contains("data.sum"), "{refusal}");

    approve(&editor, &id, &[]).await;
    user.post(&at(&id, "add"), body).await.problem(500, "function_failed");
}

#[tokio::test]
async fn function_call_reports_every_fault_of_its_arguments() {
    let server = TestServer::start().await;
    let (id, user) = (scene(&server).await, server.user());
    let body = json!({"arguments": {"tags": ["a", 1], "other": 2}});
    let places = user.post(&at(&id, "add"), body).await.faults();
    assert_eq!(places, ["body.arguments", "body.arguments", "body.arguments.tags.1"]);
    for (path, body) in [
        (at(&id, "add"), json!({"arguments": [1]})),
        (format!("{}?delay=61", at(&id, "add")), json!({})),
        (format!("{}?delay=-1", at(&id, "add")), json!({})),
        (format!("{}?conversation_id=x", at(&id, "add")), json!({})),
        (format!("{}?file_progress_name={}", at(&id, "add"), "x".repeat(201)), json!({})),
    ] {
        user.post(&path, body).await.problem(422, "invalid");
    }
}

#[tokio::test]
async fn function_failures_report_their_location() {
    let server = TestServer::start().await;
    let (id, user) = (scene(&server).await, server.user());
    let refusal = user.post(&at(&id, "fall"), json!({})).await.problem(500, "function_failed");
    assert_eq!(refusal["detail"], json!("RangeError: too deep"));
    assert_eq!((&refusal["file"], &refusal["line"]), (&json!("ledger.js"), &json!(17)));
    assert_eq!(refusal["logs"], json!(["falling"]));
}

#[tokio::test]
async fn functions_can_be_called_by_users_of_the_assistant() {
    let server = TestServer::start().await;
    let (id, editor) = (scene(&server).await, server.editor());
    let list = format!("/api/assistants/{id}/functions");
    let body = json!({"arguments": {"n": 1}});
    let call = at(&id, "doubling_twice");
    for client in [server.user(), server.editor(), server.admin()] {
        client.get(&list).await.ok();
        client.post(&call, body.clone()).await.ok();
    }
    server.stranger().get(&list).await.not_found();
    server.stranger().post(&call, body.clone()).await.not_found();
    let reader = server.token(&["assistants:read"]).await;
    reader.get(&list).await.ok();
    reader.post(&call, body.clone()).await.problem(403, "scope_missing");
    let user_of = server.token(&["llm:use"]).await;
    user_of.get(&list).await.problem(403, "scope_missing");
    user_of.post(&call, body.clone()).await.ok();
    editor.patch(&format!("/api/assistants/{id}"), json!({"visibility": "private"})).await.ok();
    server.user().get(&list).await.not_found();
    server.user().post(&call, body.clone()).await.not_found();
    let tenant = TenantId(server.editor_person().tenant.parse().expect("an id"));
    let assistant = id.parse().expect("an id");
    let disable = server.store().run(move |tx| {
        let mut row: Row<Assistant> = tx.require(tenant, &assistant)?;
        row.enabled = false;
        tx.update(tenant, row)
    });
    disable.await.expect("it is there");
    editor.post(&call, body.clone()).await.problem(403, "assistant_disabled");
    editor.delete(&format!("/api/assistants/{id}")).await.ok();
    editor.post(&call, body).await.not_found();
}

/// Returns the next event of a feed.
async fn next(feed: &mut Stream) -> Value {
    loop {
        let frame = feed.frame().await.expect("the feed goes on");
        if let Some(data) = frame.lines().find_map(|line| line.strip_prefix("data: ")) {
            return serde_json::from_str(data).expect("JSON");
        }
    }
}

#[tokio::test]
async fn conversation_feed_shows_running_function_calls() {
    let server = TestServer::start().await;
    let (id, user) = (scene(&server).await, server.user());
    let talk = text(&user.post("/api/conversations", json!({})).await.created()["id"]);
    let open = || {
        let request = user.request(Method::GET, &format!("/api/conversations/{talk}"));
        Stream::open(request.header("accept", "text/event-stream"))
    };
    let mut feed = open().await;
    assert_eq!(next(&mut feed).await["type"], "feed.opened");
    let path =
        format!("{}?conversation_id={talk}&delay=3&file_progress_name=Sums.xlsx", at(&id, "doubling_twice"));
    let (caller, body) = (server.user(), json!({"arguments": {"n": 1}}));
    let calling = tokio::spawn(async move { caller.post(&path, body).await });
    let begun = next(&mut feed).await;
    assert_eq!((&begun["type"], &begun["conversation_id"]), (&json!("function.started"), &json!(talk)));
    assert_eq!(
        (&begun["data"]["name"], &begun["data"]["function"]),
        (&json!("Sums.xlsx"), &json!("doubling_twice"))
    );
    // A tab that is opened now receives the running call as well.
    let mut other = open().await;
    assert_eq!(next(&mut other).await["data"], begun["data"]);
    assert_eq!(next(&mut other).await["type"], "feed.opened");
    for feed in [&mut feed, &mut other] {
        let ended = next(feed).await;
        assert_eq!((&ended["type"], &ended["data"]), (&json!("function.ended"), &begun["data"]));
    }
    calling.await.expect("no panic").ok();

    let foreign = text(&server.editor().post("/api/conversations", json!({})).await.created()["id"]);
    let path = format!("{}?conversation_id={foreign}", at(&id, "doubling_twice"));
    user.post(&path, json!({"arguments": {"n": 1}})).await.not_found();
}

#[tokio::test]
async fn functions_survive_a_restart_and_are_removed_with_their_skill() {
    let mut server = TestServer::start().await;
    let id = scene(&server).await;
    server = server.restart().await;
    let (user, editor) = (server.user(), server.editor());
    user.post(&at(&id, "doubling_twice"), json!({"arguments": {"n": 1}})).await.ok();
    // A deleted skill is skipped, even if an assistant still refers to it.
    let tenant = TenantId(server.editor_person().tenant.parse().expect("an id"));
    let assistant = editor.get(&format!("/api/assistants/{id}")).await.ok();
    let skill = text(&assistant["skills"][0]).parse().expect("an id");
    let gone = server.store().run(move |tx| tx.delete::<Skill>(tenant, &skill));
    assert!(gone.await.expect("the store writes"));
    let listed = user.get(&format!("/api/assistants/{id}/functions")).await.ok();
    let names: Vec<_> =
        listed["items"].as_array().expect("items").iter().map(|item| text(&item["name"])).collect();
    assert_eq!(names, ["add", "twice", "fall"]);
}
