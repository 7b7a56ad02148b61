//! Code nodes in runs: their outputs, their errors, and their isolation from each other.

use serde_json::{Value, json};

use super::scene::{Run, graph, in_node, node, of_type, outputs, workflow};
use crate::api::streams::reading::{server, terminal};
use crate::harness::Client;

/// `start` → `script` → `done`, which returns all outputs of the script.
fn script(code: &str, outputs: Value, more: Value) -> Value {
    let mut script = json!({"config": {"code": code}, "out": outputs});
    for (name, value) in more.as_object().expect("an object") {
        script[name] = value.clone();
    }
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("script", "code", json!({"n": "{{ start.n }}", "words": "{{ start.words }}"}), script),
        node("done", "end", json!({"got": "{{ script }}"}), json!({})),
    ];
    let inputs =
        json!({"n": {"type": "integer", "default": 3}, "words": {"type": "array", "default": ["a", "b"]}});
    graph(inputs, nodes, &["start script", "script done"])
}

async fn events(editor: &Client, graph: Value) -> Vec<Value> {
    let assistant = workflow(editor, graph).await;
    Run::start(editor, &assistant, json!({})).await.events(editor).await
}

fn sum() -> Value {
    json!({"sum": {"type": "integer"}})
}

#[tokio::test]
async fn script_receives_inputs_and_returns_outputs() {
    let server = server().await;
    let code = "async function main({ n, words }) {
        console.log('adding', n, words);
        return { sum: n + words.length, text: words.join('-'), list: words.map(w => ({ w })) };
    }";
    let out = json!({"sum": {"type": "integer"}, "text": {"type": "string"}, "list": {"type": "array"}});
    let events = events(&server.editor(), script(code, out, json!({}))).await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    let expected = json!({"sum": 5, "text": "a-b", "list": [{"w": "a"}, {"w": "b"}]});
    assert_eq!(in_node(&events, "node.finished", "script")["outputs"], expected);
    assert_eq!(in_node(&events, "node.log", "script")["line"], "adding 3 [\"a\",\"b\"]");
    assert_eq!(outputs(&events)["got"], expected);
}

#[tokio::test]
async fn each_kind_of_bad_script_has_its_own_error() {
    let server = server().await;
    let editor = server.editor();
    let hasty = json!({"policy": {"timeout_ms": 500}});
    let small = json!({"config": {"memory_bytes": 8 << 20}});
    for (code, more, expected, words) in [
        ("function main() { for (;;) {} }", hasty.clone(), "code_timeout", "500 ms"),
        ("const main = () => [].includes.call({ length: 2 ** 53 }, 1)", hasty, "code_timeout", "500 ms"),
        ("function main() { const a = []; for (;;) a.push({}) }", small, "code_memory", "8388608 bytes"),
        ("function main() { return main() }", json!({}), "code_stack", "too deeply"),
        ("function main() { for (;;) console.log('x'.repeat(999)) }", json!({}), "code_output", "console"),
        ("const main = () => ({ sum: 'x'.repeat(8 << 20) })", json!({}), "code_output", "bytes"),
        ("const main = () => { const a = {}; a.a = a; return a }", json!({}), "code_output", "circular"),
        ("function main(i) {\n  return i.none.sum\n}", json!({}), "code_thrown", "(line 2)"),
        ("const main = () => ({ sum: 'three' })", json!({}), "code_outputs", "\"sum\" is a string"),
        ("const main = () => ({ sum: 3, more: 1 })", json!({}), "code_outputs", "\"more\" is not declared"),
        ("const main = () => new Promise(() => {})", json!({}), "code_unsettled", "never settled"),
    ] {
        let mut graph = script(code, sum(), json!({}));
        for (name, value) in more.as_object().expect("an object") {
            for (field, value) in value.as_object().expect("an object") {
                graph["nodes"][1][name][field] = value.clone();
            }
        }
        let events = events(&editor, graph).await;
        assert_eq!(terminal(&events)["status"], "failed", "{code}");
        let error = &in_node(&events, "node.finished", "script")["error"];
        assert_eq!(error["code"], expected, "{code}: {error}");
        assert!(error["message"].as_str().is_some_and(|told| told.contains(words)), "{code}: {error}");
    }
}

#[tokio::test]
async fn bad_scripts_do_not_affect_concurrent_good_ones() {
    let server = server().await;
    let editor = server.editor();
    let bad = script("function main() { for (;;) {} }", sum(), json!({"policy": {"timeout_ms": 3_000}}));
    let bad = workflow(&editor, bad).await;
    let good = workflow(&editor, script("const main = ({ n }) => ({ sum: n + 1 })", sum(), json!({}))).await;
    let mut running = Vec::new();
    for _ in 0..3 {
        running.push(Run::start(&editor, &bad, json!({})).await);
    }
    for n in 0..5 {
        let events = Run::start(&editor, &good, json!({"n": n})).await.events(&editor).await;
        assert_eq!(outputs(&events)["got"], json!({"sum": n + 1}));
    }
    for run in running {
        assert_eq!(terminal(&run.events(&editor).await)["status"], "failed");
    }
}

#[tokio::test]
async fn cancelled_script_is_stopped() {
    let server = server().await;
    let editor = server.editor();
    let code = "function main() { console.log('here'); for (;;) {} }";
    let endless = script(code, sum(), json!({"policy": {"timeout_ms": 600_000}}));
    let run = Run::start(&editor, &workflow(&editor, endless).await, json!({})).await;
    run.watch(&editor).await.until("node.started").await;
    let receipt = editor.post(&run.path("cancel"), json!({})).await.ok();
    assert_eq!(receipt["status"], "cancelled");
    assert_eq!(terminal(&run.events(&editor).await)["status"], "cancelled");
}

#[tokio::test]
async fn script_failure_can_be_handled() {
    let server = server().await;
    let more = json!({"policy": {"on_error": "continue", "default": {"sum": -1}}});
    let code = "const main = () => { console.log('about to'); throw new Error('no') }";
    let events = events(&server.editor(), script(code, sum(), more)).await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert_eq!(in_node(&events, "node.finished", "script")["status"], "error_handled");
    let got = &outputs(&events)["got"];
    assert_eq!((&got["sum"], &got["error"]["code"]), (&json!(-1), &json!("code_thrown")));
    assert_eq!(of_type(&events, "node.log").len(), 1);
}

#[tokio::test]
async fn code_is_written_for_the_inputs_of_earlier_runs() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, script("const main = ({ n }) => ({ sum: n })", sum(), json!({}))).await;
    for n in [7, 8, 8] {
        let inputs = json!({"n": n, "words": ["w"]});
        Run::start(&editor, &assistant, inputs).await.events(&editor).await;
    }
    let path = format!("/api/workflows/assistants/{assistant}/ai_code_box/build");
    let (inputs, outputs) = (json!({"n": "integer", "words": "array"}), json!({"n": "integer"}));
    let body =
        json!({"node_id": "script", "instruction": "Hand it on.", "inputs": inputs, "outputs": outputs});
    let built = editor.post(&path, body.clone()).await.ok();
    let given: Vec<_> =
        built["checks"].as_array().expect("checks").iter().map(|check| &check["inputs"]["n"]).collect();
    assert_eq!(given, [8, 7]);
    assert_eq!(built["checks"][0]["outputs"], json!({"n": 8}));

    // Another editor of the same assistant does not see the inputs of these runs.
    let admin = server.admin().post(&path, body).await;
    if admin.status == 200 {
        assert_eq!(admin.json()["checks"][0]["inputs"]["n"], 3);
    }
}
