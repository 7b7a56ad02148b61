//! Skill functions as nodes of workflows.

use crate::stage::{Stage, script};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::records::SkillUsableIn;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use workflow::graph::{AgentConfig, FunctionConfig, LlmConfig, NodeKind, PlanNode, Policy, ToolConfig};
use workflow::nodes::{NodeError, NodeMessage, NodeOutput, NodeResult, Task, attempt};

crate::tests![a_function_is_a_node, agents_and_tools_call_functions, a_cancelled_node_ends];

fn node(kind: NodeKind) -> PlanNode {
    let policy = Policy {
        timeout_ms: 60_000,
        retry: Default::default(),
        on_error: Default::default(),
        default: None,
        effect: Default::default(),
        compensate: None,
    };
    PlanNode {
        id: "n".into(),
        kind,
        parent: None,
        inputs: Vec::new(),
        outputs: BTreeMap::new(),
        policy,
        incoming: Vec::new(),
        outgoing: Vec::new(),
        children: Vec::new(),
        roots: Vec::new(),
        compensates: false,
        digest: String::new(),
    }
}

async fn run(
    stage: &Stage,
    kind: NodeKind,
    inputs: Value,
    cancel: CancellationToken,
) -> (Result<NodeResult, NodeError>, Vec<String>) {
    let (output_sender, mut heard) = NodeOutput::channel(1_000);
    let task = Task {
        tenant: stage.tenant,
        user: stage.user,
        run: Uuid::from_u128(9),
        sends: false,
        assistant_id: Some(stage.assistant),
        model: "builtin/scribe".into(),
        idempotency_key: "key".into(),
        inputs: inputs.as_object().expect("an object").clone(),
        said: None,
        output_sender,
        cancel,
        run_context: Arc::clone(&stage.run_context),
        fence: None,
    };
    let done = attempt(&node(kind), task).await;
    let said = std::iter::from_fn(|| heard.try_recv().ok());
    let lines = said.filter_map(|said| if let NodeMessage::Log(line) = said { Some(line) } else { None });
    (done, lines.collect())
}

fn function(skill_id: Option<Uuid>, function: &str) -> NodeKind {
    NodeKind::Function(FunctionConfig { skill_id, function: function.into() })
}

async fn a_function_is_a_node() {
    let stage = Stage::new().await;
    let body = "console.log('seen', args.n); if (args.n < 0) throw new Error('negative'); return args.n * 2";
    let parameters = "{ type: 'object', properties: { n: { type: 'integer' } } }";
    let code = script(&[], body)
        .replace("description: 'does it',", &format!("description: 'x', parameters: {parameters},"));
    let skill = stage.skill("Sums", SkillUsableIn::Workflow, &code).await;
    let foreign = stage.skill("Other", SkillUsableIn::Workflow, &script(&[], "return 'foreign'")).await;
    let talk =
        stage.skill("Talk", SkillUsableIn::Chat, &script(&[], "return 'chat'").replace(" f:", " g:")).await;
    stage.change(move |assistant| assistant.skills = vec![skill, talk]).await;

    let (done, lines) = run(&stage, function(None, "f"), json!({"n": 21}), CancellationToken::new()).await;
    assert_eq!((&done.unwrap().outputs["result"], lines), (&json!(42), vec!["seen 21".to_owned()]));
    let (done, lines) =
        run(&stage, function(Some(skill), "f"), json!({"n": -1}), CancellationToken::new()).await;
    let why = done.unwrap_err();
    assert_eq!((why.code.as_str(), why.message.as_str()), ("function_failed", "Error: negative (line 2)"));
    assert_eq!(lines, ["seen -1"]);
    for (kind, inputs, code) in [
        (function(None, "f"), json!({"n": "x"}), "invalid_input"),
        (function(Some(foreign), "f"), json!({}), "not_found"),
        (function(None, "g"), json!({}), "not_found"),
        (function(None, "h"), json!({}), "not_found"),
    ] {
        let why = run(&stage, kind, inputs, CancellationToken::new()).await.0.unwrap_err();
        assert_eq!(why.code, code, "{why:?}");
    }
}

async fn agents_and_tools_call_functions() {
    let stage = Stage::new().await;
    let skill = stage.skill("Sums", SkillUsableIn::Both, &script(&[], "return args.n + 1")).await;
    stage.change(move |assistant| assistant.skills = vec![skill]).await;
    let tool = |name: &str| NodeKind::Tool(ToolConfig { tool: name.into() });
    let (done, _) = run(&stage, tool("f"), json!({"n": 1}), CancellationToken::new()).await;
    assert_eq!(done.unwrap().outputs["result"], json!(2));
    let why = run(&stage, tool("g"), json!({}), CancellationToken::new()).await.0.unwrap_err();
    assert_eq!(why.code, "not_found");
    let agent = |tools: &[&str]| {
        let tools = tools.iter().map(|name| (*name).to_owned()).collect();
        NodeKind::Agent(AgentConfig { llm: LlmConfig::default(), tools, max_turns: 0 })
    };
    let prompt = json!({"prompt": "Please use the tool f with {\"n\": 41}."});
    let (done, lines) = run(&stage, agent(&["f"]), prompt.clone(), CancellationToken::new()).await;
    let calls = done.unwrap().outputs["calls"].clone();
    assert_eq!((&calls[0]["name"], &calls[0]["output"]), (&json!("f"), &json!(42)), "{lines:?}");
    let why = run(&stage, agent(&["f", "g"]), prompt, CancellationToken::new()).await.0.unwrap_err();
    assert_eq!(why.code, "not_found");
}

async fn a_cancelled_node_ends() {
    let stage = Stage::new().await;
    let skill = stage.skill("Loop", SkillUsableIn::Both, &script(&[], "for (;;) {}")).await;
    stage.change(move |assistant| assistant.skills = vec![skill]).await;
    for kind in [function(None, "f"), NodeKind::Tool(ToolConfig { tool: "f".into() })] {
        let cancel = CancellationToken::new();
        let running = run(&stage, kind, json!({}), cancel.clone());
        let ((done, _), ()) = tokio::join!(running, async { cancel.cancel() });
        assert_eq!(done.unwrap_err().code, "cancelled");
    }
}
