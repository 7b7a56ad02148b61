//! Commands to the live run: form answers, events, decisions about uncertain nodes, and instructions of a debug session.

use runs::{RunCommand, WriteError};
use serde_json::{Map, Value};
use storage::records::{Run, RunState};

use super::Engine;
use super::state::Key;
use super::value_store::is_storable;
use super::waits::{Halt, answered, fault, is_button, last_answered, uncertain_error, waiting_for_event};
use crate::nodes::NodeResult;
use crate::request::{Order, Resume, ResumeRefused, Resumed, StoredRequest};

impl Engine {
    /// Executes a command and replies once its effect is durable.
    pub(super) async fn on_command(&mut self, command: RunCommand) -> Result<(), WriteError> {
        let command = match command.open::<Resume>() {
            // The sender has stopped waiting and may send the command again.
            Ok((_, reply)) if reply.is_closed() => return Ok(()),
            Ok((resume, reply)) => {
                let answer = match self.recorder.work.cancel.is_cancelled() {
                    true => Err(ResumeRefused::Ending),
                    false => self.resume(resume).await?,
                };
                // The sender may no longer exist.
                let _ = reply.send(answer);
                return Ok(());
            }
            Err(other) => other,
        };
        if let Ok((order, reply)) = command.open::<Order>()
            && !reply.is_closed()
        {
            let _ = reply.send(self.set_order(order).await?);
        }
        Ok(())
    }

    async fn resume(&mut self, resume: Resume) -> Result<Result<Resumed, ResumeRefused>, WriteError> {
        let form = resume.form_id;
        if !is_storable(&resume.fields) {
            let faults = vec![fault(&["fields"], "is nested too deep", "too_deep")];
            return Ok(Err(ResumeRefused::Invalid(faults)));
        }
        let taken = if resume.event.is_some() {
            self.take_event(&resume).await
        } else if form.is_some() || (!self.waits.halts.is_halted() && is_button(&resume)) {
            self.take_answer(&resume).await
        } else {
            self.take_decision(&resume).await?
        };
        let keys = match taken {
            Ok(keys) => keys,
            Err(refused) => return Ok(Err(refused)),
        };
        self.waits.resume(&mut self.recorder, Some(resume.by), resume.action.clone()).await?;
        self.recorder.flush().await?;
        let state = &self.recorder.state;
        let executions = keys.iter().map(|key| state.name(*key).exec_id.to_string()).collect();
        let form_id = form.or_else(|| last_answered(state, &resume));
        Ok(Ok(Resumed { state: RunState::Running, form_id, executions }))
    }

    async fn take_event(&mut self, resume: &Resume) -> Result<Vec<Key>, ResumeRefused> {
        let keys = waiting_for_event(&self.recorder.state, resume);
        if keys.is_empty() {
            return Err(ResumeRefused::NotWaiting);
        }
        for key in &keys {
            let data = Value::Object(resume.fields.clone());
            let outputs = Map::from_iter([("data".to_owned(), data)]);
            self.ends().complete(*key, NodeResult::with(outputs), Vec::new()).await;
        }
        Ok(keys)
    }

    async fn take_answer(&mut self, resume: &Resume) -> Result<Vec<Key>, ResumeRefused> {
        let (key, done, before) = answered(&self.recorder.state, resume)?;
        self.ends().complete(key, done, before).await;
        Ok(vec![key])
    }

    /// Resumes a halted run. If the effect of a node is uncertain, applies the decision about that node.
    async fn take_decision(
        &mut self,
        resume: &Resume,
    ) -> Result<Result<Vec<Key>, ResumeRefused>, WriteError> {
        let Some(halt) = self.waits.halts.current().cloned() else {
            return Ok(Err(ResumeRefused::NotWaiting));
        };
        let action = resume.action.as_deref().unwrap_or("continue");
        let allowed = halt.actions();
        if !allowed.contains(&action) {
            let why = format!("must be one of {}", allowed.join(", "));
            return Ok(Err(ResumeRefused::Invalid(vec![fault(&["action"], &why, "not_allowed")])));
        }
        let keys = self.waits.halts.uncertain_named(&self.recorder.state, resume.node_id.as_deref());
        if halt.needs_decision() && keys.is_empty() {
            return Ok(Err(ResumeRefused::NotWaiting));
        }
        for key in &keys {
            self.decide(*key, action, resume).await?;
        }
        self.waits.release(&self.recorder.state);
        self.waits.halts.halt_for_uncertain(&self.recorder.state);
        Ok(Ok(keys))
    }

    /// Applies the decision about a node that may have taken effect. `continue` and `skip` treat the node as completed with the
    /// given outputs, `retry` repeats it, and `fail` fails it.
    async fn decide(&mut self, key: Key, action: &str, resume: &Resume) -> Result<(), WriteError> {
        let reason = self.waits.halts.take_uncertain(key);
        match action {
            "retry" => return self.repeat_attempt(key).await,
            "fail" => self.ends().fail(key, uncertain_error(&reason)),
            // A node that may run twice is repeated instead of treated as completed.
            "continue" if reason == "crash_loop" => return self.repeat_attempt(key).await,
            _ => self.ends().complete(key, NodeResult::with(resume.fields.clone()), Vec::new()).await,
        }
        Ok(())
    }

    /// Continues with new instructions of a debug session.
    async fn set_order(&mut self, order: Order) -> Result<Result<RunState, ResumeRefused>, WriteError> {
        if self.request.debug.is_none() || self.recorder.work.cancel.is_cancelled() {
            return Ok(Err(ResumeRefused::NotWaiting));
        }
        if self.waits.halts.current().is_some_and(Halt::needs_decision) {
            return Ok(Err(ResumeRefused::Invalid(vec![fault(
                &["mode"],
                "an effect is uncertain: decide with `resume` how to continue",
                "uncertain_effect",
            )])));
        }
        let stored = order.clone();
        self.recorder.change_run(Vec::new(), move |run| store_order(run, &stored)).await?;
        self.waits.debugger.set_order(order);
        self.waits.release(&self.recorder.state);
        let user = self.recorder.work.run.user;
        self.waits.resume(&mut self.recorder, Some(user), Some("play".into())).await?;
        Ok(Ok(RunState::Running))
    }
}

/// Writes the instructions into the run's record, so that the epoch after a crash finds them.
fn store_order(run: &mut Run, order: &Order) {
    let mut request = StoredRequest::from_run(run);
    request.debug.get_or_insert_default().order = order.clone();
    if let Ok(request) = serde_json::to_value(&request) {
        run.request = request;
    }
}
