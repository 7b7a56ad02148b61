//! What a run is told from outside: answers to forms, events, orders of whoever debugs.

use runs::event::flow::{FormRequired, FormSubmitted};
use runs::{EventBody, EventData, GraphFault, RunCommand, RunOutcome, WriteError};
use serde_json::{Map, Value, json};
use storage::records::{Run, RunState};

use super::place::Key;
use super::values::is_keepable;
use super::{Engine, pause};
use crate::graph::FormField;
use crate::nodes::{Fields, NodeResult};
use crate::request::{Order, Resume, ResumeRefused, Resumed, StoredRequest};

impl Engine {
    /// Reads a command, does what it says, and answers once that is durable.
    pub(super) async fn on_command(&mut self, command: RunCommand) -> Result<(), WriteError> {
        let command = match command.open::<Resume>() {
            // Whoever asked was told that there is no answer, and may ask again.
            Ok((_, reply)) if reply.is_closed() => return Ok(()),
            Ok((resume, reply)) => {
                let answer = match self.work.cancel.is_cancelled() {
                    true => Err(ResumeRefused::Ending),
                    false => self.resume(resume).await?,
                };
                // Whoever asked may have gone.
                let _ = reply.send(answer);
                return Ok(());
            }
            Err(other) => other,
        };
        if let Ok((order, reply)) = command.open::<Order>()
            && !reply.is_closed()
        {
            let _ = reply.send(self.obey(order).await?);
        }
        Ok(())
    }

    async fn resume(&mut self, resume: Resume) -> Result<Result<Resumed, ResumeRefused>, WriteError> {
        let form = resume.form_id;
        if !is_keepable(&resume.fields) {
            let faults = vec![fault(&["fields"], "is nested too deep", "too_deep")];
            return Ok(Err(ResumeRefused::Invalid(faults)));
        }
        let taken = if resume.event.is_some() {
            self.take_event(&resume).await?
        } else if form.is_some() || (self.halt.is_none() && is_button(&resume)) {
            self.take_answer(&resume).await?
        } else {
            self.take_release(&resume).await?
        };
        let keys = match taken {
            Ok(keys) => keys,
            Err(refused) => return Ok(Err(refused)),
        };
        self.resume_state(Some(resume.by), resume.action.clone()).await?;
        self.flush().await?;
        let executions = keys.iter().map(|key| self.state.name(*key).exec_id.to_string()).collect();
        let form_id = form.or_else(|| self.last_form(&resume));
        Ok(Ok(Resumed { state: RunState::Running, form_id, executions }))
    }

    fn last_form(&self, resume: &Resume) -> Option<uuid::Uuid> {
        resume.action.as_ref()?;
        self.state
            .answered
            .values()
            .filter(|answer| answer.by == resume.by)
            .map(|answer| answer.form_id)
            .max()
    }

    /// Executions that wait for something of a kind.
    fn waiting_on(&self, on: &str, node_id: Option<&str>) -> Vec<Key> {
        let fits = |key: &Key| {
            let waiting = self.state.exec(*key).and_then(|exec| exec.waiting.as_ref());
            let name = self.state.name(*key);
            waiting.is_some_and(|waiting| waiting.on == on)
                && node_id.is_none_or(|id| *name.node_id == *id || *name.exec_id == *id)
        };
        let mut keys: Vec<_> = self.state.active().into_iter().filter(fits).collect();
        keys.sort_unstable();
        keys
    }

    async fn take_event(&mut self, resume: &Resume) -> Result<Result<Vec<Key>, ResumeRefused>, WriteError> {
        let mut keys = self.waiting_on("event", resume.node_id.as_deref());
        keys.retain(|key| {
            let waiting = self.state.exec(*key).and_then(|exec| exec.waiting.as_ref());
            waiting.is_some_and(|waiting| waiting.event == resume.event)
        });
        if keys.is_empty() {
            return Ok(Err(ResumeRefused::NotWaiting));
        }
        for key in &keys {
            let data = Value::Object(resume.fields.clone());
            let outputs = Map::from_iter([("data".to_owned(), data)]);
            self.complete(*key, NodeResult::with(outputs), Vec::new()).await?;
        }
        Ok(Ok(keys))
    }

    async fn take_answer(&mut self, resume: &Resume) -> Result<Result<Vec<Key>, ResumeRefused>, WriteError> {
        let (key, form) = match self.form(resume) {
            Ok(found) => found,
            Err(refused) => return Ok(Err(refused)),
        };
        let action = resume.action.clone().unwrap_or_default();
        let fields = match checked(&form, &action, &resume.fields) {
            Ok(fields) => fields,
            Err(faults) => return Ok(Err(ResumeRefused::Invalid(faults))),
        };
        let submitted = FormSubmitted {
            form_id: form.form_id,
            action: action.clone(),
            fields: fields.clone(),
            by: resume.by,
        };
        let at = self.state.name(key);
        let before = vec![EventBody::of(&at, EventData::FormSubmitted(submitted))];
        let outputs = json!({"action": action, "fields": fields, "by": resume.by});
        let outputs = outputs.as_object().cloned().unwrap_or_default();
        self.complete(key, NodeResult { outputs, port: Some(action) }, before).await?;
        Ok(Ok(vec![key]))
    }

    /// The form that is meant.
    fn form(&self, resume: &Resume) -> Result<(Key, Box<FormRequired>), ResumeRefused> {
        let waiting = self.waiting_on("human", resume.node_id.as_deref());
        let form =
            |key: &Key| self.state.exec(*key).and_then(|exec| exec.form.clone()).map(|form| (*key, form));
        let mut forms: Vec<_> = waiting.iter().filter_map(form).collect();
        let Some(id) = resume.form_id else {
            return match forms.len() {
                0 => Err(ResumeRefused::NotWaiting),
                1 => Ok(forms.remove(0)),
                _ => Err(ResumeRefused::Invalid(vec![fault(
                    &["form_id"],
                    "several forms wait; name one of them",
                    "missing",
                )])),
            };
        };
        if let Some(first) = self.state.answered.get(&id) {
            return Err(ResumeRefused::Answered { first: json!(first) });
        }
        if self.state.expired.contains(&id) {
            return Err(ResumeRefused::Expired);
        }
        forms.into_iter().find(|(_, form)| form.form_id == id).ok_or(ResumeRefused::NoSuchForm)
    }

    /// Goes on from a halt; where an effect is uncertain, with what is to become of it.
    async fn take_release(&mut self, resume: &Resume) -> Result<Result<Vec<Key>, ResumeRefused>, WriteError> {
        let Some(halt) = self.halt.clone() else { return Ok(Err(ResumeRefused::NotWaiting)) };
        let action = resume.action.as_deref().unwrap_or("continue");
        let allowed = halt.actions();
        if !allowed.contains(&action) {
            let why = format!("is none of {}", allowed.join(", "));
            return Ok(Err(ResumeRefused::Invalid(vec![fault(&["action"], &why, "not_allowed")])));
        }
        let named = |key: &Key| {
            let name = self.state.name(*key);
            resume.node_id.as_deref().is_none_or(|id| *name.node_id == *id || *name.exec_id == *id)
        };
        let keys: Vec<Key> = self.uncertain.keys().copied().filter(named).collect();
        if halt.asks() && keys.is_empty() {
            return Ok(Err(ResumeRefused::NotWaiting));
        }
        for key in &keys {
            self.decide_uncertain(*key, action, resume).await?;
        }
        self.release();
        if let Some((key, reason)) = self.uncertain.iter().next().map(|(key, reason)| (*key, reason.clone()))
        {
            self.halt_for(key, &reason);
        }
        Ok(Ok(keys))
    }

    /// What becomes of a node that may have taken effect: it is held to have (`continue`, `skip`: with
    /// the outputs that were given), or is tried again, or fails.
    async fn decide_uncertain(&mut self, key: Key, action: &str, resume: &Resume) -> Result<(), WriteError> {
        let reason = self.uncertain.remove(&key).unwrap_or_default();
        match action {
            "retry" => self.attempt_again(key).await,
            "fail" => self.fail_node(key, Self::uncertain_error(&reason)),
            // What only repeats can be repeated; what took effect is not had again.
            "continue" if reason == "crash_loop" => self.attempt_again(key).await,
            _ => self.complete(key, NodeResult::with(resume.fields.clone()), Vec::new()).await,
        }
    }

    /// Goes on under new orders.
    async fn obey(&mut self, order: Order) -> Result<Result<RunState, ResumeRefused>, WriteError> {
        if self.asked.debug.is_none() || self.work.cancel.is_cancelled() {
            return Ok(Err(ResumeRefused::NotWaiting));
        }
        if self.halt.as_ref().is_some_and(pause::Halt::asks) {
            return Ok(Err(ResumeRefused::Invalid(vec![fault(
                &["mode"],
                "an effect is uncertain: say with `resume` what is to become of it",
                "uncertain_effect",
            )])));
        }
        let kept = order.clone();
        self.push_out()?;
        self.work.change(Vec::new(), move |run| keep_order(run, &kept)).await?;
        self.budget = pause::budget(&order);
        self.order = Some(order);
        self.release();
        self.resume_state(Some(self.work.run.user), Some("play".into())).await?;
        Ok(Ok(RunState::Running))
    }

    /// What ends a run whatever is asked of it.
    pub(super) fn is_success(outcome: &RunOutcome) -> bool {
        matches!(outcome, RunOutcome::Succeeded { .. } | RunOutcome::Partial { .. })
    }
}

/// Whether an action can be a button of a form; `continue` is kept for halts.
fn is_button(resume: &Resume) -> bool {
    resume.action.as_deref().is_some_and(|action| action != "continue")
}

/// The last orders stand in the run's record, for the epoch that comes after a crash.
fn keep_order(run: &mut Run, order: &Order) {
    let mut asked = StoredRequest::of(run);
    asked.debug.get_or_insert_default().order = order.clone();
    if let Ok(request) = serde_json::to_value(&asked) {
        run.request = request;
    }
}

fn fault(loc: &[&str], msg: &str, kind: &'static str) -> GraphFault {
    GraphFault { loc: loc.iter().map(|step| (*step).to_owned()).collect(), msg: msg.to_owned(), kind }
}

/// What was filled in, with defaults, if it fits the form.
fn checked(form: &FormRequired, action: &str, given: &Fields) -> Result<Fields, Vec<GraphFault>> {
    let mut faults = Vec::new();
    if !form.actions.iter().any(|known| known.name == action) {
        let names: Vec<_> = form.actions.iter().map(|known| known.name.as_str()).collect();
        faults.push(fault(&["action"], &format!("is none of {}", names.join(", ")), "not_allowed"));
    }
    for name in given.keys().filter(|name| !form.fields.iter().any(|field| field.name == **name)) {
        faults.push(fault(&["fields", name], "is no field of the form", "unknown_field"));
    }
    let mut fields = Fields::new();
    for field in &form.fields {
        let value = given.get(&field.name).filter(|value| !value.is_null()).or(field.default.as_ref());
        match value.filter(|value| !value.is_null()) {
            Some(value) => {
                faults.extend(misfit(field, value));
                fields.insert(field.name.clone(), value.clone());
            }
            None if field.required => faults.push(fault(&["fields", &field.name], "is missing", "missing")),
            None => drop(fields.insert(field.name.clone(), Value::Null)),
        }
    }
    if faults.is_empty() { Ok(fields) } else { Err(faults) }
}

fn misfit(field: &FormField, value: &Value) -> Option<GraphFault> {
    if !field.kind.admits(value) {
        let why = format!("is not of the type {}", field.kind.name());
        return Some(fault(&["fields", &field.name], &why, "type_mismatch"));
    }
    let allowed = field.options.is_empty() || field.options.contains(value);
    (!allowed).then(|| fault(&["fields", &field.name], "is none of the options", "not_allowed"))
}
