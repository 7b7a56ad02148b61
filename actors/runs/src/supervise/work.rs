//! What the work of one epoch is given.

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

/// How long a stream has to be without readers until they count as having left.
const AWAY: Duration = Duration::from_secs(3);

/// What the work of one epoch is given.
pub struct Work {
    /// Whose run it is.
    pub tenant: TenantId,
    /// The run as this epoch found it.
    pub run: Row<Run>,
    /// All that earlier epochs wrote; empty in the first.
    pub history: Vec<Event>,
    /// Writes this epoch's events.
    pub writer: Writer,
    /// Fires when the work has to end.
    pub cancel: CancellationToken,
    /// Everything that stays; what is written through it is refused once the run has moved to a later epoch.
    pub store: EpochStore,
    /// The other runs.
    pub runs: Runs,
    /// What the run is told and asked from outside.
    pub commands: mpsc::Receiver<RunCommand>,
    pub(super) live: Arc<LiveRun>,
    /// Model calls that one run may make.
    pub max_turns: u32,
    /// Times that the run may be taken up again after a crash.
    pub max_recoveries: u32,
}

impl Work {
    /// Marks the run as running and writes its first event, in one transaction. The work need not
    /// wait for it: what is pushed later is committed later. It fails where the run is gone.
    ///
    /// A run that was [accepted as running](super::Runs::begins_at_once) is marked already: its first event is committed with
    /// those that follow.
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

    /// What who started the run handed over, once, if it is of this type. Nothing where the run was taken up after a crash
    /// or a restart.
    pub fn take_handed<T: Any>(&self) -> Option<T> {
        let handed = self.live.take_handed()?;
        handed.downcast().ok().map(|handed| *handed)
    }

    /// The epoch, as a condition on what is written.
    pub fn fence(&self) -> Fence {
        self.writer.fence()
    }

    /// How long work that was told to stop may take.
    pub fn cancel_grace(&self) -> std::time::Duration {
        self.runs.runtime.config.cancel_grace
    }

    /// Writes the run's state, and events beside it, in one transaction. A run that waits or is
    /// paused gives its place among those that work to another.
    pub async fn set_state(
        &self,
        state: RunState,
        detail: Option<String>,
        events: Vec<EventBody>,
    ) -> Result<(), WriteError> {
        self.set_state_and(state, detail, events, |_, _| Ok(())).await
    }

    /// The same, and whatever else belongs into that transaction.
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

    /// How many read along at present.
    pub fn readers(&self) -> usize {
        self.live.journal.readers()
    }

    /// Waits until at most so many read along, and a moment longer: a page that is reloaded is back by then.
    pub fn readers_gone(&self, most: usize) -> impl Future<Output = ()> + Send + use<> {
        self.readers_away(most, AWAY)
    }

    /// Says that this run asks no provider, so that others that were recovered need not wait for it.
    pub fn asks_no_provider(&self) {
        self.runs.end_recovery(self.run.id);
    }

    /// Stops an answer that stands in no conversation, as if the user had stopped it, once it has had no readers for as
    /// long as the settings say: to clients that know nothing of streams, hanging up is stopping. Waits for ever where
    /// such answers go on to their end.
    pub fn stop_when_abandoned(&self) -> impl Future<Output = ()> + Send + use<> {
        let stands = self.run.conversation_id.is_some() || self.run.stored;
        let patience = self.runs.runtime.config.abandoned_after.filter(|_| !stands);
        let abandoned = patience.map(|patience| self.readers_away(0, patience));
        let (live, by) = (self.live.clone(), self.run.user);
        async move {
            if let Some(abandoned) = abandoned {
                abandoned.await;
                live.request_cancel(by);
            }
            std::future::pending().await
        }
    }

    fn readers_away(&self, most: usize, how_long: Duration) -> impl Future<Output = ()> + Send + use<> {
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

    /// Lets everyone know of the run's state where its record has it already, as after a restart.
    pub fn stay(&self, state: RunState) {
        self.live.set_state(state);
        let parked = matches!(state, RunState::Waiting | RunState::Paused);
        self.runs.set_parked(&self.live, parked);
    }

    /// Changes the run's record, and writes events beside it, in one transaction.
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

    /// Writes records, and events beside them, in one transaction. `write` may be called again when
    /// the transaction meets a conflict. It fails where the run may write no more, or `write` fails.
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
