//! A run continues unchanged after a restart of the server in its middle.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::{Run, graph, in_node, node, nodes_of, of_type, outputs, workflow};
use crate::api::streams::reading::{server, terminal};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, PATIENCE, TestServer, text};

fn plain(id: &str, kind: &str, inputs: Value) -> Value {
    node(id, kind, inputs, json!({}))
}

fn post(web: &CountingServer, id: &str, policy: Value) -> Value {
    let more = json!({"config": {"method": "POST"}, "policy": policy});
    node(id, "http", json!({"url": web.url(&format!("/{id}"))}), more)
}

fn end() -> Value {
    plain("done", "end", json!({}))
}

fn whole(nodes: Vec<Value>, edges: &[&str]) -> Value {
    graph(json!({}), [vec![plain("start", "start", json!({}))], nodes].concat(), edges)
}

async fn start(client: &Client, nodes: Vec<Value>, edges: &[&str]) -> Run {
    let assistant = workflow(client, whole(nodes, edges)).await;
    Run::start(client, &assistant, json!({})).await
}

#[tokio::test]
async fn interrupted_compensation_resumes_where_it_stopped() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.always("/broken", Reply::status(500));
    web.script("/undo_b", [Reply::hang()]);
    web.script("/undo_c", [Reply::hang()]);
    let again = json!({"effect": "idempotent"});
    let nodes = vec![
        post(&web, "a", json!({"compensate": "undo_a"})),
        post(&web, "b", json!({"compensate": "undo_b"})),
        post(&web, "c", json!({"compensate": "undo_c"})),
        post(&web, "broken", json!({})),
        post(&web, "undo_a", json!({"effect": "once"})),
        post(&web, "undo_b", again),
        post(&web, "undo_c", json!({"effect": "once"})),
        end(),
    ];
    let run = start(&server.editor(), nodes, &["start a", "a b", "b c", "c broken", "broken done"]).await;
    web.wait_for("/undo_c", 1).await;
    let server = server.restart().await;
    web.wait_for("/undo_b", 1).await;
    let server = server.restart().await;
    let events = run.events(&server.editor()).await;
    let ended = terminal(&events);
    assert_eq!(
        (&ended["status"], &ended["error"]["code"]),
        (&json!("failed"), &json!("http_status")),
        "{ended}"
    );
    assert_eq!(web.count("/undo_c"), 1, "a once effect that may have happened is not repeated");
    assert_eq!(in_node(&events, "node.finished", "undo_c")["error"]["code"], "uncertain_effect");
    let tried = web.seen_at("/undo_b");
    assert_eq!((tried.len(), tried[0].key()), (2, tried[1].key()), "an idempotent effect is repeated");
    assert_eq!(web.count("/undo_a"), 1);
    assert_eq!(of_type(&events, "run.compensating").len(), 1);
    for forward in ["/a", "/b", "/c", "/broken"] {
        assert_eq!(web.count(forward), 1, "{forward}");
    }
}

#[tokio::test]
async fn compensation_after_a_cancel_resumes_after_a_restart() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.always("/hang", Reply::hang());
    web.script("/undo_a", [Reply::hang()]);
    let nodes = vec![
        post(&web, "a", json!({"compensate": "undo_a"})),
        post(&web, "hang", json!({})),
        post(&web, "undo_a", json!({"effect": "idempotent"})),
        end(),
    ];
    let run = start(&server.editor(), nodes, &["start a", "a hang", "hang done"]).await;
    web.wait_for("/hang", 1).await;
    let (editor, path) = (server.editor(), run.path("cancel"));
    let cancel =
        tokio::spawn(
            async move { editor.request(reqwest::Method::POST, &path).json(&json!({})).send().await },
        );
    web.wait_for("/undo_a", 1).await;
    let server = server.restart().await;
    cancel.abort();
    let events = run.events(&server.editor()).await;
    assert_eq!(terminal(&events)["status"], "cancelled");
    assert_eq!((web.count("/undo_a"), web.count("/hang")), (2, 1));
    let receipt = server.editor().post(&run.path("cancel"), json!({})).await.ok();
    assert_eq!(receipt["nodes_stopped"], json!(["hang"]));
}

#[tokio::test]
async fn timers_keep_their_due_time_across_a_restart() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    web.script("/busy", [Reply::status(503)]);
    // Long enough to stop and start a server within it, even on a slow machine.
    const PAUSE: Duration = Duration::from_secs(9);
    let pause_ms = PAUSE.as_millis() as u64;
    let began = Instant::now();
    let rest = vec![plain("n", "delay", json!({"ms": pause_ms})), end()];
    let rest = start(&editor, rest, &["start n", "n done"]).await;
    let form = json!({"config": {"actions": [{"name": "ok"}], "expires_ms": pause_ms}});
    let nodes = vec![node("n", "human", json!({"title": "Well?"}), form), end()];
    let ask = start(&editor, nodes, &["start n", "n.ok done", "n.expired done"]).await;
    let listen = json!({"config": {"event": "go", "expires_ms": pause_ms}});
    let nodes = vec![node("n", "wait", json!({}), listen), end()];
    let listen = start(&editor, nodes, &["start n", "n done", "n.expired done"]).await;
    let retry = json!({"effect": "idempotent", "retry": {"max": 1, "base_ms": pause_ms, "max_ms": pause_ms, "jitter": 0.0}});
    let busy = start(&editor, vec![post(&web, "busy", retry), end()], &["start busy", "busy done"]).await;
    for run in [&rest, &ask, &listen, &busy] {
        run.until_state(&editor, "waiting").await;
    }
    tokio::time::sleep((PAUSE / 3).saturating_sub(began.elapsed())).await;
    let server = server.restart().await;
    let restarted = Instant::now();
    let editor = server.editor();
    for run in [&rest, &ask, &listen, &busy] {
        run.until_state(&editor, "waiting").await;
    }
    for run in [rest, ask, listen, busy] {
        let events = run.events(&editor).await;
        assert_eq!(terminal(&events)["status"], "succeeded", "{events:#?}");
        assert!(began.elapsed() > PAUSE - Duration::from_millis(100), "{:?}: {events:#?}", began.elapsed());
        // A third of the pause had passed when the server was stopped. A pause that started again would take longer
        // than this.
        assert!(restarted.elapsed() < PAUSE, "{:?}: {events:#?}", restarted.elapsed());
    }
    assert_eq!(web.count("/busy"), 2);
}

#[tokio::test]
async fn child_runs_continue_after_restarts_and_are_not_started_again() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    web.script("/slow", [Reply::hang(), Reply::hang()]);
    let slow = post(&web, "slow", json!({"effect": "idempotent"}));
    let nodes = vec![slow, plain("done", "end", json!({"count": "{{ slow.body.count }}"}))];
    let inner = workflow(&editor, whole(nodes, &["start slow", "slow done"])).await;
    let call = node("sub", "workflow", json!({}), json!({"config": {"assistant_id": inner}}));
    let nodes = vec![call, plain("done", "end", json!({"count": "{{ sub.count }}"}))];
    let run = start(&editor, nodes, &["start sub", "sub done"]).await;
    web.wait_for("/slow", 1).await;
    let server = server.restart().await;
    web.wait_for("/slow", 2).await;
    let server = server.restart().await;
    let events = run.events(&server.editor()).await;
    assert_eq!(outputs(&events), json!({"count": 3}), "{events:#?}");
    let mut children: Vec<_> =
        of_type(&events, "node.waiting").iter().map(|event| text(&event["data"]["run_id"])).collect();
    children.dedup();
    assert_eq!(children.len(), 1);
    assert_eq!(web.counts().len(), 1);
}

#[tokio::test]
async fn cancel_after_a_restart_also_cancels_child_runs() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.always("/hang", Reply::hang());
    let editor = server.editor();
    let inner = vec![post(&web, "hang", json!({"effect": "idempotent"})), end()];
    let inner = workflow(&editor, whole(inner, &["start hang", "hang done"])).await;
    let call = node("sub", "workflow", json!({}), json!({"config": {"assistant_id": inner}}));
    let run = start(&editor, vec![call, end()], &["start sub", "sub done"]).await;
    let waiting = run.watch(&editor).await.until("node.waiting").await["data"].clone();
    web.wait_for("/hang", 1).await;
    let server = server.restart().await;
    let editor = server.editor();
    let receipt = editor.post(&run.path("cancel"), json!({})).await.ok();
    assert_eq!(receipt["children_stopped"], json!([waiting["run_id"]]));
    let ids = json!({"conversation_id": waiting["conversation_id"], "stream_id": waiting["run_id"]});
    let ended = tokio::time::timeout(PATIENCE, Run::of(&inner, &ids).events(&editor)).await;
    assert_eq!(terminal(&ended.expect("the child ends"))["status"], "cancelled");
    web.idle().await;
}

/// The size of all files in a folder, in bytes.
fn size(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(known) if known.is_dir() => size(&entry.path()),
            Ok(known) => known.len(),
            Err(_) => 0,
        })
        .sum()
}

#[tokio::test]
async fn large_value_is_stored_once() {
    const LARGE: usize = 5 << 20;
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    web.always("/large", Reply::json(json!({"text": "x".repeat(LARGE), "n": 7})));
    let mut nodes = vec![node(
        "get",
        "http",
        json!({"url": web.url("/large")}),
        json!({"config": {"max_bytes": 8 << 20}}),
    )];
    let mut edges = vec!["start get".to_owned()];
    let mut last = "get.body".to_owned();
    for step in 0..20 {
        let id = format!("s{step}");
        let before = last.split('.').next().unwrap_or_default().to_owned();
        nodes.push(node(&id, "set", json!({"v": format!("{{{{ {last} }}}}")}), json!({})));
        edges.push(format!("{before} {id}"));
        let (list, made) = (format!("l{step}"), "{{ [vars.v] }}".to_owned());
        nodes.push(node(&list, "list", json!({"items": made}), json!({"config": {"steps": []}})));
        edges.push(format!("{id} {list}"));
        last = format!("{list}.first");
    }
    nodes.push(plain(
        "done",
        "end",
        json!({"n": format!("{{{{ {last}.n }}}}"), "length": format!("{{{{ {last}.text|length }}}}")}),
    ));
    edges.push(format!("{} done", last.split('.').next().unwrap_or_default()));
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let mut graph = whole(nodes, &edges);
    graph["vars"] = json!({"v": {"type": "any"}});
    let assistant = workflow(&editor, graph).await;
    let before = size(server.dir());
    let run = Run::start(&editor, &assistant, json!({})).await;
    let events = run.events(&editor).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{:?}", terminal(&events));
    assert_eq!(outputs(&events), json!({"n": 7, "length": LARGE}));
    let journal: usize = events.iter().map(|event| event.to_string().len()).sum();
    assert!(journal < 200_000, "the journal holds {journal} bytes");
    let grown = size(server.dir()) - before;
    assert!(grown < 4 * LARGE as u64, "the folder has grown by {grown} bytes");
    server.stored().await;
}

#[tokio::test]
async fn large_values_pass_through_child_runs_and_restarts() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    web.always("/large", Reply::json(json!({"text": "y".repeat(100_000)})));
    let nodes = vec![
        plain("get", "http", json!({"url": web.url("/large")})),
        plain("done", "end", json!({"all": "{{ get.body }}"})),
    ];
    let inner = workflow(&editor, whole(nodes, &["start get", "get done"])).await;
    let form = json!({"config": {"actions": [{"name": "ok"}]}});
    let nodes = vec![
        node("sub", "workflow", json!({}), json!({"config": {"assistant_id": inner}})),
        node("ask", "human", json!({"title": "Well?"}), form),
        plain("done", "end", json!({"length": "{{ sub.all.text|length }}", "forged": "{{ start.forged }}"})),
    ];
    let mut graph = whole(nodes, &["start sub", "sub ask", "ask.ok done"]);
    graph["inputs"] = json!({"forged": {"type": "any"}});
    let assistant = workflow(&editor, graph).await;
    // A value that merely looks like a reference to the value store is treated as a plain value.
    let forged = json!({"$blob": "0".repeat(64), "bytes": 5});
    let run = Run::start(&editor, &assistant, json!({"forged": forged})).await;
    let asked = run.form(&editor).await;
    let server = server.restart().await;
    let editor = server.editor();
    Client::send(run.answering(&editor, &asked, "ok", json!({}))).await.ok();
    let events = run.events(&editor).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:#?}");
    let given = outputs(&events);
    assert_eq!(given["length"], 100_000);
    let again = json!({"inputs": {"forged": forged}});
    let other = editor.post(&super::scene::runs(&assistant), again).await.expect(202).json();
    let other = Run::of(&assistant, &other);
    let asked = other.form(&editor).await;
    Client::send(other.answering(&editor, &asked, "ok", json!({}))).await.ok();
    assert_eq!(terminal(&other.events(&editor).await)["status"], "succeeded");
}

#[tokio::test]
async fn run_timeout_excludes_downtime_and_waiting() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    let form = json!({"config": {"actions": [{"name": "ok"}]}});
    let nodes =
        vec![node("ask", "human", json!({"title": "Well?"}), form), post(&web, "n", json!({})), end()];
    let mut graph = whole(nodes, &["start ask", "ask.ok n", "n done"]);
    graph["limits"] = json!({"run_timeout_ms": 2_000});
    let assistant = workflow(&editor, graph).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let asked = run.form(&editor).await;
    run.until_state(&editor, "waiting").await;
    let server = server.restart().await;
    let editor = server.editor();
    run.until_state(&editor, "waiting").await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    Client::send(run.answering(&editor, &asked, "ok", json!({}))).await.ok();
    let events = run.events(&editor).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:#?}");
    assert_eq!(nodes_of(&events, "node.finished"), ["start", "ask", "n", "done"]);
}

#[tokio::test]
async fn waiting_runs_do_not_count_against_the_limit_after_a_restart() {
    let server = TestServer::start_with(|config| config.runs.per_user = 2).await;
    let editor = server.editor();
    let form = json!({"config": {"actions": [{"name": "ok"}]}});
    let nodes = vec![node("ask", "human", json!({"title": "Well?"}), form), end()];
    let assistant = workflow(&editor, whole(nodes, &["start ask", "ask.ok done"])).await;
    let mut asking = Vec::new();
    for _ in 0..6 {
        let run = Run::start(&editor, &assistant, json!({})).await;
        run.until_state(&editor, "waiting").await;
        asking.push(run);
    }
    let server = server.restart().await;
    let editor = server.editor();
    for run in &asking {
        run.until_state(&editor, "waiting").await;
    }
    let quick = start(&editor, vec![end()], &["start done"]).await;
    assert_eq!(terminal(&quick.events(&editor).await)["status"], "succeeded");
    for run in &asking {
        let form = run.form(&editor).await;
        Client::send(run.answering(&editor, &form, "ok", json!({}))).await.ok();
        assert_eq!(terminal(&run.events(&editor).await)["status"], "succeeded");
    }
}
