//! Debugging workflows step by step.

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{
    Run, approval, graph, greeting, in_node, node, nodes_of, of_type, outputs, workflow, workflow_for,
    writing,
};
use crate::api::streams::reading::{Stream, server, terminal};
use crate::harness::{Client, text};

/// `start` → `a` → `b` → `c` → `done`, each a template that contains the output of the previous one.
pub fn chain() -> Value {
    let link = |id: &str, of: &str| {
        let text = format!("{} {{{{ {of} }}}}", id.to_uppercase());
        node(id, "template", json!({"text": text}), json!({}))
    };
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        link("a", "start.x"),
        link("b", "a.text"),
        link("c", "b.text"),
        node("done", "end", json!({"text": "{{ c.text }}"}), json!({})),
    ];
    let edges = ["start a", "a b", "b c", "c done"];
    graph(json!({"x": {"type": "string", "default": "x"}}), nodes, &edges)
}

/// The path of an operation of the debugger of an assistant.
pub fn at(assistant: &str, what: &str) -> String {
    format!("/api/workflows/{assistant}/debug/{what}")
}

/// Plays the workflow in the debugger and returns the response.
pub async fn play(client: &Client, assistant: &str, body: Value) -> Value {
    client.post(&at(assistant, "play"), body).await.expect(202).json()
}

/// Plays until the run is halted or has ended, and returns its events so far.
async fn played(client: &Client, assistant: &str, body: Value) -> (Run, Vec<Value>) {
    let told = play(client, assistant, body).await;
    let run = Run::of(assistant, &told);
    let after = told["last_seq"].as_u64().expect("a number");
    let events = halted(client, &run, after).await;
    (run, events)
}

/// Returns the events of a run until it is halted for the first time after `after`, or has ended.
pub async fn halted(client: &Client, run: &Run, after: u64) -> Vec<Value> {
    let mut live = run.watch(client).await;
    let mut events = Vec::new();
    while let Some(event) = live.event().await {
        let halts = event["type"] == "run.paused" && event["seq"].as_u64() > Some(after);
        events.push(event);
        if halts {
            break;
        }
    }
    events
}

/// Why a run is halted, and where.
fn pause(events: &[Value]) -> (&str, &Value) {
    let last = events.last().expect("an event");
    assert_eq!(last["type"], "run.paused", "{last}");
    (last["data"]["reason"].as_str().expect("a reason"), &last["data"]["node"])
}

#[tokio::test]
async fn breakpoint_halts_before_or_after_its_node() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let breakpoints = json!([{"node": "b", "when": "before"}, {"node": "c", "when": "after"}]);
    let (run, events) =
        played(&editor, &assistant, json!({"inputs": {"x": "1"}, "breakpoints": breakpoints})).await;
    assert_eq!(pause(&events).0, "breakpoint");
    let hit = &of_type(&events, "breakpoint.hit")[0]["data"];
    assert_eq!((&hit["node"], &hit["when"]), (&json!("b"), &json!("before")));
    assert_eq!(nodes_of(&events, "node.finished"), ["start", "a"]);
    assert!(!nodes_of(&events, "node.started").contains(&"b".to_owned()));

    let (again, events) = played(&editor, &assistant, json!({})).await;
    assert_eq!(again.stream, run.stream, "the run continues");
    assert_eq!(nodes_of(&events, "node.finished"), ["start", "a", "b", "c"]);
    let hit = &of_type(&events, "breakpoint.hit")[1]["data"];
    assert_eq!((&hit["node"], &hit["when"]), (&json!("c"), &json!("after")));

    let told = play(&editor, &assistant, json!({"breakpoints": []})).await;
    assert_eq!((&told["started"], &told["breakpoints"]), (&json!(false), &json!([])));
    let events = run.events(&editor).await;
    assert_eq!(outputs(&events), json!({"text": "C B A 1"}));
    assert!(!of_type(&events, "run.resumed").is_empty());
    let whole = editor.get(&format!("/api/conversations/{}", run.conversation)).await.ok();
    assert_eq!(whole["is_system"], true);
}

#[tokio::test]
async fn step_mode_runs_one_node_per_step() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let mut seen = Vec::new();
    for _ in 0..10 {
        let (run, events) = played(&editor, &assistant, json!({"mode": "step"})).await;
        seen.push(nodes_of(&events, "node.finished"));
        if events.last().expect("an event")["type"] == "run.ended" {
            assert_eq!(outputs(&run.events(&editor).await), json!({"text": "C B A x"}));
            break;
        }
        assert_eq!(pause(&events).0, "step");
    }
    let all = ["start", "a", "b", "c", "done"];
    for (at, finished) in seen.iter().enumerate() {
        assert_eq!(*finished, all[..finished.len()], "step {at}");
        let before = if at == 0 { 0 } else { seen[at - 1].len() };
        assert!(finished.len() <= before + 1, "step {at}: {seen:?}");
    }
    assert_eq!(seen.last().expect("steps").len(), all.len(), "{seen:?}");
}

#[tokio::test]
async fn until_mode_halts_at_a_node_and_survives_a_restart() {
    let server = server().await;
    let assistant = workflow(&server.editor(), chain()).await;
    let until = json!({"mode": "until", "until": "c", "inputs": {"x": "2"}});
    let (run, events) = played(&server.editor(), &assistant, until).await;
    assert_eq!(pause(&events).0, "until");
    assert_eq!(nodes_of(&events, "node.finished"), ["start", "a", "b"]);
    run.until_state(&server.editor(), "paused").await;
    let server = server.restart().await;
    let editor = server.editor();
    run.until_state(&editor, "paused").await;
    let told = play(&editor, &assistant, json!({})).await;
    assert_eq!((&told["stream_id"], &told["started"]), (&json!(run.stream), &json!(false)));
    let events = run.events(&editor).await;
    assert_eq!(outputs(&events), json!({"text": "C B A 2"}));
    assert_eq!(nodes_of(&events, "node.started").iter().filter(|node| *node == "a").count(), 1);
}

#[tokio::test]
async fn resume_continues_a_halted_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let (run, _) = played(&editor, &assistant, json!({"breakpoints": [{"node": "b"}]})).await;
    run.until_state(&editor, "paused").await;
    editor.post(&run.path("resume"), json!({"action": "continue"})).await.ok();
    assert_eq!(terminal(&run.events(&editor).await)["status"], "succeeded");
}

#[tokio::test]
async fn pinned_node_does_not_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let told = play(&editor, &assistant, json!({"pins": {"a": {"text": "pinned"}}})).await;
    assert_eq!(told["pins"], json!({"a": {"text": "pinned"}}));
    let events = Run::of(&assistant, &told).events(&editor).await;
    assert_eq!(in_node(&events, "node.finished", "a")["from"], "pinned");
    assert_eq!(outputs(&events), json!({"text": "C B pinned"}));

    let told = play(&editor, &assistant, json!({"inputs": {"x": "3"}})).await;
    assert_eq!((&told["started"], &told["pins"]), (&json!(true), &json!({"a": {"text": "pinned"}})));
    assert_eq!(outputs(&Run::of(&assistant, &told).events(&editor).await), json!({"text": "C B pinned"}));

    let cleared = editor.post(&at(&assistant, "clear"), json!({"scope": "pins"})).await.ok();
    assert_eq!(cleared["pins"], json!({}));
    let told = play(&editor, &assistant, json!({})).await;
    let events = Run::of(&assistant, &told).events(&editor).await;
    assert_eq!(outputs(&events), json!({"text": "C B A 3"}), "the inputs of the previous run are kept");
}

#[tokio::test]
async fn pin_decides_the_branch() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let pins = json!({"ask": {"action": "reject", "fields": {"note": "by hand"}}});
    let told = play(&editor, &assistant, json!({"pins": pins})).await;
    let events = Run::of(&assistant, &told).events(&editor).await;
    assert_eq!(outputs(&events), json!({"action": "reject"}));
    assert_eq!(nodes_of(&events, "node.skipped"), ["yes"]);
    assert!(of_type(&events, "form.required").is_empty());
}

#[tokio::test]
async fn edited_input_applies_to_later_nodes() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let (run, _) = played(&editor, &assistant, json!({"breakpoints": [{"node": "b"}]})).await;
    play(&editor, &assistant, json!({"overrides": {"b.in.text": "by hand"}})).await;
    let events = run.events(&editor).await;
    let edited = in_node(&events, "node.finished", "b");
    assert_eq!((&edited["from"], &edited["outputs"]["text"]), (&json!("edited"), &json!("by hand")));
    assert_eq!(outputs(&events), json!({"text": "C by hand"}));
    assert_eq!(in_node(&events, "node.finished", "a")["from"], "run");
}

#[tokio::test]
async fn play_reports_faults_and_starts_nothing() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let chat = text(&editor.post("/api/assistants", json!({"name": "Chat"})).await.created()["id"]);
    let before = server.stored().await;
    let faults = async |body: Value| editor.post(&at(&assistant, "play"), body).await.faults();
    assert_eq!(
        faults(json!({
            "breakpoints": [{"node": "a"}, {"node": "zz"}],
            "pins": {"yy": {}, "a": {"text": 5, "colour": "red"}},
            "overrides": {"a": 1, "xx.in.text": 1, "a.in.size": 1},
        }))
        .await,
        [
            "body.breakpoints.1.node",
            "body.overrides.a",
            "body.overrides.a.in.size",
            "body.overrides.xx.in.text",
            "body.pins.a.colour",
            "body.pins.a.text",
            "body.pins.yy",
        ]
    );
    assert_eq!(faults(json!({"mode": "until"})).await, ["body.until"]);
    assert_eq!(faults(json!({"until": "a"})).await, ["body.until"]);
    assert_eq!(faults(json!({"mode": "until", "until": "zz"})).await, ["body.until"]);
    assert_eq!(faults(json!({"inputs": {"x": 5, "y": 1}})).await, ["body.inputs.x", "body.inputs.y"]);
    assert_eq!(faults(json!({"mode": "fly"})).await, ["body.mode"]);
    let of_restarts =
        json!({"from_node": "a", "keep_upstream": true, "graph": "latest", "confirm_effects": true});
    let all = ["body.confirm_effects", "body.from_node", "body.graph", "body.keep_upstream"];
    assert_eq!(faults(of_restarts).await, all);
    editor.post(&at(&chat, "play"), json!({})).await.problem(422, "not_a_workflow");
    assert_eq!(server.stored().await, before);
}

#[tokio::test]
async fn play_of_a_live_run_changes_the_setup_and_refuses_inputs() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, writing(400, 5)).await;
    let first = play(&editor, &assistant, json!({"inputs": {"topic": "tides"}})).await;
    let run = Run::of(&assistant, &first);
    run.watch(&editor).await.until("text.delta").await;
    let same = json!({"inputs": {"topic": "tides"}, "breakpoints": [{"node": "write", "when": "after"}]});
    let told = play(&editor, &assistant, same).await;
    assert_eq!((&told["stream_id"], &told["state"]), (&json!(run.stream), &json!("running")));
    let other = editor.post(&at(&assistant, "play"), json!({"inputs": {"topic": "wind"}})).await;
    assert_eq!(other.problem(409, "stream_active")["stream_id"], json!(run.stream));
    let events = halted(&editor, &run, 0).await;
    assert_eq!(pause(&events).0, "breakpoint");
    let (one, two) = tokio::join!(play(&editor, &assistant, json!({})), play(&editor, &assistant, json!({})));
    let ids = [text(&one["stream_id"]), text(&two["stream_id"])];
    assert!(ids.contains(&run.stream), "{ids:?}");
    assert_eq!(terminal(&run.events(&editor).await)["status"], "succeeded");
}

#[tokio::test]
async fn concurrent_plays_start_one_run() {
    let server = server().await;
    let editor = server.editor();
    for _ in 0..10 {
        let assistant = workflow(&editor, approval(None)).await;
        let (one, two) =
            tokio::join!(play(&editor, &assistant, json!({})), play(&editor, &assistant, json!({})));
        assert_eq!(one["stream_id"], two["stream_id"]);
        assert_ne!(one["started"], two["started"]);
        editor.post(&at(&assistant, "clear"), json!({})).await.ok();
    }
}

#[tokio::test]
async fn debuggers_of_different_users_are_independent() {
    let server = server().await;
    let (admin, editor) = (server.admin(), server.editor());
    let assistant = workflow_for(&editor, chain(), "tenant").await;
    let production = Run::start(&server.user(), &assistant, json!({"x": "live"})).await;
    let breakpoints = json!({"breakpoints": [{"node": "b"}], "pins": {"a": {"text": "mine"}}});
    let (mine, _) = played(&editor, &assistant, breakpoints).await;
    let theirs = play(&admin, &assistant, json!({})).await;
    assert_eq!((&theirs["pins"], &theirs["breakpoints"]), (&json!({}), &json!([])));
    let theirs = Run::of(&assistant, &theirs);
    assert_ne!(theirs.conversation, mine.conversation);
    assert_eq!(outputs(&theirs.events(&admin).await), json!({"text": "C B A x"}));
    admin.post(&at(&assistant, "clear"), json!({})).await.ok();
    mine.until_state(&editor, "paused").await;
    play(&editor, &assistant, json!({})).await;
    assert_eq!(outputs(&mine.events(&editor).await), json!({"text": "C B mine"}));
    let events = production.events(&server.user()).await;
    assert_eq!(outputs(&events), json!({"text": "C B A live"}));
    assert!(of_type(&events, "breakpoint.hit").is_empty());
    admin.get(&format!("/api/conversations/{}", mine.conversation)).await.not_found();
}

#[tokio::test]
async fn debugger_requires_an_editor_of_the_assistant() {
    let server = server().await;
    let editor = server.editor();
    let shared = workflow_for(&editor, greeting(), "tenant").await;
    let own = workflow(&editor, greeting()).await;
    for what in ["play", "restart", "clear"] {
        server.user().post(&at(&shared, what), json!({})).await.problem(403, "not_allowed");
        server.user().post(&at(&own, what), json!({})).await.not_found();
        server.stranger().post(&at(&shared, what), json!({})).await.not_found();
        server.anonymous().post(&at(&own, what), json!({})).await.problem(401, "credentials_missing");
        let token = server.token(&["assistants:write"]).await;
        token.post(&at(&shared, what), json!({})).await.problem(403, "scope_missing");
    }
}

#[tokio::test]
async fn debugged_run_can_be_streamed_from_the_start() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let request = editor.request(Method::POST, &at(&assistant, "play")).json(&json!({"mode": "step"}));
    let mut live = Stream::open(request.header("accept", "text/event-stream")).await;
    let paused = live.until("run.paused").await;
    let request = editor.request(Method::POST, &format!("{}?wire=ndjson", at(&assistant, "play")));
    let rest = Stream::open(request.json(&json!({}))).await;
    assert_eq!(rest.id, live.id);
    let rest = crate::api::streams::reading::lines(&rest.rest().await);
    assert_eq!(rest[0]["seq"].as_u64(), paused["seq"].as_u64().map(|seq| seq + 1));
    assert_eq!(terminal(&rest)["status"], "succeeded");
}
