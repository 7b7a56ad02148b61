//! Halts: breakpoints, steps, and effects of which nobody knows whether they were had.

use runs::event::flow::{BreakpointHit, RunPaused, RunResumed, RunWaiting};
use runs::{EventBody, EventData, WriteError};
use storage::records::{BreakWhen, RunState};

use super::Engine;
use super::exec::Phase;
use super::place::Key;
use crate::request::{Order, PlayMode};

/// Timers that are due sooner than this, in milliseconds, are not worth a change of the run's state.
const SHORT_MS: i64 = 2_000;

/// What can be said to a halt, and to one that asks what becomes of an effect.
const GOING_ON: &[&str] = &["continue"];
const DECIDING: &[&str] = &["continue", "retry", "skip", "fail"];

/// Why nothing more begins.
#[derive(Clone, Debug)]
pub(super) struct Halt {
    pub why: RunPaused,
    /// The execution that is next, which may begin when the run goes on.
    pub key: Option<Key>,
}

impl Halt {
    fn new(reason: &str, node: String, key: Option<Key>) -> Self {
        let actions = match actions(reason) {
            DECIDING => DECIDING.iter().map(|action| (*action).to_owned()).collect(),
            // Whoever debugs plays on.
            _ => Vec::new(),
        };
        Self { why: RunPaused { reason: reason.into(), node: Some(node), actions }, key }
    }

    /// The halt of an earlier epoch.
    pub fn kept(why: RunPaused) -> Self {
        Self { why, key: None }
    }

    /// Whether somebody has to say what becomes of an effect.
    pub fn asks(&self) -> bool {
        actions(&self.why.reason) == DECIDING
    }

    /// What can be said to it.
    pub fn actions(&self) -> &'static [&'static str] {
        actions(&self.why.reason)
    }
}

fn actions(reason: &str) -> &'static [&'static str] {
    match reason {
        "uncertain_effect" | "crash_loop" => DECIDING,
        _ => GOING_ON,
    }
}

/// How many nodes an order lets begin; none where that is not counted.
pub(super) fn budget(order: &Order) -> Option<u32> {
    (order.mode == PlayMode::Step).then_some(1)
}

impl Engine {
    /// Halts because of an execution.
    pub(super) fn halt_for(&mut self, key: Key, reason: &str) {
        let node = self.state.name(key).exec_id.to_string();
        self.halt.get_or_insert_with(|| Halt::new(reason, node, Some(key)));
    }

    /// A halt that asks what is to become of an effect stands for as long as there is one.
    pub(super) fn look_at_halt(&mut self) {
        if self.uncertain.is_empty() {
            self.halt.take_if(|halt| halt.asks());
        } else if !self.halt.as_ref().is_some_and(Halt::asks)
            && let Some((key, reason)) =
                self.uncertain.iter().next().map(|(key, reason)| (*key, reason.clone()))
        {
            self.halt = None;
            self.halt_for(key, &reason);
        }
    }

    /// Whether whoever debugs wants to stop before this execution.
    pub(super) fn stop_before(&mut self, key: Key) -> Result<bool, WriteError> {
        let Some(order) = &self.order else { return Ok(false) };
        if self.state.exec(key).is_some_and(|exec| exec.passed) {
            return Ok(false);
        }
        let id = &self.state.plan.node(key.1).id;
        let at =
            |when: BreakWhen| order.breakpoints.iter().any(|point| point.node == *id && point.when == when);
        let reason = if at(BreakWhen::Before) {
            "breakpoint"
        } else if order.mode == PlayMode::Until && order.until.as_ref() == Some(id) {
            "until"
        } else if self.budget == Some(0) {
            "step"
        } else {
            return Ok(false);
        };
        if reason == "breakpoint" {
            let hit = BreakpointHit { node: id.clone(), when: "before".into() };
            self.record_at(key, EventData::BreakpointHit(hit))?;
        }
        self.halt_for(key, reason);
        Ok(true)
    }

    /// Whether whoever debugs wants to stop after this execution.
    pub(super) fn stop_after(&mut self, key: Key) -> Result<(), WriteError> {
        let Some(order) = &self.order else { return Ok(()) };
        let id = self.state.plan.node(key.1).id.clone();
        if !order.breakpoints.iter().any(|point| point.node == id && point.when == BreakWhen::After) {
            return Ok(());
        }
        let hit = BreakpointHit { node: id, when: "after".into() };
        self.record_at(key, EventData::BreakpointHit(hit))?;
        let node = self.state.name(key).exec_id.to_string();
        self.halt.get_or_insert_with(|| Halt::new("breakpoint", node, None));
        Ok(())
    }

    /// Goes on from a halt.
    pub(super) fn release(&mut self) {
        let Some(halt) = self.halt.take() else { return };
        let named = |key: &Key| halt.why.node.as_deref() == Some(&*self.state.name(*key).exec_id);
        let next = halt.key.or_else(|| self.state.ready.iter().copied().find(named));
        if let Some(exec) = next.and_then(|key| self.state.exec_mut(key)) {
            exec.passed = true;
        }
    }

    /// Tasks that work, watches of child runs not counted.
    pub(super) fn at_work(&self) -> usize {
        self.handles.values().filter(|handle| !handle.watches).count()
    }

    /// Brings the run's state in line with what goes on in it, and tells people what it asks of them.
    pub(super) async fn settle_state(&mut self) -> Result<(), WriteError> {
        self.rest_or_resume().await?;
        self.tell_people().await
    }

    async fn rest_or_resume(&mut self) -> Result<(), WriteError> {
        if self.at_work() > 0 {
            return self.resume_state(None, None).await;
        }
        if let Some(halt) = &self.halt {
            if self.state.paused.as_ref() == Some(&halt.why) {
                self.stay(RunState::Paused);
            } else {
                let why = halt.why.clone();
                self.stop_counting();
                let event = EventBody::from(EventData::RunPaused(why.clone()));
                self.change_state(RunState::Paused, Some(why.reason.clone()), event).await?;
                self.state.paused = Some(why);
            }
            return Ok(());
        }
        let Some(waiting) = self.waits_on() else { return self.resume_state(None, None).await };
        if self.state.waiting {
            self.stay(RunState::Waiting);
        } else {
            self.stop_counting();
            let (on, event) = (waiting.on.clone(), EventBody::from(EventData::RunWaiting(waiting)));
            self.change_state(RunState::Waiting, Some(on), event).await?;
            self.state.waiting = true;
        }
        Ok(())
    }

    /// Writes the run's state and what tells of it, with what people are told because of it.
    async fn change_state(
        &mut self,
        state: RunState,
        detail: Option<String>,
        event: EventBody,
    ) -> Result<(), WriteError> {
        self.push_out()?;
        let news = self.news();
        self.work
            .set_state_and(state, detail, vec![event], |tx, run| news.write(tx, self.work.tenant, run))
            .await?;
        self.told(news);
        Ok(())
    }

    /// The run rests as it did before the process went down.
    fn stay(&mut self, state: RunState) {
        if self.working_since.is_some() {
            self.stop_counting();
            self.work.stay(state);
        }
    }

    /// The run works again, if it did not.
    pub(super) async fn resume_state(
        &mut self,
        by: Option<uuid::Uuid>,
        action: Option<String>,
    ) -> Result<(), WriteError> {
        if self.state.paused.is_none() && !self.state.waiting {
            return Ok(());
        }
        let event = EventBody::from(EventData::RunResumed(RunResumed { by, action }));
        self.change_state(RunState::Running, None, event).await?;
        (self.state.paused, self.state.waiting) = (None, false);
        self.work_from_now();
        Ok(())
    }

    /// Something came that the run waited for, if it did; a halt stays.
    pub(super) async fn wake(&mut self) -> Result<(), WriteError> {
        match self.halt {
            Some(_) => Ok(()),
            None => self.resume_state(None, None).await,
        }
    }

    /// What the run waits for, where nothing in it works.
    fn waits_on(&self) -> Option<RunWaiting> {
        let mut kinds = Vec::new();
        for key in self.state.active() {
            let Some(exec) = self.state.exec(key).filter(|exec| exec.phase == Phase::Active) else {
                continue;
            };
            match &exec.waiting {
                Some(waiting) => kinds.push(waiting.on.as_str()),
                None if exec.retrying => kinds.push("backoff"),
                None => {}
            }
        }
        let on = ["human", "event", "child", "timer", "backoff"].into_iter().find(|on| kinds.contains(on))?;
        let until = self.next_of_a_node();
        let soon = until.is_some_and(|at| at.as_millis() - storage::Timestamp::now().as_millis() < SHORT_MS);
        let timed = matches!(on, "timer" | "backoff");
        (!(timed && soon)).then(|| RunWaiting { on: on.into(), until })
    }
}
