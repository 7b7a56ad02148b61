//! Cancelling a run in the middle of every kind of node leaves no work behind.

use std::time::Duration;

use serde_json::{Value, json};

use super::scene::{Run, graph, node, of_type, workflow};
use crate::api::streams::reading::{terminal, unlimited};
use crate::crash::server::{EMAIL, PASSWORD, Server};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, PATIENCE, TestServer, text, until};

/// A server with a fake provider, another server that receives requests, and a client.
struct Scene {
    server: TestServer,
    provider: FakeProvider,
    web: CountingServer,
    editor: Client,
}

impl Scene {
    async fn set() -> Self {
        let (provider, web) = (FakeProvider::start().await, CountingServer::start().await);
        let config = provider.config();
        let server = TestServer::start_with(|settings| {
            unlimited(settings);
            settings.providers = vec![config];
        });
        let server = server.await;
        web.always("/hang", Reply::hang());
        let editor = server.editor();
        Self { server, provider, web, editor }
    }

    fn hang(&self, id: &str, more: Value) -> Value {
        node(id, "http", json!({"url": self.web.url("/hang"), "body": "{{ run.id }}"}), more)
    }

    /// Starts a run of `start` → these nodes with these edges.
    async fn start(&self, nodes: Vec<Value>, edges: &[&str]) -> Run {
        let start = vec![node("start", "start", json!({}), json!({}))];
        let assistant = workflow(&self.editor, graph(json!({}), [start, nodes].concat(), edges)).await;
        Run::start(&self.editor, &assistant, json!({})).await
    }

    async fn cancel(&self, run: &Run) -> Value {
        self.editor.post(&run.path("cancel"), json!({})).await.ok()
    }

    /// Cancels the run and asserts that no work is left. `stopped` lists the executions that were in progress.
    async fn ends(&self, run: &Run, stopped: &[&str]) -> Vec<Value> {
        let receipt = self.cancel(run).await;
        let events = run.events(&self.editor).await;
        let end = terminal(&events);
        assert_eq!(end["status"], "cancelled", "{receipt}: {events:#?}");
        assert_eq!(receipt["terminal"], end);
        let mut told =
            receipt["nodes_stopped"].as_array().expect("a list").iter().map(text).collect::<Vec<_>>();
        told.sort();
        assert_eq!(told, stopped, "{events:#?}");
        all_are_over(&events);
        let active = format!("/api/conversations/{}/streams/active", run.conversation);
        self.editor.get(&active).await.no_content();
        assert_eq!(self.cancel(run).await["terminal"], end, "it never changes");
        self.web.idle().await;
        self.provider.idle().await;
        assert_eq!(self.web.busy(), 0);
        events
    }

    /// Waits until all of these executions have had an event of this type.
    async fn until(&self, run: &Run, kind: &str, execs: &[&str]) {
        let mut stream = run.watch(&self.editor).await;
        let mut left: Vec<_> = execs.to_vec();
        while !left.is_empty() {
            let event = stream.until(kind).await;
            left.retain(|exec| event["exec_id"] != *exec);
        }
    }
}

/// Asserts that every execution that started has finished exactly once.
#[track_caller]
fn all_are_over(events: &[Value]) {
    let execs = |kind: &str| {
        let mut execs: Vec<_> = of_type(events, kind).iter().map(|event| text(&event["exec_id"])).collect();
        execs.sort();
        execs
    };
    let (mut begun, over) = (execs("node.started"), execs("node.finished"));
    begun.dedup();
    assert!(begun.iter().all(|exec| over.contains(exec)), "started: {begun:?}, finished: {over:?}");
    let mut once = over.clone();
    once.dedup();
    assert_eq!(once, over);
}

fn end() -> Value {
    node("done", "end", json!({}), json!({}))
}

#[tokio::test]
async fn cancel_stops_calls_of_models() {
    let scene = Scene::set().await;
    let classes = json!([{"name": "a", "description": "A"}, {"name": "b", "description": "B"}]);
    let schema = json!({"type": "object"});
    let cases = [
        ("llm", json!({"prompt": "Count."}), json!({"model": "fake/slow"})),
        ("llm", json!({"prompt": "Count."}), json!({"model": "fake/slow", "answer": true})),
        ("llm", json!({"prompt": "Say nothing."}), json!({"model": "fake/silent"})),
        ("agent", json!({"prompt": "Count."}), json!({"model": "fake/slow", "tools": ["count_text"]})),
        ("classifier", json!({"text": "Count."}), json!({"model": "fake/slow", "classes": classes})),
        ("extract", json!({"text": "Count."}), json!({"model": "fake/slow", "schema": schema})),
    ];
    for (kind, inputs, config) in cases {
        let asked = node("n", kind, inputs, json!({"config": config.clone()}));
        let edges: &[&str] =
            if kind == "classifier" { &["start n", "n.a done", "n.b done"] } else { &["start n", "n done"] };
        let (says, mut billed) = (config["model"] == "fake/slow", false);
        // There is no signal for the first words, which may take a while on a slow machine.
        for pause_ms in [100, 1_000, 10_000] {
            let run = scene.start(vec![asked.clone(), end()], edges).await;
            scene.until(&run, "node.started", &["n"]).await;
            until("the model is asked", async || scene.provider.open() > 0).await;
            assert_eq!(scene.provider.open(), 1, "{kind}");
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            let events = scene.ends(&run, &["n"]).await;
            billed = terminal(&events)["usage"]["input_tokens"].as_u64().expect("tokens") > 0;
            if billed || !says {
                break;
            }
        }
        assert_eq!(billed, says, "{kind} is billed for the partial answer");
    }
}

#[tokio::test]
async fn cancel_stops_requests_lists_and_loops() {
    let scene = Scene::set().await;
    let run = scene.start(vec![scene.hang("n", json!({})), end()], &["start n", "n done"]).await;
    scene.web.wait_for("/hang", 1).await;
    scene.ends(&run, &["n"]).await;

    let each = node("all", "each", json!({"items": [1, 2, 3, 4, 5]}), json!({"config": {"concurrency": 3}}));
    let nodes = vec![each, scene.hang("n", json!({"parent": "all"})), end()];
    let run = scene.start(nodes, &["start all", "all done"]).await;
    scene.web.wait_for("/hang", 4).await;
    scene.ends(&run, &["all", "all:0/n", "all:1/n", "all:2/n"]).await;
    assert_eq!(scene.web.count("/hang"), 4, "no item starts after the cancel");

    let turns = node("again", "loop", json!({}), json!({"config": {"max": 3}}));
    let nodes = vec![turns, scene.hang("n", json!({"parent": "again"})), end()];
    let run = scene.start(nodes, &["start again", "again done"]).await;
    scene.web.wait_for("/hang", 5).await;
    scene.ends(&run, &["again", "again:0/n"]).await;
    assert_eq!(scene.web.count("/hang"), 5);
}

#[tokio::test]
async fn cancel_stops_retry_pauses_and_waits() {
    let scene = Scene::set().await;
    scene.web.always("/busy", Reply::status(503));
    let policy =
        json!({"policy": {"effect": "idempotent", "retry": {"max": 3, "base_ms": 60_000, "max_ms": 60_000}}});
    let send = node("n", "http", json!({"url": scene.web.url("/busy")}), policy);
    let run = scene.start(vec![send, end()], &["start n", "n done"]).await;
    scene.until(&run, "node.retry", &["n"]).await;
    scene.ends(&run, &["n"]).await;
    assert_eq!(scene.web.count("/busy"), 1);

    // Several executions at once, also in containers.
    let form = json!({"config": {"actions": [{"name": "ok"}]}});
    let form_within = json!({"config": {"actions": [{"name": "ok"}]}, "parent": "all"});
    let nodes = vec![
        node("split", "parallel", json!({}), json!({})),
        node("ask", "human", json!({"title": "Well?"}), form),
        node("listen", "wait", json!({}), json!({"config": {"event": "never", "expires_ms": 3_600_000}})),
        node("rest", "delay", json!({"ms": 3_600_000}), json!({})),
        node("all", "each", json!({"items": [1, 2]}), json!({"config": {"concurrency": 2}})),
        node("each_ask", "human", json!({"title": "And?"}), form_within),
        node("meet", "join", json!({}), json!({})),
        end(),
    ];
    let edges = [
        "start split",
        "split ask",
        "split listen",
        "split rest",
        "split all",
        "ask.ok meet",
        "listen meet",
        "listen.expired meet",
        "rest meet",
        "all meet",
        "meet done",
    ];
    let run = scene.start(nodes, &edges).await;
    run.until_state(&scene.editor, "waiting").await;
    scene.ends(&run, &["all", "all:0/each_ask", "all:1/each_ask", "ask", "listen", "rest"]).await;
    let late = json!({"event": "never", "fields": {}});
    scene.editor.post(&run.path("resume"), late).await.problem(409, "not_waiting");
}

#[tokio::test]
async fn join_stops_the_branches_it_does_not_wait_for_at_once() {
    let scene = Scene::set().await;
    let more = json!({"config": {"mode": "any"}});
    let nodes = vec![
        node("split", "parallel", json!({}), json!({})),
        scene.hang("slow", json!({})),
        scene.hang("slower", json!({})),
        node("after", "template", json!({"text": "{{ slower.status }}"}), json!({})),
        node("quick", "delay", json!({"ms": 50}), json!({})),
        node("first", "join", json!({}), more),
        node("hold", "human", json!({"title": "Well?"}), json!({"config": {"actions": [{"name": "ok"}]}})),
        end(),
    ];
    let edges = [
        "start split",
        "split slow",
        "split slower",
        "slower after",
        "split quick",
        "slow first",
        "after first",
        "quick first",
        "first hold",
        "hold.ok done",
    ];
    let run = scene.start(nodes, &edges).await;
    run.form(&scene.editor).await;
    scene.web.idle().await;
    let events = scene.ends(&run, &["hold"]).await;
    let lost: Vec<_> = of_type(&events, "node.finished")
        .into_iter()
        .filter(|event| event["data"]["status"] == "cancelled" && event["exec_id"] != "hold")
        .map(|event| text(&event["exec_id"]))
        .collect();
    assert_eq!(lost.len(), 2, "{lost:?}");
    let skipped = of_type(&events, "node.skipped");
    assert!(skipped.iter().any(|event| event["exec_id"] == "after"), "{skipped:?}");
}

#[tokio::test]
async fn cancel_stops_child_runs_and_not_detached_ones() {
    let scene = Scene::set().await;
    let through = |more: Vec<Value>| [vec![node("start", "start", json!({}), json!({}))], more].concat();
    let edges = ["start n", "n done"];
    let hanging = graph(json!({}), through(vec![scene.hang("n", json!({})), end()]), &edges);
    let innermost = workflow(&scene.editor, hanging).await;
    let call = |id: &str, inner: &str, detach: bool| {
        node(id, "workflow", json!({}), json!({"config": {"assistant_id": inner, "detach": detach}}))
    };
    let middle = graph(json!({}), through(vec![call("n", &innermost, false), end()]), &edges);
    let middle = workflow(&scene.editor, middle).await;
    let nodes = vec![call("alone", &innermost, true), call("n", &middle, false), end()];
    let run = scene.start(nodes, &["start alone", "alone n", "n done"]).await;
    scene.web.wait_for("/hang", 2).await;
    let alone = scene.child(&run, "alone", &innermost).await;
    let child = scene.child(&run, "n", &middle).await;
    let grandchild = scene.child(&child, "n", &innermost).await;
    let receipt = scene.cancel(&run).await;
    assert_eq!(receipt["status"], "cancelled");
    assert_eq!(receipt["children_stopped"], json!([child.stream]));
    for below in [&child, &grandchild] {
        let events = tokio::time::timeout(PATIENCE, below.events(&scene.editor)).await;
        assert_eq!(terminal(&events.expect("the child ends"))["status"], "cancelled");
    }
    let active = format!("/api/conversations/{}/streams/active", alone.conversation);
    assert_eq!(
        scene.editor.get(&active).await.ok()["stream_id"],
        json!(alone.stream),
        "the detached run continues"
    );
    scene.ends(&alone, &["n"]).await;
}

impl Scene {
    /// Returns the run that a node has started.
    async fn child(&self, run: &Run, node: &str, assistant: &str) -> Run {
        let mut stream = run.watch(&self.editor).await;
        loop {
            let event = stream.until("node.waiting").await;
            if event["node_id"] == node {
                let data = &event["data"];
                let ids = json!({"conversation_id": data["conversation_id"], "stream_id": data["run_id"]});
                return Run::of(assistant, &ids);
            }
        }
    }
}

#[tokio::test]
async fn cancel_compensates_in_reverse_order_and_once() {
    let scene = Scene::set().await;
    let step = |id: &str, undo: &str| {
        let policy = json!({"policy": {"effect": "once", "compensate": undo}, "config": {"method": "POST"}});
        node(id, "http", json!({"url": scene.web.url(&format!("/{id}"))}), policy)
    };
    let undo = |id: &str, of: &str| {
        let inputs =
            json!({"url": scene.web.url(&format!("/{id}")), "body": format!("{{{{ {of}.body.count }}}}")});
        node(id, "http", inputs, json!({"config": {"method": "POST"}}))
    };
    let nodes = vec![
        step("book", "unbook"),
        step("pay", "refund"),
        scene.hang("n", json!({"policy": {"compensate": "unsend"}})),
        undo("unbook", "book"),
        undo("refund", "pay"),
        undo("unsend", "n"),
        end(),
    ];
    let run = scene.start(nodes, &["start book", "book pay", "pay n", "n done"]).await;
    scene.web.wait_for("/hang", 1).await;
    let events = scene.ends(&run, &["n"]).await;
    let undone: Vec<_> = scene.web.seen().iter().skip(3).map(|seen| seen.path.clone()).collect();
    assert_eq!(undone, ["/refund", "/unbook"], "in reverse order, and only completed nodes");
    assert_eq!(of_type(&events, "run.compensating")[0]["data"]["executions"], json!(["pay", "book"]));
    let refund = &scene.web.seen_at("/refund")[0];
    assert_eq!(refund.json(), json!(1));
    assert_eq!(refund.key(), Some(format!("{}:pay~undo", run.stream).as_str()));
}

#[tokio::test]
async fn cancel_stops_sixty_concurrent_runs() {
    let scene = Scene::set().await;
    let start = vec![node("start", "start", json!({}), json!({}))];
    let nodes = [start, vec![scene.hang("n", json!({})), end()]].concat();
    let assistant = workflow(&scene.editor, graph(json!({}), nodes, &["start n", "n done"])).await;
    let mut all = Vec::new();
    for _ in 0..60 {
        all.push(Run::start(&scene.editor, &assistant, json!({})).await);
    }
    scene.web.wait_for("/hang", 60).await;
    assert_eq!(scene.web.open(), 60);
    let receipts = futures::future::join_all(all.iter().map(|run| scene.cancel(run))).await;
    assert!(
        receipts
            .iter()
            .all(|receipt| receipt["status"] == "cancelled" && receipt["nodes_stopped"] == json!(["n"]))
    );
    scene.web.idle().await;
    let health = scene.server.editor().get("/api/users/me").await;
    assert_eq!(health.status, 200);
}

/// Processes of scripts are counted as children of the server, so this test needs a server without other scripts: the
/// real binary.
#[tokio::test]
async fn cancel_ends_the_process_of_a_script() {
    let _ = crate::harness::client();
    let server = Server::install().await;
    let login = json!({"email": EMAIL, "password": PASSWORD});
    let login = Client::new(server.url.clone(), None).post("/api/auth/login/", login).await.ok();
    let admin = Client::new(server.url.clone(), Some(text(&login["access_token"])));
    let code = json!({"config": {"code": "function main() { for (;;) {} }"}, "policy": {"timeout_ms": 60_000},
        "out": {"n": {"type": "integer"}}});
    let nodes = vec![node("start", "start", json!({}), json!({})), node("n", "code", json!({}), code), end()];
    let assistant = workflow(&admin, graph(json!({}), nodes, &["start n", "n done"])).await;
    for _ in 0..3 {
        let run = Run::start(&admin, &assistant, json!({})).await;
        run.watch(&admin).await.until("node.started").await;
        let pid = server.pid().expect("it runs");
        at_work(pid, 1).await;
        let receipt = admin.post(&run.path("cancel"), json!({})).await.ok();
        assert_eq!(receipt["terminal"]["status"], "cancelled");
        at_work(pid, 0).await;
    }
}

/// Waits until this many children of a process are busy, ten times in a row. A process that has just started is also
/// busy for a moment.
async fn at_work(pid: u32, children: usize) {
    let mut times = 0;
    until(&format!("{children} scripts run"), async || {
        times = if busy_children(pid) == children { times + 1 } else { 0 };
        times == 10
    })
    .await;
}

/// Counts the children of a process that use the CPU, rather than only wait for a script.
fn busy_children(pid: u32) -> usize {
    let threads = |pid: &str| std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let lists = threads(&pid.to_string()).map(|thread| read(thread.path().join("children")));
    let pids: Vec<String> =
        lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    let runs = |line: String| line.rsplit(") ").next().is_some_and(|rest| rest.starts_with('R'));
    let busy = |pid: &&String| threads(pid).any(|thread| runs(read(thread.path().join("stat"))));
    pids.iter().filter(busy).count()
}
