//! Tests of single attempts of nodes, with scripted models and servers.

#[path = "../../../../tests/harness/counting_server.rs"]
mod counting_server;
mod models;
mod requests;
mod scripted;
#[path = "../../../../tests/harness/socket.rs"]
mod socket;

use std::collections::BTreeMap;
use std::sync::Arc;

use assist::RunContext;
use assist::connections::Connections;
use assist::library::{Library, LibraryConfig};
use assist::tool_servers::ToolServers;
use providers::Models;
use providers::web::{WebClient, WebConfig};
use serde_json::Value;
use storage::records::{Assistant, AssistantType};
use storage::{Store, StoreOptions, TenantId};
use tempfile::TempDir;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use workflow::graph::{NodeKind, PlanNode, Policy};
use workflow::nodes::{Fields, NodeError, NodeMessage, NodeOutput, NodeResult, Task, attempt};

/// A store in a temporary directory, models, and a web client that may connect to this machine.
pub struct Stage {
    _dir: TempDir,
    pub models: Arc<Models>,
    pub run_context: Arc<RunContext>,
    pub tenant: TenantId,
    pub cancel: CancellationToken,
    assistant: Option<Uuid>,
}

impl Stage {
    pub fn local() -> Self {
        Self::with(WebConfig { allow: vec!["127.0.0.1".into()], ..WebConfig::default() })
    }

    pub fn with(web: WebConfig) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let models = Models::builtin();
        let store = Store::open(StoreOptions::new(dir.path())).unwrap();
        let run_context = RunContext {
            library: Library::new(
                store.clone(),
                models.clone(),
                LibraryConfig {
                    extractor: Default::default(),
                    index_dir: store.dir().join("index"),
                    vector_bytes: 64 << 20,
                    link_bytes: 1 << 20,
                },
            ),
            connections: Connections::new(store.clone(), WebClient::new(&web).unwrap(), Default::default()),
            store,
            models: Arc::clone(&models),
            sandbox: sandbox::Sandbox::new(Default::default()),
            web: WebClient::new(&web).unwrap(),
            tool_servers: ToolServers::without_logins(WebClient::new(&web).unwrap()),
            max_turns: 3,
        };
        let (tenant, cancel) = (TenantId(Uuid::from_u128(7)), CancellationToken::new());
        Self { _dir: dir, models, run_context: Arc::new(run_context), tenant, cancel, assistant: None }
    }

    /// Adds an assistant with these instructions and parameters.
    pub async fn assistant(mut self, system_prompt: &str, parameters: Value) -> Self {
        let id = Uuid::now_v7();
        let row = Assistant {
            kind: AssistantType::Workflow,
            system_prompt: system_prompt.into(),
            model_parameters: fields(parameters),
            ..Default::default()
        };
        let tenant = self.tenant;
        self.run_context.store.run(move |tx| tx.insert(tenant, id, row.clone())).await.unwrap();
        self.assistant = Some(id);
        self
    }

    pub fn task(&self, inputs: Value) -> (Task, Receiver<NodeMessage>) {
        let (output_sender, heard) = NodeOutput::channel(1_000);
        let task = Task {
            tenant: self.tenant,
            user: Uuid::from_u128(8),
            run: Uuid::from_u128(9),
            sends: false,
            assistant_id: self.assistant,
            model: "builtin/scribe".into(),
            idempotency_key: "key-1".into(),
            inputs: fields(inputs),
            said: None,
            output_sender,
            cancel: self.cancel.clone(),
            run_context: Arc::clone(&self.run_context),
            fence: None,
        };
        (task, heard)
    }

    pub async fn run(
        &self,
        kind: NodeKind,
        inputs: Value,
    ) -> (Result<NodeResult, NodeError>, Vec<NodeMessage>) {
        let (task, heard) = self.task(inputs);
        let done = attempt(&node(kind), task).await;
        (done, all(heard))
    }

    pub async fn done(&self, kind: NodeKind, inputs: Value) -> NodeResult {
        self.run(kind, inputs).await.0.expect("it is done")
    }

    pub async fn fails(&self, kind: NodeKind, inputs: Value) -> NodeError {
        self.run(kind, inputs).await.0.expect_err("it fails")
    }
}

/// Collects all messages that were sent.
pub fn all(mut heard: Receiver<NodeMessage>) -> Vec<NodeMessage> {
    std::iter::from_fn(|| heard.try_recv().ok()).collect()
}

pub fn fields(value: Value) -> Fields {
    value.as_object().expect("an object").clone()
}

pub fn node(kind: NodeKind) -> PlanNode {
    PlanNode {
        id: "n".into(),
        kind,
        parent: None,
        inputs: Vec::new(),
        outputs: BTreeMap::new(),
        policy: Policy {
            timeout_ms: 10_000,
            retry: Default::default(),
            on_error: Default::default(),
            default: None,
            effect: Default::default(),
            compensate: None,
        },
        incoming: Vec::new(),
        outgoing: Vec::new(),
        children: Vec::new(),
        roots: Vec::new(),
        compensates: false,
        digest: String::new(),
    }
}
