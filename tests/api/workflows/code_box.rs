//! Code of code nodes that a model writes.

use serde_json::{Value, json};

use crate::api::streams::reading::server;
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Answer, Client, TestServer, text};

/// Starts a server whose editor has an assistant with this model, and returns the server and the path to call.
async fn with_model(provider: &FakeProvider, model: &str) -> (TestServer, String) {
    let config = provider.config();
    let server = TestServer::start_with(|settings| settings.providers = vec![config]).await;
    let path = box_of(&server.editor(), model).await;
    (server, path)
}

async fn box_of(editor: &Client, model: &str) -> String {
    let body = json!({"name": "Flow", "type": "workflow", "model": model});
    let assistant = text(&editor.post("/api/assistants", body).await.created()["id"]);
    format!("/api/workflows/assistants/{assistant}/ai_code_box/build")
}

/// An instruction to the model `coder`, which responds with these codes one after the other.
fn instruction(codes: &[&str]) -> String {
    let blocks = codes.iter().map(|code| format!("\n```js\n{code}\n```\n"));
    format!("Double it.{}", blocks.collect::<String>())
}

async fn double(client: &Client, path: &str, codes: &[&str], examples: Value) -> Answer {
    let (inputs, outputs) = (json!({"n": "number"}), json!({"twice": "number"}));
    let body = json!({"instruction": instruction(codes), "inputs": inputs, "outputs": outputs, "examples": examples});
    client.post(path, body).await
}

const GOOD: &str = "function main({ n }) {\n  return { twice: n * 2 };\n}";
const THROWS: &str = "function main({ n }) {\n  return { twice: n.double() };\n}";
const WRONG: &str = "const main = ({ n }) => ({ twice: n + 2 });";
const LOOPS: &str = "function main() { for (;;) {} }";

#[tokio::test]
async fn build_returns_code_that_passes_at_once() {
    let provider = FakeProvider::start().await;
    let (server, path) = with_model(&provider, "fake/coder").await;
    let examples = json!([{"inputs": {"n": 2}, "outputs": {"twice": 4}}, {"inputs": {"n": -0.5}}]);
    let built = double(&server.editor(), &path, &[GOOD], examples).await.ok();
    assert_eq!(built["code"], GOOD);
    assert_eq!((&built["attempts"], &built["model"]), (&json!(1), &json!("fake/coder")));
    assert_eq!(built["inputs"], json!({"n": "number"}));
    assert_eq!(built["outputs"], json!({"twice": "number"}));
    let expected = json!([
        {"inputs": {"n": 2}, "outputs": {"twice": 4}, "expected": {"twice": 4}, "passed": true},
        {"inputs": {"n": -0.5}, "outputs": {"twice": -1}, "passed": true},
    ]);
    assert_eq!(built["checks"], expected);
    assert_eq!(built["usage"]["input_tokens"], 10);
}

#[tokio::test]
async fn build_accepts_types_by_name_or_as_in_a_graph() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let path = box_of(&editor, "builtin/scribe").await;
    let body = json!({"instruction": "Hand it on.",
        "inputs": {"n": {"type": "number"}, "s": "string"},
        "outputs": {"n": {"type": "number", "description": "The same."}},
        "examples": [{"inputs": {"n": 2, "s": ""}, "outputs": {"n": 2}}]});
    let built = editor.post(&path, body.clone()).await.ok();
    assert_eq!(built["inputs"], json!({"n": "number", "s": "string"}));
    for (wrong, place) in [
        (json!({"type": "numbr"}), "body.inputs.n.type"),
        (json!({"kind": "number"}), "body.inputs.n.type"),
        (json!("numbr"), "body.inputs.n"),
        (json!(5), "body.inputs.n"),
    ] {
        let mut body = body.clone();
        body["inputs"]["n"] = wrong.clone();
        let faults = editor.post(&path, body).await.faults();
        assert!(faults.iter().any(|fault| fault == place), "{wrong}: {faults:?}");
    }
}

#[tokio::test]
async fn build_reports_failures_to_the_model_until_the_code_passes() {
    let provider = FakeProvider::start().await;
    let (server, path) = with_model(&provider, "fake/coder").await;
    let examples = json!([{"inputs": {"n": 5}, "outputs": {"twice": 10}}]);
    let built = double(&server.editor(), &path, &[THROWS, WRONG, GOOD], examples).await.ok();
    assert_eq!((&built["code"], &built["attempts"]), (&json!(GOOD), &json!(3)));
    assert_eq!(built["usage"]["input_tokens"], 30);

    let asked = provider.requests().await;
    assert_eq!(asked.len(), 3);
    let last = |request: &Value| text(&request["messages"].as_array().unwrap().last().unwrap()["content"]);
    assert!(last(&asked[0]).contains("- twice: number"), "{}", asked[0]);
    assert!(last(&asked[0]).contains("Expected outputs: {\"twice\":10}"), "{}", asked[0]);
    assert!(last(&asked[1]).contains("TypeError: not a function (line 2)"), "{}", asked[1]);
    assert!(last(&asked[2]).contains("\"twice\" was expected to be 10, and is 7"), "{}", asked[2]);
}

#[tokio::test]
async fn build_that_never_passes_returns_the_last_failure() {
    let provider = FakeProvider::start().await;
    let (server, path) = with_model(&provider, "fake/coder").await;
    let examples = json!([{"inputs": {"n": 5}, "outputs": {"twice": 10}}]);
    let answer = double(&server.editor(), &path, &[THROWS, WRONG], examples).await;
    let problem = answer.problem(422, "code_never_passed");
    assert_eq!((&problem["attempts"], &problem["code_written"]), (&json!(4), &json!(WRONG)));
    assert_eq!(problem["checks"][0]["error"]["code"], "unexpected_outputs");
    assert_eq!(problem["checks"][0]["passed"], false);
    assert_eq!(problem["usage"]["input_tokens"], 40);
    assert!(text(&problem["detail"]).contains("expected to be 10, and is 7"), "{problem}");
    assert_eq!(provider.requests().await.len(), 4);
}

#[tokio::test]
async fn build_stops_bad_code_and_names_the_failure() {
    let provider = FakeProvider::start().await;
    let (server, path) = with_model(&provider, "fake/coder").await;
    for (code, expected) in [
        (LOOPS, "code_timeout"),
        ("function main() { return main() }", "code_stack"),
        ("function main() { const all = []; for (;;) all.push({}) }", "code_memory"),
        ("const x = 1", "code_syntax"),
        ("const main = () => ({ twice: 'x' })", "code_outputs"),
        ("const main = () => ({ twice: 1, more: 1 })", "code_outputs"),
        ("const main = () => { throw new Error('no') }", "code_thrown"),
    ] {
        // The second attempt is good, so that no test waits for four timeouts.
        let built = double(&server.editor(), &path, &[code, GOOD], json!([{"inputs": {"n": 1}}])).await.ok();
        assert_eq!(built["attempts"], 2, "{code}");
        let asked = provider.requests().await;
        let told = asked.last().unwrap()["messages"].as_array().unwrap().last().unwrap().to_string();
        let words = match expected {
            "code_timeout" => "took longer than 5000 ms",
            "code_stack" => "nested too deeply",
            "code_memory" => "bytes of memory",
            "code_syntax" => "no function main(inputs)",
            "code_thrown" => "Error: no",
            _ => "the output",
        };
        assert!(told.contains(words), "{code}: {told}");
    }
}

#[tokio::test]
async fn build_without_examples_generates_inputs() {
    let provider = FakeProvider::start().await;
    let (server, path) = with_model(&provider, "fake/coder").await;
    let built = double(&server.editor(), &path, &[THROWS, GOOD], json!(null)).await.ok();
    assert_eq!((&built["attempts"], &built["checks"][0]["passed"]), (&json!(2), &json!(true)));
    assert_eq!(built["checks"][0]["inputs"], json!({"n": 1.5}));
}

#[tokio::test]
async fn build_with_the_builtin_model_passes_inputs_through() {
    let server = server().await;
    let path = box_of(&server.editor(), "builtin/scribe").await;
    let (inputs, outputs) = (
        json!({"text": "string", "n": "integer", "any": "array"}),
        json!({"text": "string", "n": "string", "any": "any", "list": "array", "flag": "boolean", "file": "file"}),
    );
    let mut body = json!({"instruction": "Do something.", "inputs": inputs, "outputs": outputs});
    let built = server.editor().post(&path, body.clone()).await.ok();
    assert_eq!((&built["attempts"], &built["cost_nanos"]), (&json!(1), &json!(0)));
    let check = &built["checks"][0];
    assert_eq!((&check["passed"], check["outputs"]["text"].as_str()), (&json!(true), Some("some text")));
    assert_eq!(check["outputs"]["n"], "");
    assert_eq!(check["outputs"]["any"], json!(["one", "two"]));

    body["examples"] = json!([{"inputs": {"text": "t", "n": 1, "any": []}, "outputs": {"flag": true}}]);
    let problem = server.editor().post(&path, body).await.problem(422, "code_never_passed");
    assert_eq!(problem["attempts"], 1);
}

#[tokio::test]
async fn build_reports_all_faults_of_a_request_at_once() {
    let server = server().await;
    let path = box_of(&server.editor(), "builtin/scribe").await;
    let body = json!({"instruction": " ", "inputs": {"1": "string", "a": "string"}, "outputs": {}, "examples": [
        {"inputs": {"a": 1, "b": 2}, "outputs": {"c": 1}}]});
    let faults = server.editor().post(&path, body).await.faults();
    let expected = [
        "body.examples.0.inputs.1",
        "body.examples.0.inputs.a",
        "body.examples.0.inputs.b",
        "body.examples.0.outputs.c",
        "body.inputs.1",
        "body.instruction",
        "body.outputs",
    ];
    assert_eq!(faults, expected);
    server.editor().post(&path, json!({"instruction": "x", "outputs": {"a": "text"}})).await.faults();
    server.editor().post(&path, json!({})).await.faults();
}

#[tokio::test]
async fn build_requires_an_editor_of_the_assistant() {
    let server = server().await;
    let editor = server.editor();
    let body = json!({"name": "Flow", "type": "workflow", "model": "builtin/scribe", "visibility": "tenant"});
    let assistant = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let path = format!("/api/workflows/assistants/{assistant}/ai_code_box/build");
    let body = json!({"instruction": "x", "outputs": {"a": "any"}});
    editor.post(&path, body.clone()).await.ok();
    server.user().post(&path, body.clone()).await.problem(403, "not_allowed");
    server.stranger().post(&path, body.clone()).await.not_found();
    let unknown = format!("/api/workflows/assistants/{}/ai_code_box/build", uuid::Uuid::now_v7());
    editor.post(&unknown, body).await.not_found();
}

#[tokio::test]
async fn build_reports_provider_failures() {
    let provider = FakeProvider::start().await;
    for (model, status, code) in [
        ("fake/refuse", 502, "upstream_failed"),
        ("fake/silent", 504, "upstream_timeout"),
        ("fake/drop", 502, "upstream_failed"),
    ] {
        let config = if model == "fake/silent" { provider.impatient() } else { provider.config() };
        let server = TestServer::start_with(|settings| settings.providers = vec![config]).await;
        let path = box_of(&server.editor(), model).await;
        let problem = double(&server.editor(), &path, &[GOOD], json!(null)).await.problem(status, code);
        assert!(!problem.to_string().contains(crate::harness::fake_provider::KEY));
    }
}

#[tokio::test]
async fn build_is_refused_without_a_sandbox() {
    let server =
        TestServer::start_with(|config| config.sandbox.program = Some("/nowhere/at/all".into())).await;
    let path = box_of(&server.editor(), "builtin/scribe").await;
    let body = json!({"instruction": "x", "outputs": {"a": "any"}});
    server.editor().post(&path, body).await.problem(503, "overloaded");
}

#[tokio::test]
async fn build_records_the_usage_of_the_model() {
    use storage::records::UsageRecord;
    let provider = FakeProvider::start().await;
    let (server, path) = with_model(&provider, "fake/coder").await;
    double(&server.editor(), &path, &[GOOD], json!(null)).await.ok();
    double(&server.editor(), &path, &[THROWS], json!(null)).await.problem(422, "code_never_passed");
    let dir = server.stop().await;
    let store = storage::Store::open(storage::StoreOptions::new(dir.path())).expect("the store opens");
    let records = store.read_now(|reader| {
        let tenants =
            reader.scan::<storage::records::Tenant>(storage::TenantId::SYSTEM, storage::Scan::table())?;
        let mut all = Vec::new();
        for tenant in tenants.items {
            all.extend(
                reader.scan::<UsageRecord>(storage::TenantId(tenant.id), storage::Scan::table())?.items,
            );
        }
        Ok::<_, storage::Error>(all)
    });
    let records = records.expect("records");
    let told: Vec<_> = records.iter().map(|row| (row.kind.as_str(), row.usage.input_tokens)).collect();
    assert_eq!(told, [("code_box", 10), ("code_box", 40)]);
    assert!(records.iter().all(|row| row.model == "fake/coder" && row.provider == "fake"));
}
