//! What readers of a run can see if they may use the workflow but not edit it.

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{Closed, Run, graph, in_node, node, of_type, outputs, runs, workflow_for};
use crate::api::projects::scene::{id as project_id, let_in, member, project};
use crate::api::streams::reading::{Stream, address, attach, lines, server, terminal, without_gap};
use crate::api::streams::socket::{Frame, Socket};
use crate::harness::{Client, TestServer, text};

/// A text that only editors may see.
const SECRET: &str = "GRAPH-INTERNAL-7f3a";

/// `start` → `think` (with the secret in its input and output) → `go` (an event) → `set` → `say` → `done`.
fn concealed(waits: bool) -> Value {
    let mut nodes = vec![
        node("start", "start", json!({}), json!({})),
        node(
            "think",
            "template",
            json!({"text": format!("{SECRET} about {{{{ start.topic }}}}")}),
            json!({}),
        ),
        node("set", "set", json!({"note": "{{ think.text }}"}), json!({})),
        node("say", "answer", json!({"text": "Something about {{ start.topic }}."}), json!({})),
        node("done", "end", json!({"topic": "{{ start.topic }}"}), json!({})),
    ];
    let mut edges = vec!["set say", "say done"];
    if waits {
        nodes.push(node("go", "wait", json!({}), json!({"config": {"event": "go"}})));
        edges.extend(["start think", "think go", "go set"]);
    } else {
        edges.extend(["start think", "think set"]);
    }
    let mut graph = graph(json!({"topic": {"type": "string", "required": true}}), nodes, &edges);
    graph["vars"] = json!({"note": {"type": "string"}});
    graph
}

fn tides() -> Value {
    json!({"topic": "tides"})
}

fn grant(user: &str, level: &str) -> Value {
    json!([{"principal": {"kind": "user", "id": user}, "level": level}])
}

#[track_caller]
fn hides(what: &str, text: &str) {
    assert!(!text.contains(SECRET), "{what} discloses the graph: {text}");
}

/// Returns all text frames of a WebSocket up to its close.
async fn frames(client: &Client, path: &str) -> Vec<Value> {
    let mut socket = Socket::open(client, path).await;
    let mut heard = Vec::new();
    while let Frame::Text(event) = socket.hear().await {
        heard.push(event);
    }
    heard
}

#[tokio::test]
async fn streams_of_a_workflow_show_its_users_the_outline_in_every_encoding() {
    let server = server().await;
    let (editor, user) = (server.editor(), server.user());
    let assistant = workflow_for(&editor, concealed(false), "tenant").await;
    assert_eq!(user.get(&format!("/api/assistants/{assistant}")).await.ok()["workflow"], Value::Null);

    // Live, in the response to the start request.
    let request = user.request(Method::POST, &format!("{}?wire=events", runs(&assistant)));
    let live = Stream::open(request.json(&json!({"inputs": tides()}))).await;
    let location = live.header("content-location").expect("where it is").to_owned();
    let conversation = location.split('/').nth(3).expect("a conversation").to_owned();
    let stream = live.id.clone();
    let events = live.events().await;
    hides("the live stream", &json!(events).to_string());
    without_gap(&events, 0);
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert_eq!(outputs(&events), tides());
    assert_eq!(in_node(&events, "node.started", "think"), &json!({"inputs": {}, "attempt": 1}));
    let finished = in_node(&events, "node.finished", "think");
    assert_eq!((&finished["status"], &finished["outputs"]), (&json!("succeeded"), &json!({})), "{finished}");
    assert!(finished["elapsed_ms"].is_u64(), "{finished}");
    assert_eq!(of_type(&events, "text.delta")[0]["data"]["text"], "Something about tides.");

    // Replayed, in every encoding.
    let replayed = attach(&user, &conversation, &stream, "").await.events().await;
    assert_eq!(replayed, events);
    for query in
        ["?wire=ndjson", "?wire=ui-message", "?wire=openai", "?wire=responses", "?after=3", "?fold=true"]
    {
        let text = attach(&user, &conversation, &stream, query).await.rest().await;
        hides(query, &text);
        if query == "?wire=ndjson" {
            assert_eq!(lines(&text), events);
        }
    }
    assert_eq!(frames(&user, &address(&conversation, &stream)).await, events);

    // The stored messages.
    hides(
        "the conversation",
        &user.get(&format!("/api/conversations/{conversation}")).await.ok().to_string(),
    );
    let waited = user.post(&runs(&assistant), json!({"inputs": tides(), "mode": "wait"})).await.ok();
    hides("the answer", &waited.to_string());

    // Editors see everything of their own runs.
    let own = Run::start(&editor, &assistant, tides()).await;
    let own = own.events(&editor).await;
    assert!(text(&in_node(&own, "node.finished", "think")["outputs"]["text"]).contains(SECRET));
    assert!(text(&in_node(&own, "node.finished", "set")["outputs"]["note"]).contains(SECRET));
    assert_eq!(own.len(), events.len(), "the outline contains every event");
}

#[tokio::test]
async fn streams_of_a_workflow_show_members_of_a_project_what_they_may_see_of_the_assistant() {
    let server = server().await;
    let (admin, editor, user) = (server.admin(), server.editor(), server.user());
    // The assistant belongs to the administrator; the user may edit it, and the editor of the tenant may only use it.
    let body = json!({"name": "Flow", "type": "workflow", "workflow": concealed(false), "visibility": "tenant",
        "grants": grant(&server.user_person().id, "editor")});
    let assistant = text(&admin.post("/api/assistants", body).await.created()["id"]);
    let project = project(&user, "Tides").await;
    let_in(&user, &project, json!([member("user", &server.editor_person().id, "viewer")])).await;
    let body = json!({"project_id": project_id(&project)});
    let home = text(&user.post("/api/conversations", body).await.created()["id"]);
    let body = json!({"inputs": tides(), "conversation_id": home, "mode": "wait"});
    let run = Run::of(&assistant, &user.post(&runs(&assistant), body).await.ok());
    assert!(json!(run.events(&user).await).to_string().contains(SECRET), "its editor sees it");
    let seen = run.events(&editor).await;
    hides("the stream of another's conversation", &json!(seen).to_string());
    without_gap(&seen, 0);
    hides(
        "another's conversation",
        &editor.get(&format!("/api/conversations/{home}")).await.ok().to_string(),
    );
    let seen = frames(&editor, &address(&home, &run.stream)).await;
    hides("the WebSocket of another's conversation", &json!(seen).to_string());
}

/// Starts a waiting run of the user, of an assistant of the editor that the user may edit at first.
async fn waiting(server: &TestServer) -> (String, Run) {
    let (editor, user) = (server.editor(), server.user());
    let body = json!({"name": "Flow", "type": "workflow", "workflow": concealed(true), "visibility": "shared",
        "grants": grant(&server.user_person().id, "editor")});
    let assistant = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let run = Run::start(&user, &assistant, tides()).await;
    run.until_state(&user, "waiting").await;
    (format!("/api/assistants/{assistant}"), run)
}

#[tokio::test]
async fn streams_of_a_workflow_follow_the_rights_of_a_reader_who_is_attached() {
    let server = server().await;
    let (editor, user) = (server.editor(), server.user());
    let (path, run) = waiting(&server).await;
    let mut stream = run.watch(&user).await;
    let mut socket = Socket::open(&user, &address(&run.conversation, &run.stream)).await;
    let mut before = Vec::new();
    loop {
        let event = stream.event().await.expect("it goes on");
        assert_eq!(socket.hear().await, Frame::Text(event.clone()));
        before.push(event);
        if before.last().is_some_and(|event| event["type"] == "run.waiting") {
            break;
        }
    }
    assert!(text(&in_node(&before, "node.finished", "think")["outputs"]["text"]).contains(SECRET));
    let body = json!({"grants": grant(&server.user_person().id, "viewer")});
    editor.patch(&path, body).await.ok();
    user.post(&run.path("resume"), json!({"event": "go"})).await.ok();
    let after = stream.events().await;
    hides("a stream after the right was taken", &json!(after).to_string());
    assert_eq!(of_type(&after, "variable.changed").len(), 1);
    without_gap(&[before, after.clone()].concat(), 0);
    for event in &after {
        assert_eq!(socket.hear().await, Frame::Text(event.clone()));
    }
    assert_eq!(socket.hear().await, Frame::Close(1000));
    hides("a replay after the right was taken", &json!(run.events(&user).await).to_string());
}

#[tokio::test]
async fn errors_of_nodes_are_shown_to_editors_only() {
    let server = server().await;
    let (editor, user) = (server.editor(), server.user());
    let closed = Closed::find();
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("fetch", "http", json!({"url": format!("{}{SECRET}", closed.url)}), json!({})),
        node("done", "end", json!({"status": "{{ fetch.status }}"}), json!({})),
    ];
    let broken = graph(json!({}), nodes, &["start fetch", "fetch done"]);
    let assistant = workflow_for(&editor, broken, "tenant").await;
    let start = json!({"inputs": {}, "mode": "wait"});
    let told = user.post(&runs(&assistant), start.clone()).await.ok();
    let error = &told["error"];
    assert_eq!((&error["code"], &error["node_id"]), (&json!("http_connect"), &json!("fetch")), "{told}");
    assert_eq!(error["message"], "the node fetch failed (http_connect)");
    let run = Run::of(&assistant, &told);
    let events = run.events(&user).await;
    assert_eq!(terminal(&events)["error"]["message"], "the node fetch failed (http_connect)");
    assert_eq!(
        in_node(&events, "node.finished", "fetch")["error"]["message"],
        "the node failed (http_connect)"
    );
    let stopped = user.post(&run.path("cancel"), json!({})).await.ok();
    assert_eq!(stopped["terminal"]["error"]["message"], "the node fetch failed (http_connect)");
    let shown = user.get(&format!("/api/conversations/{}", run.conversation)).await.ok();
    assert!(shown.to_string().contains("the node fetch failed (http_connect)"), "{shown}");
    let own = editor.post(&runs(&assistant), start).await.ok();
    assert!(text(&own["error"]["message"]).starts_with("fetch: "), "{own}");
}

#[tokio::test]
async fn runs_started_by_a_workflow_show_their_inputs_only_to_editors_of_both() {
    let server = server().await;
    let (editor, user) = (server.editor(), server.user());
    // A workflow that the user may edit, started by one that the user may only use.
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("done", "end", json!({"length": "{{ start.text | length }}"}), json!({})),
    ];
    let inner = graph(json!({"text": {"type": "string", "required": true}}), nodes, &["start done"]);
    let body = json!({"name": "Inner", "type": "workflow", "workflow": inner, "visibility": "tenant",
        "grants": grant(&server.user_person().id, "editor")});
    let child = text(&server.admin().post("/api/assistants", body).await.created()["id"]);
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("call", "workflow", json!({"text": SECRET}), json!({"config": {"assistant_id": child}})),
        node("done", "end", json!({"length": "{{ call.length }}"}), json!({})),
    ];
    let outer = workflow_for(&editor, graph(json!({}), nodes, &["start call", "call done"]), "tenant").await;
    let run = Run::start(&user, &outer, json!({})).await;
    let events = run.events(&user).await;
    assert_eq!(outputs(&events), json!({"length": SECRET.len()}));
    let waits = &in_node(&events, "node.waiting", "call");
    let (home, stream) = (text(&waits["conversation_id"]), text(&waits["run_id"]));
    let inner = attach(&user, &home, &stream, "").await.events().await;
    hides("the stream of the inner run", &json!(inner).to_string());
    hides("its conversation", &user.get(&format!("/api/conversations/{home}")).await.ok().to_string());
    // A run that the user starts directly is shown to them completely.
    let own = Run::start(&user, &child, json!({"text": SECRET})).await;
    assert!(json!(own.events(&user).await).to_string().contains(SECRET));
}
