//! Every type of node in a run.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{Closed, Run, graph, in_node, node, nodes_of, of_type, outputs, workflow};
use crate::api::streams::reading::{answer, conversation, terminal};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, text};

fn plain(id: &str, kind: &str, inputs: Value) -> Value {
    node(id, kind, inputs, json!({}))
}

/// Runs `start` → these nodes with these edges, and returns all events.
async fn run(client: &Client, nodes: Vec<Value>, edges: &[&str], inputs: Value) -> Vec<Value> {
    let start = vec![plain("start", "start", json!({}))];
    let declared: serde_json::Map<String, Value> = inputs
        .as_object()
        .expect("an object")
        .keys()
        .map(|name| (name.clone(), json!({"type": "any"})))
        .collect();
    let graph = graph(Value::Object(declared), [start, nodes].concat(), edges);
    let assistant = workflow(client, graph).await;
    Run::start(client, &assistant, inputs).await.events(client).await
}

/// Runs one node and returns its outputs.
async fn one(client: &Client, kind: &str, inputs: Value, more: Value) -> Value {
    let nodes = vec![node("n", kind, inputs, more), plain("done", "end", json!({}))];
    let events = run(client, nodes, &["start n", "n done"], json!({})).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:?}");
    in_node(&events, "node.finished", "n")["outputs"].clone()
}

/// Runs one node that fails, and returns the error of the run.
async fn failing(client: &Client, kind: &str, inputs: Value, more: Value) -> Value {
    let nodes = vec![node("n", kind, inputs, more), plain("done", "end", json!({}))];
    let events = run(client, nodes, &["start n", "n done"], json!({})).await;
    let end = terminal(&events);
    assert_eq!(end["status"], "failed", "{end}");
    end["error"].clone()
}

#[tokio::test]
async fn http_node_sends_its_inputs_once_under_its_own_key() {
    let (server, other) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    let sent = json!({"url": other.url("/orders?a=1"), "query": {"b": 2}, "headers": {"x-n": "{{ start.n }}"},
        "body": {"n": "{{ start.n }}"}});
    let nodes = vec![
        node("send", "http", sent, json!({"config": {"method": "POST"}})),
        plain("done", "end", json!({"count": "{{ send.body.count }}", "status": "{{ send.status }}"})),
    ];
    let edges = ["start send", "send done"];
    for count in 1..=2 {
        let events = run(&editor, nodes.clone(), &edges, json!({"n": 5})).await;
        assert_eq!(outputs(&events), json!({"count": count, "status": 200}));
    }
    let seen = other.seen_at("/orders");
    assert_eq!((seen[0].method.as_str(), seen[0].query.as_str()), ("POST", "a=1&b=2"));
    assert_eq!((&seen[0].json(), seen[0].headers["x-n"].as_str()), (&json!({"n": 5}), "5"));
    assert_eq!(other.counts().len(), 2, "each run has a key of its own");
    assert_eq!(other.count_key(seen[0].key().expect("a key")), 1);
}

#[tokio::test]
async fn http_node_retries_a_failed_request_under_the_same_key() {
    let (server, other) = (TestServer::start().await, CountingServer::start().await);
    other.script("/x", [Reply::status(503), Reply::status(429).header("retry-after", "0")]);
    let policy = json!({"effect": "idempotent", "retry": {"max": 3, "base_ms": 1, "jitter": 0}});
    let more = json!({"config": {"method": "PUT"}, "policy": policy});
    let given = one(&server.editor(), "http", json!({"url": other.url("/x")}), more).await;
    assert_eq!((given["status"].clone(), other.count("/x")), (json!(200), 3));
    assert_eq!(other.counts().len(), 1);
    // A request with a `once` effect is not repeated unless the author asks for it.
    other.script("/once", [Reply::status(503)]);
    let more = json!({"config": {"method": "POST"}, "policy": {"retry": {"max": 3, "base_ms": 1}}});
    let error = failing(&server.editor(), "http", json!({"url": other.url("/once")}), more).await;
    assert_eq!((error["code"].clone(), other.count("/once")), (json!("http_status"), 1));
    assert!(text(&error["message"]).contains("503"), "{error}");
}

#[tokio::test]
async fn http_node_retries_a_request_that_was_certainly_not_sent() {
    let server = TestServer::start().await;
    let closed = Closed::find();
    let policy = json!({"retry": {"max": 2, "base_ms": 1, "jitter": 0}});
    let more = json!({"config": {"method": "POST"}, "policy": policy});
    let nodes = vec![node("n", "http", json!({"url": closed.url}), more), plain("done", "end", json!({}))];
    let events = run(&server.editor(), nodes, &["start n", "n done"], json!({})).await;
    assert_eq!(of_type(&events, "node.retry").len(), 2);
    assert_eq!(terminal(&events)["error"]["code"], "http_connect");
}

#[tokio::test]
async fn http_node_times_out() {
    let (server, other) = (TestServer::start().await, CountingServer::start().await);
    other.always("/half", Reply::half("never whole"));
    let more = json!({"policy": {"timeout_ms": 200}});
    let error = failing(&server.editor(), "http", json!({"url": other.url("/half")}), more).await;
    assert_eq!(error["code"], "timeout", "{error}");
    other.idle().await;
}

#[tokio::test]
async fn node_failure_can_be_branched_on() {
    let (server, other) = (TestServer::start().await, CountingServer::start().await);
    other.always("/x", Reply::status(404));
    let send =
        node("send", "http", json!({"url": other.url("/x")}), json!({"policy": {"on_error": "branch"}}));
    let nodes = vec![
        send,
        plain("well", "end", json!({"well": true})),
        plain("ill", "end", json!({"code": "{{ send.error.code }}", "why": "{{ send.error.message }}"})),
    ];
    let events =
        run(&server.editor(), nodes, &["start send", "send well", "send.error ill"], json!({})).await;
    assert_eq!(outputs(&events)["code"], "http_status");
    assert!(text(&outputs(&events)["why"]).contains("404"));
    assert_eq!(nodes_of(&events, "node.skipped"), ["well"]);
}

#[tokio::test]
async fn http_node_refuses_local_addresses_unless_the_settings_allow_them() {
    let other = CountingServer::start().await;
    let server = TestServer::start_with(|config| config.web.allow.clear()).await;
    for url in [other.url("/x"), other.url("/x").replace("127.0.0.1", "localhost")] {
        let error = failing(&server.editor(), "http", json!({"url": url}), json!({})).await;
        assert_eq!(error["code"], "http_refused_address", "{error}");
    }
    assert_eq!(other.seen().len(), 0);
}

#[tokio::test]
async fn cancel_closes_the_connection_of_a_request() {
    let (server, other) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    other.always("/slow", Reply::hang());
    let nodes = vec![
        plain("start", "start", json!({})),
        plain("send", "http", json!({"url": other.url("/slow")})),
        plain("done", "end", json!({})),
    ];
    let assistant = workflow(&editor, graph(json!({}), nodes, &["start send", "send done"])).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    other.wait_for("/slow", 1).await;
    assert_eq!(other.busy(), 1);
    editor.post(&run.path("cancel"), json!({})).await;
    // Long before the node's own timeout.
    tokio::time::timeout(Duration::from_secs(20), other.idle()).await.expect("it is closed at once");
    assert_eq!(terminal(&run.events(&editor).await)["status"], "cancelled");
}

#[tokio::test]
async fn secrets_are_used_by_name_and_never_shown() {
    let other = CountingServer::start().await;
    let secret = json!({"value": "Bearer very-secret-0123", "hosts": [other.url("")], "tenants": ["*"]});
    let server = TestServer::start_with(|config| {
        let secret = serde_json::from_value(secret).expect("a secret");
        config.workflows.secrets.insert("acme".into(), secret);
    })
    .await;
    let echo = || Reply::body("text/plain", "you sent Bearer very-secret-0123");
    other.always("/x", echo());
    let more = |name: &str| json!({"config": {"secret_headers": {"Authorization": name}}});
    let given = one(&server.editor(), "http", json!({"url": other.url("/x")}), more("acme")).await;
    assert_eq!(other.seen()[0].headers["authorization"], "Bearer very-secret-0123");
    assert_eq!(given["body"], "you sent [secret]");
    let elsewhere = CountingServer::start().await;
    for (url, name) in [(elsewhere.url("/x"), "acme"), (other.url("/x"), "other")] {
        let error = failing(&server.editor(), "http", json!({"url": url}), more(name)).await;
        assert_eq!(error["code"], "http_secret", "{error}");
    }
    assert_eq!((other.seen().len(), elsewhere.seen().len()), (1, 0));
}

#[tokio::test]
async fn model_nodes_answer_and_count_their_usage() {
    let fake = FakeProvider::start().await;
    let server = TestServer::start_with(|config| config.providers = vec![fake.config()]).await;
    let editor = server.editor();
    let config = json!({"config": {"model": "fake/echo", "answer": true, "parameters": {"temperature": 0}}});
    let nodes = vec![
        node("say", "llm", json!({"prompt": "{{ start.words }}", "system": "Repeat."}), config),
        plain("done", "end", json!({"text": "{{ say.text }}"})),
    ];
    let words = json!({"words": "one two three"});
    let events = run(&editor, nodes, &["start say", "say done"], words).await;
    assert_eq!(outputs(&events), json!({"text": "one two three"}));
    assert_eq!(answer(&events), "one two three");
    let usage = &in_node(&events, "node.finished", "say")["usage"];
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(10), &json!(3)));
    assert_eq!(terminal(&events)["usage"]["output_tokens"], 3);
    let asked = fake.requests().await.remove(0);
    assert_eq!((&asked["messages"][0]["content"], &asked["temperature"]), (&json!("Repeat."), &json!(0)));
}

#[tokio::test]
async fn agent_node_calls_tools_and_reports_them() {
    let fake = FakeProvider::start().await;
    let server = TestServer::start_with(|config| config.providers = vec![fake.config()]).await;
    let more = json!({"config": {"model": "fake/tools", "tools": ["count_text"]}});
    let given = one(&server.editor(), "agent", json!({"prompt": "a b"}), more).await;
    assert_eq!(given["calls"][0]["name"], "count_text");
    assert_eq!(given["calls"][0]["output"]["words"], 2);
    assert!(text(&given["text"]).starts_with("it gave "), "{given}");
}

#[tokio::test]
async fn model_failures_are_distinguished_and_retried_if_transient() {
    let fake = FakeProvider::start().await;
    let mut server = TestServer::start().await;
    for (model, code) in [
        ("fake/limited", "upstream_rate_limited"),
        ("fake/refuse", "upstream_refused"),
        ("fake/silent", "upstream_timeout"),
        ("fake/drop", "upstream_protocol"),
    ] {
        // The answers that end must not time out on a slow machine.
        let config = if model == "fake/silent" { fake.impatient() } else { fake.config() };
        server = server.restart_with(|settings| settings.providers = vec![config]).await;
        let more = json!({"config": {"model": model}});
        let error = failing(&server.editor(), "llm", json!({"prompt": "Why?"}), more).await;
        assert_eq!(error["code"], code, "{error}");
    }
    fake.idle().await;
}

#[tokio::test]
async fn builtin_model_classifies_extracts_and_answers_without_a_key() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let classes = json!([{"name": "billing", "description": "invoices, payments, refunds"},
        {"name": "technical", "description": "something is broken, an error is shown"}]);
    let sort = node(
        "sort",
        "classifier",
        json!({"text": "{{ start.mail }}"}),
        json!({"config": {"classes": classes}}),
    );
    let nodes = vec![
        sort,
        plain("pay", "end", json!({"to": "billing"})),
        plain("mend", "end", json!({"to": "technical", "class": "{{ sort.class }}"})),
    ];
    let edges = ["start sort", "sort.billing pay", "sort.technical mend"];
    let events = run(&editor, nodes, &edges, json!({"mail": "The page is broken and shows an error"})).await;
    assert_eq!(outputs(&events), json!({"to": "technical", "class": "technical"}));
    let of_sort = |event: &&Value| event["type"] == "text.delta" && event["node_id"] == "sort";
    assert_eq!(events.iter().filter(of_sort).count(), 0, "a classification is not part of the answer");

    let schema = json!({"type": "object", "required": ["name", "age"],
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}});
    let given =
        one(&editor, "extract", json!({"text": "Name: Ada\nAge: 36"}), json!({"config": {"schema": schema}}))
            .await;
    assert_eq!(given, json!({"object": {"name": "Ada", "age": 36}}));
    let given = one(&editor, "tool", json!({"text": "a b"}), json!({"config": {"tool": "count_text"}})).await;
    assert_eq!(given["result"]["words"], 2);
}

#[tokio::test]
async fn list_set_and_if_nodes_compute_values() {
    let server = TestServer::start().await;
    let steps = json!([{"op": "filter", "where": "{{ item.score >= start.least }}"},
        {"op": "sort", "by": "{{ item.score }}", "descending": true}, {"op": "map", "to": "{{ item.name }}"}]);
    let cases = json!([{"port": "few", "value": 2}, {"port": "one", "value": 1}]);
    let nodes = vec![
        node("best", "list", json!({"items": "{{ start.items }}"}), json!({"config": {"steps": steps}})),
        plain("text", "template", json!({"text": "{{ best.items | join(', ') }}"})),
        node("many", "switch", json!({"value": "{{ best.count }}"}), json!({"config": {"cases": cases}})),
        plain("long", "if", json!({"condition": "{{ text.text | length > 3 }}"})),
        plain(
            "yes",
            "end",
            json!({"text": "{{ text.text }}", "first": "{{ best.first }}", "case": "{{ many.case }}"}),
        ),
        plain("no", "fail", json!({"message": "too short", "code": "short"})),
        plain("other", "fail", json!({"message": "not two but {{ best.count }}"})),
    ];
    let edges = [
        "start best",
        "best text",
        "text many",
        "many.few long",
        "long.true yes",
        "long.false no",
        "many.default other",
        "many.one no",
    ];
    let items = json!([{"name": "a", "score": 1}, {"name": "b", "score": 5}, {"name": "c", "score": 9}]);
    let events = run(&server.editor(), nodes.clone(), &edges, json!({"items": items, "least": 5})).await;
    assert_eq!(outputs(&events), json!({"text": "c, b", "first": "c", "case": "few"}));
    let events = run(&server.editor(), nodes.clone(), &edges, json!({"items": items, "least": 1})).await;
    let error = terminal(&events)["error"].clone();
    assert!(error["code"] == "failed" && text(&error["message"]).ends_with("not two but 3"), "{error}");
    let events = run(&server.editor(), nodes, &edges, json!({"items": items, "least": 9})).await;
    let error = terminal(&events)["error"].clone();
    assert!(error["code"] == "short" && text(&error["message"]).ends_with("too short"), "{error}");
    assert_eq!(of_type(&events, "branch.taken").len(), 1);
}

/// An uploaded file in the form in which a workflow receives it.
async fn uploaded(server: &TestServer, client: &Client, media_type: &str, bytes: &[u8]) -> Value {
    let home = conversation(client).await;
    let body = json!({"filename": "file", "media_type": media_type, "size": bytes.len()});
    let signed = client.post(&format!("/api/conversations/{home}/signed-upload-url"), body).await.ok();
    let url = text(&signed["url"]);
    let path = url.strip_prefix(server.url().as_str()).expect("an address of this server");
    let request = server.anonymous().request(Method::PUT, path).header("content-type", media_type);
    let came = Client::send(request.body(bytes.to_vec())).await.created();
    json!({"blob_id": came["blob_id"], "filename": "file", "media_type": media_type, "size": bytes.len()})
}

#[tokio::test]
async fn document_node_extracts_text() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let nodes = vec![
        plain("read", "document", json!({"file": "{{ start.file }}"})),
        plain("done", "end", json!({"text": "{{ read.text }}", "kind": "{{ read.media_type }}"})),
    ];
    let edges = ["start read", "read done"];
    let page = b"<html><script>x</script><h1>Tides</h1><p>At&nbsp;noon.";
    let file = uploaded(&server, &editor, "text/html", page).await;
    let events = run(&editor, nodes.clone(), &edges, json!({"file": file})).await;
    assert_eq!(outputs(&events), json!({"text": "# Tides\n\nAt\u{a0}noon.", "kind": "text/html"}));
    let file = json!({"blob_id": "0".repeat(64), "filename": "f", "media_type": "text/plain", "size": 1});
    let events = run(&editor, nodes, &edges, json!({"file": file})).await;
    assert_eq!(terminal(&events)["error"]["code"], "not_found");
}

#[tokio::test]
async fn node_reports_missing_objects() {
    let server = TestServer::start().await;
    let editor = server.editor();
    for (kind, inputs, config, code) in [
        ("function", json!({"x": 1}), json!({"function": "f"}), "not_found"),
        ("tool", json!({"x": 1}), json!({"tool": "tool_that_is_not"}), "not_found"),
        ("video", json!({"prompt": "tides"}), json!({}), "unavailable"),
    ] {
        let error = failing(&editor, kind, inputs, json!({"config": config})).await;
        assert_eq!(error["code"], code, "{kind}: {error}");
    }
    // The search of an assistant without knowledge finds nothing.
    let found = one(&editor, "retrieve", json!({"query": "tides"}), json!({})).await;
    assert_eq!(found, json!({"passages": []}));
}

#[tokio::test]
async fn retrieve_nodes_find_passages_that_the_runs_user_may_read() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let base = text(&editor.post("/api/knowledge-bases", json!({"name": "Tides"})).await.created()["id"]);
    let form = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"tides.md\"\r\n\r\n\
        # Tides\n\nThe moon pulls the sea, and the sea follows twice a day.\r\n--x--\r\n";
    let request = editor.request(Method::POST, &format!("/api/knowledge-bases/{base}/files?wait=true"));
    let request = request.header("content-type", "multipart/form-data; boundary=x").body(form);
    Client::send(request).await.expect(201);
    let config = json!({"config": {"knowledge_bases": [base], "limit": 3}});
    let found = one(&editor, "retrieve", json!({"query": "What pulls the sea?"}), config.clone()).await;
    let passage = &found["passages"][0];
    assert_eq!((&passage["title"], &passage["knowledge_base_id"]), (&json!("tides.md"), &json!(base)));
    assert!(text(&passage["text"]).contains("The moon pulls the sea"), "{found}");
    let nodes = vec![node("n", "retrieve", json!({"query": "sea"}), config)];
    let start = vec![plain("start", "start", json!({}))];
    let graph = graph(json!({}), [start, nodes].concat(), &["start n"]);
    let refused = json!({"name": "W", "type": "workflow", "workflow": graph});
    let refused = server.admin().post("/api/assistants", refused).await;
    assert_eq!(
        refused.faults(),
        ["body.workflow.nodes.n.config.knowledge_bases.0"],
        "a private base was named"
    );
}
