//! Unloading: the work of a run that only waits ends, and the run is removed from memory.

use std::sync::Arc;
use std::time::Duration;

use storage::records::{Run, RunState};
use storage::{TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::live::LiveRun;
use super::load_reason::LoadReason;
use super::runs::Runs;
use super::work::Work;
use crate::journal::{SealError, WriteError};

/// The conditions, other than a command, that load an unloaded run again.
#[derive(Clone, Debug, Default)]
pub struct Wake {
    /// Load the run at this time.
    pub at: Option<Timestamp>,
    /// Load the run when one of these runs ends.
    pub awaited: Vec<Uuid>,
    /// Load the run as soon as one of the `awaited` runs is loaded. They must be unloaded themselves.
    pub on_load: bool,
}

impl Work {
    /// How long a run has to wait before it is unloaded.
    pub fn unload_after(&self) -> Duration {
        self.runs.runtime.config.unload_after
    }

    /// Whether this epoch began because the run was loaded after a wait. The previous epoch did not crash, so no
    /// operation of it was interrupted.
    pub fn is_loaded(&self) -> bool {
        self.live.is_loaded_in(self.run.epoch)
    }

    /// Unloads a run whose record says that it waits or is paused. If this returns true, the work must end with
    /// [`WorkEnd::Unloaded`](super::WorkEnd::Unloaded) immediately: it may write nothing more, and the next epoch may
    /// already be running. Returns false if the run is needed: a command or a cancel has arrived, another run is queued
    /// for its conversation, or an awaited run has ended.
    ///
    /// # Errors
    /// Returns an error if the run may write nothing more or storage failed.
    pub async fn unload(&self, wake: Wake) -> Result<bool, WriteError> {
        if self.is_needed() {
            return Ok(false);
        }
        self.writer.flush().await?;
        let next_seq = self.writer.next_seq();
        if self.is_needed() {
            return Ok(false);
        }
        let (tenant, id) = (self.tenant, self.run.id);
        let prepared = self.store.prepare(|tx| mark_unloaded(tx, tenant, id, &wake));
        let (is_marked, batch, rings) = prepared.map_err(|why: storage::Error| {
            tracing::warn!(run = %id, %why, "a run could not be unloaded");
            WriteError
        })?;
        if !is_marked {
            return Ok(false);
        }
        let sealed = match self.writer.seal_unloaded(next_seq, batch, rings) {
            Ok(sealing) => sealing.verdict().await,
            Err(why) => Err(why),
        };
        match sealed {
            Ok(()) => {
                self.runs.unloaded(&self.live, wake.at);
                Ok(true)
            }
            // A cancel was noted, or an awaited run has changed.
            Err(SealError::Conflict | SealError::Moved) => Ok(false),
            Err(SealError::Closed) => Err(WriteError),
        }
    }

    fn is_needed(&self) -> bool {
        let awaited = |conversation| self.runs.runtime.admission.lock().is_awaited(self.tenant, conversation);
        self.cancel.is_cancelled()
            || !self.commands.is_empty()
            || self.live.is_commanded()
            || self.run.conversation_id.is_some_and(awaited)
    }
}

/// Marks a run as unloaded, and records in the awaited runs that they have to load it. Returns false if the run is not
/// waiting.
fn mark_unloaded(tx: &mut Tx, tenant: TenantId, id: Uuid, wake: &Wake) -> storage::Result<bool> {
    let mut run = tx.require::<Run>(tenant, &id)?;
    if !matches!(run.state, RunState::Waiting | RunState::Paused) {
        return Ok(false);
    }
    for awaited in &wake.awaited {
        let Some(mut awaited) = tx.get::<Run>(tenant, awaited)? else { return Ok(false) };
        if awaited.state.is_terminal() || (wake.on_load && !awaited.unloaded) {
            return Ok(false);
        }
        awaited.add_awaiting(id, wake.on_load);
        tx.update(tenant, awaited)?;
    }
    (run.unloaded, run.wake_at) = (true, wake.at);
    tx.update(tenant, run)?;
    Ok(true)
}

/// Schedules the loading of unloaded runs that wait for this one: all of them at its end, and those with `on_load` when
/// it is loaded. Returns whether there are any. If so, call [`Wakes::note`](super::wakes::Wakes::note) after the
/// commit.
pub(super) fn wake_awaiting(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Run,
    has_ended: bool,
) -> storage::Result<bool> {
    let (now, mut any) = (Timestamp::now(), false);
    for awaiting in run.awaited_by.iter().filter(|awaiting| has_ended || awaiting.on_load) {
        let Some(mut row) = tx.get::<Run>(tenant, &awaiting.run_id)? else { continue };
        if row.unloaded && !row.state.is_terminal() {
            any = true;
            if row.wake_at.is_none_or(|at| at > now) {
                row.wake_at = Some(now);
                tx.update(tenant, row)?;
            }
        }
    }
    Ok(any)
}

impl Runs {
    /// Removes a run from memory that is unloaded according to its row.
    pub(super) fn unloaded(&self, live: &Arc<LiveRun>, wake_at: Option<Timestamp>) {
        let runtime = &self.runtime;
        let is_awaited = runtime.admission.lock().unload(live);
        runtime.unloaded.change(live.tenant, live.user, 1);
        runtime.registry.leave(live);
        if let Some(at) = wake_at {
            runtime.wakes.note(live.tenant, at);
        }
        // A cancel or a queued run may have arrived between the last check and the commit.
        if is_awaited || live.cancel.is_cancelled() {
            let reason = match live.cancelled_by() {
                Some(by) => LoadReason::Cancel(by),
                None => LoadReason::Command,
            };
            let (runs, tenant, run) = (self.clone(), live.tenant, live.run);
            runtime.tasks.spawn(async move {
                runs.load_with_retries(tenant, run, reason).await;
            });
        }
        self.start_admitted(None);
    }
}
