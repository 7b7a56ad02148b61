//! External effects of nodes: how often they happen, and the consequences of failures.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::{Closed, Run, graph, in_node, node, nodes_of, of_type, outputs, workflow};
use crate::api::streams::reading::{messages, said, server, terminal};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, text};

/// A server, another one that receives requests of workflows, and a client that starts runs.
struct Scene {
    server: TestServer,
    web: CountingServer,
    editor: Client,
}

impl Scene {
    async fn set() -> Self {
        let (server, web) = (server().await, CountingServer::start().await);
        let editor = server.editor();
        Self { server, web, editor }
    }

    /// A node that sends a request to `/<id>`.
    fn post(&self, id: &str, policy: Value) -> Value {
        let more = json!({"config": {"method": "POST"}, "policy": policy});
        node(id, "http", json!({"url": self.web.url(&format!("/{id}")), "body": {"of": id}}), more)
    }

    async fn save(&self, nodes: Vec<Value>, edges: &[&str], limits: Value) -> String {
        let start = vec![node("start", "start", json!({}), json!({}))];
        let mut graph = graph(json!({}), [start, nodes].concat(), edges);
        graph["limits"] = limits;
        workflow(&self.editor, graph).await
    }

    /// Runs `start` → these nodes with these edges to the end.
    async fn run(&self, nodes: Vec<Value>, edges: &[&str]) -> Vec<Value> {
        self.run_within(nodes, edges, json!({})).await
    }

    async fn run_within(&self, nodes: Vec<Value>, edges: &[&str], limits: Value) -> Vec<Value> {
        let assistant = self.save(nodes, edges, limits).await;
        Run::start(&self.editor, &assistant, json!({})).await.events(&self.editor).await
    }

    /// Runs one request and then `done`, to the end.
    async fn one(&self, id: &str, policy: Value) -> Vec<Value> {
        let (there, back) = (format!("start {id}"), format!("{id} done"));
        self.run(vec![self.post(id, policy), end()], &[&there, &back]).await
    }
}

fn end() -> Value {
    node("done", "end", json!({}), json!({}))
}

fn plain(id: &str, kind: &str, inputs: Value) -> Value {
    node(id, kind, inputs, json!({}))
}

/// The pauses before retries, in milliseconds.
fn pauses(events: &[Value]) -> Vec<u64> {
    of_type(events, "node.retry")
        .iter()
        .map(|event| event["data"]["delay_ms"].as_u64().expect("ms"))
        .collect()
}

/// The timeout of a request. One that is never answered only has to be sent within it; the others also have to be
/// answered, however slow the machine is.
fn patience_ms(hangs: bool) -> u64 {
    if hangs { 1_500 } else { 60_000 }
}

#[tokio::test]
async fn retries_wait_with_exponential_backoff() {
    let scene = Scene::set().await;
    scene.web.script("/a", (0..3).map(|_| Reply::status(500)));
    let retry = json!({"max": 5, "base_ms": 40, "factor": 3.0, "max_ms": 200, "jitter": 0.0});
    let began = Instant::now();
    let events = scene.one("a", json!({"effect": "idempotent", "retry": retry})).await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert_eq!(pauses(&events), [40, 120, 200]);
    assert!(began.elapsed() >= Duration::from_millis(360), "{:?}", began.elapsed());
    let attempts: Vec<_> = of_type(&events, "node.started")
        .into_iter()
        .filter(|event| event["node_id"] == "a")
        .map(|event| event["data"]["attempt"].clone())
        .collect();
    assert_eq!(attempts, [1, 2, 3, 4]);
    let seen = scene.web.seen_at("/a");
    assert!(seen.iter().all(|request| request.key() == seen[0].key() && request.body == seen[0].body));

    // The pauses vary randomly within the given jitter.
    scene.web.script("/b", (0..6).map(|_| Reply::status(429)));
    let retry = json!({"max": 6, "base_ms": 40, "factor": 1.0, "jitter": 0.5});
    let events = scene.one("b", json!({"effect": "idempotent", "retry": retry})).await;
    let spread = pauses(&events);
    assert!(spread.iter().all(|ms| (20..=60).contains(ms)), "{spread:?}");
    assert!(spread.iter().any(|ms| *ms != spread[0]), "{spread:?}");
}

#[tokio::test]
async fn retries_respect_retry_after_up_to_the_maximum() {
    let scene = Scene::set().await;
    scene.web.script("/a", [Reply::status(429).header("retry-after", "1")]);
    let retry = json!({"max": 1, "base_ms": 1, "max_ms": 5_000, "jitter": 0.0});
    let events = scene.one("a", json!({"effect": "idempotent", "retry": retry})).await;
    assert_eq!((terminal(&events)["status"].clone(), pauses(&events)), (json!("succeeded"), vec![1_000]));
    // But not longer than the author of the workflow allows.
    scene.web.script("/b", [Reply::status(503).header("retry-after", "3600")]);
    let retry = json!({"max": 1, "base_ms": 1, "max_ms": 100, "jitter": 0.0});
    let events = scene.one("b", json!({"effect": "idempotent", "retry": retry})).await;
    assert_eq!((terminal(&events)["status"].clone(), pauses(&events)), (json!("succeeded"), vec![100]));
}

#[tokio::test]
async fn retries_are_limited_in_number_and_to_the_named_failures() {
    let scene = Scene::set().await;
    scene.web.always("/a", Reply::status(500));
    let retry = json!({"max": 2, "base_ms": 1, "jitter": 0.0});
    let events = scene.one("a", json!({"effect": "idempotent", "retry": retry})).await;
    let end = terminal(&events);
    assert_eq!((&end["status"], &end["error"]["code"]), (&json!("failed"), &json!("http_status")));
    assert!(text(&end["error"]["message"]).starts_with("a: "), "{end}");
    assert_eq!((scene.web.count("/a"), pauses(&events).len()), (3, 2));

    for (path, reply, on, count) in [
        ("/c", Reply::status(400), json!(["5xx", "429"]), 1),
        ("/d", Reply::status(404), json!(["404"]), 3),
        ("/e", Reply::status(502), json!(["500"]), 1),
        ("/f", Reply::hang_up(), json!(["any"]), 3),
        ("/g", Reply::hang(), json!(["timeout"]), 3),
        ("/h", Reply::hang(), json!(["connect"]), 1),
    ] {
        let timeout_ms = patience_ms(matches!(path, "/g" | "/h"));
        scene.web.always(path, reply);
        let retry = json!({"max": 2, "base_ms": 1, "jitter": 0.0, "on": on});
        let policy = json!({"effect": "idempotent", "timeout_ms": timeout_ms, "retry": retry});
        let events = scene.one(&path[1..], policy).await;
        assert_eq!(terminal(&events)["status"], "failed", "{path}");
        assert_eq!(scene.web.count(path), count, "{path}: {:?}", terminal(&events)["error"]);
    }
}

#[tokio::test]
async fn once_effect_is_sent_once_whatever_the_response() {
    let scene = Scene::set().await;
    let retry = json!({"max": 5, "base_ms": 1, "jitter": 0.0, "on": ["any"]});
    let replies =
        [Reply::status(500), Reply::status(429), Reply::hang_up(), Reply::hang(), Reply::half("never whole")];
    for effect in ["once", "irreversible"] {
        for (place, reply) in replies.iter().enumerate() {
            let id = format!("{effect}{place}");
            scene.web.always(&format!("/{id}"), reply.clone());
            // The last two replies never end.
            let timeout_ms = patience_ms(place >= 3);
            let events =
                scene.one(&id, json!({"effect": effect, "timeout_ms": timeout_ms, "retry": retry})).await;
            assert_eq!(terminal(&events)["status"], "failed", "{id}");
            assert_eq!((scene.web.count(&format!("/{id}")), pauses(&events).len()), (1, 0), "{id}");
        }
        // A connection that was never established has sent nothing.
        let closed = Closed::find();
        let more = json!({"config": {"method": "POST"}, "policy": {"effect": effect, "retry": retry}});
        let nodes = vec![node("n", "http", json!({"url": closed.url}), more), end()];
        let events = scene.run(nodes, &["start n", "n done"]).await;
        assert_eq!(pauses(&events).len(), 5, "{effect}");
    }
}

#[tokio::test]
async fn idempotency_keys_are_stable_across_attempts_and_distinct_per_item_and_run() {
    let scene = Scene::set().await;
    scene.web.script("/a", [Reply::status(503), Reply::status(503), Reply::status(503)]);
    let each = node("all", "each", json!({"items": [1, 2, 3]}), json!({"config": {"concurrency": 3}}));
    let retry = json!({"max": 4, "base_ms": 1, "jitter": 0.0});
    let mut post = scene.post("a", json!({"effect": "idempotent", "retry": retry}));
    post["parent"] = json!("all");
    let assistant = scene.save(vec![each, post, end()], &["start all", "all done"], json!({})).await;
    let mut all = std::collections::HashSet::new();
    for runs in 1..=2 {
        let run = Run::start(&scene.editor, &assistant, json!({})).await;
        assert_eq!(terminal(&run.events(&scene.editor).await)["status"], "succeeded");
        for index in 0..3 {
            let key = format!("{}:all:{index}/a", run.stream);
            assert!(scene.web.count_key(&key) >= 1, "{key}: {:?}", scene.web.counts());
            all.insert(key);
        }
        assert_eq!(scene.web.counts().len(), 3 * runs);
    }
    assert_eq!((all.len(), scene.web.count("/a")), (6, 9));
}

#[tokio::test]
async fn node_failure_fails_the_run_or_is_handled_by_default_or_branch() {
    let scene = Scene::set().await;
    scene.web.always("/a", Reply::status(500));
    let policy = json!({"on_error": "continue", "default": {"status": 0, "body": "nothing"}});
    let told = json!({"body": "{{ a.body }}", "code": "{{ a.error.code }}", "status": "{{ a.status }}"});
    let nodes = vec![scene.post("a", policy), plain("done", "end", told)];
    let events = scene.run(nodes, &["start a", "a done"]).await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert_eq!(outputs(&events), json!({"body": "nothing", "code": "http_status", "status": 0}));
    let finished = in_node(&events, "node.finished", "a");
    assert_eq!(
        (&finished["status"], &finished["error"]["code"]),
        (&json!("error_handled"), &json!("http_status"))
    );

    let nodes = vec![
        scene.post("a", json!({"on_error": "branch"})),
        plain("well", "template", json!({"text": "well"})),
        plain("ill", "template", json!({"text": "ill: {{ a.error.code }}"})),
        plain("done", "end", json!({"text": "{{ well.text or ill.text }}"})),
    ];
    let edges = ["start a", "a well", "a.error ill", "well done", "ill done"];
    let events = scene.run(nodes, &edges).await;
    assert_eq!(outputs(&events), json!({"text": "ill: http_status"}));
    assert_eq!(nodes_of(&events, "node.skipped"), ["well"]);

    // The text of the answer so far is kept.
    let nodes = vec![plain("say", "answer", json!({"text": "So far."})), scene.post("a", json!({})), end()];
    let assistant = scene.save(nodes, &["start say", "say a", "a done"], json!({})).await;
    let run = Run::start(&scene.editor, &assistant, json!({})).await;
    let end = terminal(&run.events(&scene.editor).await);
    assert_eq!((&end["status"], &end["error"]["code"]), (&json!("failed"), &json!("http_status")));
    let kept = messages(&scene.editor, &run.conversation).await;
    let last = kept.last().expect("a message");
    assert_eq!((said(last).as_str(), &last["status"]), ("So far.", &json!("failed")));
}

#[tokio::test]
async fn each_kind_of_node_times_out() {
    let scene = Scene::set().await;
    scene.web.always("/a", Reply::hang());
    let code = json!({"config": {"code": "function main() { for (;;) {} }"}, "policy": {"timeout_ms": 300},
        "out": {"n": {"type": "integer"}}});
    let llm = json!({"config": {"model": "builtin/scribe", "parameters": {"length": 5000, "pace_ms": 50}},
        "policy": {"timeout_ms": 300}});
    let within = json!({"parent": "all", "config": {"actions": [{"name": "ok"}]}});
    let ask = node("ask", "human", json!({"title": "Well?"}), within);
    let cases = [
        (vec![scene.post("n", json!({"timeout_ms": 300}))], "timeout"),
        (vec![node("n", "code", json!({}), code)], "code_timeout"),
        (vec![node("n", "llm", json!({"prompt": "Write."}), llm)], "timeout"),
        (
            vec![node("n", "each", json!({"items": [1]}), json!({"policy": {"timeout_ms": 300}})), ask],
            "timeout",
        ),
    ];
    scene.web.always("/n", Reply::hang());
    for (mut nodes, code) in cases {
        if let [_, ask] = nodes.as_mut_slice() {
            ask["parent"] = json!("n");
        }
        nodes.push(end());
        let events = scene.run(nodes, &["start n", "n done"]).await;
        let error = &terminal(&events)["error"];
        assert_eq!(error["code"], code, "{events:#?}");
        // The message names the node's own timeout, not the default one.
        assert!(text(&error["message"]).contains("300 ms"), "{error}");
    }
    scene.web.idle().await;

    // The same applies to nodes that only wait.
    let hanging =
        scene.save(vec![scene.post("n", json!({"timeout_ms": 0})), end()], &["start n", "n done"], json!({}));
    let hanging = hanging.await;
    let within = json!({"timeout_ms": 300});
    let (event, child) = (json!({"event": "never"}), json!({"assistant_id": hanging}));
    let form = json!({"actions": [{"name": "ok"}]});
    let cases = [
        node("n", "delay", json!({"ms": 600_000}), json!({"policy": within})),
        node("n", "wait", json!({}), json!({"policy": within, "config": event})),
        node("n", "human", json!({"title": "Well?"}), json!({"policy": within, "config": form})),
        node("n", "workflow", json!({}), json!({"policy": within, "config": child})),
    ];
    for waits in cases {
        let edges = ["start n", if waits["type"] == "human" { "n.ok done" } else { "n done" }];
        let kind = waits["type"].clone();
        let events = scene.run(vec![waits, end()], &edges).await;
        let error = &terminal(&events)["error"];
        assert_eq!(error["code"], "timeout", "{kind}");
        assert!(text(&error["message"]).contains("300 ms"), "{kind}: {error}");
    }
    scene.web.idle().await;
}

#[tokio::test]
async fn failed_run_compensates_completed_nodes() {
    let scene = Scene::set().await;
    scene.web.always("/broken", Reply::status(500));
    scene.web.script("/refund", [Reply::status(503)]);
    let undo = |id: &str, of: &str, policy: Value| {
        let inputs =
            json!({"url": scene.web.url(&format!("/{id}")), "body": format!("{{{{ {of}.body.key }}}}")});
        node(id, "http", inputs, json!({"config": {"method": "POST"}, "policy": policy}))
    };
    let retry = json!({"effect": "idempotent", "retry": {"max": 2, "base_ms": 1}});
    let each = node("all", "each", json!({"items": [1, 2]}), json!({}));
    let mut ship = scene.post("ship", json!({"compensate": "recall"}));
    ship["parent"] = json!("all");
    let mut recall = undo("recall", "ship", json!({}));
    recall["parent"] = json!("all");
    let nodes = vec![
        scene.post("pay", json!({"compensate": "refund"})),
        each,
        ship,
        recall,
        scene.post("broken", json!({})),
        undo("refund", "pay", retry),
        end(),
    ];
    let edges = ["start pay", "pay all", "all broken", "broken done"];
    let events = scene.run(nodes.clone(), &edges).await;
    let end = terminal(&events);
    assert_eq!((&end["status"], &end["error"]["code"]), (&json!("failed"), &json!("http_status")));
    let paths: Vec<_> = scene.web.seen().iter().map(|seen| seen.path.clone()).collect();
    let undone: Vec<&str> =
        paths.iter().skip_while(|path| *path != "/broken").skip(1).map(String::as_str).collect();
    // Two concurrent items end in either order. Each is recalled once, before the payment is.
    assert_eq!(
        undone,
        ["/recall", "/recall", "/refund", "/refund"],
        "the second refund is the second attempt"
    );
    let keys: std::collections::HashSet<_> =
        scene.web.seen_at("/recall").iter().map(|seen| seen.key().map(str::to_owned)).collect();
    assert_eq!(keys.len(), 2);
    let refunds = scene.web.seen_at("/refund");
    assert!(refunds.iter().all(|seen| seen.key() == refunds[0].key()));
    assert_eq!(refunds[0].body, refunds[1].body);
    assert!(String::from_utf8_lossy(&refunds[0].body).ends_with(":pay"));

    // A run that succeeds compensates nothing.
    let nodes = nodes.into_iter().filter(|node| node["id"] != "broken").collect();
    let before = scene.web.seen().len();
    let events = scene.run(nodes, &["start pay", "pay all", "all done"]).await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert_eq!(scene.web.seen().len(), before + 3);
    assert!(of_type(&events, "run.compensating").is_empty());
}

#[tokio::test]
async fn compensation_with_a_once_effect_is_not_retried() {
    let scene = Scene::set().await;
    scene.web.always("/broken", Reply::status(500));
    scene.web.always("/refund", Reply::status(500));
    let retry = json!({"effect": "once", "retry": {"max": 3, "base_ms": 1}});
    let nodes = vec![
        scene.post("pay", json!({"compensate": "refund"})),
        scene.post("broken", json!({})),
        scene.post("refund", retry),
        end(),
    ];
    let events = scene.run(nodes, &["start pay", "pay broken", "broken done"]).await;
    assert_eq!(
        terminal(&events)["error"]["message"].as_str().map(|text| text.starts_with("broken: ")),
        Some(true)
    );
    assert_eq!(scene.web.count("/refund"), 1);
    let undone = in_node(&events, "node.finished", "refund");
    assert_eq!((&undone["status"], &undone["error"]["code"]), (&json!("failed"), &json!("http_status")));
    scene.server.stored().await;
}
