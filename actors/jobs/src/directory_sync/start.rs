//! Accepts a synchronisation: one transaction either adds its run, or refuses the request.

use domain::groups::{already_running, running};
use domain::{Code, Refusal};
use runs::{Runs, StartError};
use storage::records::{DirectorySource, GroupSync, Recovery, Run, RunKind, RunState};
use storage::{Row, TenantId, Timestamp, Tx, journal};
use uuid::Uuid;

use super::clock;

/// A request to start a synchronisation.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncAsk {
    /// Whether everything is read, even if it is unchanged.
    pub full: bool,
    /// Whether the run only reports changes without making them.
    pub dry_run: bool,
    /// Whether to empty large groups that have lost all their members.
    pub force: bool,
}

/// Why a synchronisation was refused. A refusal changes nothing.
#[derive(Debug, thiserror::Error)]
pub enum SyncStartError {
    /// The run was refused for a reason that applies to all runs.
    #[error(transparent)]
    Start(#[from] StartError),
    /// No directory is configured.
    #[error("there is no directory to synchronise with")]
    NoDirectory,
    /// Another synchronisation is in progress.
    #[error("a synchronisation is in progress")]
    Running(Uuid),
}

impl From<storage::Error> for SyncStartError {
    fn from(why: storage::Error) -> Self {
        Self::Start(why.into())
    }
}

/// The origin of the request.
#[derive(Clone, Copy, Debug)]
pub(super) enum By {
    User {
        user: Uuid,
        token_id: Option<Uuid>,
    },
    /// The schedule, at this time.
    Clock(Timestamp),
}

/// Starts a synchronisation, unless one is in progress. Returns `None` if the schedule requests one that is not due.
pub(super) async fn start(
    runs: &Runs,
    tenant: TenantId,
    by: By,
    ask: SyncAsk,
) -> Result<Option<Row<GroupSync>>, SyncStartError> {
    if runs.draining() {
        return Err(StartError::ShuttingDown.into());
    }
    if let By::User { user, .. } = by {
        runs.may_start(tenant, user)?;
    }
    let starter = runs.clone();
    let accepted = async move {
        let accepted = starter.store().run(move |tx| accept(tx, tenant, by, ask)).await?;
        Ok(accepted.map(|(sync, run)| {
            starter.launch(tenant, *run);
            sync
        }))
    };
    runs.run_uninterrupted(accepted).await
}

type Accepted = Option<(Row<GroupSync>, Box<Row<Run>>)>;

fn accept(tx: &mut Tx, tenant: TenantId, by: By, ask: SyncAsk) -> Result<Accepted, SyncStartError> {
    let source = tx.get::<DirectorySource>(tenant, &tenant.0)?;
    let mut source = source.ok_or(SyncStartError::NoDirectory)?;
    if let Some(running) = running(tx, tenant, &source)? {
        return Err(SyncStartError::Running(running));
    }
    let (user, token_id, by_clock) = match by {
        By::User { user, token_id } => (user, token_id, false),
        By::Clock(now) => {
            if clock::due(tx, tenant, &source)?.is_none_or(|due| due > now) {
                return Ok(None);
            }
            (source.set_by, None, true)
        }
    };
    let id = Uuid::now_v7();
    let SyncAsk { full, dry_run, force } = ask;
    let run = Run {
        kind: RunKind::DirectorySync,
        user,
        token_id,
        state: RunState::Queued,
        epoch: 1,
        recovery: Recovery::Continue,
        trace: tx.trace(),
        ..Run::default()
    };
    let sync =
        GroupSync { status: RunState::Queued, user, by_clock, full, dry_run, force, ..GroupSync::default() };
    let sync = tx.insert(tenant, id, sync)?;
    let run = tx.insert(tenant, id, run)?;
    journal::set_epoch(tx.batch(), tenant, id, 1);
    source.sync = Some(id);
    tx.update(tenant, source)?;
    Ok(Some((sync, Box::new(run))))
}

impl From<SyncStartError> for Refusal {
    fn from(why: SyncStartError) -> Self {
        match why {
            SyncStartError::Start(why) => why.into(),
            SyncStartError::NoDirectory => Code::NoDirectory.into(),
            SyncStartError::Running(sync) => already_running(sync),
        }
    }
}
