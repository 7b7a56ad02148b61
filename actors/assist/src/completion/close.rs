//! The end of a completion: the message gets what the journal says, and the usage is booked.

use providers::Models;
use runs::{Conclusion, Event, EventData, RunOutcome, RunSummary, Terminal};
use storage::accounting;
use storage::records::{
    Conversation, Message, MessageError, MessageStatus, Part, Run, RunState, TitleSource, ToolCall, Usage,
};
use storage::{Row, TenantId, Tx};
use uuid::Uuid;

use super::transcript::Transcript;
use super::turn::CALLS_TOOLS;
use crate::billing::{Spent, signed, usage_record};

/// Shuts what is open and tells what is owed.
pub(super) fn close(
    run: &Row<Run>,
    history: &[Event],
    conclusion: &Conclusion,
    models: &Models,
) -> RunSummary {
    let mut transcript = Transcript::of(history);
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
    let (usage, cost_nanos) = transcript.bill.total();
    // A model that waits for its asker's tools has said all that it had to say.
    let complete = match &conclusion.outcome {
        RunOutcome::Succeeded { reason } => reason.as_deref().is_none_or(|reason| reason == CALLS_TOOLS),
        _ => false,
    };
    RunSummary {
        events: events.into_iter().map(Into::into).collect(),
        usage,
        cost_nanos,
        partial: !complete && !transcript.parts.is_empty(),
        body: Box::new(transcript),
    }
}

/// Writes the message, the conversation's title and the usage record.
pub(super) fn conclude(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    closing: &RunSummary,
    terminal: &Terminal,
) -> storage::Result<()> {
    let Some(transcript) = closing.body.downcast_ref::<Transcript>() else {
        return Err(storage::Error::Invalid("a completion's closing holds its transcript".into()));
    };
    let answered = Answered {
        parts: &transcript.parts,
        calls: &transcript.calls,
        title: transcript.title.as_deref(),
        model: transcript.bill.answered_by.as_deref(),
    };
    write_answer(tx, tenant, run, &answered, terminal)?;
    for (kind, model, (usage, cost_nanos, estimated)) in transcript.bill.by_model(&run.model) {
        let (usage, cost_nanos, estimated) = (*usage, *cost_nanos, *estimated);
        if usage != Usage::default() || cost_nanos != 0 {
            let spent = Spent { kind, model, usage, cost_nanos, estimated };
            accounting::book(tx, tenant, usage_record(run, terminal, &spent))?;
        }
    }
    Ok(())
}

/// What a run said to its conversation.
pub struct Answered<'a> {
    /// The message's parts.
    pub parts: &'a [Part],
    /// The tools that it called.
    pub calls: &'a [ToolCall],
    /// A title for a conversation without one.
    pub title: Option<&'a str>,
    /// The model that answered, where it is another than the run's own.
    pub model: Option<&'a str>,
}

/// Writes the message that a run answers with, and the title of its conversation if that has none.
pub fn write_answer(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    answered: &Answered<'_>,
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
    answered: &Answered<'_>,
    terminal: &Terminal,
) -> storage::Result<()> {
    let Some(id) = run.message_id else { return Ok(()) };
    let Some(mut message) = tx.get::<Message>(tenant, &(conversation, id))? else { return Ok(()) };
    message.parts = answered.parts.to_vec();
    message.tool_calls = answered.calls.to_vec();
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
    tx.update(tenant, message).map(drop)
}
