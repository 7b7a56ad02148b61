//! Runs of automations that a user starts manually.

use domain::{Code, Refusal};
use std::sync::Arc;

use runs::StartError;
use storage::records::{AutomationRun, Run, SkipReason};
use storage::{Row, TenantId, Tx};
use uuid::Uuid;

use super::ledger;
use super::rights::refusal;
use super::start::{self, Ask, Opening};

/// Why a manual run did not start.
#[derive(Debug, thiserror::Error)]
pub enum RunNowError {
    /// The automation does not exist.
    #[error("the automation does not exist")]
    NotFound,
    /// The owner or the assistant of the automation is currently not allowed to run.
    #[error("the automation may not run now")]
    Refused(SkipReason),
    /// The run was refused for a reason that applies to all runs.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl From<storage::Error> for RunNowError {
    fn from(why: storage::Error) -> Self {
        Self::Start(StartError::Storage(why))
    }
}

/// Starts a run manually, regardless of other runs and of whether the schedule is enabled.
pub(super) fn start(
    tx: &mut Tx,
    tenant: TenantId,
    id: Uuid,
    ask: &Arc<Ask>,
    opening: &Opening,
) -> Result<(Row<AutomationRun>, Row<Run>), RunNowError> {
    let found = ledger::load(tx, tenant, id)?;
    let (automation, mut schedule) = found.ok_or(RunNowError::NotFound)?;
    if let Some(reason) = refusal(tx, tenant, &automation)? {
        return Err(RunNowError::Refused(reason));
    }
    let line = start::line(&automation, None, Ask::clone(ask).or_of(&automation));
    let started = start::insert(tx, tenant, &automation, &mut schedule, line, opening)?;
    tx.update(tenant, schedule)?;
    Ok(started)
}

impl From<RunNowError> for Refusal {
    fn from(why: RunNowError) -> Self {
        match why {
            RunNowError::NotFound => Self::not_found("automation"),
            RunNowError::Refused(SkipReason::AssistantDisabled) => Code::AssistantDisabled.into(),
            RunNowError::Refused(SkipReason::FeatureDisabled) => Code::FeatureDisabled.into(),
            RunNowError::Refused(_) => Code::NotAllowed.into(),
            RunNowError::Start(why) => why.into(),
        }
    }
}
