//! Starting, attaching to, cancelling and querying runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix::Recipient;
use storage::records::{Run, RunState};
use storage::{Row, Scan, Store, TenantId, Timestamp};
use telemetry::trace;
use uuid::Uuid;

use super::attach_error::AttachError;
use super::command::{AskError, Question, RunCommand};
use super::handler::RunHandler;
use super::live::{CommandGuard, LiveRun, RunInfo, StartValue};
use super::load_reason::LoadReason;
use super::receipt::{self, CancelOutcome};
use super::runtime::Runtime;
use super::supervisor_command::SupervisorCommand;
use crate::StartError;
use crate::journal::{Cursor, RunJournal};

/// How long a cancel waits for the run's end before it responds without it.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of attempts to reach a run that is unloaded, or loaded by another caller, at the same moment.
const ROUNDS: usize = 16;

/// Where a run currently is.
enum Location {
    /// In the memory of this process.
    Live(Arc<LiveRun>),
    /// On disk only, until it is loaded.
    Unloaded,
    /// On disk only, with its end.
    Ended(Box<Row<Run>>),
}

/// Access to the runs, for the application and for runs that start others. Cheap to clone.
#[derive(Clone)]
pub struct Runs {
    pub(super) runtime: Arc<Runtime>,
    pub(super) supervisor: Recipient<SupervisorCommand>,
}

impl Runs {
    /// The store that holds the runs.
    pub fn store(&self) -> &Store {
        &self.runtime.store
    }

    /// The handler of type `H`, for models, settings and caches that it shares with the code that starts its runs.
    ///
    /// # Panics
    /// If no handler of this type was registered, which is a bug in the start-up code.
    pub fn handler<H: RunHandler>(&self) -> Arc<H> {
        self.runtime.handlers.typed()
    }

    /// Checks whether another run of this user may be accepted. Fails if the user has reached a limit or the disk is nearly
    /// full.
    pub fn may_start(&self, tenant: TenantId, user: Uuid) -> Result<(), StartError> {
        self.runtime.store.has_room()?;
        let limits = &self.runtime.config.limits;
        let most = limits.per_user + limits.queued_per_user;
        let live = self.runtime.registry.count_of(tenant, user);
        let parked = live.parked + self.runtime.unloaded.of_user(&self.runtime.store, tenant, user);
        match live.working < most && parked < limits.parked_per_user {
            true => Ok(()),
            false => Err(StartError::TooMany),
        }
    }

    /// Whether a run that is launched now would start immediately, as far as is known. Its record may then state from the
    /// beginning that it is running. An unloaded run occupies its conversation like one in memory.
    pub fn starts_immediately(&self, tenant: TenantId, user: Uuid, conversation: Option<Uuid>) -> bool {
        self.runtime.failure.borrow().is_none()
            && self.runtime.admission.lock().has_place(tenant, user, conversation)
            // After the check of the runs in memory: a run that is unloaded in between is found here.
            && self.unloaded_in(tenant, conversation, None).is_none()
    }

    /// Number of messages in the supervisor's mailbox.
    pub fn mailbox_depth(&self) -> usize {
        self.runtime.messages.load(Ordering::Acquire)
    }

    /// Accepts and launches a run without interruption: if the caller's connection closed in between, the run would be
    /// accepted and never launched.
    ///
    /// # Errors
    /// Returns the error of `work`, and [`storage::Error::Closed`] if the process ends first.
    pub async fn run_uninterrupted<T, E>(
        &self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<storage::Error> + Send + 'static,
    {
        // Uses the caller's runtime, because the runtime of the runs' work may be busy.
        match trace::spawn(trace::current(), work).await {
            Ok(outcome) => outcome,
            Err(why) => match why.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(storage::Error::Closed.into()),
            },
        }
    }

    /// Launches a run whose record has just been committed, and returns a reader from its first event. Must be called
    /// within [`run_uninterrupted`](Self::run_uninterrupted), or by code that does not depend on a connection.
    pub fn launch(&self, tenant: TenantId, row: Row<Run>) -> Cursor {
        self.launch_with(tenant, row, None)
    }

    /// Launches a run like [`launch`](Self::launch) and passes a value to the work of its first epoch in this process: see
    /// [`Work::take_start_value`](super::Work::take_start_value).
    pub fn launch_with(&self, tenant: TenantId, row: Row<Run>, handed: Option<StartValue>) -> Cursor {
        let (store, limits) = (self.runtime.store.clone(), self.runtime.journal_limits(row.kind));
        let (journals, of) = (self.runtime.journals.clone(), (tenant, row.id));
        let journal = RunJournal::open_within(journals, store, of, row.epoch, 0, limits);
        let live = self.runtime.registry.enter(LiveRun::new(tenant, &row, journal, handed));
        let cursor = live.journal.read(0);
        self.enqueue(live, row);
        cursor
    }

    /// Returns a reader of all events after sequence number `after`, for ended runs as well as live ones. Does not load a
    /// run that is unloaded.
    pub async fn attach(&self, tenant: TenantId, run: Uuid, after: u64) -> Result<Cursor, AttachError> {
        let location = self.find(tenant, run).await?;
        self.read_at((tenant, run), location, after).await
    }

    /// Attaches like [`attach`](Self::attach) to a run whose row the caller has just read. The row is not read again unless
    /// the run has ended since.
    pub async fn attach_to(
        &self,
        tenant: TenantId,
        row: &Row<Run>,
        after: u64,
    ) -> Result<Cursor, AttachError> {
        let location = match self.runtime.registry.find(tenant, row.id) {
            Some(live) => Location::Live(live),
            None if row.state.is_terminal() => Location::Ended(Box::new(row.clone())),
            None => self.find(tenant, row.id).await?,
        };
        self.read_at((tenant, row.id), location, after).await
    }

    async fn read_at(
        &self,
        (tenant, run): (TenantId, Uuid),
        location: Location,
        after: u64,
    ) -> Result<Cursor, AttachError> {
        match location {
            Location::Live(live) => {
                let Some(mailbox) = live.mailbox() else { return Ok(live.journal.read(after)) };
                let answer = mailbox.attach(after);
                match tokio::time::timeout(self.runtime.config.mailbox_patience, answer).await {
                    Ok(Ok(cursor)) => Ok(cursor),
                    // The actor has just ended or crashed; the journal is still valid.
                    Ok(Err(_)) => Ok(live.journal.read(after)),
                    Err(_) => Err(AttachError::Busy),
                }
            }
            Location::Unloaded => {
                let (journals, store) = (self.runtime.journals.clone(), self.runtime.store.clone());
                Ok(Cursor::unloaded(journals, store, (tenant, run), after))
            }
            Location::Ended(row) => {
                let over = row.expires_at.is_some_and(|at| at <= Timestamp::now());
                if row.journal_expired || over {
                    return Err(AttachError::Expired);
                }
                let (journals, store) = (self.runtime.journals.clone(), self.runtime.store.clone());
                Ok(Cursor::ended(journals, store, (tenant, row.id), after))
            }
        }
    }

    /// Finds a run. A run that was accepted or lost its actor a moment ago is about to be registered, so this waits for it.
    async fn find(&self, tenant: TenantId, run: Uuid) -> Result<Location, AttachError> {
        if let Some(live) = self.runtime.registry.find(tenant, run) {
            return Ok(Location::Live(live));
        }
        if let Some(location) = self.find_stored(tenant, run).await? {
            return Ok(location);
        }
        let entered = self.runtime.registry.wait_for(tenant, run);
        if let Ok(live) = tokio::time::timeout(self.runtime.config.mailbox_patience, entered).await {
            return Ok(Location::Live(live));
        }
        // The run may have been registered and have ended between the two lookups above.
        self.find_stored(tenant, run).await?.ok_or(AttachError::Busy)
    }

    /// Finds a run by its row. Returns `None` if it should be in the memory of this process.
    async fn find_stored(&self, tenant: TenantId, run: Uuid) -> Result<Option<Location>, AttachError> {
        let row = self.runtime.store.read(move |reader| reader.get::<Run>(tenant, &run)).await?;
        let row = row.ok_or(AttachError::NotFound)?;
        Ok(match (row.state.is_terminal(), row.unloaded) {
            (true, _) => Some(Location::Ended(Box::new(row))),
            (false, true) => Some(Location::Unloaded),
            (false, false) => None,
        })
    }

    /// Cancels a run and waits briefly for its end. Idempotent: for a run that has ended, returns its end unchanged. The
    /// cancel completes even if the caller is dropped.
    pub async fn cancel(&self, tenant: TenantId, run: Uuid, by: Uuid) -> Result<CancelOutcome, AttachError> {
        let runs = self.clone();
        self.run_uninterrupted(async move { runs.cancel_to_end(tenant, run, by).await }).await
    }

    async fn cancel_to_end(
        &self,
        tenant: TenantId,
        run: Uuid,
        by: Uuid,
    ) -> Result<CancelOutcome, AttachError> {
        for _ in 0..ROUNDS {
            let live = match self.find(tenant, run).await? {
                Location::Ended(_) => break,
                Location::Unloaded => self.load(tenant, run, LoadReason::Cancel(by)).await?,
                Location::Live(live) => {
                    live.request_cancel(by);
                    if live.mailbox().is_none() {
                        // Queued: start it now, so that it can end without waiting for admission.
                        self.start_at_once(&live);
                    }
                    Some(CommandGuard::new(live))
                }
            };
            let Some(live) = live else { continue };
            match tokio::time::timeout(CANCEL_TIMEOUT, live.journal.over()).await {
                // The run was unloaded before the cancel was noted.
                Ok(mark) if mark.unloaded => self.runtime.registry.wait_until_removed(&live).await,
                _ => break,
            }
        }
        receipt::read(&self.runtime.store, tenant, run).await
    }

    /// Sends a question to the work of a live run and waits for the answer. Loads the run if it is unloaded.
    pub async fn ask<Q: Question>(
        &self,
        tenant: TenantId,
        run: Uuid,
        question: Q,
    ) -> Result<Q::Answer, AskError> {
        for _ in 0..ROUNDS {
            let live = match self.find(tenant, run).await? {
                Location::Live(live) => Some(CommandGuard::new(live)),
                Location::Unloaded => self.load(tenant, run, LoadReason::Command).await?,
                Location::Ended(_) => return Err(AskError::Ended),
            };
            let Some(live) = live else { continue };
            match self.ask_live(&live, question.clone()).await {
                // The question was not processed: the work had ended and dropped it.
                Err(AskError::Busy) if live.is_unloaded() => {
                    self.runtime.registry.wait_until_removed(&live).await
                }
                answer => return answer,
            }
        }
        Err(AskError::Busy)
    }

    async fn ask_live<Q: Question>(&self, live: &Arc<LiveRun>, question: Q) -> Result<Q::Answer, AskError> {
        if live.mailbox().is_none() && matches!(live.state(), RunState::Waiting | RunState::Paused) {
            // The run was loaded because it is due, and is queued.
            self.start_at_once(live);
        }
        let (command, answer) = RunCommand::seal(question);
        let patience = self.runtime.config.mailbox_patience;
        let mailbox = live.mailbox().ok_or(AskError::Busy)?;
        let response = async {
            mailbox.deliver(command).await.map_err(|_| AskError::Busy)?;
            answer.await.map_err(|_| AskError::Busy)
        };
        match tokio::time::timeout(patience, response).await {
            Ok(Ok(answer)) => Ok(answer),
            // The run ended while the command was on its way.
            _ if live.journal.mark().ended => Err(AskError::Ended),
            _ => Err(AskError::Busy),
        }
    }

    /// The live run of a conversation: the one that works, or otherwise the first one in the queue.
    pub fn active(&self, tenant: TenantId, conversation: Uuid) -> Option<RunInfo> {
        let there = self.runtime.registry.in_conversation(tenant, conversation);
        let live = there.iter().filter(|live| !live.journal.mark().is_over());
        let live = live.min_by_key(|live| (live.mailbox().is_none(), live.run)).map(|live| live.info());
        live.or_else(|| self.active_in_store(tenant, conversation))
    }

    /// The first run of a conversation that is unloaded, or not yet recovered after the start. Returns `None` if the store
    /// cannot be read.
    fn active_in_store(&self, tenant: TenantId, conversation: Uuid) -> Option<RunInfo> {
        if !self.runtime.unloaded.may_exist() {
            return None;
        }
        let found = self.runtime.store.read_now(|reader| {
            let scan = Scan::index("live_by_conversation").prefix(*conversation.as_bytes());
            let rows = reader.scan::<Run>(tenant, scan.limit(1))?.items;
            rows.first().map(|row| RunInfo::stored(reader, tenant, row)).transpose()
        });
        found.unwrap_or_else(|why: storage::Error| {
            tracing::warn!(%conversation, %why, "the live run of a conversation could not be read");
            None
        })
    }

    /// Number of runs that wait without being in memory.
    pub fn unloaded_count(&self) -> usize {
        self.runtime.unloaded.total()
    }

    /// Describes every run in memory that has not ended.
    pub fn live(&self) -> Vec<RunInfo> {
        let all = self.runtime.registry.all();
        all.iter().filter(|live| !live.journal.mark().ended).map(|live| live.info()).collect()
    }

    /// Total bytes of events that wait for the disk, over all runs.
    pub fn journal_lag(&self) -> usize {
        self.runtime.registry.all().iter().map(|live| live.journal.lag()).sum()
    }

    /// Total bytes of durable events in memory, over all runs.
    pub fn journal_memory(&self) -> usize {
        self.runtime.journals.memory()
    }

    /// Whether new work is rejected because the process is shutting down.
    pub fn draining(&self) -> bool {
        self.runtime.draining()
    }
}
