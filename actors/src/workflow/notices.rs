//! What whoever started a workflow is told.

use serde_json::{Map, json};
use storage::records::{Assistant, Notice, Run, Severity};
use storage::{Row, TenantId, Tx, notices};

use crate::event::flow::FormRequired;

/// Says that a run waits for an answer, in the transaction in which it begins to.
pub(super) fn waiting(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    form: &FormRequired,
) -> storage::Result<()> {
    let assistant = run.assistant_id.map(|id| tx.get::<Assistant>(tenant, &id)).transpose()?.flatten();
    let name = assistant.map_or_else(|| "A workflow".to_owned(), |row| row.body.name);
    let asked = [form.title.as_str(), form.message.as_str()].map(str::trim);
    let body = asked.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    let mut data = Map::new();
    data.insert("run_id".into(), json!(run.id));
    data.insert("conversation_id".into(), json!(run.conversation_id));
    data.insert("assistant_id".into(), json!(run.assistant_id));
    data.insert("form_id".into(), json!(form.form_id));
    let notice = Notice {
        user: run.user,
        kind: "workflow.waiting".to_owned(),
        severity: Severity::Warning,
        title: format!("{name} waits for your answer"),
        body,
        link: run.conversation_id.map(|id| format!("/conversations/{id}")),
        data,
        ..Notice::default()
    };
    notices::tell(tx, tenant, notice)
}
