//! Completions without a stored conversation: the client sends the whole conversation and its tools.

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

/// Maximum size in bytes of an input that is stored in its record; larger inputs are stored as a blob.
const INLINE: usize = 64 * 1024;

/// A request for a completion without a stored conversation.
#[derive(Clone, Debug)]
pub struct ChatStart {
    /// The user's tenant.
    pub tenant: TenantId,
    /// The user who asks.
    pub user: Uuid,
    /// The API token that was used, for the usage record.
    pub token_id: Option<Uuid>,
    /// The client's idempotency key: the same key within 24 hours returns the same stream.
    pub idempotency_key: Option<RequestKey>,
    /// SHA-256 of the request in hex. A key that was used for a different request is rejected.
    pub request_sha256: String,
    /// The conversation so far, including the last message, and the client's own tools.
    pub input: ClientInput,
    /// The model. By default the assistant's, the user's or the tenant's model.
    pub model: Option<String>,
    /// The assistant that answers, with its instructions, knowledge, skills and tools.
    pub assistant_id: Option<Uuid>,
    /// Names of the server's tools. By default the assistant's tools.
    pub tools: Option<Vec<String>>,
    /// Skills. By default the assistant's skills.
    pub skills: Option<Vec<Uuid>>,
    /// Knowledge bases that are searched in addition to those of the assistant.
    pub knowledge_bases: Vec<Uuid>,
    /// What is done after a crash. By default the assistant's policy, or otherwise `keep`.
    pub recovery: Option<Recovery>,
    /// Free-form label of the calling interface, for the usage record.
    pub context: Option<String>,
    /// Whether the answer is retained as long as answers in a conversation, instead of for ten minutes.
    pub stored: bool,
}

/// The input of a run without a conversation, as the client sent it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClientInput {
    /// The messages so far, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Tools that the client executes: the run ends when the model calls one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Files that belong to the last message of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Parameters for the model, which override the assistant's.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// Number of answers that are wanted; 0 and 1 both mean one.
    #[serde(default)]
    pub choices: u32,
    /// Fields of the request that the interface repeats in its response.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub echo: Map<String, Value>,
    /// Number of leading `messages` that come from earlier answers rather than from this request.
    #[serde(default)]
    pub before: usize,
}

impl ChatStart {
    /// Creates a request without a model, an assistant and a key, whose answer is retained for ten minutes.
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

/// The decision of the accepting transaction.
enum Accepted {
    New(Box<Row<Run>>),
    Before(Box<Row<Run>>),
}

/// Accepts a completion without a stored conversation, and starts it. When this returns, the run is durable, together with
/// the part of its input that is needed again.
///
/// # Errors
/// The reason why the request is rejected. Nothing has been changed then.
pub async fn start_chat(runs: &Runs, start: ChatStart) -> Result<Started, StartError> {
    let own = runs.clone();
    runs.run_uninterrupted(async move { accept_and_launch(&own, start).await }).await
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
    // From here on only the number of wanted answers is read from it.
    start.input.choices = input.choices;
    let models = runs.handler::<Completion>().run_context.models.clone();
    let accepted = runs.store().run(move |tx| accept(tx, &models, &start, stored.as_ref(), begun)).await?;
    match accepted {
        Accepted::New(row) => Ok(launch(runs, tenant, *row, Some(Box::new(input)))),
        Accepted::Before(row) => resume(runs, tenant, *row).await,
    }
}

/// Whether the input is read again after it was passed to the run's work: by a run that is queued, by one that continues
/// after a crash, to show the request together with the response, and to remove files that no record references.
fn is_needed_again(start: &ChatStart, input: &ClientInput, begun: Option<Timestamp>) -> bool {
    let is_kept = matches!(start.recovery.unwrap_or(DEFAULT_RECOVERY), Recovery::Keep);
    let goes_on = start.assistant_id.is_some() || !is_kept;
    begun.is_none() || goes_on || start.stored || !input.echo.is_empty() || !input.attachments.is_empty()
}

/// Stores the input: in the record, or as a blob if it is large.
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
        // A single request cannot continue several partial answers.
        Recovery::Continue if start.input.choices > 1 => Recovery::Retry,
        recovery => recovery,
    }
}

/// Loads the input of a run without a conversation. It may be stored as a blob.
///
/// # Errors
/// Returns an error if the store fails or the input is invalid.
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
