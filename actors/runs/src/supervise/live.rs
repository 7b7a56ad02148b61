//! The live runs of this process, and the registry to look them up.

use std::any::Any;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};
use storage::records::{Run, RunKind, RunState};
use storage::{Reader, Row, TenantId, Timestamp};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::run_mailbox::RunMailbox;
use crate::event::EventData;
use crate::journal::{Event, RunJournal};

/// A value that the code that starts a run passes to its work; see [`Work::take_start_value`](super::Work::take_start_value).
pub type StartValue = Box<dyn Any + Send>;

/// A description of a live run.
#[derive(Clone, Debug)]
pub struct RunInfo {
    /// ID of the run. For a completion, this is its stream ID.
    pub run_id: Uuid,
    /// What kind of work the run does.
    pub kind: RunKind,
    /// The tenant whose data the run works on.
    pub tenant: TenantId,
    /// The user who started the run.
    pub user: Uuid,
    /// The conversation that the run belongs to, if any.
    pub conversation_id: Option<Uuid>,
    /// The message that the run writes, if any.
    pub message_id: Option<Uuid>,
    /// The model that answers.
    pub model: String,
    /// The run's current state.
    pub state: RunState,
    /// Sequence number of its last durable event.
    pub last_seq: u64,
    /// When the run was accepted.
    pub started_at: Timestamp,
}

impl RunInfo {
    /// Describes a run that is not in memory.
    pub(super) fn stored(reader: &Reader, tenant: TenantId, row: &Row<Run>) -> storage::Result<Self> {
        Ok(Self {
            run_id: row.id,
            kind: row.kind,
            tenant,
            user: row.user,
            conversation_id: row.conversation_id,
            message_id: row.message_id,
            model: row.model.clone(),
            state: row.state,
            last_seq: reader.journal_end(tenant, row.id)?,
            started_at: row.created_at,
        })
    }
}

/// One live run: queued, or with an actor.
pub struct LiveRun {
    pub(crate) tenant: TenantId,
    pub(crate) run: Uuid,
    pub(crate) kind: RunKind,
    pub(crate) user: Uuid,
    pub(crate) conversation_id: Option<Uuid>,
    pub(crate) message_id: Option<Uuid>,
    pub(crate) model: String,
    pub(crate) created_at: Timestamp,
    pub(crate) journal: Arc<RunJournal>,
    /// A separate channel for cancels, which neither a full mailbox nor a busy actor can delay.
    pub(crate) cancel: CancellationToken,
    cancelled_by: OnceLock<Uuid>,
    state: Mutex<RunState>,
    /// Whether the run waits for something external.
    parked: AtomicBool,
    /// The epoch in which the run was loaded after a wait, if it was.
    loaded_in: Option<u32>,
    /// Number of commands on their way to the run.
    commands: AtomicUsize,
    mailbox: RwLock<Option<RunMailbox>>,
    handed: Mutex<Option<StartValue>>,
}

/// Prevents a run from being unloaded while a command is on its way to it.
pub(crate) struct CommandGuard(Arc<LiveRun>);

impl CommandGuard {
    pub fn new(live: Arc<LiveRun>) -> Self {
        live.commands.fetch_add(1, Ordering::AcqRel);
        Self(live)
    }
}

impl Deref for CommandGuard {
    type Target = Arc<LiveRun>;

    fn deref(&self) -> &Arc<LiveRun> {
        &self.0
    }
}

impl Drop for CommandGuard {
    fn drop(&mut self) {
        self.0.commands.fetch_sub(1, Ordering::AcqRel);
    }
}

impl LiveRun {
    pub(crate) fn new(
        tenant: TenantId,
        row: &Row<Run>,
        journal: Arc<RunJournal>,
        handed: Option<StartValue>,
    ) -> Arc<Self> {
        Arc::new(Self::build(tenant, row, journal, None, handed))
    }

    /// Creates a run that continues after it was unloaded.
    pub(crate) fn loaded(tenant: TenantId, row: &Row<Run>, journal: Arc<RunJournal>) -> Arc<Self> {
        Arc::new(Self::build(tenant, row, journal, Some(row.epoch), None))
    }

    fn build(
        tenant: TenantId,
        row: &Row<Run>,
        journal: Arc<RunJournal>,
        loaded_in: Option<u32>,
        handed: Option<StartValue>,
    ) -> Self {
        Self {
            tenant,
            run: row.id,
            kind: row.kind,
            user: row.user,
            conversation_id: row.conversation_id,
            message_id: row.message_id,
            model: row.model.clone(),
            created_at: row.created_at,
            journal,
            cancel: CancellationToken::new(),
            cancelled_by: OnceLock::new(),
            state: Mutex::new(row.state),
            parked: AtomicBool::new(false),
            loaded_in,
            commands: AtomicUsize::new(0),
            mailbox: RwLock::new(None),
            handed: Mutex::new(handed),
        }
    }

    /// Whether this epoch began because the run was loaded after a wait, rather than because the previous epoch
    /// crashed.
    pub(crate) fn is_loaded_in(&self, epoch: u32) -> bool {
        self.loaded_in == Some(epoch)
    }

    /// Whether a command is on its way to the run.
    pub(crate) fn is_commanded(&self) -> bool {
        self.commands.load(Ordering::Acquire) > 0
    }

    /// Whether the run was unloaded and only has to be removed from the registry.
    pub(crate) fn is_unloaded(&self) -> bool {
        self.journal.mark().unloaded
    }

    /// Describes the current state of the run.
    pub fn info(&self) -> RunInfo {
        RunInfo {
            run_id: self.run,
            kind: self.kind,
            tenant: self.tenant,
            user: self.user,
            conversation_id: self.conversation_id,
            message_id: self.message_id,
            model: self.model.clone(),
            state: self.state(),
            last_seq: self.journal.mark().seq,
            started_at: self.created_at,
        }
    }

    pub(crate) fn take_start_value(&self) -> Option<StartValue> {
        self.handed.lock().take()
    }

    pub(crate) fn state(&self) -> RunState {
        *self.state.lock()
    }

    pub(crate) fn set_state(&self, state: RunState) {
        *self.state.lock() = state;
    }

    /// Requests a cancel. The first user who requests it is recorded. The event is appended to the journal before the
    /// work is notified, so that everything that stops because of the cancel follows it.
    pub(crate) fn request_cancel(&self, by: Uuid) {
        if self.cancelled_by.set(by).is_ok() {
            self.journal.note(EventData::RunCancelling { by });
        }
        self.cancel.cancel();
    }

    /// Restores a cancel that was requested in an earlier epoch.
    pub(crate) fn keep_cancel(&self, by: Uuid) {
        let _ = self.cancelled_by.set(by);
        self.cancel.cancel();
    }

    pub(crate) fn cancelled_by(&self) -> Option<Uuid> {
        self.cancelled_by.get().copied()
    }

    /// Returns the events up to the durable event `end` whose type matches, oldest first.
    pub(crate) async fn history(
        &self,
        end: u64,
        is_asked: impl Fn(&str) -> bool,
    ) -> storage::Result<Vec<Event>> {
        let is_asked = |event: &&Event| event.seq <= end && is_asked(&event.kind);
        if let Some(chunks) = self.journal.in_memory(end) {
            return Ok(chunks.iter().flat_map(|chunk| &*chunk.events).filter(is_asked).cloned().collect());
        }
        let mut events: Vec<Event> = Vec::new();
        let mut cursor = self.journal.read(0).whole();
        while cursor.position() < end {
            match cursor.next().await? {
                Some(chunk) => events.extend(chunk.events.iter().filter(is_asked).cloned()),
                None => break,
            }
        }
        debug_assert!(cursor.position() >= end, "{:?} {}", self.tenant, self.run);
        Ok(events)
    }

    pub(crate) fn mailbox(&self) -> Option<RunMailbox> {
        self.mailbox.read().clone()
    }

    pub(crate) fn set_mailbox(&self, mailbox: Option<RunMailbox>) {
        *self.mailbox.write() = mailbox;
    }
}

/// All live runs of the process.
#[derive(Default)]
pub(crate) struct Registry {
    entries: RwLock<Entries>,
    /// Notifies tasks that wait for a run to be registered.
    entered: Notify,
    /// Notifies tasks that wait for a run to be removed.
    left: Notify,
}

#[derive(Default)]
struct Entries {
    runs: HashMap<Uuid, Arc<LiveRun>>,
    of_user: HashMap<(TenantId, Uuid), UserRuns>,
    in_conversation: HashMap<(TenantId, Uuid), Vec<Arc<LiveRun>>>,
}

/// Counts of one user's live runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserRuns {
    /// Number of runs that work or are queued.
    pub working: usize,
    /// Number of runs that wait for something external.
    pub parked: usize,
}

impl UserRuns {
    fn count(&mut self, parked: bool) -> &mut usize {
        if parked { &mut self.parked } else { &mut self.working }
    }
}

impl Entries {
    fn count_down(&mut self, user: (TenantId, Uuid), parked: bool) {
        let Some(counts) = self.of_user.get_mut(&user) else { return };
        let count = counts.count(parked);
        *count = count.saturating_sub(1);
        if *counts == UserRuns::default() {
            self.of_user.remove(&user);
        }
    }
}

impl Registry {
    /// Registers a run, unless one with the same ID is registered. Returns the run that is registered.
    pub fn enter(&self, live: Arc<LiveRun>) -> Arc<LiveRun> {
        let mut entries = self.entries.write();
        if let Some(before) = entries.runs.get(&live.run) {
            return before.clone();
        }
        entries.of_user.entry((live.tenant, live.user)).or_default().working += 1;
        if let Some(conversation) = live.conversation_id {
            entries.in_conversation.entry((live.tenant, conversation)).or_default().push(live.clone());
        }
        entries.runs.insert(live.run, live.clone());
        drop(entries);
        self.entered.notify_waiters();
        live
    }

    /// Waits until a run of this tenant is registered. Never returns if it is not registered.
    pub async fn wait_for(&self, tenant: TenantId, run: Uuid) -> Arc<LiveRun> {
        loop {
            let entered = self.entered.notified();
            tokio::pin!(entered);
            entered.as_mut().enable();
            if let Some(live) = self.find(tenant, run) {
                return live;
            }
            entered.await;
        }
    }

    /// Removes a run. Does nothing if another instance, which was loaded later, is registered in its place.
    pub fn leave(&self, live: &Arc<LiveRun>) {
        let mut entries = self.entries.write();
        if !entries.runs.get(&live.run).is_some_and(|there| Arc::ptr_eq(there, live)) {
            return;
        }
        entries.runs.remove(&live.run);
        entries.count_down((live.tenant, live.user), live.parked.load(Ordering::Acquire));
        if let Some(conversation) = live.conversation_id
            && let Some(there) = entries.in_conversation.get_mut(&(live.tenant, conversation))
        {
            there.retain(|other| !Arc::ptr_eq(other, live));
            if there.is_empty() {
                entries.in_conversation.remove(&(live.tenant, conversation));
            }
        }
        drop(entries);
        self.left.notify_waiters();
    }

    /// Waits until this run has been removed.
    pub async fn wait_until_removed(&self, live: &Arc<LiveRun>) {
        loop {
            let left = self.left.notified();
            tokio::pin!(left);
            left.as_mut().enable();
            if !self.any(live.run).is_some_and(|there| Arc::ptr_eq(&there, live)) {
                return;
            }
            left.await;
        }
    }

    /// Records whether a run is parked. Parked runs are counted separately.
    pub fn set_parked(&self, live: &LiveRun, parked: bool) {
        let mut entries = self.entries.write();
        let there = entries.runs.get(&live.run).is_some_and(|there| std::ptr::eq(Arc::as_ptr(there), live));
        if there && live.parked.swap(parked, Ordering::AcqRel) != parked {
            let user = (live.tenant, live.user);
            entries.count_down(user, !parked);
            *entries.of_user.entry(user).or_default().count(parked) += 1;
        }
    }

    /// Looks up a live run of this tenant.
    pub fn find(&self, tenant: TenantId, run: Uuid) -> Option<Arc<LiveRun>> {
        self.entries.read().runs.get(&run).filter(|live| live.tenant == tenant).cloned()
    }

    /// Looks up a live run of any tenant; for the supervisor only.
    pub fn any(&self, run: Uuid) -> Option<Arc<LiveRun>> {
        self.entries.read().runs.get(&run).cloned()
    }

    /// The live runs of a conversation, oldest first.
    pub fn in_conversation(&self, tenant: TenantId, conversation: Uuid) -> Vec<Arc<LiveRun>> {
        self.entries.read().in_conversation.get(&(tenant, conversation)).cloned().unwrap_or_default()
    }

    /// Number of live runs of a user, by whether they are parked.
    pub fn count_of(&self, tenant: TenantId, user: Uuid) -> UserRuns {
        self.entries.read().of_user.get(&(tenant, user)).copied().unwrap_or_default()
    }

    pub fn holds(&self, run: Uuid) -> bool {
        self.entries.read().runs.contains_key(&run)
    }

    pub fn all(&self) -> Vec<Arc<LiveRun>> {
        self.entries.read().runs.values().cloned().collect()
    }

    pub fn clear(&self) {
        *self.entries.write() = Entries::default();
        self.left.notify_waiters();
    }

    /// Number of runs that work or are queued.
    pub fn working(&self) -> usize {
        self.entries.read().of_user.values().map(|counts| counts.working).sum()
    }

    pub fn len(&self) -> usize {
        self.entries.read().runs.len()
    }
}
