//! Nodes that wait: for people, events, and times.

use std::time::Duration;

use runs::event::flow::{FormExpired, FormRequired, NodeWaiting};
use runs::{EventBody, EventData, RunOutcome, TerminalError, WriteError};
use serde_json::{Map, Value};
use storage::Timestamp;
use uuid::Uuid;

use super::Engine;
use super::exec::Phase;
use super::place::Key;
use super::timers::Due;
use crate::graph::{HumanConfig, NodeKind, WaitConfig};
use crate::nodes::{Fields, NodeError, NodeResult};

/// The longest delay.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

impl Engine {
    /// Asks a person. The question and the beginning become durable together.
    pub(super) fn ask_person(
        &mut self,
        key: Key,
        config: &HumanConfig,
        started: EventData,
        inputs: &Fields,
    ) -> Result<(), WriteError> {
        let text = |name: &str| match inputs.get(name) {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        let mut fields = config.fields.clone();
        for field in &mut fields {
            let given = inputs.get(&field.name).filter(|value| !value.is_null());
            field.default = given.cloned().or(field.default.take());
        }
        let until = config.expires_ms.map(|ms| Timestamp::now() + Duration::from_millis(ms));
        let form_id = Uuid::now_v7();
        let form = FormRequired {
            form_id,
            title: text("title"),
            message: text("message"),
            fields,
            actions: config.actions.clone(),
            expires_at: until,
        };
        let waiting =
            NodeWaiting { on: "human".into(), until, form_id: Some(form_id), ..NodeWaiting::default() };
        self.wait(key, vec![started, EventData::FormRequired(Box::new(form))], waiting)
    }

    /// Waits for an event.
    pub(super) fn wait_for_event(
        &mut self,
        key: Key,
        config: &WaitConfig,
        started: EventData,
    ) -> Result<(), WriteError> {
        let until = config.expires_ms.map(|ms| Timestamp::now() + Duration::from_millis(ms));
        let event = Some(config.event.clone());
        let waiting = NodeWaiting { on: "event".into(), until, event, ..NodeWaiting::default() };
        self.wait(key, vec![started], waiting)
    }

    /// Waits for a time.
    pub(super) fn delay(&mut self, key: Key, started: EventData, inputs: &Fields) -> Result<(), WriteError> {
        match delay_until(inputs) {
            Ok(until) => {
                let until = Some(until);
                let waiting = NodeWaiting { on: "timer".into(), until, ..NodeWaiting::default() };
                self.wait(key, vec![started], waiting)
            }
            Err(why) => {
                self.record_at(key, started)?;
                self.fail_node(key, why.into())
            }
        }
    }

    fn wait(&mut self, key: Key, mut events: Vec<EventData>, waiting: NodeWaiting) -> Result<(), WriteError> {
        if let Some(until) = waiting.until {
            self.timers.add(until, Due::Expiry, key);
        }
        events.push(EventData::NodeWaiting(waiting));
        let at = self.state.name(key);
        self.record(events.into_iter().map(|data| EventBody::of(&at, data)).collect())?;
        self.arm_timeout(key);
        Ok(())
    }

    /// Sees to what is due.
    pub(super) async fn ring(&mut self) -> Result<(), WriteError> {
        while let Some((due, key)) = self.timers.pop_due(Timestamp::now()) {
            match due {
                Due::Run => self.check_run_time(),
                _ if !self.state.exec(key).is_some_and(|exec| exec.phase == Phase::Active) => {}
                Due::Retry if self.state.exec(key).is_some_and(|exec| exec.retrying) => {
                    self.wake().await?;
                    self.attempt_again(key).await?;
                }
                Due::Retry => {}
                Due::Expiry => self.expire(key).await?,
                Due::Timeout => {
                    self.wake().await?;
                    self.stop_task(key);
                    let limit = self.state.plan.node(key.1).policy.timeout_ms;
                    let why = NodeError::new("timeout", format!("took longer than {limit} ms"));
                    self.fail_node(key, why.into())?;
                }
            }
        }
        Ok(())
    }

    fn check_run_time(&mut self) {
        let limit = self.state.plan.limits.run_timeout_ms;
        let stretch = self.working_since.map_or(0, |since| Timestamp::now().since(since).as_millis() as u64);
        if self.working_since.is_some() && self.worked_ms + stretch >= limit {
            self.outcome.get_or_insert(RunOutcome::TimedOut { reason: "run_timeout".into() });
        }
    }

    /// What a node waited for has come to its time.
    async fn expire(&mut self, key: Key) -> Result<(), WriteError> {
        let plan = self.state.plan.clone();
        let exec = self.state.exec(key);
        let Some(waiting) = exec.and_then(|exec| exec.waiting.clone()) else { return Ok(()) };
        if waiting.until.is_none_or(|until| until > Timestamp::now()) {
            return Ok(());
        }
        self.wake().await?;
        let mut done = NodeResult { outputs: Map::new(), port: Some("expired".into()) };
        let mut before = Vec::new();
        match &plan.node(key.1).kind {
            NodeKind::Delay => {
                done.port = None;
                done.outputs
                    .insert("until".into(), Value::String(waiting.until.unwrap_or_default().to_string()));
            }
            NodeKind::Human(_) => {
                done.outputs.insert("action".into(), "expired".into());
                let form_id = waiting.form_id.unwrap_or_default();
                let at = self.state.name(key);
                before.push(EventBody::of(&at, EventData::FormExpired(FormExpired { form_id })));
            }
            _ => {}
        }
        self.complete(key, done, before).await
    }
}

fn delay_until(inputs: &Fields) -> Result<Timestamp, NodeError> {
    let bad = |what: &str| NodeError::new("invalid_input", what);
    let now = Timestamp::now();
    let until = match (inputs.get("ms"), inputs.get("until")) {
        (Some(ms), _) if !ms.is_null() => {
            let ms = ms
                .as_f64()
                .filter(|ms| ms.is_finite() && *ms >= 0.0)
                .ok_or_else(|| bad("`ms` is no length of time"))?;
            now + Duration::from_millis(ms as u64).min(LONGEST + Duration::from_millis(1))
        }
        (_, Some(Value::String(at))) => {
            at.parse().map_err(|_| bad("`until` is no time such as 2026-01-31T08:00:00Z"))?
        }
        _ => return Err(bad("neither `ms` nor `until` is given")),
    };
    if until > now + LONGEST {
        return Err(bad("a delay lasts a year at most"));
    }
    Ok(until)
}

impl Engine {
    /// What is told where an effect stays uncertain.
    pub(super) fn uncertain_error(reason: &str) -> TerminalError {
        let message = match reason {
            "crash_loop" => "the process went down in the midst of this node again and again",
            _ => "the process went down in the midst of this node, and nobody knows whether it took effect",
        };
        TerminalError::new(reason, message)
    }
}
