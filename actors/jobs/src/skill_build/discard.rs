//! Deletes drafts from the history of an assistant.

use runs::{AttachError, Runs};
use storage::records::{Run, SkillDraft};
use storage::{TenantId, Tx};
use uuid::Uuid;

/// Maximum number of attempts to stop a build.
const ROUNDS: usize = 4;

/// The state of a draft when its deletion is requested.
enum Discarded {
    /// The draft does not exist.
    Nothing,
    /// The build of the draft is live.
    Live,
    /// The draft has been deleted.
    Gone,
}

/// Deletes a draft with its run. A live build is stopped first. The usage record is retained, and so is the skill that was
/// published from the draft.
///
/// Returns `NotFound` if the draft does not exist, and `Busy` if its build does not stop in time. The build was asked to stop, so
/// another attempt may succeed.
pub async fn discard(
    runs: &Runs,
    tenant: TenantId,
    by: Uuid,
    assistant: Uuid,
    job: Uuid,
) -> Result<(), AttachError> {
    for _ in 0..ROUNDS {
        match runs.store().run(move |tx| remove(tx, tenant, assistant, job)).await? {
            Discarded::Nothing => return Err(AttachError::NotFound),
            Discarded::Gone => return Ok(()),
            Discarded::Live => match runs.cancel(tenant, job, by).await {
                // The build has ended or is about to end. The next round finds out.
                Ok(_) | Err(AttachError::NotFound | AttachError::Expired | AttachError::Busy) => {}
                Err(why) => return Err(why),
            },
        }
    }
    Err(AttachError::Busy)
}

fn remove(tx: &mut Tx, tenant: TenantId, assistant: Uuid, job: Uuid) -> storage::Result<Discarded> {
    if tx.get::<SkillDraft>(tenant, &(assistant, job))?.is_none() {
        return Ok(Discarded::Nothing);
    }
    if tx.get::<Run>(tenant, &job)?.is_some_and(|run| !run.state.is_terminal()) {
        return Ok(Discarded::Live);
    }
    tx.delete::<SkillDraft>(tenant, &(assistant, job))?;
    tx.drop_run(tenant, job)?;
    tx.delete::<Run>(tenant, &job)?;
    Ok(Discarded::Gone)
}
