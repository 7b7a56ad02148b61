//! Disabling an assistant stops all of its runs and no others.

use reqwest::Method;
use serde_json::{Value, json};
use storage::records::{Assistant, Recovery, RunState};

use super::scene::{assistant, at, disable, live};
use crate::api::automations::acting;
use crate::api::skills::builder;
use crate::api::skills::scene::upload;
use crate::api::streams::reading::{Stream, ask, asking, attach, conversation, messages, server, terminal};
use crate::api::usage::scene::tenant;
use crate::api::workflows::scene::{Run, approval, workflow_for};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, text, until};

const SLOW: [(&str, u64); 2] = [("length", 5_000), ("pace_ms", 20)];

fn slow() -> Value {
    SLOW.into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Asks an assistant in a new conversation and waits for its first word.
async fn begun(client: &Client, assistant: &str) -> (String, Stream) {
    let home = conversation(client).await;
    let mut stream = ask(client, &home, json!({"message": "Hello?", "assistant_id": assistant})).await;
    stream.until("text.delta").await;
    (home, stream)
}

fn ended(events: &[Value], by: &str) {
    let end = terminal(events);
    assert_eq!(
        (end["status"].as_str(), end["cancelled_by"].as_str()),
        (Some("cancelled"), Some(by)),
        "{end}"
    );
}

#[tokio::test]
async fn disable_stops_running_answers() {
    let server = server().await;
    let (admin, user) = (server.admin(), server.user());
    let by = server.admin_person().id.clone();
    let ada = assistant(&server.editor(), "Ada", slow()).await;
    let other = assistant(&server.editor(), "Other", slow()).await;
    let (home, stream) = begun(&user, &ada).await;
    let (away, unharmed) = begun(&user, &other).await;
    let body =
        json!({"assistant_id": ada, "stream": true, "messages": [{"role": "user", "content": "Hello?"}]});
    let mut alone =
        Stream::open(server.editor().request(Method::POST, "/api/chat/completion").json(&body)).await;
    alone.until("text.delta").await;

    let told = disable(&admin, &ada).await;
    assert_eq!(
        (&told["stopped_runs"], &told["enabled"], &told["changed"]),
        (&json!(2), &json!(false), &json!(true))
    );
    for stream in [stream, alone] {
        ended(&stream.events().await, &by);
    }
    assert!(live(&server, &ada).is_empty());
    assert_eq!(live(&server, &other).len(), 1);
    // The text generated so far is kept.
    let kept = messages(&user, &home).await;
    assert_eq!(kept.last().expect("an answer")["status"], "stopped");
    let again = asking(&user, &home, json!({"message": "Hello?", "assistant_id": ada}));
    Client::send(again).await.problem(403, "assistant_disabled");
    let body = json!({"assistant_id": ada, "messages": [{"role": "user", "content": "Hello?"}]});
    user.post("/api/chat/completion", body).await.problem(403, "assistant_disabled");
    user.delete(&format!("/api/conversations/{away}/streams/{}", unharmed.id)).await.ok();
    server.stored().await;
}

#[tokio::test]
async fn disable_stops_waiting_workflows_and_automations() {
    let server = server().await;
    let (admin, editor) = (server.admin(), server.editor());
    let flow = workflow_for(&editor, approval(None), "tenant").await;
    let waiting = Run::start(&server.user(), &flow, json!({})).await;
    waiting.watch(&server.user()).await.until("node.waiting").await;
    let told = disable(&admin, &flow).await;
    assert_eq!(told["stopped_runs"], 1);
    ended(&waiting.events(&server.user()).await, &server.admin_person().id);
    let path = format!("/api/workflows/{flow}/runs");
    editor.post(&path, json!({})).await.problem(403, "assistant_disabled");

    let ada = assistant(&editor, "Ada", slow()).await;
    let made = acting::make(&editor, acting::by_hand(&ada)).await;
    let run = acting::until(&editor, &acting::start(&editor, &made).await, "running").await;
    let (home, stream) = (text(&run["conversation_id"]), text(&run["stream_id"]));
    let mut answer = attach(&editor, &home, &stream, "").await;
    answer.until("text.delta").await;
    // The tick of the automation and the answer that it waits for.
    assert_eq!(disable(&admin, &ada).await["stopped_runs"], 2);
    ended(&answer.events().await, &server.admin_person().id);
    acting::until(&editor, &run, "cancelled").await;
    editor.post(&format!("{}/run", acting::path(&made)), json!({})).await.problem(403, "assistant_disabled");
    let shown = editor.get(&acting::path(&made)).await.ok();
    assert_eq!(shown["enabled"], true, "the automation stays enabled while its assistant is disabled");
}

#[tokio::test]
async fn enable_does_not_resume_stopped_runs() {
    let server = server().await;
    let (admin, user) = (server.admin(), server.user());
    let ada = assistant(&server.editor(), "Ada", slow()).await;
    let (home, stream) = begun(&user, &ada).await;
    disable(&admin, &ada).await;
    stream.events().await;
    let told = admin.post(&at(&ada, "enable"), json!({})).await.ok();
    assert_eq!((&told["enabled"], &told["disabled_reason"]), (&json!(true), &Value::Null));
    assert!(live(&server, &ada).is_empty());
    assert_eq!(messages(&user, &home).await.last().expect("an answer")["status"], "stopped");
    let mut stream = ask(&user, &home, json!({"message": "Hello?", "assistant_id": ada})).await;
    stream.until("text.delta").await;
    user.delete(&format!("/api/conversations/{home}/streams/{}", stream.id)).await.ok();
}

/// If the server stops after the assistant was disabled and before its runs were stopped, the runs do not resume.
#[tokio::test]
async fn runs_of_a_disabled_assistant_do_not_resume_after_a_restart() {
    let server = server().await;
    let user = server.user();
    let (ada, flow) = (
        assistant(&server.editor(), "Ada", slow()).await,
        workflow_for(&server.editor(), approval(None), "tenant").await,
    );
    server.editor().patch(&format!("/api/assistants/{ada}"), json!({"recovery": "continue"})).await.ok();
    let (home, stream) = begun(&user, &ada).await;
    let waiting = Run::start(&user, &flow, json!({})).await;
    waiting.watch(&user).await.until("node.waiting").await;
    let (here, ids) = (tenant(server.admin_person()), [ada.clone(), flow.clone()]);
    let disabled = server.store().run(move |tx| {
        for id in &ids {
            let mut row = tx.require::<Assistant>(here, &id.parse().expect("an id"))?;
            assert!(row.recovery.is_none_or(|recovery| recovery == Recovery::Continue));
            row.enabled = false;
            tx.update(here, row)?;
        }
        Ok::<_, storage::Error>(())
    });
    disabled.await.expect("it is written");
    let server = server.restart().await;
    let user = server.user();
    let events = attach(&user, &home, &stream.id, "").await.events().await;
    assert_eq!(terminal(&events)["status"], "cancelled");
    assert_eq!(terminal(&waiting.events(&user).await)["status"], "cancelled");
    for assistant in [&ada, &flow] {
        assert!(live(&server, assistant).iter().all(|run| run.state != RunState::Running));
    }
}

/// Ingest of an assistant's own files continues.
#[tokio::test]
async fn disable_lets_ingests_continue() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, "Ada", json!({})).await;
    let body = json!({"title": "Tides", "content": "High water comes twice a day. ".repeat(200)});
    let added = editor.post(&format!("/api/assistants/{ada}/content"), body).await;
    assert!(added.status < 300, "{added:?}");
    assert_eq!(disable(&server.admin(), &ada).await["stopped_runs"], 0);
    let files = async || editor.get(&format!("/api/assistants/{ada}/files")).await.ok();
    until("it is read", async || files().await["items"][0]["status"] == "ready").await;
}

const FOREVER: &str = r#"
const skill = { name: "Ledger", description: "Keeps entries.", services: ["data"] };
const functions = {
  stay: { description: "Stays.", async run(args, host) { await host.data.create({ begun: true }); for (;;) {} } },
  add: { description: "Adds.", run: (args, host) => host.data.create({ late: true }) },
};
"#;

/// Function calls are not runs. Both running and postponed calls are stopped all the same.
#[tokio::test]
async fn disable_stops_function_calls() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    let skill = text(&upload(&editor, "ledger.js", FOREVER.as_bytes()).await.created()["id"]);
    let body = json!({"name": "Clerk", "visibility": "tenant", "skills": [skill]});
    let clerk = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let path = format!("/api/assistants/{clerk}");
    editor.put(&format!("{path}/approved-external-services"), json!({"services": ["data"]})).await.ok();
    let talk = conversation(&editor).await;
    let calls = ["stay".to_owned(), format!("add?delay=60&conversation_id={talk}")];
    let mut feed = Stream::open(
        editor
            .request(Method::GET, &format!("/api/conversations/{talk}"))
            .header("accept", "text/event-stream"),
    )
    .await;
    let calls = calls.map(|call| {
        let (editor, path) = (editor.clone(), format!("{path}/functions/{call}"));
        tokio::spawn(async move { editor.post(&path, json!({})).await })
    });
    while !feed.frame().await.expect("the feed goes on").contains("function.started") {}
    until("the function has begun", async || {
        editor.get(&format!("{path}/data")).await.ok()["items"] != json!([])
    })
    .await;
    disable(&admin, &clerk).await;
    for call in calls {
        let told = call.await.expect("no panic").problem(403, "assistant_disabled");
        assert_eq!(told["detail"], "This assistant is disabled: It talks too much.");
    }
    let items = editor.get(&format!("{path}/data")).await.ok()["items"].clone();
    assert_eq!(items.as_array().map(Vec::len), Some(1), "{items}");
}

/// Every operation that lets a model or a script work for the assistant is refused with the reason.
#[tokio::test]
async fn disabled_assistant_is_refused_by_every_operation_with_the_reason() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    let ada = assistant(&editor, "Ada", json!({})).await;
    let flow = workflow_for(&editor, approval(None), "tenant").await;
    let made = acting::make(&editor, acting::by_hand(&ada)).await;
    for id in [&ada, &flow] {
        disable(&admin, id).await;
    }
    let said = "This assistant is disabled: It talks too much.";
    let hello = json!([{"role": "user", "content": "Hello?"}]);
    let box_body =
        json!({"instruction": "Double it.", "inputs": {"n": "number"}, "outputs": {"twice": "number"}});
    for (path, body) in [
        ("/api/chat/completion".to_owned(), json!({"assistant_id": ada, "messages": hello})),
        (format!("/api/skills/assistants/{ada}/build"), json!({"prompt": "Count."})),
        (format!("/api/workflows/assistants/{flow}/ai_code_box/build"), box_body),
        (format!("/api/workflows/{flow}/runs"), json!({})),
        (format!("/api/workflows/{flow}/debug/play"), json!({})),
        (format!("{}/run", acting::path(&made)), json!({})),
    ] {
        let told = editor.post(&path, body).await.problem(403, "assistant_disabled");
        assert_eq!(told["detail"], said, "{path}");
    }
    for (path, body) in [
        ("embeddings", json!({"input": "Hello?"})),
        ("v1/embeddings", json!({"input": "Hello?"})),
        ("chat/completions", json!({"model": "default", "messages": hello})),
    ] {
        let answer = editor.post(&format!("/api/chat/partner_compatible/{ada}/{path}"), body).await;
        let error = answer.expect(403).json()["error"].clone();
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!("assistant_disabled"), &json!(said)),
            "{path}"
        );
    }
    // Operations that editors use to read and change the assistant remain available.
    let path = format!("/api/assistants/{ada}");
    editor.patch(&path, json!({"description": "Quieter now."})).await.ok();
    editor.post(&format!("{path}/avatar/generate"), json!({})).await.ok();
    editor.get(&format!("/api/chat/partner_compatible/{ada}/models")).await.ok();
    editor.get(&format!("/api/skills/assistant/{ada}/build/history")).await.ok();
}

#[tokio::test]
async fn disable_stops_skill_builds() {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(|settings| settings.providers = vec![config]).await;
    let editor = server.editor();
    let body = json!({"name": "Builder", "model": "fake/slow", "visibility": "tenant"});
    let id = text(&editor.post("/api/assistants", body).await.created()["id"]);
    builder::build(&editor, &id, json!({"prompt": "Count."})).await;
    until("the model is asked", async || provider.open() > 0).await;
    assert_eq!(disable(&server.admin(), &id).await["stopped_runs"], 1);
    provider.idle().await;
    assert!(live(&server, &id).is_empty());
}
