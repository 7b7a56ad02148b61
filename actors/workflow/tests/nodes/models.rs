//! Tests of nodes that call models.

use std::sync::atomic::Ordering;
use std::time::Duration;

use providers::{ProviderError, ProviderErrorKind, Role};
use serde_json::{Value, json};
use workflow::graph::{AgentConfig, Class, ClassifierConfig, ExtractConfig, LlmConfig, NodeKind, ToolConfig};
use workflow::nodes::{NodeMessage, attempt};

use super::scripted::{breaks_after, calls, hangs_after, model, refuses, says};
use super::{Stage, all, fields, node};

fn config(value: Value) -> LlmConfig {
    serde_json::from_value(value).unwrap()
}

fn llm() -> LlmConfig {
    config(json!({"model": "test/m"}))
}

fn deltas(said: &[NodeMessage]) -> String {
    let text = |said: &NodeMessage| match said {
        NodeMessage::Delta(text) => Some(text.clone()),
        _ => None,
    };
    said.iter().filter_map(text).collect()
}

/// Returns input tokens, output tokens, cost, and whether they are estimated.
fn usages(said: &[NodeMessage]) -> Vec<(u64, u64, u64, bool)> {
    let usage = |said: &NodeMessage| match said {
        NodeMessage::Usage { model, usage, cost_nanos, estimated } => {
            assert_eq!(model, "test/m");
            Some((usage.input_tokens, usage.output_tokens, *cost_nanos, *estimated))
        }
        _ => None,
    };
    said.iter().filter_map(usage).collect()
}

#[tokio::test]
async fn llm_passes_instructions_and_streams_the_answer() {
    let stage = Stage::local().assistant("Be brief.", json!({"temperature": 1, "top_p": 0.5})).await;
    let scripted = model(&stage, vec![says("two words"), says("again")]);
    let with = json!({"model": "m", "parameters": {"temperature": 0}, "use_instructions": true});
    let inputs = json!({"prompt": "Why?", "system": "In English."});
    let (done, said) = stage.run(NodeKind::Llm(config(with)), inputs).await;
    assert_eq!(done.unwrap().outputs, fields(json!({"text": "two words"})));
    assert_eq!((deltas(&said).as_str(), usages(&said)), ("two words", vec![(10, 2, 12, false)]));
    stage.done(NodeKind::Llm(llm()), json!({"prompt": "Why?"})).await;
    let requests = scripted.requests.lock();
    let texts: Vec<_> = requests[0].messages.iter().map(|m| (m.role, m.plain_text())).collect();
    let above = (Role::System, "Be brief.\n\nIn English.".to_owned());
    assert_eq!(texts, [above, (Role::User, "Why?".to_owned())]);
    assert_eq!(requests[0].parameters, fields(json!({"temperature": 0, "top_p": 0.5})));
    assert_eq!(requests[1].messages.len(), 1, "without instructions where the node does not want them");
}

#[tokio::test]
async fn llm_continues_an_interrupted_answer() {
    let stage = Stage::local();
    let scripted = model(&stage, vec![says("four five")]);
    let (mut task, heard) = stage.task(json!({"prompt": "Count."}));
    task.said = Some("one two three ".into());
    let done = attempt(&node(NodeKind::Llm(llm())), task).await.unwrap();
    assert_eq!(done.outputs["text"], "one two three four five");
    assert_eq!(deltas(&all(heard)), "four five");
    let roles: Vec<_> = scripted.requests.lock()[0].messages.iter().map(|m| m.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
}

#[tokio::test]
async fn llm_closes_the_connection_and_bills_by_estimate_when_cancelled() {
    let stage = Stage::local();
    let scripted = model(&stage, vec![hangs_after("12345678"), hangs_after("12345678")]);
    let (task, mut heard) = stage.task(json!({"prompt": "Why?"}));
    let running = tokio::spawn(async move { attempt(&node(NodeKind::Llm(llm())), task).await });
    assert!(matches!(heard.recv().await, Some(NodeMessage::Delta(_))));
    assert_eq!(scripted.open.load(Ordering::SeqCst), 1);
    stage.cancel.cancel();
    assert_eq!(running.await.unwrap().unwrap_err().code, "cancelled");
    assert_eq!(scripted.open.load(Ordering::SeqCst), 0);
    assert_eq!(usages(&all(heard)), [(1, 2, 3, true)]);

    // The same applies if the attempt is dropped.
    let stage = Stage::local();
    let scripted = model(&stage, vec![hangs_after("1234")]);
    let (task, mut heard) = stage.task(json!({"prompt": "Why?"}));
    let node = node(NodeKind::Llm(llm()));
    tokio::select! {
        _ = attempt(&node, task) => panic!("it ends"),
        said = heard.recv() => assert!(matches!(said, Some(NodeMessage::Delta(_)))),
    }
    assert_eq!((scripted.open.load(Ordering::SeqCst), usages(&all(heard))), (0, vec![(1, 1, 2, true)]));
}

#[tokio::test]
async fn llm_distinguishes_failures_of_providers() {
    let stage = Stage::local();
    let wait = Some(Duration::from_secs(3));
    for (kind, code, status, retry_after) in [
        (ProviderErrorKind::RateLimited { retry_after: wait }, "upstream_rate_limited", Some(429), wait),
        (ProviderErrorKind::Status(503), "upstream_error", Some(503), None),
        (ProviderErrorKind::Timeout, "upstream_timeout", None, None),
        (ProviderErrorKind::Connect, "upstream_unreachable", None, None),
    ] {
        model(&stage, vec![refuses(ProviderError::new(kind, "no"))]);
        let (done, said) = stage.run(NodeKind::Llm(llm()), json!({"prompt": "Why?"})).await;
        let error = done.unwrap_err();
        assert_eq!((error.code.as_str(), error.status, error.retry_after), (code, status, retry_after));
        assert_eq!(usages(&said), [], "nothing was had, nothing is owed");
    }
    let broken = ProviderError::new(ProviderErrorKind::Protocol, "it broke");
    model(&stage, vec![breaks_after("1234", broken)]);
    let (done, said) = stage.run(NodeKind::Llm(llm()), json!({"prompt": "Why?"})).await;
    assert_eq!(
        (done.unwrap_err().code.as_str(), usages(&said)),
        ("upstream_protocol", vec![(1, 1, 2, true)])
    );
}

#[tokio::test]
async fn llm_names_a_missing_model_or_input() {
    let stage = Stage::local();
    let unknown = config(json!({"model": "missing/none"}));
    assert_eq!(stage.fails(NodeKind::Llm(unknown), json!({"prompt": "Why?"})).await.code, "not_found");
    let error = stage.fails(NodeKind::Llm(LlmConfig::default()), json!({"prompt": " "})).await;
    assert!(error.code == "invalid_input" && error.message.contains("prompt"), "{error:?}");
}

#[tokio::test]
async fn agent_calls_tools_until_it_has_an_answer() {
    let stage = Stage::local();
    let scripted =
        model(&stage, vec![calls("count_text", "{\"text\":\"a b\"}"), calls("nothing", "{oh"), says("Two.")]);
    let agent = |max_turns| AgentConfig { llm: llm(), tools: vec!["count_text".into()], max_turns };
    let (done, said) = stage.run(NodeKind::Agent(agent(0)), json!({"prompt": "How many?"})).await;
    let outputs = done.unwrap().outputs;
    assert_eq!(outputs["text"], "Two.");
    assert_eq!(outputs["calls"][0]["output"]["words"], 2);
    assert_eq!(outputs["calls"][1]["error"], "there is no tool \"nothing\"");
    let lines = said.iter().filter(|said| matches!(said, NodeMessage::Log(_))).count();
    assert_eq!(lines, 2);
    assert_eq!(scripted.requests.lock()[0].tools[0].name, "count_text");
    assert_eq!(scripted.requests.lock()[2].messages.len(), 5);
    let turns = (0..3).map(|_| calls("count_text", "{\"text\":\"\"}")).collect();
    model(&stage, turns);
    assert_eq!(stage.fails(NodeKind::Agent(agent(2)), json!({"prompt": "?"})).await.code, "max_turns");
    let other = AgentConfig { tools: vec!["server/tool".into()], ..agent(0) };
    assert_eq!(stage.fails(NodeKind::Agent(other), json!({"prompt": "?"})).await.code, "not_found");
}

fn classes(fallback: Option<&str>, llm: LlmConfig) -> NodeKind {
    let class = |name: &str, description: &str| Class { name: name.into(), description: description.into() };
    let classes = vec![
        class("billing", "invoices, payments and refunds"),
        class("technical", "something is broken or an error is shown"),
    ];
    NodeKind::Classifier(ClassifierConfig { llm, classes, fallback: fallback.map(str::to_owned) })
}

#[tokio::test]
async fn classifier_finds_the_class_or_uses_the_fallback() {
    let stage = Stage::local();
    let scripted = model(&stage, vec![says("**Technical**."), says("dunno"), says("dunno")]);
    let text = || json!({"text": "It is broken."});
    let (done, said) = stage.run(classes(None, llm()), text()).await;
    let done = done.unwrap();
    assert_eq!((done.port.as_deref(), &done.outputs["class"]), (Some("technical"), &json!("technical")));
    assert_eq!(deltas(&said), "", "a class is no part of an answer");
    assert!(scripted.requests.lock()[0].messages[0].plain_text().contains("- billing: invoices"));
    assert_eq!(stage.done(classes(Some("billing"), llm()), text()).await.port.as_deref(), Some("billing"));
    assert_eq!(stage.fails(classes(None, llm()), text()).await.code, "no_class");
}

#[tokio::test]
async fn builtin_model_classifies_and_extracts_without_a_key() {
    let stage = Stage::local();
    for (text, class) in [
        ("The page is broken, an error is shown", "technical"),
        ("Please send me the invoice for my payments", "billing"),
    ] {
        let done = stage.done(classes(None, LlmConfig::default()), json!({"text": text})).await;
        assert_eq!(done.port.as_deref(), Some(class), "{text}");
    }
    let schema = json!({"type": "object", "required": ["name", "age"], "additionalProperties": false,
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}});
    let extract = NodeKind::Extract(ExtractConfig { llm: LlmConfig::default(), schema, repairs: 0 });
    let done = stage.done(extract, json!({"text": "Name: Ada\nAge: 36"})).await;
    assert_eq!(done.outputs["object"], json!({"name": "Ada", "age": 36}));
}

#[tokio::test]
async fn extract_asks_again_if_the_answer_does_not_match_the_schema() {
    let stage = Stage::local();
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let extract = |repairs| NodeKind::Extract(ExtractConfig { llm: llm(), schema: schema.clone(), repairs });
    let scripted = model(&stage, vec![says("{\"n\":\"x\"}"), says("```json\n{\"n\":5}\n```")]);
    let done = stage.done(extract(1), json!({"text": "n is 5"})).await;
    assert_eq!(done.outputs["object"], json!({"n": 5}));
    let again = scripted.requests.lock()[1].messages.last().unwrap().plain_text();
    assert!(again.contains("schema: n: "), "{again}");
    model(&stage, vec![says("{}"), says("no")]);
    assert_eq!(stage.fails(extract(1), json!({"text": "n is 5"})).await.code, "type_mismatch");
}

#[tokio::test]
async fn tool_calls_builtin_tools_with_the_inputs() {
    let stage = Stage::local();
    let tool = |name: &str| NodeKind::Tool(ToolConfig { tool: name.into() });
    let done = stage.done(tool("count_text"), json!({"text": "a b c"})).await;
    assert_eq!(done.outputs["result"]["words"], 3);
    assert_eq!(stage.fails(tool("count_text"), json!({})).await.code, "tool");
    assert_eq!(stage.fails(tool("none"), json!({})).await.code, "not_found");
    assert_eq!(stage.fails(tool("a/b"), json!({})).await.code, "not_found");
    let video = NodeKind::Video(Default::default());
    assert_eq!(stage.fails(video, json!({"prompt": "x"})).await.code, "unavailable");
}
