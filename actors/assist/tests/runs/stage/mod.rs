//! Test environment: a store in a temporary folder, a tenant, a user, a conversation, and models that follow a script.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use assist::RunContext;
use assist::completion::{
    self, Completion, CompletionStart, Input, OnActive, Started, WorkflowRequest, WorkflowStarter,
};
use assist::connections::Connections;
use assist::library::{Library, LibraryConfig};
use assist::tool_servers::ToolServers;
use async_trait::async_trait;
use futures::StreamExt;
use providers::web::{WebClient, WebConfig};
use providers::{
    ChatDelta, ChatModel, ChatRequest, ChatStream, FinishReason, Model, Models, ProviderError,
    ProviderErrorKind,
};
use runs::{
    Actors, ActorsConfig, AttachError, CancelOutcome, Cursor, RunHandlers, Runs, StartError, StreamEvent,
};
use sandbox::{Sandbox, SandboxConfig};
use storage::records::{Conversation, Message, Part, RunKind, RunState, Tenant, User};
use storage::{Row, Store, StoreOptions, TenantId};
use tempfile::TempDir;
use uuid::Uuid;

/// The output of a model, turn by turn.
#[derive(Clone)]
pub struct Script {
    turns: Vec<Vec<ChatDelta>>,
    pace: Duration,
    panics_at: Option<usize>,
    fails_at: Option<(usize, String)>,
    stalls_at: Option<usize>,
    once: bool,
    said: Arc<AtomicU32>,
    /// Number of upstream calls that are open.
    pub open: Arc<AtomicUsize>,
}

impl Script {
    pub fn turns(turns: Vec<Vec<ChatDelta>>) -> Self {
        let (said, open) = (Arc::default(), Arc::default());
        let (panics_at, fails_at, stalls_at) = (None, None, None);
        Self { turns, pace: Duration::ZERO, panics_at, fails_at, stalls_at, once: false, said, open }
    }

    pub fn words(n: u64) -> Self {
        let words = (0..n).map(|n| ChatDelta::Text(format!("word{n} ")));
        Self::turns(vec![words.chain([ChatDelta::Finish(FinishReason::Stop)]).collect()])
    }

    pub fn paced(self, ms: u64) -> Self {
        Self { pace: Duration::from_millis(ms), ..self }
    }

    pub fn panics_at(self, n: usize) -> Self {
        Self { panics_at: Some(n), ..self }
    }

    pub fn fails_at(self, n: usize, why: &str) -> Self {
        Self { fails_at: Some((n, why.into())), ..self }
    }

    /// Returns no more output from this position on.
    pub fn stalls_at(self, n: usize) -> Self {
        Self { stalls_at: Some(n), ..self }
    }

    /// Panics or stalls only in the first call.
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl ChatModel for Script {
    async fn stream(&self, _: ChatRequest) -> Result<ChatStream, ProviderError> {
        let turn = self.said.fetch_add(1, Ordering::SeqCst) as usize;
        self.open.fetch_add(1, Ordering::SeqCst);
        let open = Open(self.open.clone());
        let deltas = self.turns[turn.min(self.turns.len() - 1)].clone();
        let script = self.clone();
        let panics_at = self.panics_at.filter(|_| turn == 0 || !self.once);
        let stalls_at = self.stalls_at.filter(|_| turn == 0 || !self.once);
        let said = futures::stream::iter(deltas.into_iter().enumerate()).then(move |(at, delta)| {
            let _open = &open;
            let (pace, fails_at) = (script.pace, script.fails_at.clone());
            async move {
                if !pace.is_zero() {
                    tokio::time::sleep(pace).await;
                }
                assert_ne!(panics_at, Some(at), "a panic that a test asked for");
                if stalls_at == Some(at) {
                    std::future::pending::<()>().await;
                }
                match fails_at {
                    Some((n, why)) if n == at => Err(ProviderError::new(ProviderErrorKind::Status(503), why)),
                    _ => Ok(delta),
                }
            }
        });
        Ok(said.boxed())
    }
}

/// Creates the handlers of the run kinds that a test uses.
pub type Handlers = fn(&Arc<RunContext>) -> RunHandlers;

#[derive(Clone)]
pub struct Stage {
    dir: Arc<TempDir>,
    pub actors: Actors,
    models: Arc<Models>,
    pub tenant: TenantId,
    pub user: Uuid,
    pub conversation: Uuid,
    config: ActorsConfig,
    handlers: Handlers,
}

fn open(dir: &Path) -> Store {
    Store::open(StoreOptions::new(dir)).expect("the store opens")
}

/// The resources of runs. The tests send no requests to other servers.
fn run_context(store: Store, models: Arc<Models>) -> Arc<RunContext> {
    let web = WebClient::new(&WebConfig::default()).expect("no setting is wrong");
    Arc::new(RunContext {
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
        connections: Connections::new(store.clone(), web.clone(), Default::default()),
        store,
        models,
        sandbox: Sandbox::new(SandboxConfig::default()),
        tool_servers: ToolServers::without_logins(web.clone()),
        web,
        max_turns: 16,
    })
}

impl Stage {
    pub fn config() -> ActorsConfig {
        ActorsConfig { sweep_every: Duration::from_millis(500), ..ActorsConfig::default() }
    }

    pub async fn new() -> Self {
        Self::with(Self::config()).await
    }

    pub async fn with(config: ActorsConfig) -> Self {
        Self::with_handlers(config, completions).await
    }

    pub async fn with_handlers(config: ActorsConfig, handlers: Handlers) -> Self {
        let dir = Arc::new(tempfile::tempdir().unwrap());
        let store = open(dir.path());
        let (tenant, user) = (TenantId(Uuid::now_v7()), Uuid::now_v7());
        store
            .run(move |tx| {
                tx.insert(TenantId::SYSTEM, tenant.0, Tenant { name: "t".into(), ..Default::default() })?;
                let user_row = User { email: "u@example.org".into(), ..Default::default() };
                tx.insert(TenantId::SYSTEM, user, user_row)?;
                Ok::<_, storage::Error>(())
            })
            .await
            .unwrap();
        let models = Models::builtin();
        let actors = begin(config, handlers, run_context(store, models.clone())).await;
        let stage = Self { dir, actors, models, tenant, user, conversation: Uuid::nil(), config, handlers };
        stage.elsewhere().await
    }

    /// The same environment with a new conversation.
    pub async fn elsewhere(&self) -> Self {
        let (tenant, id, owner) = (self.tenant, Uuid::now_v7(), self.user);
        let row = Conversation { owner, ..Default::default() };
        let insert = self.actors.store().run(move |tx| tx.insert(tenant, id, row.clone()));
        insert.await.unwrap();
        Self { conversation: id, ..self.clone() }
    }

    /// The same environment with an existing conversation.
    pub fn at(&self, conversation: Uuid) -> Self {
        Self { conversation, ..self.clone() }
    }

    /// Simulates another process on the same folder, as far as that is possible within one process.
    pub async fn restart(self) -> Self {
        self.actors.drain(Duration::from_secs(5)).await;
        self.restart_at_once().await
    }

    /// Restarts like [`restart`](Self::restart), without waiting for live runs.
    pub async fn restart_at_once(self) -> Self {
        let Self { dir, actors, models, tenant, user, conversation, config, handlers } = self;
        actors.stop().await;
        drop(actors);
        // Actors hold the store until their system has dropped them.
        let mut waited = 0;
        let store = loop {
            match Store::open(StoreOptions::new(dir.path())) {
                Ok(store) => break store,
                Err(why) if waited > 3_000 => panic!("{why}"),
                Err(_) => waited += 1,
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let actors = begin(config, handlers, run_context(store, models.clone())).await;
        Self { dir, actors, models, tenant, user, conversation, config, handlers }
    }

    pub async fn start(&self, script: Script) -> Result<Started, StartError> {
        self.start_with(script, |_| ()).await
    }

    pub async fn start_with(
        &self,
        script: Script,
        change: impl FnOnce(&mut CompletionStart),
    ) -> Result<Started, StartError> {
        let name = Uuid::now_v7().to_string();
        self.models.add(Model::new("script", name.clone(), Arc::new(script)));
        let mut start = CompletionStart {
            tenant: self.tenant,
            user: self.user,
            token_id: None,
            conversation_id: self.conversation,
            idempotency_key: None,
            request_sha256: "request".into(),
            input: Input::Message { text: "Say it.".into(), attachments: Vec::new(), parent: None },
            model: Some(format!("script/{name}")),
            assistant_id: None,
            parameters: Default::default(),
            skills: None,
            tools: None,
            knowledge_bases: Vec::new(),
            recovery: None,
            on_active: OnActive::Refuse,
            context: None,
            stream: true,
        };
        change(&mut start);
        completion::start(&self.actors, start).await
    }

    pub async fn attach(&self, run: Uuid, after: u64) -> Result<Cursor, AttachError> {
        self.actors.attach(self.tenant, run, after).await
    }

    pub async fn cancel(&self, run: Uuid) -> CancelOutcome {
        self.actors.cancel(self.tenant, run, self.user).await.unwrap()
    }

    pub async fn read_all(&self, cursor: Cursor) -> Vec<StreamEvent> {
        read_all(cursor).await
    }

    pub async fn message(&self, id: Uuid) -> Row<Message> {
        let (tenant, conversation) = (self.tenant, self.conversation);
        let read =
            self.actors.store().read(move |reader| reader.require::<Message>(tenant, &(conversation, id)));
        read.await.unwrap()
    }

    pub async fn state(&self, run: Uuid) -> RunState {
        self.actors.live().into_iter().find(|info| info.run_id == run).expect("the run is live").state
    }
}

/// Reads to the end of the run.
pub async fn read_all(mut cursor: Cursor) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    let all = async {
        while let Some(chunk) = cursor.next().await.unwrap() {
            for event in &chunk.events {
                let read: StreamEvent = serde_json::from_slice(&event.json).unwrap();
                assert_eq!((read.seq, read.event.kind()), (event.seq, &*event.kind));
                events.push(read);
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), all).await.expect("the run ends");
    events
}

pub fn text_of(message: &Message) -> String {
    let text = |part: &Part| match part {
        Part::Text { text } => Some(text.clone()),
        _ => None,
    };
    message.parts.iter().filter_map(text).collect()
}

/// The handler of completions only.
pub fn completions(run_context: &Arc<RunContext>) -> RunHandlers {
    let completion = Completion::new(run_context.clone(), Arc::new(NoWorkflows));
    RunHandlers::default().with(RunKind::Completion, completion)
}

/// For tests in which no assistant is a workflow.
pub struct NoWorkflows;

#[async_trait]
impl WorkflowStarter for NoWorkflows {
    async fn start_with_message(
        &self,
        _: &Runs,
        _: &CompletionStart,
        _: Uuid,
    ) -> Result<Started, StartError> {
        Err(StartError::NotAWorkflow)
    }

    async fn start_with_inputs(&self, _: &Runs, _: WorkflowRequest) -> Result<Uuid, StartError> {
        Err(StartError::NotAWorkflow)
    }
}

async fn begin(config: ActorsConfig, handlers: Handlers, run_context: Arc<RunContext>) -> Actors {
    Actors::start(config, handlers(&run_context), run_context.store.clone()).await.unwrap()
}
