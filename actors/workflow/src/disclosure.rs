//! Who sees everything that happens in a run.

use storage::authority::Subject;
use storage::records::{Assistant, GrantLevel, Run, RunKind, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use super::StoredRequest;

/// Whether a member sees everything that happens in a run, not only its outline: they may edit its workflow and, where
/// another run started it, the workflows of the runs above it, because its inputs were made by their graphs.
///
/// # Errors
/// Those of the store.
pub fn sees_everything(reader: &Reader, standing: &Subject, run: Uuid) -> storage::Result<bool> {
    let mut next = Some(run);
    while let Some(id) = next {
        let Some(run) = reader.get::<Run>(standing.tenant, &id)? else { return Ok(false) };
        if run.kind == RunKind::Workflow && !edits(reader, standing, &run)? {
            return Ok(false);
        }
        // A run is older than those that it starts, so this ends.
        next = StoredRequest::from_run(&run).parent.filter(|parent| *parent != id);
    }
    Ok(true)
}

fn edits(reader: &Reader, standing: &Subject, run: &Row<Run>) -> storage::Result<bool> {
    let Some(id) = run.assistant_id else { return Ok(false) };
    let assistant = reader.get::<Assistant>(standing.tenant, &id)?;
    Ok(assistant.is_some_and(|row| row.level_of(standing) >= Some(GrantLevel::Editor)))
}
