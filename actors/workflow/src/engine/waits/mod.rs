//! What a run waits for: forms, events, timers, pauses, and stops of a debug session; and the run's state that follows
//! from it.

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

/// A run whose next timer is due sooner than this, in milliseconds, does not change its state to waiting.
const SHORT_MS: i64 = 2_000;

/// What a run waits for.
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

    /// Goes on counting from the milliseconds that earlier epochs have worked.
    pub fn resume_clock(&mut self, worked_ms: u64) {
        self.clock.resume_from(worked_ms);
    }

    /// Counts the time from now on as worked.
    pub fn start_clock(&mut self, state: &State) {
        let limit = self.clock.start(state.plan.limits.run_timeout_ms);
        self.timers.add_run_limit(limit);
    }

    /// Whether the run has worked as long as its graph allows.
    pub fn is_out_of_time(&self, state: &State) -> bool {
        self.clock.has_reached(state.plan.limits.run_timeout_ms)
    }

    /// Ends the halt; the execution that it was for may begin.
    pub fn release(&mut self, state: &State) {
        if let Some(key) = self.halts.release(state) {
            self.debugger.let_pass(key);
        }
    }

    /// Changes the run's state to what it does, with `working` attempts under way, and notifies people of its questions.
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

    /// Writes the run's state and the event for it, with the changes of notifications that follow.
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

    /// The run is parked as it was before the process went down.
    fn stay(&mut self, recorder: &Recorder, state: RunState) {
        if self.clock.is_running() {
            self.clock.stop();
            recorder.work.stay(state);
        }
    }

    /// The run works again, if it was waiting or paused. `by` and `action` say who made it go on, and how.
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

    /// Something that the run waited for has come. A halt lasts.
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

    /// Whether something of the run is in memory only: readers have seen a question that was not announced, and have to
    /// be looked after until they have gone; or a debug session has changed the inputs of what is under way.
    pub fn needs_memory(&self, state: &State) -> bool {
        self.notifications.has_unannounced(state, self.halts.current())
            || state.active().into_iter().any(|key| self.debugger.is_edited(key))
    }

    /// Returns when people have to be notified because the last reader has gone.
    pub fn readers_gone(&self, recorder: &mut Recorder) -> BoxFuture<'static, ()> {
        self.notifications.readers_gone(&recorder.work, &mut recorder.state, self.halts.current())
    }

    /// What the run waits for, where nothing in it works.
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
