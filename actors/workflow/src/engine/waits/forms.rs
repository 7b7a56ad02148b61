//! Nodes that wait for people, events and times: the events recorded when they begin, and the answers to forms.

use std::time::Duration;

use runs::event::flow::{FormExpired, FormRequired, FormSubmitted, NodeWaiting};
use runs::{EventBody, EventData, GraphFault};
use serde_json::{Map, Value, json};
use storage::Timestamp;
use uuid::Uuid;

use super::timers::{Due, Timers};
use crate::engine::recorder::Recorder;
use crate::engine::state::{Key, State};
use crate::graph::{FormField, HumanConfig, NodeKind, WaitConfig};
use crate::nodes::{Fields, NodeError, NodeResult};
use crate::request::{Resume, ResumeRefused};

/// The longest delay.
const MAX_WAIT: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Records that an execution has begun to wait, and sets its timers. `events` and the wait become durable together.
fn wait(
    recorder: &mut Recorder,
    timers: &mut Timers,
    key: Key,
    mut events: Vec<EventData>,
    waiting: NodeWaiting,
) {
    if let Some(until) = waiting.until {
        timers.add(until, Due::Expiry, key);
    }
    events.push(EventData::NodeWaiting(waiting));
    let at = recorder.state.name(key);
    recorder.record(events.into_iter().map(|data| EventBody::in_node(&at, data)).collect());
    timers.add_timeout(&recorder.state, key);
}

/// Begins to wait for a person to answer a form.
pub fn wait_for_person(
    recorder: &mut Recorder,
    timers: &mut Timers,
    key: Key,
    config: &HumanConfig,
    started: EventData,
    inputs: &Fields,
) {
    let text = |name: &str| match inputs.get(name) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    };
    let mut fields = config.fields.clone();
    for field in &mut fields {
        let input = inputs.get(&field.name).filter(|value| !value.is_null());
        field.default = input.cloned().or(field.default.take());
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
    let waiting = NodeWaiting { on: "human".into(), until, form_id: Some(form_id), ..NodeWaiting::default() };
    wait(recorder, timers, key, vec![started, EventData::FormRequired(Box::new(form))], waiting);
}

/// Begins to wait for an external event.
pub fn wait_for_event(
    recorder: &mut Recorder,
    timers: &mut Timers,
    key: Key,
    config: &WaitConfig,
    started: EventData,
) {
    let until = config.expires_ms.map(|ms| Timestamp::now() + Duration::from_millis(ms));
    let event = Some(config.event.clone());
    let waiting = NodeWaiting { on: "event".into(), until, event, ..NodeWaiting::default() };
    wait(recorder, timers, key, vec![started], waiting);
}

/// Begins to wait for a point in time.
pub fn wait_until(
    recorder: &mut Recorder,
    timers: &mut Timers,
    key: Key,
    started: EventData,
    until: Timestamp,
) {
    let waiting = NodeWaiting { on: "timer".into(), until: Some(until), ..NodeWaiting::default() };
    wait(recorder, timers, key, vec![started], waiting);
}

/// Returns the end of a delay, from its input `ms` or `until`.
pub fn delay_until(inputs: &Fields) -> Result<Timestamp, NodeError> {
    let bad = |what: &str| NodeError::new("invalid_input", what);
    let now = Timestamp::now();
    let until = match (inputs.get("ms"), inputs.get("until")) {
        (Some(ms), _) if !ms.is_null() => {
            let ms = ms
                .as_f64()
                .filter(|ms| ms.is_finite() && *ms >= 0.0)
                .ok_or_else(|| bad("`ms` is not a valid duration"))?;
            now + Duration::from_millis(ms as u64).min(MAX_WAIT + Duration::from_millis(1))
        }
        (_, Some(Value::String(at))) => {
            at.parse().map_err(|_| bad("`until` is not a time such as 2026-01-31T08:00:00Z"))?
        }
        _ => return Err(bad("neither `ms` nor `until` is given")),
    };
    if until > now + MAX_WAIT {
        return Err(bad("a delay lasts at most one year"));
    }
    Ok(until)
}

/// Returns the result of an execution whose wait has reached its time limit, with the events that precede its end. Returns `None`
/// if the execution does not wait, or if its time limit is not reached.
pub fn expired(state: &State, key: Key) -> Option<(NodeResult, Vec<EventBody>)> {
    let waiting = state.exec(key)?.waiting.as_ref()?;
    let until = waiting.until.filter(|until| *until <= Timestamp::now())?;
    let mut done = NodeResult { outputs: Map::new(), port: Some("expired".into()) };
    let mut before = Vec::new();
    match &state.plan.node(key.1).kind {
        NodeKind::Delay => {
            done.port = None;
            done.outputs.insert("until".into(), Value::String(until.to_string()));
        }
        NodeKind::Human(_) => {
            done.outputs.insert("action".into(), "expired".into());
            let form_id = waiting.form_id.unwrap_or_default();
            before
                .push(EventBody::in_node(&state.name(key), EventData::FormExpired(FormExpired { form_id })));
        }
        _ => {}
    }
    Some((done, before))
}

/// Returns the executions that wait for the event of a command.
pub fn waiting_for_event(state: &State, resume: &Resume) -> Vec<Key> {
    let mut keys = state.waiting_on("event", resume.node_id.as_deref());
    keys.retain(|key| {
        let waiting = state.exec(*key).and_then(|exec| exec.waiting.as_ref());
        waiting.is_some_and(|waiting| waiting.event == resume.event)
    });
    keys
}

/// Returns the result of the form that a command answers, with its execution and the events that precede its end.
pub fn answered(state: &State, resume: &Resume) -> Result<(Key, NodeResult, Vec<EventBody>), ResumeRefused> {
    let (key, form) = find_form(state, resume)?;
    let action = resume.action.clone().unwrap_or_default();
    let fields = checked(&form, &action, &resume.fields).map_err(ResumeRefused::Invalid)?;
    let submitted = FormSubmitted {
        form_id: form.form_id,
        action: action.clone(),
        fields: fields.clone(),
        by: resume.by,
    };
    let before = vec![EventBody::in_node(&state.name(key), EventData::FormSubmitted(submitted))];
    let outputs = json!({"action": action, "fields": fields, "by": resume.by});
    let outputs = outputs.as_object().cloned().unwrap_or_default();
    Ok((key, NodeResult { outputs, port: Some(action) }, before))
}

fn find_form(state: &State, resume: &Resume) -> Result<(Key, Box<FormRequired>), ResumeRefused> {
    let waiting = state.waiting_on("human", resume.node_id.as_deref());
    let form = |key: &Key| state.exec(*key).and_then(|exec| exec.form.clone()).map(|form| (*key, form));
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
    if let Some(first) = state.answered.get(&id) {
        return Err(ResumeRefused::Answered { first: json!(first) });
    }
    if state.expired.contains(&id) {
        return Err(ResumeRefused::Expired);
    }
    forms.into_iter().find(|(_, form)| form.form_id == id).ok_or(ResumeRefused::NoSuchForm)
}

/// Returns the id of the form that the sender of a command answered last, if the command names a button.
pub fn last_answered(state: &State, resume: &Resume) -> Option<Uuid> {
    resume.action.as_ref()?;
    state.answered.values().filter(|answer| answer.by == resume.by).map(|answer| answer.form_id).max()
}

/// Whether an action can be a button of a form. `continue` is reserved for halts.
pub fn is_button(resume: &Resume) -> bool {
    resume.action.as_deref().is_some_and(|action| action != "continue")
}

/// Builds a fault of a command, located relative to the command.
pub fn fault(loc: &[&str], msg: &str, kind: &'static str) -> GraphFault {
    GraphFault { loc: loc.iter().map(|step| (*step).to_owned()).collect(), msg: msg.to_owned(), kind }
}

/// Returns the submitted fields, completed with defaults, if they match the form.
fn checked(form: &FormRequired, action: &str, answers: &Fields) -> Result<Fields, Vec<GraphFault>> {
    let mut faults = Vec::new();
    if !form.actions.iter().any(|known| known.name == action) {
        let names: Vec<_> = form.actions.iter().map(|known| known.name.as_str()).collect();
        faults.push(fault(&["action"], &format!("must be one of {}", names.join(", ")), "not_allowed"));
    }
    for name in answers.keys().filter(|name| !form.fields.iter().any(|field| field.name == **name)) {
        faults.push(fault(&["fields", name], "is not a field of the form", "unknown_field"));
    }
    let mut fields = Fields::new();
    for field in &form.fields {
        let value = answers.get(&field.name).filter(|value| !value.is_null()).or(field.default.as_ref());
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
    (!allowed).then(|| fault(&["fields", &field.name], "must be one of the options", "not_allowed"))
}
