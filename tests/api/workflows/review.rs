//! Cases that a restart, a large value, or an end in the middle of other work must not change.

use std::time::Duration;

use serde_json::{Value, json};

use super::scene::{Run, graph, node, of_type, outputs, workflow};
use crate::api::streams::reading::{answer, attach, terminal, unlimited};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, PATIENCE, TestServer, until};

async fn server() -> TestServer {
    TestServer::start_with(unlimited).await
}

fn start() -> Value {
    node("start", "start", json!({}), json!({}))
}

fn done() -> Value {
    node("done", "end", json!({}), json!({}))
}

fn ask(parent: Option<&str>) -> Value {
    let config = json!({"actions": [{"name": "ok"}]});
    node("ask", "human", json!({"title": "Well?"}), json!({"parent": parent, "config": config}))
}

/// A node that sends a POST request, with further fields.
fn post(id: &str, url: String, more: Value) -> Value {
    let mut node = node(id, "http", json!({"url": url}), more);
    node["config"] = json!({"method": "POST"});
    node
}

async fn begun(server: &TestServer, nodes: Vec<Value>, edges: &[&str]) -> Run {
    let assistant = workflow(&server.editor(), graph(json!({}), nodes, edges)).await;
    Run::start(&server.editor(), &assistant, json!({})).await
}

async fn given(client: &Client, nodes: Vec<Value>, edges: &[&str]) -> Value {
    let assistant = workflow(client, graph(json!({}), nodes, edges)).await;
    let run = Run::start(client, &assistant, json!({})).await;
    let events = run.events(client).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:#?}");
    outputs(&events)
}

fn long(id: &str, parent: Option<&str>) -> Value {
    node(
        id,
        "template",
        json!({"text": "{% for i in range(3000) %}abcdefghij{% endfor %}"}),
        json!({"parent": parent}),
    )
}

#[tokio::test]
async fn long_result_of_a_loop_is_preserved() {
    let server = server().await;
    let nodes = vec![
        start(),
        node("again", "loop", json!({}), json!({"config": {"max": 2, "result": "{{ t.text }}"}})),
        long("t", Some("again")),
        node("done", "end", json!({"n": "{{ again.result | length }}"}), json!({})),
    ];
    assert_eq!(given(&server.editor(), nodes, &["start again", "again done"]).await, json!({"n": 30_000}));
}

#[tokio::test]
async fn long_outputs_of_items_are_preserved() {
    let server = server().await;
    let nodes = vec![
        start(),
        node("all", "each", json!({"items": [1, 2]}), json!({})),
        long("t", Some("all")),
        node("done", "end", json!({"n": "{{ all.items[1].text | length }}"}), json!({})),
    ];
    assert_eq!(given(&server.editor(), nodes, &["start all", "all done"]).await, json!({"n": 30_000}));
}

#[tokio::test]
async fn long_outputs_of_a_child_are_preserved() {
    let server = server().await;
    let editor = server.editor();
    let nodes =
        vec![start(), long("t", None), node("done", "end", json!({"long": "{{ t.text }}"}), json!({}))];
    let child = workflow(&editor, graph(json!({}), nodes, &["start t", "t done"])).await;
    let nodes = vec![
        start(),
        node("call", "workflow", json!({}), json!({"config": {"assistant_id": child}})),
        node("done", "end", json!({"n": "{{ call.long | length }}"}), json!({})),
    ];
    assert_eq!(given(&editor, nodes, &["start call", "call done"]).await, json!({"n": 30_000}));
}

#[tokio::test]
async fn default_cannot_refer_to_a_stored_value() {
    let server = server().await;
    let mark = json!({"$blob": "a".repeat(64), "bytes": 3});
    let policy = json!({"on_error": "continue", "default": {"text": mark}});
    let code = json!({"code": "function main() { throw new Error('no') }"});
    let nodes = vec![
        start(),
        node("a", "code", json!({}), json!({"policy": policy, "config": code})),
        node("done", "end", json!({"n": "{{ a.text.bytes }}"}), json!({})),
    ];
    let editor = server.editor();
    let body = json!({"name": "Flow", "type": "workflow", "workflow": graph(json!({}), nodes, &["start a", "a done"])});
    let saved = editor.post("/api/assistants", body).await;
    if saved.status == 422 {
        return;
    }
    let assistant = crate::harness::text(&saved.created()["id"]);
    let events = Run::start(&editor, &assistant, json!({})).await.events(&editor).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{}", terminal(&events));
    assert_eq!(outputs(&events), json!({"n": 3}));
}

/// Starts a run that waits for a child, which waits for a person.
async fn waits_for_a_child(server: &TestServer) -> Run {
    let nodes = vec![start(), ask(None), node("done", "end", json!({"a": "{{ ask.action }}"}), json!({}))];
    let child = workflow(&server.editor(), graph(json!({}), nodes, &["start ask", "ask.ok done"])).await;
    let nodes = vec![
        start(),
        node("call", "workflow", json!({}), json!({"config": {"assistant_id": child}})),
        node("done", "end", json!({"a": "{{ call.a }}"}), json!({})),
    ];
    let parent = workflow(&server.editor(), graph(json!({}), nodes, &["start call", "call done"])).await;
    let run = Run::start(&server.editor(), &parent, json!({})).await;
    // Sent events are durable; the state alone may be ahead of them.
    let mut stream = attach(&server.editor(), &run.conversation, &run.stream, "").await;
    stream.until("node.waiting").await;
    run.until_state(&server.editor(), "waiting").await;
    run
}

#[tokio::test]
async fn parent_waits_for_its_child_across_restarts() {
    let mut server = server().await;
    let run = waits_for_a_child(&server).await;
    for _ in 0..4 {
        server = server.restart().await;
        run.until_state(&server.editor(), "waiting").await;
    }
}

#[tokio::test]
async fn compensation_after_a_restart_knows_its_item() {
    let (server, web) = (server().await, CountingServer::start().await);
    let nodes = vec![
        start(),
        node("all", "each", json!({"items": ["x", "y"]}), json!({"config": {"concurrency": 1}})),
        post(
            "book",
            web.url("/book/{{ all.item }}"),
            json!({"parent": "all", "policy": {"compensate": "unbook"}}),
        ),
        post("unbook", web.url("/unbook/{{ all.item }}"), json!({"parent": "all"})),
        ask(None),
        done(),
    ];
    let run = begun(&server, nodes, &["start all", "all ask", "ask.ok done"]).await;
    run.until_state(&server.editor(), "waiting").await;
    let server = server.restart().await;
    run.until_state(&server.editor(), "waiting").await;
    server.editor().post(&run.path("cancel"), json!({})).await.ok();
    let seen: Vec<_> = web.seen().iter().skip(2).map(|seen| seen.path.clone()).collect();
    assert_eq!(seen, ["/unbook/y", "/unbook/x"]);
}

#[tokio::test]
async fn failed_item_is_counted_once_across_a_restart() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.always("/bad/1", Reply::status(500));
    let nodes = vec![
        start(),
        node(
            "all",
            "each",
            json!({"items": [1, 2, 3]}),
            json!({"config": {"concurrency": 1, "on_item_error": "null", "result": "{{ all.item }}"}}),
        ),
        post("book", web.url("/book"), json!({"parent": "all", "policy": {"compensate": "unbook"}})),
        post("unbook", web.url("/unbook"), json!({"parent": "all"})),
        node("check", "http", json!({"url": web.url("/bad/{{ all.item }}")}), json!({"parent": "all"})),
        ask(Some("all")),
        node("done", "end", json!({"items": "{{ all.items }}", "failed": "{{ all.failed }}"}), json!({})),
    ];
    let edges = ["start all", "book check", "check ask", "all done"];
    let run = begun(&server, nodes, &edges).await;
    run.until_state(&server.editor(), "waiting").await;
    let server = server.restart().await;
    let editor = server.editor();
    run.until_state(&editor, "waiting").await;
    let mut stream = run.watch(&editor).await;
    for _ in 0..2 {
        let form = stream.until("form.required").await["data"].clone();
        run.until_state(&editor, "waiting").await;
        Client::send(run.answering(&editor, &form, "ok", json!({}))).await.ok();
    }
    let events = run.events(&editor).await;
    let first =
        of_type(&events, "iteration.finished").into_iter().filter(|event| event["data"]["index"] == 0);
    assert_eq!(first.count(), 1, "an item finishes once");
    assert_eq!(outputs(&events), json!({"items": [null, 2, 3], "failed": 1}));
}

#[tokio::test]
async fn compensation_with_a_once_effect_is_not_repeated_and_keeps_the_outcome() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.always("/undo", Reply::hang());
    web.always("/hang", Reply::hang());
    let nodes = vec![
        start(),
        post("act", web.url("/do"), json!({"policy": {"compensate": "undo"}})),
        post("undo", web.url("/undo"), json!({})),
        node("hang", "http", json!({"url": web.url("/hang")}), json!({})),
        done(),
    ];
    let mut graph = graph(json!({}), nodes, &["start act", "act hang", "hang done"]);
    graph["limits"] = json!({"run_timeout_ms": 2_000});
    let assistant = workflow(&server.editor(), graph).await;
    let run = Run::start(&server.editor(), &assistant, json!({})).await;
    web.wait_for("/undo", 1).await;
    let server = server.restart().await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(web.count("/undo"), 1, "a once effect is not repeated");
    web.always("/undo", Reply::status(200));
    let events = tokio::time::timeout(Duration::from_secs(70), run.events(&server.editor())).await;
    assert_eq!(terminal(&events.expect("it ends"))["status"], "timed_out");
}

#[tokio::test]
async fn pause_ends_when_its_reason_times_out() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.always("/hang", Reply::hang());
    let nodes = vec![
        start(),
        node(
            "all",
            "each",
            json!({"items": [1]}),
            json!({"policy": {"timeout_ms": 8_000, "on_error": "continue"}}),
        ),
        post("act", web.url("/hang"), json!({"parent": "all"})),
        node("say", "answer", json!({"text": "Went on."}), json!({})),
        done(),
    ];
    let run = begun(&server, nodes, &["start all", "all say", "say done"]).await;
    web.wait_for("/hang", 1).await;
    let server = server.restart().await;
    let editor = server.editor();
    run.until_state(&editor, "paused").await;
    let events = tokio::time::timeout(PATIENCE, run.events(&editor)).await;
    assert_eq!(answer(&events.expect("the pause ends")), "Went on.");
}

#[tokio::test]
async fn retry_pause_survives_a_restart() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.always("/flaky", Reply::status(503));
    let retry = json!({"max": 3, "base_ms": 60_000, "max_ms": 60_000, "jitter": 0, "on": ["5xx"]});
    let nodes = vec![
        start(),
        node("get", "http", json!({"url": web.url("/flaky")}), json!({"policy": {"retry": retry}})),
        done(),
    ];
    let run = begun(&server, nodes, &["start get", "get done"]).await;
    run.until_state(&server.editor(), "waiting").await;
    let server = server.restart().await;
    run.until_state(&server.editor(), "waiting").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(web.count("/flaky"), 1, "the retry waits for its whole pause");
}

#[tokio::test]
async fn request_with_a_deeply_nested_result_is_not_repeated() {
    let (server, web) = (server().await, CountingServer::start().await);
    let deep = format!("{}{}", "[".repeat(126), "]".repeat(126));
    web.always("/deep", Reply::body("application/json", deep));
    let nodes =
        vec![start(), node("get", "http", json!({"url": web.url("/deep")}), json!({})), ask(None), done()];
    let run = begun(&server, nodes, &["start get", "get ask", "ask.ok done"]).await;
    let mut waits = false;
    let path = format!("/api/conversations/{}/streams/active", run.conversation);
    until("it waits, or has ended", async || {
        let active = server.editor().get(&path).await;
        waits = active.status == 200 && active.json()["state"] == "waiting";
        waits || active.status == 204
    })
    .await;
    let server = server.restart().await;
    if waits {
        run.until_state(&server.editor(), "waiting").await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(web.count("/deep"), 1);
}

#[tokio::test]
async fn retry_of_a_child_starts_another_child() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.script("/flaky", [Reply::status(500)]);
    let editor = server.editor();
    let nodes = vec![
        start(),
        node("get", "http", json!({"url": web.url("/flaky")}), json!({"policy": {"retry": {"max": 0}}})),
        node("done", "end", json!({"n": "{{ get.status }}"}), json!({})),
    ];
    let child = workflow(&editor, graph(json!({}), nodes, &["start get", "get done"])).await;
    let retry = json!({"max": 2, "base_ms": 10, "on": ["any"]});
    let nodes = vec![
        start(),
        node(
            "call",
            "workflow",
            json!({}),
            json!({"config": {"assistant_id": child}, "policy": {"retry": retry}}),
        ),
        node("done", "end", json!({"n": "{{ call.n }}"}), json!({})),
    ];
    assert_eq!(given(&editor, nodes, &["start call", "call done"]).await, json!({"n": 200}));
}

#[tokio::test]
async fn run_that_never_waits_times_out() {
    let server = server().await;
    let nodes = vec![
        start(),
        node("outer", "loop", json!({}), json!({"config": {"max": 1000, "result": 1}})),
        node("inner", "loop", json!({}), json!({"parent": "outer", "config": {"max": 1000, "result": 1}})),
        node("t", "template", json!({"text": "x"}), json!({"parent": "inner"})),
        done(),
    ];
    let mut graph = graph(json!({}), nodes, &["start outer", "outer done"]);
    graph["limits"] = json!({"run_timeout_ms": 1_000, "max_steps": 1_000_000});
    let editor = server.editor();
    let assistant = workflow(&editor, graph).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let path = format!("/api/conversations/{}/streams/active", run.conversation);
    until("it has ended", async || editor.get(&path).await.status != 200).await;
    let receipt = editor.post(&run.path("cancel"), json!({})).await.ok();
    assert_eq!(
        (&receipt["status"], &receipt["terminal"]["reason"]),
        (&json!("timed_out"), &json!("run_timeout"))
    );
}

#[tokio::test]
async fn child_is_not_started_again_when_its_key_expires() {
    use storage::records::{IdempotencyKey, Run as RunRecord};
    use storage::{Scan, Timestamp};
    let server = server().await;
    let run = waits_for_a_child(&server).await;
    let tenant = storage::TenantId(server.editor_person().tenant.parse().expect("an id"));
    let aged = server.store().run(move |tx| {
        for mut key in tx.scan::<IdempotencyKey>(tenant, Scan::table())?.items {
            key.expires_at = Timestamp::from_millis(0);
            tx.update(tenant, key)?;
        }
        Ok::<_, storage::Error>(())
    });
    aged.await.expect("aged");
    let server = server.restart().await;
    run.until_state(&server.editor(), "waiting").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let all = server.store().read(move |reader| reader.scan::<RunRecord>(tenant, Scan::table()));
    assert_eq!(all.await.expect("runs").items.len(), 2, "the parent and one child");
}

#[tokio::test]
async fn deeply_nested_constant_is_refused_or_ends_the_run() {
    let server = server().await;
    let editor = server.editor();
    let mut deep = json!(1);
    for _ in 0..110 {
        deep = json!([deep]);
    }
    let nodes = vec![start(), done()];
    let mut graph = graph(json!({}), nodes, &["start done"]);
    graph["vars"] = json!({"deep": {"type": "array", "initial": deep}});
    let body = json!({"name": "Flow", "type": "workflow", "workflow": graph});
    let saved = editor.post("/api/assistants", body).await;
    if saved.status == 422 {
        return;
    }
    let assistant = crate::harness::text(&saved.created()["id"]);
    let run = Run::start(&editor, &assistant, json!({})).await;
    let events = tokio::time::timeout(PATIENCE, run.events(&editor)).await;
    terminal(&events.expect("it comes to an end"));
}
