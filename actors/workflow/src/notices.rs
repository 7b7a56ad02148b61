//! Notifies the user who started a workflow that the run waits for an answer.

use runs::event::flow::{FormRequired, RunPaused};
use serde_json::{Map, json};
use storage::records::{Assistant, Notice, Run, Severity};
use storage::{Row, TenantId, Tx, notices};
use uuid::Uuid;

/// The notification type.
const KIND: &str = "workflow.waiting";

/// A question that a run asks a person.
#[derive(Clone, Debug)]
pub(super) enum Question {
    Form(Box<FormRequired>),
    /// The decision about a node that may have taken effect before a crash.
    Halt(RunPaused),
}

impl Question {
    /// The id of the question, unique within the run: the id of the form or the name of the node execution.
    pub fn id(&self) -> String {
        match self {
            Self::Form(form) => form.form_id.to_string(),
            Self::Halt(why) => why.node.clone().unwrap_or_default(),
        }
    }
}

/// Notifies the user that a run waits for an answer, in the transaction that changes the run's state. Returns the id of the
/// notification, if one is listed.
pub(super) fn waiting(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    question: &Question,
) -> storage::Result<Option<Uuid>> {
    let assistant = run.assistant_id.map(|id| tx.get::<Assistant>(tenant, &id)).transpose()?.flatten();
    let name = assistant.map_or_else(|| "A workflow".to_owned(), |row| row.body.name);
    let mut data = Map::new();
    data.insert("run_id".into(), json!(run.id));
    data.insert("conversation_id".into(), json!(run.conversation_id));
    data.insert("assistant_id".into(), json!(run.assistant_id));
    let (title, body) = match question {
        Question::Form(form) => {
            data.insert("reason".into(), json!("human"));
            data.insert("form_id".into(), json!(form.form_id));
            let lines = [form.title.as_str(), form.message.as_str()].map(str::trim);
            let lines = lines.into_iter().filter(|text| !text.is_empty());
            (format!("{name} waits for your answer"), lines.collect::<Vec<_>>().join("\n\n"))
        }
        Question::Halt(why) => {
            data.insert("reason".into(), json!(why.reason));
            data.insert("node".into(), json!(why.node));
            data.insert("actions".into(), json!(why.actions));
            (format!("{name} waits for your decision"), decision(why))
        }
    };
    let notice = Notice {
        user: run.user,
        kind: KIND.to_owned(),
        severity: Severity::Warning,
        title,
        body,
        link: run.conversation_id.map(|id| format!("/conversations/{id}")),
        data,
        ..Notice::default()
    };
    notices::notify(tx, tenant, notice)
}

fn decision(why: &RunPaused) -> String {
    let node = why.node.as_deref().unwrap_or_default();
    let what = match why.reason.as_str() {
        "crash_loop" => format!("The server repeatedly went down while the node `{node}` was running."),
        _ => format!(
            "The server went down while the node `{node}` was running, and it is unknown whether the node took effect."
        ),
    };
    format!("{what} The run stays paused until you resume it with one of {}.", why.actions.join(", "))
}

/// Marks notifications as done if their questions were answered or no longer apply.
pub(super) fn mark_done(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    questions: &[String],
) -> storage::Result<()> {
    let mut unknown = Vec::new();
    for question in questions {
        match run.notices.get(question) {
            Some(Some(notice)) => drop(notices::mark_read(tx, tenant, run.user, *notice)?),
            Some(None) => {}
            None => unknown.push(question),
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    // The questions were announced by an earlier version, which did not record the notification ids, so the notifications are
    // searched.
    let id = json!(run.id);
    notices::mark_done(tx, tenant, run.user, |notice| {
        let names = ["form_id", "node"].into_iter().filter_map(|name| notice.data.get(name)?.as_str());
        notice.kind == KIND
            && notice.data.get("run_id") == Some(&id)
            && names.into_iter().any(|name| unknown.iter().any(|question| *question == name))
    })
}
