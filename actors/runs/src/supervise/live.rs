//! The runs that are live in this process, where everyone finds them.

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

/// Something that who starts a run hands to its work; see [`Work::take_handed`](super::Work::take_handed).
pub type Handed = Box<dyn Any + Send>;

/// What can be told of a live run.
#[derive(Clone, Debug)]
pub struct RunInfo {
    /// The run; for a completion its stream id.
    pub run_id: Uuid,
    /// What kind of work it is.
    pub kind: RunKind,
    /// Whose it is.
    pub tenant: TenantId,
    /// Who started it.
    pub user: Uuid,
    /// Where it belongs.
    pub conversation_id: Option<Uuid>,
    /// The message it writes.
    pub message_id: Option<Uuid>,
    /// The model that answers.
    pub model: String,
    /// Its state now.
    pub state: RunState,
    /// Sequence number of its last durable event.
    pub last_seq: u64,
    /// When it was accepted.
    pub started_at: Timestamp,
}

impl RunInfo {
    /// What can be told of a run that is not in memory.
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
    /// A channel of its own for cancels: no full mailbox and no busy actor holds one up.
    pub(crate) cancel: CancellationToken,
    cancelled_by: OnceLock<Uuid>,
    state: Mutex<RunState>,
    /// Whether it waits for something outside.
    parked: AtomicBool,
    /// The epoch in which it was loaded after a wait, if it was.
    loaded_in: Option<u32>,
    /// Commands on their way to it.
    commands: AtomicUsize,
    mailbox: RwLock<Option<RunMailbox>>,
    handed: Mutex<Option<Handed>>,
}

/// Keeps a run from being unloaded while a command is on its way to it.
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
        handed: Option<Handed>,
    ) -> Arc<Self> {
        Arc::new(Self::build(tenant, row, journal, None, handed))
    }

    /// A run that continues after it was unloaded.
    pub(crate) fn loaded(tenant: TenantId, row: &Row<Run>, journal: Arc<RunJournal>) -> Arc<Self> {
        Arc::new(Self::build(tenant, row, journal, Some(row.epoch), None))
    }

    fn build(
        tenant: TenantId,
        row: &Row<Run>,
        journal: Arc<RunJournal>,
        loaded_in: Option<u32>,
        handed: Option<Handed>,
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

    /// Whether this epoch began because the run was loaded after a wait, and not because one before it went down.
    pub(crate) fn is_loaded_in(&self, epoch: u32) -> bool {
        self.loaded_in == Some(epoch)
    }

    /// Whether a command is on its way to it.
    pub(crate) fn is_commanded(&self) -> bool {
        self.commands.load(Ordering::Acquire) > 0
    }

    /// Whether it was unloaded, and only has to leave the registry.
    pub(crate) fn is_unloaded(&self) -> bool {
        self.journal.mark().unloaded
    }

    /// What can be told of the run now.
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

    pub(crate) fn take_handed(&self) -> Option<Handed> {
        self.handed.lock().take()
    }

    pub(crate) fn state(&self) -> RunState {
        *self.state.lock()
    }

    pub(crate) fn set_state(&self, state: RunState) {
        *self.state.lock() = state;
    }

    /// Asks for a stop; the first who asks is the one who is named. The journal has it before the
    /// work hears of it, so that what is stopped because of it stands after it.
    pub(crate) fn request_cancel(&self, by: Uuid) {
        if self.cancelled_by.set(by).is_ok() {
            self.journal.note(EventData::RunCancelling { by });
        }
        self.cancel.cancel();
    }

    /// A stop that was requested from an earlier epoch.
    pub(crate) fn keep_cancel(&self, by: Uuid) {
        let _ = self.cancelled_by.set(by);
        self.cancel.cancel();
    }

    pub(crate) fn cancelled_by(&self) -> Option<Uuid> {
        self.cancelled_by.get().copied()
    }

    /// The events up to a durable one that are of the types asked for, oldest first.
    pub(crate) async fn history(
        &self,
        end: u64,
        is_asked: impl Fn(&str) -> bool,
    ) -> storage::Result<Vec<Event>> {
        let is_asked = |event: &&Event| event.seq <= end && is_asked(&event.kind);
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

/// Every live run of the process.
#[derive(Default)]
pub(crate) struct Registry {
    entries: RwLock<Entries>,
    /// Wakes those who wait for a run to be entered,
    entered: Notify,
    /// and those who wait for one to leave.
    left: Notify,
}

#[derive(Default)]
struct Entries {
    runs: HashMap<Uuid, Arc<LiveRun>>,
    of_user: HashMap<(TenantId, Uuid), UserRuns>,
    in_conversation: HashMap<(TenantId, Uuid), Vec<Arc<LiveRun>>>,
}

/// The live runs of one user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserRuns {
    /// Those that work, or wait for their turn.
    pub working: usize,
    /// Those that wait for something outside.
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
    /// Enters a run; the one that stood there already wins.
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

    /// Waits until a run of this tenant is entered. For ever if it never is.
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

    /// Takes a run out; nothing happens where another one, which was loaded later, stands in its place.
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

    /// Waits until this run has left.
    pub async fn until_left(&self, live: &Arc<LiveRun>) {
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

    /// A run waits for something outside, or goes on: those that wait are counted apart.
    pub fn set_parked(&self, live: &LiveRun, parked: bool) {
        let mut entries = self.entries.write();
        let there = entries.runs.get(&live.run).is_some_and(|there| std::ptr::eq(Arc::as_ptr(there), live));
        if there && live.parked.swap(parked, Ordering::AcqRel) != parked {
            let user = (live.tenant, live.user);
            entries.count_down(user, !parked);
            *entries.of_user.entry(user).or_default().count(parked) += 1;
        }
    }

    /// A live run of this tenant.
    pub fn find(&self, tenant: TenantId, run: Uuid) -> Option<Arc<LiveRun>> {
        self.entries.read().runs.get(&run).filter(|live| live.tenant == tenant).cloned()
    }

    /// A live run of any tenant; for the supervisor only.
    pub fn any(&self, run: Uuid) -> Option<Arc<LiveRun>> {
        self.entries.read().runs.get(&run).cloned()
    }

    /// The live runs of a conversation, oldest first.
    pub fn in_conversation(&self, tenant: TenantId, conversation: Uuid) -> Vec<Arc<LiveRun>> {
        self.entries.read().in_conversation.get(&(tenant, conversation)).cloned().unwrap_or_default()
    }

    /// How many live runs a user has.
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

    /// How many work, or wait for their turn.
    pub fn working(&self) -> usize {
        self.entries.read().of_user.values().map(|counts| counts.working).sum()
    }

    pub fn len(&self) -> usize {
        self.entries.read().runs.len()
    }
}
