//! Stopping a run, and giving it what it waits for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::HttpResponse;
use runs::{AskError, EventData, NodeRef, StreamEvent};
use serde_json::json;
use storage::records::{Run, RunKind};
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;
use workflow::debug::newest_run;
use workflow::{Resume, ResumeRefused, Resumed};

use super::schema::{WorkflowRunResumeBody, WorkflowRunResumeResponse};
use super::waits::{self, Waits};
use crate::App;
use crate::api::run_streams;
use crate::http::{Api, Caller, Code, Refusal};

/// Bytes of a journal that are looked through at once.
const LOOK: usize = 256 * 1024;
/// How long a run that does not answer is asked again, and how often.
const PATIENCE: Duration = Duration::from_secs(2);
const ASK_AGAIN: Duration = Duration::from_millis(25);

/// Stops the run of this assistant in the caller's conversation, and waits a little until it has.
pub async fn cancel(
    app: &App,
    caller: &Arc<Caller>,
    conversation: Uuid,
    assistant: Uuid,
) -> Api<HttpResponse> {
    let run = run_of(app, caller.tenant, conversation, assistant).await?;
    run_streams::cancel(app, caller, run.kind, run.id).await.map(run_streams::receipt)
}

/// Gives the run of this assistant in the caller's conversation what it waits for.
pub async fn resume(
    app: &App,
    caller: &Caller,
    conversation: Uuid,
    assistant: Uuid,
    given: WorkflowRunResumeBody,
) -> Api<WorkflowRunResumeResponse> {
    let run = run_of(app, caller.tenant, conversation, assistant).await?;
    let meant = Meant::of(&given);
    let resume = Resume {
        by: caller.user,
        form_id: given.form_id,
        action: given.action,
        fields: given.fields,
        event: given.event,
        node_id: given.node_id,
    };
    match ask(app, caller.tenant, run.id, resume).await {
        Ok(Ok(resumed)) => Ok(WorkflowRunResumeResponse {
            conversation_id: conversation,
            stream_id: run.id,
            state: resumed.state,
            form_id: resumed.form_id,
            executions: resumed.executions,
        }),
        Ok(Err(ResumeRefused::NotWaiting | ResumeRefused::Ending)) | Err(AskError::Ended) => {
            let (tenant, id) = (caller.tenant, run.id);
            Err(app.store.read(move |reader| not_waiting(reader, tenant, id, &meant)).await?)
        }
        Ok(Err(why)) => Err(Refusal::from(why)),
        Err(AskError::NotFound) => Err(Refusal::not_found("run")),
        Err(AskError::Busy) => Err(Refusal::new(Code::Overloaded).retry_after(1)),
        Err(AskError::Storage(why)) => Err(why.into()),
    }
}

/// Asks a run; again for a while if it is being taken up after a crash, or is about to end.
async fn ask(
    app: &App,
    tenant: TenantId,
    run: Uuid,
    resume: Resume,
) -> Result<Result<Resumed, ResumeRefused>, AskError> {
    let patience = Instant::now() + PATIENCE;
    loop {
        match app.actors.ask(tenant, run, resume.clone()).await {
            Err(AskError::Busy) if Instant::now() < patience => tokio::time::sleep(ASK_AGAIN).await,
            told => return told,
        }
    }
}

/// The live run of an assistant in a conversation, else the latest one.
async fn run_of(app: &App, tenant: TenantId, conversation: Uuid, assistant: Uuid) -> Api<Row<Run>> {
    let found = app.store.read(move |reader| {
        let scan = Scan::index("live_by_conversation").prefix(conversation.as_bytes());
        let live = reader.scan::<Run>(tenant, scan)?.items;
        let of_it = |row: &Row<Run>| row.kind == RunKind::Workflow && row.assistant_id == Some(assistant);
        match live.into_iter().find(of_it) {
            Some(live) => Ok(Some(live)),
            None => newest_run(reader, tenant, conversation, assistant),
        }
    });
    let found = found.await.map_err(|why: storage::Error| Refusal::from(why))?;
    found.ok_or_else(|| Refusal::not_found("run"))
}

/// The form that somebody means, by its id or by its node.
struct Meant {
    form: Option<Uuid>,
    node: Option<String>,
}

impl Meant {
    fn of(given: &WorkflowRunResumeBody) -> Self {
        let node = given.node_id.clone().filter(|_| given.form_id.is_none() && given.event.is_none());
        Self { form: given.form_id, node }
    }

    fn nothing(&self) -> bool {
        self.form.is_none() && self.node.is_none()
    }

    fn is(&self, at: Option<&NodeRef>, form: Uuid) -> bool {
        let of_node = |node: &String| at.is_some_and(|at| *at.node_id == **node || *at.exec_id == **node);
        self.form == Some(form) || self.node.as_ref().is_some_and(of_node)
    }
}

/// What is told to somebody who brings what the run does not wait for: what became of the form, if they name one; else
/// what it does wait for.
fn not_waiting(reader: &Reader, tenant: TenantId, run: Uuid, meant: &Meant) -> storage::Result<Refusal> {
    if let Some(became) = became_of(reader, tenant, run, meant)? {
        return Ok(Refusal::from(became));
    }
    let Some(row) = reader.get::<Run>(tenant, &run)? else { return Ok(Refusal::not_found("run")) };
    let waits = Waits::of_run(reader, tenant, run)?.into_vec();
    let state = json!(row.state);
    let state = state.as_str().unwrap_or_default();
    let detail = match waits.is_empty() {
        _ if row.state.is_terminal() => format!("the run has ended: {state}"),
        true => format!("the run is {state}"),
        false => format!("the run waits for {}", waits::in_words(&waits)),
    };
    Ok(Refusal::new(Code::NotWaiting).detail(detail).extra("waits_for", json!(waits)))
}

fn became_of(
    reader: &Reader,
    tenant: TenantId,
    run: Uuid,
    meant: &Meant,
) -> storage::Result<Option<ResumeRefused>> {
    let (mut after, mut became) = (0, None);
    if meant.nothing() {
        return Ok(became);
    }
    loop {
        let events = reader.journal_read(tenant, run, after, LOOK)?;
        let Some(last) = events.last() else { return Ok(became) };
        after = last.seq;
        for event in events.iter().filter(|event| event.kind.starts_with("form.")) {
            let Ok(StreamEvent { node, event, .. }) = serde_json::from_slice(&event.json) else { continue };
            let at = node.as_ref();
            match event {
                EventData::FormSubmitted(first) if meant.is(at, first.form_id) => {
                    became = Some(ResumeRefused::Answered { first: json!(first) });
                }
                EventData::FormExpired(late) if meant.is(at, late.form_id) => {
                    became = Some(ResumeRefused::Expired);
                }
                // It asks anew, in a further iteration.
                EventData::FormRequired(form) if meant.is(at, form.form_id) => became = None,
                _ => {}
            }
        }
    }
}
