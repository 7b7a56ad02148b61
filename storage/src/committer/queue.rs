//! The queue of work to be committed.

use super::{CommitSource, Placement};
use crate::change_notifications::ChangeNotifications;
use crate::engine::Batch;
use crate::error::{Error, Result};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Length of the queue above which callers receive `Busy`.
const WAITING_MAX: usize = 65_536;
/// After this long without work, the engine gets time for its chores.
const IDLE: Duration = Duration::from_secs(1);

pub(super) enum Work {
    Source(Arc<dyn CommitSource>),
    One(Box<Batch>, Reply),
    /// A batch that was taken from the queue before and has to be checked again after the commits ahead of it.
    Again(Box<Batch>, CommitWaiter),
}

#[derive(Default)]
struct Waiting {
    work: VecDeque<Work>,
    /// Whether a caller waits for the outcome, so that there is no time to gather more.
    urgent: bool,
    /// Whether the thread sleeps until any work arrives. Otherwise it is working, or sleeping until the next commit is
    /// due, and only urgent work wakes it up.
    dozing: bool,
    /// Whether the thread is to commit the queue although callers usually do so themselves.
    handed_over: bool,
    closed: bool,
}

/// Why the committer thread wakes up in [`Placement::Caller`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wakeup {
    /// A caller left work to the thread, or made the first commit after the chores.
    HandedOver,
    /// It may be time for chores.
    Idle,
    Closed,
}

/// The queue that feeds the committer thread.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

impl Queue {
    pub fn push(&self, work: Work, placement: Placement) -> Result<()> {
        let mut waiting = self.waiting.lock();
        if waiting.closed {
            return Err(Error::Closed);
        }
        if waiting.work.len() >= WAITING_MAX {
            return Err(Error::Busy);
        }
        let is_urgent = matches!(work, Work::One(..));
        waiting.work.push_back(work);
        if placement == Placement::Caller {
            return Ok(());
        }
        if waiting.dozing || (is_urgent && !waiting.urgent) {
            waiting.dozing = false;
            self.arrived.notify_one();
        }
        waiting.urgent |= is_urgent;
        Ok(())
    }

    /// Waits for work and takes the whole queue, but not before `ready` unless some of the work is urgent. With
    /// `chores`, returns an empty queue after a while without work. Returns `None` once the queue is closed and empty.
    pub fn next(&self, ready: Instant, chores: bool) -> Option<VecDeque<Work>> {
        let mut waiting = self.waiting.lock();
        loop {
            let is_time = Instant::now() >= ready;
            match waiting.work.is_empty() {
                true if waiting.closed => return None,
                false if waiting.closed || waiting.urgent || is_time => break,
                _ if !is_time => drop(self.arrived.wait_until(&mut waiting, ready)),
                _ => {
                    waiting.dozing = true;
                    if !chores {
                        self.arrived.wait(&mut waiting);
                    } else if self.arrived.wait_for(&mut waiting, IDLE).timed_out() && waiting.work.is_empty()
                    {
                        break;
                    }
                }
            }
        }
        waiting.dozing = false;
        waiting.urgent = false;
        Some(std::mem::take(&mut waiting.work))
    }

    /// For [`Placement::Caller`]: waits until a caller leaves work to the thread. With `chores`, also returns after a
    /// while without any.
    pub fn wait_for_handover(&self, chores: bool) -> Wakeup {
        let mut waiting = self.waiting.lock();
        while !waiting.closed && !std::mem::take(&mut waiting.handed_over) {
            if !chores {
                self.arrived.wait(&mut waiting);
            } else if self.arrived.wait_for(&mut waiting, IDLE).timed_out() {
                return Wakeup::Idle;
            }
        }
        if waiting.closed { Wakeup::Closed } else { Wakeup::HandedOver }
    }

    /// Leaves the queue to the thread.
    pub fn hand_over(&self) {
        self.waiting.lock().handed_over = true;
        self.arrived.notify_one();
    }

    pub fn take(&self) -> VecDeque<Work> {
        std::mem::take(&mut self.waiting.lock().work)
    }

    /// Puts work back at the front of the queue.
    pub fn put_back(&self, mut work: VecDeque<Work>) {
        let mut waiting = self.waiting.lock();
        work.append(&mut waiting.work);
        waiting.work = work;
    }

    pub fn len(&self) -> usize {
        self.waiting.lock().work.len()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.lock().work.is_empty()
    }

    pub fn commit_now(&self) {
        let mut waiting = self.waiting.lock();
        waiting.urgent = !waiting.work.is_empty();
        self.arrived.notify_one();
    }

    pub fn close(&self) {
        self.waiting.lock().closed = true;
        self.arrived.notify_all();
    }
}

/// The actions that follow the commit of a batch.
pub(super) struct Reply {
    pub notifications: Option<ChangeNotifications>,
    pub verdict: oneshot::Sender<Result<()>>,
}

impl Reply {
    fn send(self, verdict: Result<()>) {
        match (&verdict, self.notifications) {
            (_, None) | (Err(Error::Conflict), _) => {}
            (Ok(()), Some(notifications)) => notifications.send(),
            // The commit may have taken place.
            (Err(_), Some(notifications)) => notifications.notify_rights(),
        }
        // The caller may be gone.
        let _ = self.verdict.send(verdict);
    }
}

pub(super) enum CommitWaiter {
    Source(Arc<dyn CommitSource>),
    One(Reply),
}

impl CommitWaiter {
    pub fn complete(self, verdict: Result<()>) {
        match self {
            Self::Source(source) => {
                if catch_unwind(AssertUnwindSafe(|| source.done(verdict))).is_err() {
                    tracing::error!("a commit source panicked when notified of its commit");
                }
            }
            Self::One(reply) => reply.send(verdict),
        }
    }
}
