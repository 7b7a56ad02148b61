//! Decides who may see all details of a run.

use storage::authority::Subject;
use storage::records::{Assistant, GrantLevel, Run, RunKind, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use super::StoredRequest;

/// Whether a member may see all details of a run, and not only its outline. The member must be able to edit the run's workflow.
/// If another run started it, the member must also be able to edit the workflows of all ancestors, because their graphs produced
/// its inputs.
///
/// # Errors
/// Returns an error if the store fails.
pub fn sees_all_details(reader: &Reader, subject: &Subject, run: Uuid) -> storage::Result<bool> {
    let mut next = Some(run);
    while let Some(id) = next {
        let Some(run) = reader.get::<Run>(subject.tenant, &id)? else { return Ok(false) };
        if run.kind == RunKind::Workflow && !edits(reader, subject, &run)? {
            return Ok(false);
        }
        // A run is always older than the runs that it starts, so the loop terminates.
        next = StoredRequest::from_run(&run).parent.filter(|parent| *parent != id);
    }
    Ok(true)
}

fn edits(reader: &Reader, subject: &Subject, run: &Row<Run>) -> storage::Result<bool> {
    let Some(id) = run.assistant_id else { return Ok(false) };
    let assistant = reader.get::<Assistant>(subject.tenant, &id)?;
    Ok(assistant.is_some_and(|row| row.level_of(subject) >= Some(GrantLevel::Editor)))
}
