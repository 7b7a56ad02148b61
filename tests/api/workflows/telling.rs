//! What runs and graphs report: the inputs they wait for, the result of an answer, compensation that failed, and how to
//! correct a fault.

use serde_json::{Value, json};

use super::debug::{at, chain, halted, play};
use super::scene::{
    Run, approval, graph, greeting, in_node, node, nodes_of, of_type, outputs, runs, workflow,
};
use crate::api::streams::reading::{server, terminal};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, text};

fn plain(id: &str, kind: &str, inputs: Value) -> Value {
    node(id, kind, inputs, json!({}))
}

fn start() -> Value {
    plain("start", "start", json!({}))
}

/// Runs until the run waits or ends, and returns the response.
async fn waited(client: &Client, assistant: &str, inputs: Value) -> Value {
    client.post(&runs(assistant), json!({"inputs": inputs, "mode": "wait"})).await.json()
}

#[tokio::test]
async fn client_in_wait_mode_receives_the_forms_and_events_that_a_run_waits_for() {
    let server = server().await;
    let editor = server.editor();
    let form = json!({"config": {"actions": [{"name": "ok"}], "fields": [{"name": "n", "type": "integer"}]}});
    let nodes = vec![
        start(),
        node("ask", "human", json!({"title": "How many?"}), form),
        node("paid", "wait", json!({}), json!({"config": {"event": "payment"}})),
        plain("done", "end", json!({"n": "{{ ask.fields.n }}", "id": "{{ paid.data.id }}"})),
    ];
    let edges = ["start ask", "start paid", "ask.ok done", "paid done"];
    let assistant = workflow(&editor, graph(json!({}), nodes, &edges)).await;
    let told = waited(&editor, &assistant, json!({})).await;
    assert_eq!(told["state"], "waiting", "{told}");
    let waits = &told["waits_for"];
    assert_eq!((&waits[0]["node_id"], &waits[0]["on"]), (&json!("ask"), &json!("human")), "{told}");
    let form = &waits[0]["form"];
    assert_eq!((&form["title"], &form["actions"][0]["label"]), (&json!("How many?"), &json!("ok")), "{form}");
    assert_eq!(form["fields"][0]["label"], "n", "a field without a label is shown by its name");
    assert_eq!((&waits[1]["node_id"], &waits[1]["event"]), (&json!("paid"), &json!("payment")));

    // An answer of the wrong kind returns the same list.
    let run = Run::of(&assistant, &told);
    let other = editor.post(&run.path("resume"), json!({"event": "paiment"})).await;
    let other = other.problem(409, "not_waiting");
    assert_eq!(&other["waits_for"], waits);
    assert!(text(&other["detail"]).contains("\"payment\""), "{other}");

    editor.post(&run.path("resume"), json!({"event": "payment", "fields": {"id": 7}})).await.ok();
    Client::send(run.answering(&editor, form, "ok", json!({"n": 2}))).await.ok();
    assert_eq!(outputs(&run.events(&editor).await), json!({"n": 2, "id": 7}));
    let late = editor.post(&run.path("resume"), json!({"event": "payment"})).await;
    let late = late.problem(409, "not_waiting");
    assert_eq!((&late["detail"], &late["waits_for"]), (&json!("the run has ended: succeeded"), &json!([])));
    let ended = waited(&editor, &workflow(&editor, greeting()).await, json!({"topic": "tides"})).await;
    assert!(ended.get("waits_for").is_none(), "{ended}");
}

#[tokio::test]
async fn client_in_wait_mode_receives_the_forms_of_a_child_run() {
    let server = server().await;
    let editor = server.editor();
    let asking = workflow(&editor, approval(None)).await;
    let nodes = vec![
        start(),
        node("sub", "workflow", json!({}), json!({"config": {"assistant_id": asking}})),
        plain("done", "end", json!({})),
    ];
    let above = workflow(&editor, graph(json!({}), nodes, &["start sub", "sub done"])).await;
    let told = waited(&editor, &above, json!({})).await;
    assert_eq!((&told["state"], &told["waits_for"][0]["on"]), (&json!("waiting"), &json!("child")), "{told}");
    // The form is answered at the child run.
    let below = Run::of(&asking, &told["waits_for"][0]);
    let form = below.form(&editor).await;
    Client::send(below.answering(&editor, &form, "approve", json!({"note": "fine"}))).await.ok();
    assert_eq!(terminal(&Run::of(&above, &told).events(&editor).await)["status"], "succeeded");
}

#[tokio::test]
async fn second_answer_to_a_node_returns_the_first_one() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    run.form(&editor).await;
    let by_node = async |action: &str| {
        let body = json!({"node_id": "ask", "action": action, "fields": {"note": action}});
        editor.post(&run.path("resume"), body).await
    };
    let (yes, no) = tokio::join!(by_node("approve"), by_node("reject"));
    let (refused, action) = if yes.status == 200 { (no, "approve") } else { (yes, "reject") };
    assert_eq!(refused.problem(409, "form_answered")["first"]["action"], action);
    assert_eq!(outputs(&run.events(&editor).await), json!({"action": action}));
    let later = by_node("approve").await.problem(409, "form_answered");
    assert_eq!(later["first"]["fields"]["note"], action, "also after the end of the run");
    let elsewhere = json!({"node_id": "yes", "action": "approve"});
    editor.post(&run.path("resume"), elsewhere).await.problem(409, "not_waiting");
}

#[tokio::test]
async fn conversation_has_a_title_while_the_run_waits() {
    let server = server().await;
    let editor = server.editor();
    let mut flow = approval(None);
    flow["inputs"] = json!({"amount": {"type": "number", "default": 1}, "area": {"type": "string", "default": "x"},
        "what": {"type": "string", "required": true}});
    let assistant = workflow(&editor, flow).await;
    let inputs = json!({"amount": 800, "area": "Office", "what": "Two desks for the new office."});
    let told = waited(&editor, &assistant, inputs).await;
    let path = format!("/api/conversations/{}", text(&told["conversation_id"]));
    assert_eq!(editor.get(&path).await.ok()["title"], "Two desks for the new office");
    let silent = workflow(&editor, graph(json!({}), vec![start()], &[])).await;
    let told = waited(&editor, &silent, json!({})).await;
    let path = format!("/api/conversations/{}", text(&told["conversation_id"]));
    assert_eq!(editor.get(&path).await.ok()["title"], "Flow", "without a text it has the assistant's name");
}

#[tokio::test]
async fn variable_accepts_only_values_of_its_type() {
    let server = server().await;
    let editor = server.editor();
    let nodes = vec![
        start(),
        plain("keep", "set", json!({"n": "{{ start.x }}"})),
        plain("done", "end", json!({"n": "{{ vars.n }}"})),
    ];
    let mut flow = graph(json!({"x": {"type": "any"}}), nodes, &["start keep", "keep done"]);
    flow["vars"] = json!({"n": {"type": "integer", "initial": 1}});
    let assistant = workflow(&editor, flow).await;
    for good in [json!(5), json!(-2.0), Value::Null] {
        let told = waited(&editor, &assistant, json!({"x": good})).await;
        assert_eq!((&told["state"], &told["outputs"]), (&json!("succeeded"), &json!({"n": good})), "{told}");
    }
    for wrong in [json!("5"), json!(2.5), json!([1])] {
        let told = waited(&editor, &assistant, json!({"x": wrong})).await;
        assert_eq!(
            (&told["state"], &told["error"]["code"]),
            (&json!("failed"), &json!("type_mismatch")),
            "{wrong}"
        );
        assert!(text(&told["error"]["message"]).contains("\"n\""), "{told}");
        assert_eq!(told["error"]["node_id"], "keep", "the node is named for programs, too");
    }
}

#[tokio::test]
async fn terminal_error_names_failed_compensation() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    web.always("/cancel", Reply::status(500));
    let post = |id: &str, policy: Value| {
        let more = json!({"config": {"method": "POST"}, "policy": policy});
        node(id, "http", json!({"url": web.url(&format!("/{id}"))}), more)
    };
    let nodes = vec![
        start(),
        post("book", json!({"compensate": "unbook"})),
        post("rent", json!({"compensate": "cancel"})),
        post("unbook", json!({})),
        post("cancel", json!({})),
        plain("stop", "fail", json!({"message": "No ship sails.", "code": "no_ship"})),
    ];
    let assistant =
        workflow(&editor, graph(json!({}), nodes, &["start book", "book rent", "rent stop"])).await;
    let events = Run::start(&editor, &assistant, json!({})).await.events(&editor).await;
    let error = &terminal(&events)["error"];
    assert_eq!((&error["code"], &error["node_id"]), (&json!("no_ship"), &json!("stop")));
    let message = text(&error["message"]);
    assert!(message.starts_with("No ship sails.; not undone: rent (the server answered 500"), "{message}");
    assert!(!message.contains("book"), "compensated nodes are not named: {message}");
    assert_eq!((web.count("/unbook"), web.count("/cancel")), (1, 1));
}

#[tokio::test]
async fn skipped_nodes_are_reported_once_across_restarts() {
    // The run stays in memory, so that each restart recovers it.
    let stays = |config: &mut understudy::Config| config.runs.unload_after_seconds = 3600.0;
    let (server, web) = (TestServer::start_with(stays).await, CountingServer::start().await);
    let editor = server.editor();
    web.always("/b", Reply::status(404));
    let inner = |id: &str, kind: &str, inputs: Value| node(id, kind, inputs, json!({"parent": "all"}));
    let form = json!({"config": {"actions": [{"name": "ok"}]}});
    let nodes = vec![
        start(),
        node(
            "all",
            "each",
            json!({"items": ["/a", "/b", "/b"]}),
            json!({"config": {"on_item_error": "null"}}),
        ),
        inner("get", "http", json!({"url": format!("{}{{{{ all.item }}}}", web.url(""))})),
        inner("after", "template", json!({"text": "x"})),
        node("ask", "human", json!({"title": "Well?"}), form),
        plain("done", "end", json!({})),
    ];
    let edges = ["start all", "get after", "all ask", "ask.ok done"];
    let assistant = workflow(&editor, graph(json!({}), nodes, &edges)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let form = run.form(&editor).await;
    let server = server.restart().await;
    run.watch(&server.editor()).await.until("run.recovered").await;
    let server = server.restart().await;
    let editor = server.editor();
    Client::send(run.answering(&editor, &form, "ok", json!({}))).await.ok();
    let events = run.events(&editor).await;
    assert_eq!(of_type(&events, "run.recovered").len(), 2);
    assert_eq!(nodes_of(&events, "node.skipped"), ["after", "after"], "one for each item that failed");
    assert_eq!(terminal(&events)["reason"], "2 items failed");
}

#[tokio::test]
async fn graph_faults_describe_their_remedy() {
    let server = server().await;
    let editor = server.editor();
    let inner =
        |id: &str, of: &str, text: &str| node(id, "template", json!({"text": text}), json!({"parent": of}));
    let form = json!({"config": {"actions": [{"name": "continue"}]}});
    let nodes = vec![
        start(),
        plain("turns", "loop", json!({})),
        inner("first", "turns", "{{ second.text }}"),
        inner("second", "turns", "{{ first.text }}"),
        plain("all", "each", json!({"items": [1]})),
        inner("one", "all", "1"),
        node("ask", "human", json!({"title": "{{ second.text }} {{ one.text }}"}), form),
        plain("odd", "templet", json!({})),
    ];
    let edges = ["start turns", "first second", "turns all", "all ask", "start odd"];
    let body = json!({"name": "Flow", "type": "workflow", "workflow": graph(json!({}), nodes, &edges)});
    let problem = editor.post("/api/assistants", body).await.expect(422).json();
    let words = problem["errors"].to_string();
    for hint in ["`turns.result`", "`all.items`", "`turns.last`", "is what goes on from a pause", "template,"]
    {
        assert!(words.contains(hint), "{hint}: {words}");
    }
}

#[tokio::test]
async fn reopening_the_debugger_shows_its_setup_and_changes_nothing() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let look = async || editor.post(&at(&assistant, "clear"), json!({"scope": "none"})).await.ok();
    let nothing = look().await;
    assert_eq!((&nothing["breakpoints"], &nothing["run"]), (&json!([]), &Value::Null));
    let setup = json!({"breakpoints": [{"node": "b"}], "pins": {"a": {"text": "p"}}});
    let told = play(&editor, &assistant, setup).await;
    let run = Run::of(&assistant, &told);
    halted(&editor, &run, 0).await;
    run.until_state(&editor, "paused").await;
    let before = server.stored().await;
    let seen = look().await;
    assert_eq!(seen["breakpoints"], told["breakpoints"]);
    assert_eq!(seen["pins"], json!({"a": {"text": "p"}}));
    assert_eq!(
        (&seen["run"]["stream_id"], &seen["run"]["state"]),
        (&json!(run.stream), &json!("paused")),
        "{seen}"
    );
    assert_eq!(seen["run"]["conversation_id"], json!(run.conversation));
    assert_eq!(server.stored().await, before);
    let cleared = editor.post(&at(&assistant, "clear"), json!({})).await.ok();
    assert_eq!((&cleared["stopped"], &cleared["run"]), (&json!(run.stream), &Value::Null));
}

#[tokio::test]
async fn restart_discards_results_that_depend_on_rerun_nodes() {
    let server = server().await;
    let editor = server.editor();
    let nodes = vec![
        start(),
        plain("a", "template", json!({"text": "A {{ start.x }}"})),
        plain("held", "template", json!({"text": "H {{ a.text }}"})),
        plain("b", "template", json!({"text": "B {{ a.text }} {{ held.text }}"})),
        plain("c", "template", json!({"text": "C {{ held.text }}"})),
        plain("done", "end", json!({"b": "{{ b.text }}", "c": "{{ c.text }}"})),
    ];
    let inputs = json!({"x": {"type": "string", "default": "1"}});
    let edges = ["start a", "a held", "held b", "b c", "c done"];
    let assistant = workflow(&editor, graph(inputs, nodes, &edges)).await;
    let pins = json!({"held": {"text": "pin"}});
    let first = Run::of(&assistant, &play(&editor, &assistant, json!({"pins": pins})).await);
    assert_eq!(outputs(&first.events(&editor).await), json!({"b": "B A 1 pin", "c": "C pin"}));
    let restart = async |body: Value| {
        let told = editor.post(&at(&assistant, "restart"), body).await.expect(202).json();
        let events = Run::of(&assistant, &told).events(&editor).await;
        (told["stale"].clone(), outputs(&events), events)
    };
    // All nodes behind the named one run again, although a pinned node lies between.
    let (stale, ..) = restart(json!({"from_node": "a"})).await;
    assert_eq!(stale, json!(["a", "b", "c", "done"]));
    // Other inputs rerun the nodes that depend on them.
    let (stale, given, events) = restart(json!({"inputs": {"x": "2"}, "graph": "latest"})).await;
    assert_eq!(stale, json!(["start", "a", "b", "c", "done"]));
    assert_eq!(given, json!({"b": "B A 2 pin", "c": "C pin"}));
    assert_eq!(in_node(&events, "node.finished", "b")["from"], "run");
}
