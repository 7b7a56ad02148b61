//! What a run waits for (forms, events, timers, pauses, and stops of a debug session), and the run state that results from it.

mod clock;
mod debugger;
mod forms;
mod halt;
mod notifications;
mod timers;

use futures::future::BoxFuture;
use runs::event::flow::{RunResumed, RunWaiting};
use runs::{EventData, Work, WriteError};
use storage::records::{Run, RunState};
use storage::{Timestamp, Tx};
use uuid::Uuid;

pub use self::clock::JournalClock;
use self::clock::WorkClock;
pub use self::debugger::Debugger;
pub use self::forms::{
    answered, delay_until, expired, fault, is_button, last_answered, wait_for_event, wait_for_person,
    wait_until, waiting_for_event,
};
pub use self::halt::{Halt, Halts, uncertain_error};
use self::notifications::Notifications;
pub use self::timers::{Due, Timers, until};
use super::recorder::Recorder;
use super::state::{Phase, State};
use crate::request::StoredRequest;

/// If the next timer expires sooner than this, in milliseconds, the run's state does not change to waiting.
const SHORT_MS: i64 = 2_000;

/// Manages everything that a run waits for.
pub struct Waits {
    pub timers: Timers,
    pub halts: Halts,
    pub debugger: Debugger,
    clock: WorkClock,
    notifications: Notifications,
}

impl Waits {
    pub fn new(work: &Work, request: &StoredRequest) -> Self {
        Self {
            timers: Timers::default(),
            halts: Halts::default(),
            debugger: Debugger::new(request.debug.as_ref().map(|debug| debug.order.clone())),
            clock: WorkClock::default(),
            notifications: Notifications::new(work),
        }
    }

    /// Continues to count from the working time of earlier epochs, in milliseconds.
    pub fn resume_clock(&mut self, worked_ms: u64) {
        self.clock.resume_from(worked_ms);
    }

    /// Counts the time from now on as working time.
    pub fn start_clock(&mut self, state: &State) {
        let limit = self.clock.start(state.plan.limits.run_timeout_ms);
        self.timers.add_run_limit(limit);
    }

    /// Whether the run has reached the working time that its graph allows.
    pub fn is_out_of_time(&self, state: &State) -> bool {
        self.clock.has_reached(state.plan.limits.run_timeout_ms)
    }

    /// Ends the halt. The execution that caused the halt may begin.
    pub fn release(&mut self, state: &State) {
        if let Some(key) = self.halts.release(state) {
            self.debugger.let_pass(key);
        }
    }

    /// Updates the run's state to match its activity, given the number of `working` attempts, and notifies users of open
    /// questions.
    pub async fn settle(&mut self, recorder: &mut Recorder, working: usize) -> Result<(), WriteError> {
        self.park_or_resume(recorder, working).await?;
        self.notify(recorder).await
    }

    async fn park_or_resume(&mut self, recorder: &mut Recorder, working: usize) -> Result<(), WriteError> {
        if working > 0 {
            return self.resume(recorder, None, None).await;
        }
        if let Some(halt) = self.halts.current() {
            if recorder.state.paused.as_ref() == Some(&halt.why) {
                self.stay(recorder, RunState::Paused);
                return Ok(());
            }
            let why = halt.why.clone();
            self.clock.stop();
            let (detail, event) = (Some(why.reason.clone()), EventData::RunPaused(why));
            return self.change_state(recorder, RunState::Paused, detail, event).await;
        }
        let Some(waiting) = self.waits_on(&recorder.state) else {
            return self.resume(recorder, None, None).await;
        };
        if recorder.state.waiting {
            self.stay(recorder, RunState::Waiting);
            return Ok(());
        }
        self.clock.stop();
        let (detail, event) = (Some(waiting.on.clone()), EventData::RunWaiting(waiting));
        self.change_state(recorder, RunState::Waiting, detail, event).await
    }

    /// Writes the run's state, the corresponding event, and the resulting changes of notifications.
    async fn change_state(
        &mut self,
        recorder: &mut Recorder,
        state: RunState,
        detail: Option<String>,
        event: EventData,
    ) -> Result<(), WriteError> {
        recorder.push()?;
        let halt = self.halts.current();
        let changes = self.notifications.changes(&recorder.work, &mut recorder.state, halt);
        let tenant = recorder.work.tenant;
        let write = |tx: &mut Tx, run: &mut storage::Row<Run>| changes.write(tx, tenant, run);
        recorder.change_run_state(state, detail, event, write).await?;
        self.notifications.applied(&changes);
        Ok(())
    }

    /// Notes that the run is still parked, as it was before the process stopped.
    fn stay(&mut self, recorder: &Recorder, state: RunState) {
        if self.clock.is_running() {
            self.clock.stop();
            recorder.work.stay(state);
        }
    }

    /// Returns the run to the running state if it was waiting or paused. `by` and `action` record who resumed the run, and how.
    pub async fn resume(
        &mut self,
        recorder: &mut Recorder,
        by: Option<Uuid>,
        action: Option<String>,
    ) -> Result<(), WriteError> {
        if recorder.state.paused.is_none() && !recorder.state.waiting {
            return Ok(());
        }
        let event = EventData::RunResumed(RunResumed { by, action });
        self.change_state(recorder, RunState::Running, None, event).await?;
        self.start_clock(&recorder.state);
        Ok(())
    }

    /// Resumes the run because something that it waited for has happened. A halted run stays halted.
    pub async fn wake(&mut self, recorder: &mut Recorder) -> Result<(), WriteError> {
        match self.halts.is_halted() {
            true => Ok(()),
            false => self.resume(recorder, None, None).await,
        }
    }

    async fn notify(&mut self, recorder: &mut Recorder) -> Result<(), WriteError> {
        let halt = self.halts.current();
        let changes = self.notifications.changes(&recorder.work, &mut recorder.state, halt);
        if changes.is_empty() {
            return Ok(());
        }
        recorder.push()?;
        let (tenant, id) = (recorder.work.tenant, recorder.work.run.id);
        let write = |tx: &mut Tx| {
            let mut run = tx.require::<Run>(tenant, &id)?;
            changes.write(tx, tenant, &mut run)?;
            tx.update(tenant, run).map(drop)
        };
        recorder.work.write(Vec::new(), write).await?;
        self.notifications.applied(&changes);
        Ok(())
    }

    /// Whether the run has state that exists only in memory. This is the case if readers have seen a question that was not
    /// announced, because the question must be announced once they leave, and if a debug session has replaced inputs of a running
    /// execution.
    pub fn needs_memory(&self, state: &State) -> bool {
        self.notifications.has_unannounced(state, self.halts.current())
            || state.active().into_iter().any(|key| self.debugger.is_edited(key))
    }

    /// Returns when users must be notified because the last reader has left.
    pub fn readers_gone(&self, recorder: &mut Recorder) -> BoxFuture<'static, ()> {
        self.notifications.readers_gone(&recorder.work, &mut recorder.state, self.halts.current())
    }

    /// Returns what the run waits for, if no part of it works.
    fn waits_on(&self, state: &State) -> Option<RunWaiting> {
        let mut kinds = Vec::new();
        for key in state.active() {
            let Some(exec) = state.exec(key).filter(|exec| exec.phase == Phase::Active) else { continue };
            match &exec.waiting {
                Some(waiting) => kinds.push(waiting.on.as_str()),
                None if exec.retrying => kinds.push("backoff"),
                None => {}
            }
        }
        let on = ["human", "event", "child", "timer", "backoff"].into_iter().find(|on| kinds.contains(on))?;
        let until = self.timers.next_of_nodes();
        let soon = until.is_some_and(|at| at.as_millis() - Timestamp::now().as_millis() < SHORT_MS);
        let timed = matches!(on, "timer" | "backoff");
        (!(timed && soon)).then(|| RunWaiting { on: on.into(), until })
    }
}
