//! Traces and metrics of the real binary, as received by an OTLP/HTTP receiver on a real socket.

mod receiver;

use crate::api::streams::reading::{Stream, asking, conversation};
use crate::api::workflows::scene::{graph, node, runs, workflow};
use crate::crash::server::{EMAIL, PASSWORD, Server};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, client, text, until};
use receiver::{Receiver, Span};
use reqwest::Method;
use serde_json::{Value, json};

/// The `traceparent` header of a caller's span.
const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
/// A word that occurs only in the prompt of a test.
const PRIVATE: &str = "Rumpelstilzchen";

/// A server that exports to `endpoint`, with the provider `fake` at `base_url`.
async fn server(endpoint: &str, base_url: &str, more: &str) -> (Server, Client) {
    let _ = client();
    let settings = format!(
        "[telemetry]\nendpoint = {endpoint:?}\nexport_seconds = 0.05\nretry_seconds = 0.02\n{more}\n\
         [[providers]]\nname = \"fake\"\nkind = \"openai\"\nbase_url = {base_url:?}\napi_key = \"k\"\nretries = 0\n\
         models = [\"echo\", \"tools\", \"slow\", \"refuse\"]\n"
    );
    let server = Server::install_with(&settings).await;
    let admin = login(&server).await;
    (server, admin)
}

async fn login(server: &Server) -> Client {
    let body = json!({"email": EMAIL, "password": PASSWORD});
    let session = Client::new(server.url.clone(), None).post("/api/auth/login/", body).await.ok();
    Client::new(server.url.clone(), Some(text(&session["access_token"])))
}

fn question(model: &str, words: &str) -> Value {
    json!({"model": format!("fake/{model}"), "message": words, "tools": ["count_text"]})
}

/// Asks in a new conversation, as a caller with its own span, and reads the response to its end.
async fn ask(admin: &Client, model: &str, words: &str) -> String {
    let place = conversation(admin).await;
    let request = asking(admin, &place, question(model, words)).header("traceparent", CALLER);
    let stream = Stream::open(request).await;
    let id = stream.id.clone();
    stream.rest().await;
    id
}

#[tokio::test]
async fn trace_connects_request_run_model_calls_and_tools() {
    let (receiver, provider) = (Receiver::start().await, FakeProvider::start().await);
    let (_server, admin) = server(&receiver.endpoint(), &provider.base_url, "metrics = false").await;
    let run = ask(&admin, "tools", PRIVATE).await;
    let of_run =
        async || receiver.named("invoke_agent").len() == 1 && receiver.named("chat tools").len() == 2;
    until("the spans of the run have arrived", of_run).await;
    let request = receiver.one("POST /api/conversations/{conversation_id}/completion");
    let (agent, tool) = (receiver.one("invoke_agent"), receiver.one("execute_tool count_text"));
    let chats = receiver.named("chat tools");
    assert_eq!((request.kind, agent.kind, tool.kind, chats[0].kind), (2, 1, 1, 3));
    assert!([&request, &agent, &tool, &chats[0], &chats[1]].iter().all(|span| span.trace == TRACE));
    assert_eq!(request.parent.as_deref(), Some("00f067aa0ba902b7"));
    assert_eq!(agent.parent.as_deref(), Some(&*request.id));
    for span in chats.iter().chain([&tool]) {
        assert_eq!(span.parent.as_deref(), Some(&*agent.id), "{}", span.name);
        assert!(span.began >= agent.began && span.ended <= agent.ended && span.began <= span.ended);
    }
    assert_eq!(request.text("http.request.method"), "POST");
    assert_eq!(request.text("http.route"), "/api/conversations/{conversation_id}/completion");
    assert_eq!(request.attribute("http.response.status_code"), json!({"intValue": "200"}));
    assert_eq!(agent.text("understudy.run.id"), run);
    assert_eq!(agent.text("understudy.run.outcome"), "succeeded");
    for (name, value) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "fake"),
        ("gen_ai.request.model", "tools"),
    ] {
        assert_eq!(chats[0].text(name), value);
    }
    for name in ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"] {
        let tokens = text(&chats[0].attribute(name)["intValue"]);
        assert!(tokens.parse::<u64>().expect("a number") > 0, "{name} {tokens}");
    }
    let reasons =
        |span: &Span| span.attribute("gen_ai.response.finish_reasons")["arrayValue"]["values"].clone();
    assert_eq!(reasons(&chats[0]), json!([{"stringValue": "tool_calls"}]));
    assert_eq!(reasons(&chats[1]), json!([{"stringValue": "stop"}]));
    assert_eq!(tool.text("gen_ai.operation.name"), "execute_tool");
    assert_eq!(tool.text("gen_ai.tool.name"), "count_text");
    assert_eq!(receiver.resource()["service.name"], "understudy");
    assert!(receiver.resource().contains_key("service.instance.id"));
    // The spans contain no text of prompts, responses or tools, and no credentials, and their names
    // contain no ids.
    let all = receiver.raw();
    assert!(!all.contains(PRIVATE) && !all.contains(PASSWORD) && !all.contains(admin.bearer()));
    assert!(!all.contains("gen_ai.input.messages") && !all.contains("gen_ai.tool.call.arguments"));
}

#[tokio::test]
async fn failed_call_is_an_error_without_the_providers_message() {
    let (receiver, provider) = (Receiver::start().await, FakeProvider::start().await);
    let (_server, admin) = server(&receiver.endpoint(), &provider.base_url, "metrics = false").await;
    ask(&admin, "refuse", PRIVATE).await;
    until("the run has arrived", async || receiver.named("invoke_agent").len() == 1).await;
    let (agent, chat) = (receiver.one("invoke_agent"), receiver.one("chat refuse"));
    for span in [&agent, &chat] {
        assert_eq!(span.text("error.type"), "upstream_refused");
        assert_eq!(span.status, Some(2));
    }
    assert_eq!(agent.text("understudy.run.outcome"), "failed");
    assert!(!receiver.raw().contains(PRIVATE));
}

/// A provider that records the headers of its requests.
async fn plain_provider() -> CountingServer {
    let provider = CountingServer::start().await;
    let delta = json!({"choices": [{"index": 0, "delta": {"content": "It is so."}, "finish_reason": null}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
    let stream = format!("data: {delta}\n\ndata: {end}\n\ndata: [DONE]\n\n");
    provider.always("/v1/chat/completions", Reply::body("text/event-stream", stream));
    provider
}

#[tokio::test]
async fn content_and_trace_context_are_sent_only_if_enabled() {
    for on in [false, true] {
        let (receiver, provider) = (Receiver::start().await, plain_provider().await);
        let more = if on { "content_bytes = 4096\npropagate_to_providers = true" } else { "" };
        let more = format!("metrics = false\n{more}");
        let (_server, admin) = server(&receiver.endpoint(), &provider.url("/v1"), &more).await;
        ask(&admin, "echo", PRIVATE).await;
        until("the call has arrived", async || receiver.named("chat echo").len() == 1).await;
        let chat = receiver.one("chat echo");
        let sent = provider.seen_at("/v1/chat/completions");
        let traceparent = sent[0].headers.get("traceparent").cloned();
        if on {
            assert_eq!(traceparent, Some(format!("00-{TRACE}-{}-01", chat.id)));
            let input: Value = serde_json::from_str(&chat.text("gen_ai.input.messages")).expect("JSON");
            let last = input.as_array().and_then(|all| all.last()).expect("a message").clone();
            assert_eq!(last, json!({"role": "user", "parts": [{"type": "text", "content": PRIVATE}]}));
            let output: Value = serde_json::from_str(&chat.text("gen_ai.output.messages")).expect("JSON");
            let said = json!({"role": "assistant", "parts": [{"type": "text", "content": "It is so."}],
                "finish_reason": "stop"});
            assert_eq!(output, json!([said]));
        } else {
            assert_eq!(traceparent, None);
            assert!(!receiver.raw().contains(PRIVATE) && !receiver.raw().contains("It is so."));
        }
    }
}

#[tokio::test]
async fn nodes_of_a_workflow_are_spans_within_its_run() {
    let (receiver, provider) = (Receiver::start().await, FakeProvider::start().await);
    let (_server, admin) = server(&receiver.endpoint(), &provider.base_url, "metrics = false").await;
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("write", "llm", json!({"prompt": PRIVATE}), json!({"config": {"model": "fake/echo"}})),
        node("done", "end", json!({"text": "{{ write.text }}"}), json!({})),
    ];
    let assistant = workflow(&admin, graph(json!({}), nodes, &["start write", "write done"])).await;
    let request = admin.request(Method::POST, &runs(&assistant)).header("traceparent", CALLER);
    Client::send(request.json(&json!({}))).await;
    until("the run has arrived", async || receiver.named("run workflow").len() == 1).await;
    let (run, node, chat) =
        (receiver.one("run workflow"), receiver.one("node llm"), receiver.one("chat echo"));
    assert!([&run, &node, &chat].iter().all(|span| span.trace == TRACE));
    assert_eq!(node.parent.as_deref(), Some(&*run.id));
    assert_eq!(chat.parent.as_deref(), Some(&*node.id));
    assert_eq!(node.text("understudy.node.id"), "write");
    assert!(!receiver.raw().contains(PRIVATE));
}

#[tokio::test]
async fn run_recovered_after_a_crash_stays_in_its_trace() {
    let (receiver, provider) = (Receiver::start().await, FakeProvider::start().await);
    let (mut server, admin) = server(&receiver.endpoint(), &provider.base_url, "metrics = false").await;
    let place = conversation(&admin).await;
    let mut asked = question("slow", "count");
    asked["recovery"] = json!("retry");
    let request = asking(&admin, &place, asked).header("traceparent", CALLER);
    let mut stream = Stream::open(request).await;
    stream.frame().await;
    // The request ends after the stream has started. Its span is the parent of the run's span.
    let route = "POST /api/conversations/{conversation_id}/completion";
    until("the request has arrived", async || receiver.named(route).len() == 1).await;
    let request = receiver.one(route);
    let calls = async |count: usize| provider.requests().await.len() == count;
    until("the first epoch has called the model", async || calls(1).await).await;
    server.kill();
    server.spawn();
    server.ready().await;
    until("the second epoch has called the model", async || calls(2).await).await;
    // Cancel the run, because the model would never stop.
    let path = format!("/api/conversations/{place}/streams/{}", stream.id);
    login(&server).await.delete(&path).await.expect(200);
    until("the second epoch has arrived", async || receiver.named("invoke_agent").len() == 1).await;
    let second = receiver.one("invoke_agent");
    assert_eq!((second.trace.as_str(), second.parent.as_deref()), (TRACE, Some(&*request.id)));
    assert_eq!(second.attribute("understudy.run.epoch"), json!({"intValue": "2"}));
    let [link] = &second.links[..] else { panic!("{:?}", second.links) };
    assert_eq!(link.0, TRACE);
    assert_ne!(link.1, second.id, "the link leads to the span of the epoch that was killed");
}

/// The value of a series of the server's own metrics.
async fn metric(admin: &Client, series: &str) -> f64 {
    let text = admin.get("/metrics").await.text();
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map_or(0.0, |value| value.parse().expect("a number"))
}

const DROPPED: &str = "understudy_telemetry_dropped_total{signal=\"spans\"}";

#[tokio::test]
async fn unreachable_receiver_blocks_nothing() {
    let provider = FakeProvider::start().await;
    // Nothing listens on the discard port.
    let (_server, admin) = server("http://127.0.0.1:9", &provider.base_url, "metrics = false").await;
    for _ in 0..3 {
        ask(&admin, "echo", "one two three").await;
    }
    until("undelivered spans are counted", async || metric(&admin, DROPPED).await >= 3.0).await;
    let failed = "understudy_telemetry_exports_total{signal=\"spans\",outcome=\"error\"}";
    assert!(metric(&admin, failed).await >= 1.0);
}

#[tokio::test]
async fn unresponsive_receiver_loses_spans_and_blocks_no_requests() {
    let provider = FakeProvider::start().await;
    let receiver = Receiver::start().await;
    receiver.hang();
    let more = "metrics = false\nqueue_spans = 4\nbatch_spans = 2\nshutdown_seconds = 0.2";
    let (server, admin) = server(&receiver.endpoint(), &provider.base_url, more).await;
    for _ in 0..20 {
        admin.get("/api/users/me").await.ok();
    }
    ask(&admin, "echo", "one two three").await;
    until("the queue is full, and counts what it drops", async || metric(&admin, DROPPED).await >= 10.0)
        .await;
    // The shutdown does not wait for the receiver either, whose own timeout is ten seconds, with up to
    // five attempts.
    let pid = server.pid().expect("a process");
    terminate(pid);
    until("the process has ended", async || has_ended(pid)).await;
}

fn terminate(pid: u32) {
    let told =
        std::process::Command::new("kill").args(["-TERM", &pid.to_string()]).status().expect("kill runs");
    assert!(told.success());
}

/// Whether a child process has ended; it has not been reaped yet.
fn has_ended(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z"))
}

#[tokio::test]
async fn spans_are_delivered_after_a_receiver_recovers() {
    let (receiver, provider) = (Receiver::start().await, FakeProvider::start().await);
    receiver.refuse_first([503, 429, 502]);
    let (_server, admin) = server(&receiver.endpoint(), &provider.base_url, "metrics = false").await;
    ask(&admin, "echo", "one two three").await;
    until("the run has arrived", async || receiver.named("invoke_agent").len() == 1).await;
    let delivered = "understudy_telemetry_exports_total{signal=\"spans\",outcome=\"ok\"}";
    until("the spans are delivered", async || metric(&admin, delivered).await >= 1.0).await;
    assert_eq!(metric(&admin, DROPPED).await, 0.0);
    // A refusal that a retry cannot change is not retried.
    receiver.refuse_first([400]);
    admin.get("/api/users/me").await.ok();
    until("the refused spans are counted", async || metric(&admin, DROPPED).await >= 1.0).await;
}

#[tokio::test]
async fn shutdown_delivers_queued_spans_and_metrics() {
    let (receiver, provider) = (Receiver::start().await, FakeProvider::start().await);
    let more = "metrics_seconds = 3600.0\nshutdown_seconds = 30.0\nsample_ratio = 0.0";
    let (server, admin) = server(&receiver.endpoint(), &provider.base_url, more).await;
    // The server samples none of its own traces, but records every trace that its caller has sampled.
    admin.get("/api/users/me").await.ok();
    ask(&admin, "echo", "one two three").await;
    terminate(server.pid().expect("a process"));
    let delivered = async || receiver.named("invoke_agent").len() == 1 && !receiver.metrics().is_empty();
    until("the shutdown has delivered spans and metrics", delivered).await;
    assert!(receiver.spans().iter().all(|span| span.trace == TRACE), "{:?}", receiver.spans());
    drop(server);
}

#[tokio::test]
async fn metrics_are_exported_with_types_units_and_buckets() {
    let (receiver, provider) = (Receiver::start().await, FakeProvider::start().await);
    let more =
        "traces = false\nmetrics_seconds = 0.1\nservice_name = \"desk\"\nheaders = { \"x-key\" = \"k1\" }";
    let (_server, admin) = server(&receiver.endpoint(), &provider.base_url, more).await;
    ask(&admin, "echo", "one two three").await;
    let ended = |metrics: &[Value]| {
        let found = metrics.iter().find(|metric| metric["name"] == "understudy_runs_ended_total").cloned();
        found.filter(|metric| metric["sum"]["dataPoints"][0]["asInt"] == "1")
    };
    until("the end of the run has arrived", async || ended(&receiver.metrics()).is_some()).await;
    let metrics = receiver.metrics();
    let ended = ended(&metrics).expect("the metric");
    assert_eq!((&ended["unit"], &ended["sum"]["isMonotonic"]), (&json!("{run}"), &json!(true)));
    assert_eq!(ended["sum"]["aggregationTemporality"], 2);
    let labels = ended["sum"]["dataPoints"][0]["attributes"].as_array().expect("labels").clone();
    assert!(labels.contains(&json!({"key": "kind", "value": {"stringValue": "completion"}})), "{labels:?}");
    let named =
        |name: &str| metrics.iter().find(|metric| metric["name"] == name).expect("the metric").clone();
    assert!(named("understudy_uptime_seconds")["gauge"]["dataPoints"][0]["asDouble"].as_f64() > Some(0.0));
    let point = named("understudy_store_commit_duration_seconds")["histogram"]["dataPoints"][0].clone();
    let counts: Vec<u64> = point["bucketCounts"]
        .as_array()
        .expect("buckets")
        .iter()
        .map(|count| text(count).parse().expect("a number"))
        .collect();
    assert_eq!(counts.len(), point["explicitBounds"].as_array().expect("bounds").len() + 1);
    assert_eq!(counts.iter().sum::<u64>().to_string(), text(&point["count"]));
    assert_eq!(receiver.resource()["service.name"], "desk");
    assert!(receiver.headers().iter().all(|headers| headers["x-key"] == "k1"));
    assert!(receiver.spans().is_empty());
}

/// No server in this process exports anything, so no spans are created, and no run stores a trace.
#[tokio::test]
async fn nothing_is_traced_without_an_exporter() {
    let server = TestServer::start().await;
    let user = server.user();
    let place = conversation(&user).await;
    let request = asking(&user, &place, json!({"message": "one", "parameters": {"length": 2}}));
    Stream::open(request.header("traceparent", CALLER)).await.rest().await;
    assert!(!telemetry::trace::enabled());
    let tenant = storage::TenantId(server.user_person().tenant.parse().expect("an id"));
    let runs = server.store().read_now::<_, storage::Error>(|reader| {
        reader.scan::<storage::records::Run>(tenant, storage::Scan::table())
    });
    let runs = runs.expect("the store reads").items;
    assert!(!runs.is_empty() && runs.iter().all(|run| run.trace.is_none()));
}

#[test]
fn invalid_endpoint_is_refused_at_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_understudy"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("UNDERSTUDY_DATA", folder.path())
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317")
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("telemetry.endpoint"), "{output:?}");
}
