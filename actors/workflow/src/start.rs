//! Accepts a run: one transaction either adds the messages and the run, or refuses the request.

use std::sync::Arc;

use assist::accept;
use assist::completion::{self, CompletionStart, Input, OnActive};
use bytes::Bytes;
use providers::Models;
use runs::{RequestKey, Runs, StartError};
use serde_json::Map;
use storage::accounting;
use storage::records::{
    Assistant, AssistantType, Conversation, Message, MessageRole, MessageStatus, Recovery, Run, RunBlob,
    RunKind, RunState, TitleSource,
};
use storage::{BlobId, Blobs, Row, TenantId, Tx, journal};
use uuid::Uuid;

use super::Workflow;
use super::files;
use super::graph::Plan;
use super::inputs::{self, MESSAGE_LIMIT};
use super::request::{ConversationTarget, Debug, Started, StoredRequest, WorkflowStart};

/// Maximum number of attempts if the graph changes while the request is being accepted.
const TRIES: u32 = 8;

/// The graph that a new run will execute.
struct Pinned {
    plan: Arc<Plan>,
    blob: BlobId,
    /// The bytes of the graph, if they may have to be stored.
    json: Option<Bytes>,
    /// The version of the assistant that the graph was read from. `None` if the graph belongs to an earlier run.
    version: Option<u64>,
}

/// A request to accept a run, independent of how the run was requested.
struct Request {
    tenant: TenantId,
    user: Uuid,
    token_id: Option<Uuid>,
    context: Option<String>,
    assistant_id: Uuid,
    place: ConversationTarget,
    input: Input,
    stored: StoredRequest,
    /// The text that best describes the run, for the title. Not used if the run is started with a message.
    about: Option<String>,
    /// Inputs that are stored apart from the record.
    inputs_json: Option<Bytes>,
    /// The files that the inputs name.
    files: Vec<BlobId>,
    idempotency_key: Option<RequestKey>,
    request_sha256: String,
    on_active: OnActive,
}

/// The decision of the accepting transaction.
enum Accepted {
    New(Box<Row<Run>>),
    Before(Box<Row<Run>>),
    /// The graph has changed since it was read, so the request is repeated with the new graph.
    Again,
}

/// Accepts a workflow run and starts it. When this function returns, the run, its conversation and the messages are durable.
pub async fn start(runs: &Runs, mut start: WorkflowStart) -> Result<Started, StartError> {
    // A repeated request returns its run even if the graph has changed since.
    if let Some(key) = &mut start.idempotency_key
        && let Some(run) = key.run(runs.store(), &start.request_sha256).await?
    {
        return resume(runs, start.tenant, run).await;
    }
    let pinned = pin(runs, start.tenant, start.user, start.assistant_id, start.debug.as_ref()).await?;
    let values = pinned.plan.take_inputs(&start.inputs).map_err(StartError::Inputs)?;
    // If another run starts this one, that run's graph produced the inputs, and the user may not be allowed to see the graph.
    let (text, about) = match start.parent {
        Some(_) => (inputs::BY_A_RUN.to_owned(), None),
        None => {
            let about = inputs::about(&pinned.plan, &start.inputs);
            (inputs::text_of(&start.inputs), about.map(str::to_owned))
        }
    };
    let json = Bytes::from(serde_json::to_vec(&values).map_err(unwritable)?);
    let inputs_json = (json.len() > MESSAGE_LIMIT).then_some(json);
    let inputs_blob = inputs_json.as_ref().map(|json| Blobs::id_of(json));
    let files = files::named(values.values());
    let inputs = if inputs_json.is_some() { Map::new() } else { values };
    let stored = StoredRequest {
        inputs,
        inputs_blob,
        debug: start.debug,
        parent: start.parent,
        ..StoredRequest::default()
    };
    let request = Request {
        tenant: start.tenant,
        user: start.user,
        token_id: start.token_id,
        context: start.context,
        assistant_id: start.assistant_id,
        place: start.place,
        input: Input::Message { text, attachments: Vec::new(), parent: None },
        stored,
        about,
        inputs_json,
        files,
        idempotency_key: start.idempotency_key,
        request_sha256: start.request_sha256,
        on_active: start.on_active,
    };
    accept_workflow(runs, request, pinned).await
}

/// Starts the workflow of a conversation's assistant with a message as its input.
pub(super) async fn start_with_message(
    runs: &Runs,
    start: &CompletionStart,
    assistant_id: Uuid,
) -> Result<completion::Started, StartError> {
    let pinned = pin(runs, start.tenant, start.user, assistant_id, None).await?;
    let from_message = Some(inputs::of_message(&pinned.plan).map_err(StartError::Inputs)?);
    let request = Request {
        tenant: start.tenant,
        user: start.user,
        token_id: start.token_id,
        context: start.context.clone(),
        assistant_id,
        place: ConversationTarget::Existing(start.conversation_id),
        input: start.input.clone(),
        stored: StoredRequest { from_message, ..StoredRequest::default() },
        about: None,
        inputs_json: None,
        files: Vec::new(),
        idempotency_key: start.idempotency_key.clone(),
        request_sha256: start.request_sha256.clone(),
        on_active: start.on_active,
    };
    let Started { run, message_id, resumed, cursor, .. } = accept_workflow(runs, request, pinned).await?;
    Ok(completion::Started { run, message_id, resumed, cursor })
}

/// Attaches to a run that was accepted earlier, starting at its first event.
async fn resume(runs: &Runs, tenant: TenantId, run: Row<Run>) -> Result<Started, StartError> {
    let cursor = runs.attach_to(tenant, &run, 0).await.map_err(completion::reattach)?;
    Ok(started(run, true, cursor))
}

/// Returns the graph for a new run: the assistant's current graph, or the graph of an earlier run.
async fn pin(
    runs: &Runs,
    tenant: TenantId,
    user: Uuid,
    assistant_id: Uuid,
    debug: Option<&Debug>,
) -> Result<Pinned, StartError> {
    if let Some(fork) = debug.and_then(|debug| debug.fork.as_ref()).filter(|fork| fork.pinned) {
        let from = fork.from;
        let run = runs.store().read(move |reader| reader.get::<Run>(tenant, &from)).await?;
        let run = run.ok_or(StartError::NotFound("run"))?;
        let blob = StoredRequest::from_run(&run).graph.ok_or(StartError::NotAWorkflow)?;
        let plan = runs.handler::<Workflow>().plan_of(runs.store(), tenant, &run).await?;
        return Ok(Pinned { plan, blob, json: None, version: None });
    }
    let found = runs.store().run(move |tx| accept::assistant(tx, tenant, user, assistant_id)).await?;
    let graph = found.workflow.clone().filter(|_| found.kind == AssistantType::Workflow);
    let graph = graph.ok_or(StartError::NotAWorkflow)?;
    let plan = runs.handler::<Workflow>().plans.get_or_read(&graph).map_err(StartError::GraphInvalid)?;
    let wanted = debug.and_then(|debug| debug.fork.as_ref()).and_then(|fork| fork.graph_hash.as_ref());
    if wanted.is_some_and(|hash| *hash != plan.hash) {
        // The graph was saved in the meantime. The client has to read it again.
        return Err(StartError::Busy);
    }
    let json = Bytes::from(serde_json::to_vec(&graph).map_err(unwritable)?);
    Ok(Pinned { plan, blob: Blobs::id_of(&json), json: Some(json), version: Some(found.version) })
}

/// Stores the blobs that the run's record refers to. If a blob is new, the function first checks whether the run would be
/// accepted, so that a refused request leaves nothing behind.
async fn store_blobs(runs: &Runs, request: &Arc<Request>, pinned: &Pinned) -> Result<(), StartError> {
    let (blobs, tenant) = (runs.store().blobs(), request.tenant);
    let documents = [pinned.json.clone(), request.inputs_json.clone()];
    let mut all_there = true;
    for json in documents.iter().flatten() {
        all_there &= blobs.exists(tenant, &Blobs::id_of(json)).await?;
    }
    if !all_there {
        let graph = (pinned.plan.hash.clone(), pinned.blob.clone(), pinned.version, pinned.plan.sends());
        // A dry run: the transaction is prepared but not committed.
        let models = &runs.handler::<Workflow>().run_context.models;
        let _ = runs.store().prepare(|tx| accept(tx, models, request, &graph))?;
    }
    for json in documents.into_iter().flatten() {
        blobs.put_bytes(tenant, json).await?;
    }
    Ok(())
}

async fn accept_workflow(runs: &Runs, request: Request, pinned: Pinned) -> Result<Started, StartError> {
    let own = runs.clone();
    runs.run_uninterrupted(async move { accept_pinned(&own, request, pinned).await }).await
}

async fn accept_pinned(runs: &Runs, request: Request, mut pinned: Pinned) -> Result<Started, StartError> {
    if runs.draining() {
        return Err(StartError::ShuttingDown);
    }
    let request = Arc::new(request);
    runs.may_start(request.tenant, request.user)?;
    let (tenant, user) = (request.tenant, request.user);
    for _ in 0..TRIES {
        store_blobs(runs, &request, &pinned).await?;
        let (models, copy) = (runs.handler::<Workflow>().run_context.models.clone(), request.clone());
        let graph = (pinned.plan.hash.clone(), pinned.blob.clone(), pinned.version, pinned.plan.sends());
        let accepted = runs.store().run(move |tx| accept(tx, &models, &copy, &graph)).await;
        match accepted {
            Ok(Accepted::New(row)) => {
                let cursor = runs.launch(tenant, (*row).clone());
                return Ok(started(*row, false, cursor));
            }
            Ok(Accepted::Before(row)) => return resume(runs, tenant, *row).await,
            Ok(Accepted::Again) => {
                pinned = pin(runs, tenant, user, request.assistant_id, request.stored.debug.as_ref()).await?;
            }
            Err(StartError::StreamActive { stream_id }) if request.on_active == OnActive::Cancel => {
                runs.cancel(tenant, stream_id, user).await.map_err(completion::reattach)?;
            }
            Err(why) => return Err(why),
        }
    }
    Err(StartError::Busy)
}

fn unwritable(why: serde_json::Error) -> storage::Error {
    storage::Error::Invalid(why.to_string())
}

fn started(run: Row<Run>, resumed: bool, cursor: runs::Cursor) -> Started {
    let conversation_id = run.conversation_id.unwrap_or_default();
    let message_id = run.message_id.unwrap_or_default();
    Started { run, conversation_id, message_id, resumed, cursor }
}

fn accept(
    tx: &mut Tx,
    models: &Models,
    request: &Request,
    (hash, blob, version, sends): &(String, BlobId, Option<u64>, bool),
) -> Result<Accepted, StartError> {
    let (tenant, user) = (request.tenant, request.user);
    if let Some(key) = &request.idempotency_key
        && let Some(run) = key.accepted(tx, &request.request_sha256)?
    {
        return Ok(Accepted::Before(Box::new(run)));
    }
    let assistant = accept::assistant(tx, tenant, user, request.assistant_id)?;
    if version.is_some_and(|version| version != assistant.version) {
        return Ok(Accepted::Again);
    }
    let mut conversation = conversation(tx, request)?;
    if request.on_active != OnActive::Queue
        && let Some(stream_id) = accept::live_run(tx, tenant, conversation.id)?
    {
        return Err(StartError::StreamActive { stream_id });
    }
    let model = accept::model(tx, models, tenant, user, [None, None], Some(&assistant))?;
    let placed = completion::insert(tx, tenant, &mut conversation, &request.input)?;
    let (run_id, message_id) = (Uuid::now_v7(), Uuid::now_v7());
    let answer = Message {
        parent_id: Some(placed.parent_id),
        role: MessageRole::Assistant,
        model: Some(model.clone()),
        run_id: Some(run_id),
        status: MessageStatus::Streaming,
        ..Message::default()
    };
    tx.insert_message(tenant, (conversation.id, message_id), answer)?;
    conversation.current_message_id = Some(message_id);
    conversation.message_count += placed.added + 1;
    let title = title(&assistant, &conversation, request);
    if let Some(title) = &title {
        // The title is set immediately, because a run may wait for days before it produces output.
        (conversation.title, conversation.title_source) = (Some(title.clone()), TitleSource::Made);
    }
    let conversation_id = conversation.id;
    tx.update(tenant, conversation)?;
    let above = request.stored.parent.map(|parent| tx.get::<Run>(tenant, &parent)).transpose()?.flatten();
    let above = above.map(|run| StoredRequest::from_run(&run)).unwrap_or_default();
    let depth = request.stored.parent.map_or(0, |_| above.depth + 1);
    let stored = StoredRequest {
        graph_hash: hash.clone(),
        graph: Some(blob.clone()),
        parent_id: Some(placed.parent_id),
        depth,
        sends: *sends || above.sends,
        title,
        ..request.stored.clone()
    };
    for blob_id in [Some(blob), stored.inputs_blob.as_ref()].into_iter().flatten() {
        let id = (run_id, blob_id.to_string());
        if tx.get::<RunBlob>(tenant, &id)?.is_none() {
            tx.insert(tenant, id, RunBlob { blob_id: blob_id.clone(), size: 0, is_file: false })?;
        }
    }
    let run = Run {
        kind: RunKind::Workflow,
        user,
        conversation_id: Some(conversation_id),
        assistant_id: Some(assistant.id),
        message_id: Some(message_id),
        model,
        state: RunState::Queued,
        epoch: 1,
        recovery: Recovery::Continue,
        request: serde_json::to_value(&stored).map_err(unwritable)?,
        context: request.context.clone(),
        token_id: request.token_id,
        trace: tx.trace(),
        ..Run::default()
    };
    accounting::count_accepted(tx, tenant, &run, placed.added)?;
    let row = tx.insert(tenant, run_id, run)?;
    files::claim_uploads(tx, tenant, user, run_id, &request.files)?;
    journal::set_epoch(tx.batch(), tenant, run_id, 1);
    if let Some(key) = &request.idempotency_key {
        key.record_run(tx, &request.request_sha256, run_id)?;
    }
    Ok(Accepted::New(Box::new(row)))
}

fn conversation(tx: &mut Tx, request: &Request) -> Result<Row<Conversation>, StartError> {
    let (tenant, user) = (request.tenant, request.user);
    match &request.place {
        ConversationTarget::Existing(id) => accept::conversation(tx, tenant, user, *id),
        ConversationTarget::New { is_system, title } => {
            let title_source = if title.is_some() { TitleSource::Given } else { TitleSource::None };
            let new = Conversation {
                title: title.clone(),
                title_source,
                assistant_id: Some(request.assistant_id),
                owner: user,
                is_system: *is_system,
                ..Conversation::default()
            };
            Ok(tx.insert(tenant, Uuid::now_v7(), new)?)
        }
    }
}

/// Returns a title for a conversation that has none: derived from the first message or from the text that describes the run, or
/// else the name of the assistant.
fn title(assistant: &Assistant, conversation: &Conversation, request: &Request) -> Option<String> {
    if conversation.title.is_some() {
        return None;
    }
    let text = match &request.input {
        _ if request.stored.from_message.is_none() => request.about.as_deref(),
        Input::Message { text, .. } => Some(text.as_str()),
        Input::Messages(messages) => messages.last().map(|message| message.text.as_str()),
        Input::Regenerate { .. } => None,
    };
    text.and_then(completion::title_of).or_else(|| Some(assistant.name.clone()))
}
