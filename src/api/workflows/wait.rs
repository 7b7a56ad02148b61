//! Waiting for the end of a run before it is answered.

use std::time::Duration;

use actix_web::HttpResponse;
use runs::{Cursor, Event, EventData, StreamEvent, Terminal};
use serde_json::{Map, Value};
use storage::records::{Message, Part, Run, RunKind};
use storage::{BlobId, Row, TenantId};
use uuid::Uuid;
use workflow::Started;

use super::schema::{WorkflowRunResponse, WorkflowRunResult};
use super::waits::{self, Waits};
use crate::App;
use crate::api::run_streams::disclosed;
use crate::http::{Api, Caller};

/// How long a request waits.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long nothing may come of a run that was halted until it counts as halted.
const QUIET: Duration = Duration::from_millis(100);

/// The answer at the run's end; or that it waits for somebody, or goes on.
pub async fn answer(app: &App, caller: &Caller, started: Started) -> Api<HttpResponse> {
    let run = started.run.id;
    let mut watched = Watched::new(app, caller.tenant, run);
    let cursor = disclosed(app, caller, RunKind::Workflow, started.cursor, None);
    let end = tokio::time::timeout(PATIENCE, watched.end(cursor)).await;
    let end = end.ok().transpose()?.flatten();
    let row = watched.row().await?;
    let mut response = WorkflowRunResponse {
        conversation_id: started.conversation_id,
        stream_id: run,
        message_id: row.message_id,
        state: row.state,
        state_detail: row.state_detail.clone(),
        waits_for: Vec::new(),
        result: None,
    };
    let Some(terminal) = end else {
        response.waits_for = watched.waits.into_vec();
        return Ok(HttpResponse::Accepted().json(response));
    };
    response.state = terminal.status;
    response.state_detail = terminal.reason.clone();
    response.result = Some(WorkflowRunResult {
        text: watched.said((started.conversation_id, started.message_id)).await?,
        outputs: watched.whole_outputs().await?,
        error: terminal.error,
        usage: terminal.usage,
        cost_nanos: terminal.cost_nanos,
    });
    Ok(HttpResponse::Ok().json(response))
}

/// Reads a run of any kind to its end; none where it waits for somebody.
pub(crate) async fn end(app: &App, tenant: TenantId, run: Uuid, cursor: Cursor) -> Api<Option<Terminal>> {
    Watched::new(app, tenant, run).end(cursor).await
}

/// A run that is read to its end.
struct Watched<'a> {
    app: &'a App,
    tenant: TenantId,
    run: Uuid,
    outputs: Map<String, Value>,
    waits: Waits,
    /// Whether it may wait for somebody, going by what was read of it.
    halted: bool,
}

impl<'a> Watched<'a> {
    fn new(app: &'a App, tenant: TenantId, run: Uuid) -> Self {
        Self { app, tenant, run, outputs: Map::new(), waits: Waits::default(), halted: false }
    }

    /// The run's end; none where it waits for somebody.
    async fn end(&mut self, mut cursor: Cursor) -> Api<Option<Terminal>> {
        loop {
            let next = match self.halted {
                false => Ok(cursor.next().await),
                true => tokio::time::timeout(QUIET, cursor.next()).await,
            };
            let Ok(next) = next else {
                let (tenant, run) = (self.tenant, self.run);
                let still = self.app.store.read(move |reader| waits::stands_still(reader, tenant, run));
                match still.await? {
                    true => return Ok(None),
                    false => continue,
                }
            };
            let Some(chunk) = next? else { return Ok(None) };
            for event in &chunk.events {
                if let Some(terminal) = self.note(event) {
                    return Ok(Some(terminal));
                }
            }
        }
    }

    fn note(&mut self, event: &Event) -> Option<Terminal> {
        let waits = waits::tells(&event.kind);
        if !waits && !event.kind.starts_with("run.") && &*event.kind != "outputs" {
            return None;
        }
        let told = serde_json::from_slice::<StreamEvent>(&event.json).ok()?;
        if waits {
            self.waits.note(&told);
        }
        match told.event {
            EventData::Outputs(outputs) => self.outputs = outputs.outputs,
            EventData::RunWaiting(waiting) => {
                self.halted = matches!(&*waiting.on, "human" | "event" | "child");
            }
            EventData::RunPaused(_) => self.halted = true,
            EventData::RunResumed(_) => self.halted = false,
            EventData::RunEnded { terminal } => return Some(terminal),
            _ => {}
        }
        None
    }

    async fn row(&self) -> Api<Row<Run>> {
        let (tenant, run) = (self.tenant, self.run);
        Ok(self.app.store.read(move |reader| reader.require::<Run>(tenant, &run)).await?)
    }

    /// What the run said, as its message holds it.
    async fn said(&self, message: (Uuid, Uuid)) -> Api<String> {
        let tenant = self.tenant;
        let row = self.app.store.read(move |reader| reader.get::<Message>(tenant, &message)).await?;
        let parts = row.map(|row| row.body.parts).unwrap_or_default();
        let texts = parts.into_iter().filter_map(|part| match part {
            Part::Text { text } => Some(text),
            _ => None,
        });
        Ok(texts.collect::<Vec<_>>().join("\n\n"))
    }

    /// The outputs with the large ones in their place.
    async fn whole_outputs(&mut self) -> Api<Map<String, Value>> {
        let mut outputs = std::mem::take(&mut self.outputs);
        for value in outputs.values_mut() {
            if let Some((blob, bytes)) = kept_apart(value) {
                let bytes = self.app.store.blobs().range(self.tenant, &blob, 0..bytes).await?;
                *value = serde_json::from_slice(&bytes).unwrap_or_default();
            }
        }
        Ok(outputs)
    }
}

/// Where a large value is kept, and its size in bytes.
fn kept_apart(value: &Value) -> Option<(BlobId, u64)> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    let blob = BlobId::parse(fields.get("$blob")?.as_str()?).ok()?;
    Some((blob, fields.get("bytes")?.as_u64()?))
}
