//! Taking drafts out of the history.

use runs::{AttachError, Runs};
use storage::records::{Run, SkillDraft};
use storage::{TenantId, Tx};
use uuid::Uuid;

/// Rounds of stopping a build.
const ROUNDS: usize = 4;

/// The state of a draft at a request to delete it.
enum Discarded {
    /// Not there.
    Nothing,
    /// Its build is live.
    Live,
    /// It is gone now.
    Gone,
}

/// Deletes a draft with its run; a build that is live is stopped first. What it cost stays on
/// record, and so does the skill that a published draft has become.
///
/// Fails with `NotFound` where there is no such draft, and with `Busy` where its build does not
/// stop in time; it was asked to, so that another attempt may succeed.
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
                // Gone by now, or about to be: the next pass finds out.
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
