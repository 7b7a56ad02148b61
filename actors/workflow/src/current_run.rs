//! The run that a request about a workflow in a conversation refers to.

use domain::Refusal;
use storage::records::{Run, RunKind};
use storage::{Row, Scan, Store, TenantId};
use uuid::Uuid;

use crate::debug::newest_run;

/// Returns the live run of an assistant's workflow in a conversation, or else the newest run.
///
/// # Errors
/// `not_found` if the conversation has no run of the workflow.
pub async fn current_run(
    store: &Store,
    tenant: TenantId,
    conversation: Uuid,
    assistant: Uuid,
) -> Result<Row<Run>, Refusal> {
    let run = store.read(move |reader| {
        let scan = Scan::index("live_by_conversation").prefix(conversation.as_bytes());
        let live = reader.scan::<Run>(tenant, scan)?.items;
        let is_of_workflow =
            |row: &Row<Run>| row.kind == RunKind::Workflow && row.assistant_id == Some(assistant);
        match live.into_iter().find(is_of_workflow) {
            Some(live) => Ok::<_, storage::Error>(Some(live)),
            None => newest_run(reader, tenant, conversation, assistant),
        }
    });
    run.await?.ok_or_else(|| Refusal::not_found("run"))
}
