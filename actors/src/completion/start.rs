//! Accepting a completion: one transaction that adds the messages and the run, or refuses.

use std::sync::Arc;

use providers::Models;
use storage::records::{
    Assistant, Conversation, IdempotencyKey, Membership, Message, MessageRole, MessageStatus, Part, Recovery,
    Run, RunKind, RunState, Tenant, User,
};
use storage::{Row, Scan, TenantId, Timestamp, Tx, journal};
use uuid::Uuid;

use super::input::{self, Placed};
use super::request::{CompletionStart, Kept, OnActive, StartError, Started};
use super::{DEFAULT_RECOVERY, tools};
use crate::supervise::{Actors, AttachError};

/// How long an idempotency key is remembered.
const KEY_LIFE: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

/// What the transaction decided.
enum Accepted {
    /// A run that has to be launched.
    New(Box<Row<Run>>, Uuid),
    /// The run that the idempotency key names.
    Before(Uuid, Uuid),
}

impl Actors {
    /// Accepts a completion and starts it. When this returns, the user's message, the run and the
    /// message for the answer are durable.
    pub async fn start_completion(&self, start: CompletionStart) -> Result<Started, StartError> {
        if self.draining() {
            return Err(StartError::ShuttingDown);
        }
        let start = Arc::new(start);
        if !self.known_key(&start).await? {
            self.may_start(start.tenant, start.user)?;
        }
        loop {
            let (models, asked) = (self.stage().models.clone(), start.clone());
            let accepted = self.store().run(move |tx| accept(tx, &models, &asked)).await;
            return match accepted {
                Ok(Accepted::New(row, message_id)) => {
                    let run_id = row.id;
                    let cursor = self.launch(start.tenant, *row);
                    Ok(Started { run_id, message_id, resumed: false, cursor })
                }
                Ok(Accepted::Before(run_id, message_id)) => {
                    let cursor = self.attach(start.tenant, run_id, 0).await.map_err(reattach)?;
                    Ok(Started { run_id, message_id, resumed: true, cursor })
                }
                Err(StartError::StreamActive { stream_id }) if start.on_active == OnActive::Cancel => {
                    self.cancel(start.tenant, stream_id, start.user).await.map_err(reattach)?;
                    continue;
                }
                Err(why) => Err(why),
            };
        }
    }

    /// An idempotency key is looked at before any limit: what was accepted is not refused.
    async fn known_key(&self, start: &Arc<CompletionStart>) -> Result<bool, StartError> {
        let Some(id) = key_id(start) else { return Ok(false) };
        let tenant = start.tenant;
        let known = self.store().read(move |reader| reader.get::<IdempotencyKey>(tenant, &id));
        Ok(known.await?.is_some_and(|row| row.expires_at > Timestamp::now()))
    }
}

fn reattach(why: AttachError) -> StartError {
    match why {
        AttachError::Busy => StartError::Busy,
        AttachError::Expired => StartError::Expired,
        AttachError::NotFound => StartError::NotFound("stream"),
        AttachError::Storage(why) => StartError::Storage(why),
    }
}

fn key_id(start: &CompletionStart) -> Option<(Uuid, String)> {
    let key = start.idempotency_key.as_ref()?;
    let digest = ring::digest::digest(&ring::digest::SHA256, key.as_bytes());
    let hex = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    Some((start.user, hex))
}

fn accept(tx: &mut Tx, models: &Models, start: &CompletionStart) -> Result<Accepted, StartError> {
    let tenant = start.tenant;
    if let Some(before) = accepted_before(tx, start)? {
        return Ok(before);
    }
    let conversation = tx.get::<Conversation>(tenant, &start.conversation_id)?;
    let conversation = conversation.filter(|row| row.owner == start.user);
    let mut conversation = conversation.ok_or(StartError::NotFound("conversation"))?;
    if start.on_active != OnActive::Queue
        && let Some(stream_id) = live_run(tx, tenant, conversation.id)?
    {
        return Err(StartError::StreamActive { stream_id });
    }
    let assistant = assistant(tx, start, &conversation)?;
    let model = model(tx, models, start, &conversation, assistant.as_ref())?;
    let tools = tools_of(start, assistant.as_ref())?;

    let placed = input::place(tx, tenant, &mut conversation, &start.input)?;
    let Placed { parent_id, added } = placed;
    let (run_id, message_id) = (Uuid::now_v7(), Uuid::now_v7());
    let answer = Message {
        parent_id: Some(parent_id),
        role: MessageRole::Assistant,
        model: Some(model.clone()),
        run_id: Some(run_id),
        status: MessageStatus::Streaming,
        ..Message::default()
    };
    tx.insert(tenant, (conversation.id, message_id), answer)?;
    conversation.current_message_id = Some(message_id);
    conversation.message_count += added + 1;
    let assistant_id = assistant.as_ref().map(|row| row.id);
    let skills = start.skills.clone().unwrap_or_else(|| {
        let own = assistant.as_ref().map(|row| row.skills.clone()).unwrap_or_default();
        own.into_iter().chain(conversation.skills.iter().copied()).collect()
    });
    let kept =
        Kept { parent_id: Some(parent_id), parameters: parameters(start, assistant.as_ref()), tools, skills };
    let conversation_id = conversation.id;
    tx.update(tenant, conversation)?;
    let run = Run {
        kind: RunKind::Completion,
        user: start.user,
        conversation_id: Some(conversation_id),
        assistant_id,
        message_id: Some(message_id),
        model,
        state: RunState::Queued,
        epoch: 1,
        recovery: recovery(start, assistant.as_ref()),
        request: serde_json::to_value(&kept).map_err(|why| storage::Error::Invalid(why.to_string()))?,
        context: start.context.clone(),
        token_id: start.token_id,
        ..Run::default()
    };
    let row = tx.insert(tenant, run_id, run)?;
    journal::set_epoch(tx.batch(), tenant, run_id, 1);
    remember_key(tx, start, run_id)?;
    Ok(Accepted::New(Box::new(row), message_id))
}

fn accepted_before(tx: &mut Tx, start: &CompletionStart) -> Result<Option<Accepted>, StartError> {
    let Some(id) = key_id(start) else { return Ok(None) };
    let Some(known) = tx.get::<IdempotencyKey>(start.tenant, &id)? else { return Ok(None) };
    if known.expires_at <= Timestamp::now() {
        tx.delete::<IdempotencyKey>(start.tenant, &id)?;
        return Ok(None);
    }
    if known.request_sha256 != start.request_sha256 {
        return Err(StartError::IdempotencyMismatch);
    }
    let run = tx.get::<Run>(start.tenant, &known.run_id)?.ok_or(StartError::Expired)?;
    Ok(Some(Accepted::Before(run.id, run.message_id.unwrap_or_default())))
}

fn remember_key(tx: &mut Tx, start: &CompletionStart, run_id: Uuid) -> Result<(), StartError> {
    let Some(id) = key_id(start) else { return Ok(()) };
    let key = IdempotencyKey {
        run_id,
        request_sha256: start.request_sha256.clone(),
        expires_at: Timestamp::now() + KEY_LIFE,
    };
    tx.insert(start.tenant, id, key)?;
    Ok(())
}

/// The live run of a conversation. Whoever starts one updates the conversation's row in the same
/// transaction, so two at once meet a conflict and the second sees the first.
fn live_run(tx: &mut Tx, tenant: TenantId, conversation: Uuid) -> storage::Result<Option<Uuid>> {
    let prefix = conversation.as_bytes().to_vec();
    let scan = Scan::index("live_by_conversation").prefix(prefix).limit(1);
    Ok(tx.scan::<Run>(tenant, scan)?.items.first().map(|row| row.id))
}

fn assistant(
    tx: &mut Tx,
    start: &CompletionStart,
    conversation: &Row<Conversation>,
) -> Result<Option<Row<Assistant>>, StartError> {
    let Some(id) = start.assistant_id.or(conversation.assistant_id) else { return Ok(None) };
    let member = tx.get::<Membership>(TenantId::SYSTEM, &(start.user, start.tenant.0))?;
    let role = member.map(|row| row.role).unwrap_or_default();
    let visible = |row: &Row<Assistant>| row.level_of(start.tenant, start.user, role).is_some();
    let found = tx.get::<Assistant>(start.tenant, &id)?;
    let found = found.filter(|row| row.deleted_at.is_none() && visible(row));
    let found = found.ok_or(StartError::NotFound("assistant"))?;
    if !found.enabled {
        return Err(StartError::AssistantDisabled);
    }
    Ok(Some(found))
}

/// The request's model, else the conversation's, the assistant's, the user's, the tenant's, else
/// the default of the installation. Only the first two are the asker's words: one of the others
/// that is not there any more is passed over.
fn model(
    tx: &mut Tx,
    models: &Models,
    start: &CompletionStart,
    conversation: &Row<Conversation>,
    assistant: Option<&Row<Assistant>>,
) -> Result<String, StartError> {
    if let Some(named) = start.model.as_ref() {
        let model = models.find(named).ok_or_else(|| StartError::UnknownModel(named.clone()))?;
        return Ok(model.info.id.clone());
    }
    let user = tx.get::<User>(TenantId::SYSTEM, &start.user)?;
    let tenant = tx.get::<Tenant>(TenantId::SYSTEM, &start.tenant.0)?;
    let named = [
        conversation.model.clone(),
        assistant.and_then(|row| row.model.clone()),
        user.and_then(|row| row.body.preferences.default_model),
        tenant.and_then(|row| row.body.default_model),
    ];
    let found = named.iter().flatten().find_map(|name| models.find(name));
    Ok(found.unwrap_or_else(|| models.default()).info.id.clone())
}

fn tools_of(start: &CompletionStart, assistant: Option<&Row<Assistant>>) -> Result<Vec<String>, StartError> {
    let Some(named) = &start.tools else {
        let own = assistant.map(|row| row.tools.clone()).unwrap_or_default();
        return Ok(own.into_iter().filter(|name| tools::find(name).is_some()).collect());
    };
    match named.iter().find(|name| tools::find(name).is_none()) {
        Some(unknown) => Err(StartError::UnknownTool(unknown.clone())),
        None => Ok(named.clone()),
    }
}

fn parameters(
    start: &CompletionStart,
    assistant: Option<&Row<Assistant>>,
) -> serde_json::Map<String, serde_json::Value> {
    let mut parameters = assistant.map(|row| row.model_parameters.clone()).unwrap_or_default();
    parameters.extend(start.parameters.clone());
    parameters
}

fn recovery(start: &CompletionStart, assistant: Option<&Row<Assistant>>) -> Recovery {
    let own = assistant.and_then(|row| row.recovery);
    start.recovery.or(own).unwrap_or(DEFAULT_RECOVERY)
}

/// A user's message as it is stored.
pub(super) fn message(
    parent_id: Option<Uuid>,
    role: MessageRole,
    text: &str,
    attachments: &[storage::records::Attachment],
) -> Message {
    let parts = match text {
        "" => Vec::new(),
        text => vec![Part::Text { text: text.to_owned() }],
    };
    Message { parent_id, role, parts, attachments: attachments.to_vec(), ..Message::default() }
}
