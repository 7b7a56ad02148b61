//! The context that the work of one epoch receives.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use storage::records::{Run, RunState};
use storage::{Row, TenantId, Timestamp, Tx};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::command::RunCommand;
use super::live::LiveRun;
use super::runs::Runs;
use crate::event::{EventBody, EventData};
use crate::journal::{EpochStore, Fence};
use crate::journal::{Event, PendingCommit, SealError, WriteError, Writer};

/// How long a stream has to be without readers before they count as gone.
const AWAY: Duration = Duration::from_secs(3);

/// The context that the work of one epoch receives.
pub struct Work {
    /// The tenant that owns the run.
    pub tenant: TenantId,
    /// The run's record at the start of this epoch.
    pub run: Row<Run>,
    /// The events of all earlier epochs; empty in the first epoch.
    pub history: Vec<Event>,
    /// Writes this epoch's events.
    pub writer: Writer,
    /// Fires when the work has to end.
    pub cancel: CancellationToken,
    /// The store. Writes through it are rejected once a later epoch owns the run.
    pub store: EpochStore,
    /// Access to the other runs.
    pub runs: Runs,
    /// Commands and questions from outside the run.
    pub commands: mpsc::Receiver<RunCommand>,
    pub(super) live: Arc<LiveRun>,
    /// Maximum number of model calls of one run.
    pub max_turns: u32,
    /// Maximum number of times that the run is recovered after a crash.
    pub max_recoveries: u32,
}

impl Work {
    /// Marks the run as running and writes its first event, in one transaction. The work need not wait for the commit: events
    /// that are pushed later are committed later. Fails if the run no longer exists.
    ///
    /// A run that was [accepted as running](super::Runs::starts_immediately) is already marked: its first event is committed with
    /// the events that follow.
    pub fn begin(&self, first: EventData) -> Result<PendingCommit, WriteError> {
        if self.run.state == RunState::Running && self.run.started_at.is_some() {
            self.writer.push(first)?;
            return Ok(PendingCommit::none());
        }
        let (tenant, id) = (self.tenant, self.run.id);
        let prepared = self.store.prepare(|tx| {
            let mut run = tx.require::<Run>(tenant, &id)?;
            run.state = RunState::Running;
            run.started_at.get_or_insert(Timestamp::now());
            tx.update(tenant, run)
        });
        let (_, batch, rings) = prepared.map_err(|_: storage::Error| WriteError)?;
        self.writer.seal(vec![first], 0, batch, rings).map_err(|_| WriteError)
    }

    /// Takes the value that the code that started the run passed, once, if it is of type `T`. Returns `None` if the run was
    /// recovered after a crash or a restart.
    pub fn take_start_value<T: Any>(&self) -> Option<T> {
        let handed = self.live.take_start_value()?;
        handed.downcast().ok().map(|handed| *handed)
    }

    /// The epoch as a precondition of all writes.
    pub fn fence(&self) -> Fence {
        self.writer.fence()
    }

    /// How long cancelled work may take to end by itself.
    pub fn cancel_grace(&self) -> std::time::Duration {
        self.runs.runtime.config.cancel_grace
    }

    /// Writes the run's state and events in one transaction. A run that waits or is paused releases its slot to another run.
    pub async fn set_state(
        &self,
        state: RunState,
        detail: Option<String>,
        events: Vec<EventBody>,
    ) -> Result<(), WriteError> {
        self.set_state_and(state, detail, events, |_, _| Ok(())).await
    }

    /// Writes the run's state and events like [`set_state`](Self::set_state), and calls `also` in the same transaction.
    pub async fn set_state_and(
        &self,
        state: RunState,
        detail: Option<String>,
        events: Vec<EventBody>,
        also: impl Fn(&mut Tx, &mut Row<Run>) -> storage::Result<()> + Send + Sync,
    ) -> Result<(), WriteError> {
        let (tenant, id) = (self.tenant, self.run.id);
        let write = move |tx: &mut Tx| {
            let mut run = tx.require::<Run>(tenant, &id)?;
            (run.state, run.state_detail) = (state, detail.clone());
            also(tx, &mut run)?;
            tx.update(tenant, run).map(drop)
        };
        self.write(events, write).await?;
        self.stay(state);
        Ok(())
    }

    /// Current number of readers of the run.
    pub fn readers(&self) -> usize {
        self.live.journal.readers()
    }

    /// Waits until at most `most` readers are left, and a moment longer, so that a page that is being reloaded can reattach.
    pub fn readers_gone(&self, most: usize) -> impl Future<Output = ()> + Send + use<> {
        self.wait_for_absent_readers(most, AWAY)
    }

    /// Declares that this run calls no provider, so that other recovered runs need not wait for it.
    pub fn asks_no_provider(&self) {
        self.runs.end_recovery(self.run.id);
    }

    /// Cancels an answer without a conversation, as if the user had cancelled it, once it has had no readers for the
    /// configured time: clients without stream support stop an answer by closing the connection. Never completes if
    /// such answers are configured to continue to their end.
    pub fn stop_when_abandoned(&self) -> impl Future<Output = ()> + Send + use<> {
        let stands = self.run.conversation_id.is_some() || self.run.stored;
        let patience = self.runs.runtime.config.abandoned_after.filter(|_| !stands);
        let abandoned = patience.map(|patience| self.wait_for_absent_readers(0, patience));
        let (live, by) = (self.live.clone(), self.run.user);
        async move {
            if let Some(abandoned) = abandoned {
                abandoned.await;
                live.request_cancel(by);
            }
            std::future::pending().await
        }
    }

    fn wait_for_absent_readers(
        &self,
        most: usize,
        how_long: Duration,
    ) -> impl Future<Output = ()> + Send + use<> {
        let journal = self.live.journal.clone();
        async move {
            loop {
                journal.readers_down_to(most).await;
                tokio::time::sleep(how_long).await;
                if journal.readers() <= most {
                    return;
                }
            }
        }
    }

    /// Publishes a state that the run's record already has, for example after a restart.
    pub fn stay(&self, state: RunState) {
        self.live.set_state(state);
        let parked = matches!(state, RunState::Waiting | RunState::Paused);
        self.runs.set_parked(&self.live, parked);
    }

    /// Changes the run's record and writes events in one transaction.
    pub async fn change(
        &self,
        events: Vec<EventBody>,
        change: impl Fn(&mut Run) + Send + Sync,
    ) -> Result<(), WriteError> {
        let (tenant, id) = (self.tenant, self.run.id);
        let write = move |tx: &mut Tx| {
            let mut run = tx.require::<Run>(tenant, &id)?;
            change(&mut run);
            tx.update(tenant, run).map(drop)
        };
        self.write(events, write).await
    }

    /// Writes records and events in one transaction. `write` may be called again if the transaction conflicts. Fails if
    /// the run may write nothing more or `write` fails.
    pub async fn write(
        &self,
        events: Vec<EventBody>,
        write: impl Fn(&mut Tx) -> storage::Result<()> + Send + Sync,
    ) -> Result<(), WriteError> {
        loop {
            let prepared = self.store.prepare(&write);
            let (_, batch, rings) = prepared.map_err(|why: storage::Error| {
                tracing::warn!(run = %self.run.id, %why, "a run could not write");
                WriteError
            })?;
            let sealing = self.writer.seal(events.clone(), 0, batch, rings).map_err(|_| WriteError)?;
            match sealing.verdict().await {
                Ok(()) => return Ok(()),
                Err(SealError::Conflict | SealError::Moved) => self.writer.flush().await?,
                Err(SealError::Closed) => return Err(WriteError),
            }
        }
    }
}
