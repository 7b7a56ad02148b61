//! Delivers a form answer, an event or a decision to a run that waits for it.

use std::time::{Duration, Instant};

use domain::{Code, Refusal};
use runs::{AskError, EventData, NodeRef, Runs, StreamEvent};
use serde_json::json;
use storage::records::Run;
use storage::{Reader, TenantId, Tx};
use uuid::Uuid;

use crate::files;
use crate::request::{Resume, ResumeRefused, Resumed};
use crate::waits::{Waits, describe};

/// Number of journal bytes read at a time.
const CHUNK: usize = 256 * 1024;
/// How long a request to a busy run is retried, and the pause between two attempts.
const RETRY_FOR: Duration = Duration::from_secs(2);
const RETRY_PAUSE: Duration = Duration::from_millis(25);

/// Delivers a form answer, an event or a decision to a run that waits for it.
///
/// # Errors
/// `form_answered` or `form_expired` if the form has ended; `not_waiting`, with the list of what the run waits for; `overloaded`
/// if the run does not respond; `not_found`; `invalid`, with every fault of the fields; `storage_quota_reached` if the files of the
/// fields exceed the storage of the run's user.
pub async fn resume(runs: &Runs, tenant: TenantId, run: Uuid, resume: Resume) -> Result<Resumed, Refusal> {
    let form = FormReference::new(&resume);
    claim_files(runs, tenant, run, &resume).await?;
    match ask(runs, tenant, run, resume).await {
        Ok(Ok(resumed)) => Ok(resumed),
        Ok(Err(ResumeRefused::NotWaiting | ResumeRefused::Ending)) | Err(AskError::Ended) => {
            Err(runs.store().read(move |reader| not_waiting(reader, tenant, run, &form)).await?)
        }
        Ok(Err(why)) => Err(why.into()),
        Err(AskError::NotFound) => Err(Refusal::not_found("run")),
        Err(AskError::Busy) => Err(Refusal::new(Code::Overloaded).retry_after(1)),
        Err(AskError::Storage(why)) => Err(why.into()),
    }
}

/// Claims the files that the fields of a form name, before an event names them.
async fn claim_files(runs: &Runs, tenant: TenantId, run: Uuid, resume: &Resume) -> Result<(), Refusal> {
    let (files, by) = (files::named(resume.fields.values()), resume.by);
    if files.is_empty() {
        return Ok(());
    }
    let claim = move |tx: &mut Tx| match tx.get::<Run>(tenant, &run)? {
        Some(row) if !row.state.is_terminal() => files::claim_uploads(tx, tenant, by, run, &files),
        // The journal may be deleted already, and with it what was claimed.
        _ => Ok(()),
    };
    Ok(runs.store().run(claim).await?)
}

/// Sends the request to a run. Retries for a limited time if the run is restarting after a crash or about to end.
async fn ask(
    runs: &Runs,
    tenant: TenantId,
    run: Uuid,
    resume: Resume,
) -> Result<Result<Resumed, ResumeRefused>, AskError> {
    let deadline = Instant::now() + RETRY_FOR;
    loop {
        match runs.ask(tenant, run, resume.clone()).await {
            Err(AskError::Busy) if Instant::now() < deadline => tokio::time::sleep(RETRY_PAUSE).await,
            answer => return answer,
        }
    }
}

/// The form that a request names, by its id or by its node.
struct FormReference {
    form: Option<Uuid>,
    node: Option<String>,
}

impl FormReference {
    fn new(resume: &Resume) -> Self {
        let node = resume.node_id.clone().filter(|_| resume.form_id.is_none() && resume.event.is_none());
        Self { form: resume.form_id, node }
    }

    fn is_empty(&self) -> bool {
        self.form.is_none() && self.node.is_none()
    }

    fn matches(&self, at: Option<&NodeRef>, form: Uuid) -> bool {
        let is_of_node = |node: &String| at.is_some_and(|at| *at.node_id == **node || *at.exec_id == **node);
        self.form == Some(form) || self.node.as_ref().is_some_and(is_of_node)
    }
}

/// Builds the refusal of a request that the run does not wait for. If the request names a form that has ended, the refusal says
/// how it ended. Otherwise it lists what the run waits for.
fn not_waiting(
    reader: &Reader,
    tenant: TenantId,
    run: Uuid,
    form: &FormReference,
) -> storage::Result<Refusal> {
    if let Some(ended) = form_end(reader, tenant, run, form)? {
        return Ok(ended.into());
    }
    let Some(row) = reader.get::<Run>(tenant, &run)? else { return Ok(Refusal::not_found("run")) };
    let waits = Waits::read(reader, tenant, run)?.into_vec();
    let state = json!(row.state);
    let state = state.as_str().unwrap_or_default();
    let detail = match waits.is_empty() {
        _ if row.state.is_terminal() => format!("the run has ended: {state}"),
        true => format!("the run is {state}"),
        false => format!("the run waits for {}", describe(&waits)),
    };
    Ok(Refusal::new(Code::NotWaiting).detail(detail).extra("waits_for", json!(waits)))
}

/// Returns how a form ended, answered or expired, if it did.
fn form_end(
    reader: &Reader,
    tenant: TenantId,
    run: Uuid,
    form: &FormReference,
) -> storage::Result<Option<ResumeRefused>> {
    let (mut after, mut end) = (0, None);
    if form.is_empty() {
        return Ok(end);
    }
    loop {
        let events = reader.journal_read(tenant, run, after, CHUNK)?;
        let Some(last) = events.last() else { return Ok(end) };
        after = last.seq;
        for event in events.iter().filter(|event| event.kind.starts_with("form.")) {
            let Ok(StreamEvent { node, event, .. }) = serde_json::from_slice(&event.json) else { continue };
            let at = node.as_ref();
            match event {
                EventData::FormSubmitted(first) if form.matches(at, first.form_id) => {
                    end = Some(ResumeRefused::Answered { first: json!(first) });
                }
                EventData::FormExpired(late) if form.matches(at, late.form_id) => {
                    end = Some(ResumeRefused::Expired);
                }
                // The next iteration of the node opens the form again.
                EventData::FormRequired(next) if form.matches(at, next.form_id) => end = None,
                _ => {}
            }
        }
    }
}
