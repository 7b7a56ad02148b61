//! The end of a completion: the message receives the contents of the journal, and the usage is booked.

use providers::Models;
use runs::{Event, EventData, RunOutcome, RunSummary, Terminal};
use storage::records::{
    Conversation, Message, MessageError, MessageStatus, Part, Run, RunState, TitleSource, ToolCall,
};
use storage::{Row, TenantId, Tx, accounting};
use uuid::Uuid;

use super::transcript::Transcript;
use super::turn::CALLS_TOOLS;
use crate::billing::{self, signed};
use crate::memories;

/// Closes open parts, settles open tool calls and bills usage that was not reported.
pub(super) fn close(
    run: &Row<Run>,
    history: &[Event],
    outcome: &RunOutcome,
    models: &Models,
) -> RunSummary<Transcript> {
    let mut transcript = Transcript::from_history(history);
    let mut events: Vec<EventData> = Vec::new();
    if let Some((part, _)) = transcript.open_reasoning.take() {
        events.push(EventData::ReasoningEnd { part });
    }
    if let Some((part, _)) = transcript.open_text.take() {
        events.push(EventData::TextEnd { part });
    }
    for (call_id, error) in transcript.settle() {
        events.push(EventData::ToolResult { call_id, output: None, error: Some(error) });
    }
    events.extend(transcript.bill.owed(&run.model, models));
    let total = transcript.bill.total();
    // An answer that waits for the client's tools is complete.
    let complete = match outcome {
        RunOutcome::Succeeded { reason } => reason.as_deref().is_none_or(|reason| reason == CALLS_TOOLS),
        _ => false,
    };
    RunSummary {
        events: events.into_iter().map(Into::into).collect(),
        usage: total.usage,
        cost_nanos: total.cost_nanos,
        partial: !complete && !transcript.parts.is_empty(),
        details: transcript,
    }
}

/// Writes the message, the conversation's title and the usage records.
pub(super) fn conclude(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    transcript: &Transcript,
    terminal: &Terminal,
) -> storage::Result<()> {
    let answered = AnswerContent {
        parts: &transcript.parts,
        calls: &transcript.calls,
        memories: &transcript.memories,
        title: transcript.title.as_deref(),
        model: transcript.bill.answered_by.as_deref(),
    };
    write_answer(tx, tenant, run, &answered, terminal)?;
    let mut records = transcript
        .bill
        .by_model(&run.model)
        .filter(|(.., used)| !used.is_free())
        .map(|(kind, model, used)| billing::usage_record(run, terminal, kind, model, used));
    match run.conversation_id {
        Some(_) => records.try_for_each(|record| accounting::book(tx, tenant, record)),
        None => accounting::book_chat(tx, tenant, run, records),
    }
}

/// The answer of a run, as written to its conversation.
pub struct AnswerContent<'a> {
    /// Parts of the message, in order.
    pub parts: &'a [Part],
    pub calls: &'a [ToolCall],
    /// The memories that the model was given, the latest last.
    pub memories: &'a [Uuid],
    /// A title for a conversation that has none.
    pub title: Option<&'a str>,
    /// The model that answered, if it differs from the run's own.
    pub model: Option<&'a str>,
}

/// Writes the answer message of a run, and the title of its conversation if it has none.
pub fn write_answer(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    answered: &AnswerContent<'_>,
    terminal: &Terminal,
) -> storage::Result<()> {
    let Some(conversation) = run.conversation_id else { return Ok(()) };
    write_message(tx, tenant, conversation, run, answered, terminal)?;
    let Some(mut conversation) = tx.get::<Conversation>(tenant, &conversation)? else {
        return Ok(());
    };
    if let (None, Some(title)) = (&conversation.title, answered.title) {
        conversation.title = Some(title.to_owned());
        conversation.title_source = TitleSource::Made;
    }
    tx.update(tenant, conversation).map(drop)
}

fn write_message(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: Uuid,
    run: &Row<Run>,
    answered: &AnswerContent<'_>,
    terminal: &Terminal,
) -> storage::Result<()> {
    let Some(id) = run.message_id else { return Ok(()) };
    let Some(mut message) = tx.get::<Message>(tenant, &(conversation, id))? else { return Ok(()) };
    message.parts = answered.parts.to_vec();
    message.tool_calls = answered.calls.to_vec();
    let older = answered.memories.len().saturating_sub(memories::RECORDED);
    message.memory_ids = answered.memories[older..].to_vec();
    message.model = Some(answered.model.unwrap_or(&run.model).to_owned());
    message.usage = Some(terminal.usage);
    message.cost_nanos = signed(terminal.cost_nanos);
    message.status = match terminal.status {
        RunState::Succeeded | RunState::Partial => MessageStatus::Complete,
        RunState::Cancelled => MessageStatus::Stopped,
        RunState::Interrupted => MessageStatus::Interrupted,
        _ => MessageStatus::Failed,
    };
    let error = terminal.error.clone();
    message.error = error.map(MessageError::from);
    tx.update_message(tenant, message).map(drop)
}
