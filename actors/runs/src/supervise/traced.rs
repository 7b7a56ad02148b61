//! The tracing span of one epoch of a run.

use storage::Row;
use storage::records::{Run, RunKind};
use telemetry::trace::{Span, run_span};
use tokio::task::JoinError;

use super::handler::WorkEnd;
use crate::journal::WriteError;

/// Begins the span. It is a child of the span that started the run, also after a restart, and links to the previous
/// epoch.
pub(super) fn run(row: &Row<Run>) -> Span {
    let name = || match row.kind {
        RunKind::Completion => "invoke_agent".to_owned(),
        kind => format!("run {}", kind.as_str()),
    };
    let mut span = run_span(row.id.as_u128(), row.epoch, row.trace.as_deref(), name);
    span.set(|set| {
        if row.kind == RunKind::Completion {
            set.text("gen_ai.operation.name", "invoke_agent");
        }
        set.text("understudy.run.id", row.id.to_string());
        set.text("understudy.run.kind", row.kind.as_str());
        set.int("understudy.run.epoch", u64::from(row.epoch));
        if let Some(conversation) = row.conversation_id {
            set.text("gen_ai.conversation.id", conversation.to_string());
        }
        if let Some(assistant) = row.assistant_id {
            set.text("gen_ai.agent.id", assistant.to_string());
        }
        if !row.model.is_empty() {
            set.text("gen_ai.request.model", &row.model);
        }
    });
    span
}

/// Records in the span how the work ended.
pub(super) fn ended(span: &mut Span, ending: &Result<Result<WorkEnd, WriteError>, JoinError>) {
    let (outcome, code) = match ending {
        Ok(Ok(WorkEnd::Ended(outcome))) => {
            (outcome.status().as_str(), outcome.error().map(|error| error.code))
        }
        Ok(Ok(WorkEnd::Unloaded)) => ("unloaded", None),
        Ok(Err(WriteError)) => ("superseded", None),
        Err(why) if why.is_panic() => ("panicked", Some("panic".to_owned())),
        Err(_) => ("stopped", None),
    };
    span.set(|set| {
        set.text("understudy.run.outcome", outcome);
    });
    if let Some(code) = code {
        // No message is recorded, because it may contain parts of the conversation.
        span.fail(&code, None);
    }
}
