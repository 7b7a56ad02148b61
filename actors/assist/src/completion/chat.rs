//! Answers without a stored conversation: the client sends the whole conversation and its tools.

use bytes::Bytes;
use providers::{ChatMessage, Models, ToolSpec};
use runs::{RequestKey, Runs, StartError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{Assistant, AssistantType, Attachment, Recovery, Run, RunInput, RunKind};
use storage::{Row, Store, TenantId, Timestamp, Tx, journal};
use uuid::Uuid;

use super::Completion;
use super::DEFAULT_RECOVERY;
use super::request::{Started, StoredRequest};
use super::start::{begun_at, launch, resume, state_of, tools_of};
use crate::accept;

/// Bytes of what was brought that still stand in a record; more is a blob.
const INLINE: usize = 64 * 1024;

/// A completion without a stored conversation.
#[derive(Clone, Debug)]
pub struct ChatStart {
    /// The user's tenant.
    pub tenant: TenantId,
    /// Who asks.
    pub user: Uuid,
    /// The API token that was used, for the usage record.
    pub token_id: Option<Uuid>,
    /// The client's idempotency key: the same key within 24 h gives the same stream.
    pub idempotency_key: Option<RequestKey>,
    /// SHA-256 of the request, in hex: a key used for another request is refused.
    pub request_sha256: String,
    /// The conversation so far, with the last message, and the client's own tools.
    pub input: ClientInput,
    /// The model; else the assistant's, the user's, the tenant's.
    pub model: Option<String>,
    /// The assistant that answers, with its instructions, knowledge, skills and tools.
    pub assistant_id: Option<Uuid>,
    /// Names of the server's tools; else the assistant's.
    pub tools: Option<Vec<String>>,
    /// Skills; else the assistant's.
    pub skills: Option<Vec<Uuid>>,
    /// Knowledge bases that are searched beside those of the assistant.
    pub knowledge_bases: Vec<Uuid>,
    /// What is done after a crash; else the assistant's policy, else `keep`.
    pub recovery: Option<Recovery>,
    /// A free label of the surface that asks, for the usage record.
    pub context: Option<String>,
    /// Whether the answer is kept as long as those that stand in a conversation; else for ten minutes.
    pub stored: bool,
}

/// The input of a run without a conversation, as the client sent it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClientInput {
    /// What was said so far, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Tools that the client calls: the run ends when the model calls one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Files that go with the last message of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Passed to the model, over the assistant's own.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// Answers that are wanted; 0 and 1 are one.
    #[serde(default)]
    pub choices: u32,
    /// What the answer repeats of the request, where the interface does.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub echo: Map<String, Value>,
    /// How many of `messages` go before what this request brought: they are of answers before.
    #[serde(default)]
    pub before: usize,
}

impl ChatStart {
    /// A question that names nothing: no model, no assistant, no key, and that is kept for ten minutes.
    pub fn new(
        tenant: TenantId,
        user: Uuid,
        token_id: Option<Uuid>,
        request_sha256: String,
        input: ClientInput,
    ) -> Self {
        Self {
            tenant,
            user,
            token_id,
            request_sha256,
            input,
            idempotency_key: None,
            model: None,
            assistant_id: None,
            tools: None,
            skills: None,
            knowledge_bases: Vec::new(),
            recovery: None,
            context: None,
            stored: false,
        }
    }
}

/// What the transaction decided.
enum Accepted {
    New(Box<Row<Run>>),
    Before(Box<Row<Run>>),
}

/// Accepts a completion without a stored conversation, and starts it. When this returns, the run is durable, and what it was
/// given as far as it is needed again.
///
/// # Errors
/// Whatever is refused; nothing has changed then.
pub async fn start_chat(runs: &Runs, start: ChatStart) -> Result<Started, StartError> {
    let own = runs.clone();
    runs.see_through(async move { accept_and_launch(&own, start).await }).await
}

async fn accept_and_launch(runs: &Runs, mut start: ChatStart) -> Result<Started, StartError> {
    if runs.draining() {
        return Err(StartError::ShuttingDown);
    }
    if let Some(key) = &mut start.idempotency_key
        && let Some(run) = key.run(runs.store(), &start.request_sha256).await?
    {
        return resume(runs, start.tenant, run).await;
    }
    runs.may_start(start.tenant, start.user)?;
    let tenant = start.tenant;
    let begun = begun_at(runs, tenant, start.user, None);
    let input = std::mem::take(&mut start.input);
    let stored = match is_needed_again(&start, &input, begun) {
        true => Some(store_input(runs.store(), tenant, &input).await?),
        false => None,
    };
    // Only the number of wanted answers is read from it after this.
    start.input.choices = input.choices;
    let models = runs.handler::<Completion>().run_context.models.clone();
    let accepted = runs.store().run(move |tx| accept(tx, &models, &start, stored.as_ref(), begun)).await?;
    match accepted {
        Accepted::New(row) => Ok(launch(runs, tenant, *row, Some(Box::new(input)))),
        Accepted::Before(row) => resume(runs, tenant, *row).await,
    }
}

/// Whether the input is read again after it was handed to the run's work: by a run that waits for its turn, by one that goes on
/// after a crash, by what shows the request together with the response, and by what removes files that no record names.
fn is_needed_again(start: &ChatStart, input: &ClientInput, begun: Option<Timestamp>) -> bool {
    let is_kept = matches!(start.recovery.unwrap_or(DEFAULT_RECOVERY), Recovery::Keep);
    let goes_on = start.assistant_id.is_some() || !is_kept;
    begun.is_none() || goes_on || start.stored || !input.echo.is_empty() || !input.attachments.is_empty()
}

/// The input as it is stored: in the record, or as a blob where it is large.
async fn store_input(store: &Store, tenant: TenantId, input: &ClientInput) -> storage::Result<RunInput> {
    let files = input.attachments.iter().map(|file| file.blob_id.clone()).collect();
    let json = serde_json::to_vec(input).map_err(|why| storage::Error::Invalid(why.to_string()))?;
    if json.len() > INLINE {
        let blob = store.blobs().put_bytes(tenant, Bytes::from(json)).await?;
        return Ok(RunInput { blob_id: Some(blob), files, ..RunInput::default() });
    }
    let body = serde_json::to_value(input).map_err(|why| storage::Error::Invalid(why.to_string()))?;
    Ok(RunInput { body, files, ..RunInput::default() })
}

fn accept(
    tx: &mut Tx,
    models: &Models,
    start: &ChatStart,
    input: Option<&RunInput>,
    begun: Option<Timestamp>,
) -> Result<Accepted, StartError> {
    let tenant = start.tenant;
    if let Some(key) = &start.idempotency_key
        && let Some(run) = key.accepted(tx, &start.request_sha256)?
    {
        return Ok(Accepted::Before(Box::new(run)));
    }
    let assistant = match start.assistant_id {
        Some(id) => Some(accept::assistant(tx, tenant, start.user, id)?),
        None => None,
    };
    if assistant.as_ref().is_some_and(|row| row.kind == AssistantType::Workflow) {
        let msg = "this assistant is a workflow, which needs a conversation; start it in one".to_owned();
        return Err(StartError::Invalid { loc: "assistant_id", msg });
    }
    let named = [start.model.as_deref(), None];
    let model = accept::model(tx, models, tenant, start.user, named, assistant.as_ref())?;
    accept::named(tx, tenant, start.user, start.skills.as_deref(), &start.knowledge_bases)?;
    let run_id = Uuid::now_v7();
    let run = Run {
        kind: RunKind::Completion,
        user: start.user,
        assistant_id: assistant.as_ref().map(|row| row.id),
        model,
        state: state_of(begun),
        started_at: begun,
        epoch: 1,
        recovery: recovery(start, assistant.as_ref()),
        request: request(start, assistant.as_ref())?,
        context: start.context.clone(),
        token_id: start.token_id,
        stored: start.stored,
        trace: tx.trace(),
        ..Run::default()
    };
    let row = tx.insert(tenant, run_id, run)?;
    if let Some(input) = input {
        tx.insert(tenant, run_id, input.clone())?;
    }
    journal::set_epoch(tx.batch(), tenant, run_id, 1);
    if let Some(key) = &start.idempotency_key {
        key.record_run(tx, &start.request_sha256, run_id)?;
    }
    Ok(Accepted::New(Box::new(row)))
}

fn request(start: &ChatStart, assistant: Option<&Row<Assistant>>) -> Result<Value, StartError> {
    let parameters = assistant.map(|row| row.model_parameters.clone()).unwrap_or_default();
    let own = || assistant.map(|row| row.skills.clone()).unwrap_or_default();
    let (tools, server_tools) = tools_of(start.tools.as_deref(), assistant)?;
    let stored = StoredRequest {
        parameters,
        tools,
        server_tools,
        skills: start.skills.clone().unwrap_or_else(own),
        knowledge_bases: start.knowledge_bases.clone(),
        ..StoredRequest::default()
    };
    serde_json::to_value(&stored).map_err(|why| storage::Error::Invalid(why.to_string()).into())
}

fn recovery(start: &ChatStart, assistant: Option<&Row<Assistant>>) -> Recovery {
    let own = assistant.and_then(|row| row.recovery);
    match start.recovery.or(own).unwrap_or(DEFAULT_RECOVERY) {
        // Half of each of several answers could not be gone on with in one request.
        Recovery::Continue if start.input.choices > 1 => Recovery::Retry,
        recovery => recovery,
    }
}

/// The input of a run without a conversation, which may be in a blob.
///
/// # Errors
/// Those of storage.
pub async fn open_input(store: &Store, tenant: TenantId, input: RunInput) -> storage::Result<ClientInput> {
    let unread = |why: serde_json::Error| storage::Error::Invalid(why.to_string());
    match input.blob_id {
        None => serde_json::from_value(input.body).map_err(unread),
        Some(blob) => {
            let size = store.blobs().size(tenant, &blob).await?.unwrap_or_default();
            let json = store.blobs().range(tenant, &blob, 0..size).await?;
            serde_json::from_slice(&json).map_err(unread)
        }
    }
}
