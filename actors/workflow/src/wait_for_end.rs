//! Reading a run until it ends, or does not go on by itself.

use std::time::Duration;

use runs::{Cursor, Event, EventData, StreamEvent, Terminal};
use serde_json::{Map, Value};
use storage::records::{Message, Part};
use storage::{BlobId, Store, TenantId};
use uuid::Uuid;

use crate::waits::{Waits, WorkflowWait, is_blocked};

/// How long a run that may be blocked has to be silent before that is looked up.
const SILENCE: Duration = Duration::from_millis(100);

/// What was read of a run.
#[derive(Default)]
pub struct RunProgress {
    /// The end; `None` for a run that is blocked, or goes on.
    pub terminal: Option<Terminal>,
    outputs: Map<String, Value>,
    waits: Waits,
    /// Whether the run may be blocked, according to its events.
    may_be_blocked: bool,
}

/// Reads a run of any kind until it ends, or waits for a person or an event, or until `patience` is
/// over.
///
/// # Errors
/// Those of storage.
pub async fn wait_for_end(
    store: &Store,
    tenant: TenantId,
    cursor: Cursor,
    patience: Option<Duration>,
) -> storage::Result<RunProgress> {
    let mut progress = RunProgress::default();
    let read = progress.read(store, tenant, cursor);
    match patience {
        // After the time-out the run goes on, and what was read so far is the result.
        Some(patience) => tokio::time::timeout(patience, read).await.unwrap_or(Ok(()))?,
        None => read.await?,
    }
    Ok(progress)
}

impl RunProgress {
    async fn read(&mut self, store: &Store, tenant: TenantId, mut cursor: Cursor) -> storage::Result<()> {
        let run = cursor.run();
        loop {
            let next = match self.may_be_blocked {
                false => Ok(cursor.next().await),
                true => tokio::time::timeout(SILENCE, cursor.next()).await,
            };
            let Ok(next) = next else {
                match store.read(move |reader| is_blocked(reader, tenant, run)).await? {
                    true => return Ok(()),
                    false => continue,
                }
            };
            let Some(chunk) = next? else { return Ok(()) };
            chunk.events.iter().for_each(|event| self.apply(event));
            if self.terminal.is_some() {
                return Ok(());
            }
        }
    }

    fn apply(&mut self, event: &Event) {
        let changes_waits = Waits::depend_on(&event.kind);
        if !changes_waits && !event.kind.starts_with("run.") && &*event.kind != "outputs" {
            return;
        }
        let Some(event) = StreamEvent::read(event) else { return };
        if changes_waits {
            self.waits.apply(&event);
        }
        match event.event {
            EventData::Outputs(outputs) => self.outputs = outputs.outputs,
            EventData::RunWaiting(waiting) => {
                self.may_be_blocked = matches!(&*waiting.on, "human" | "event" | "child");
            }
            EventData::RunPaused(_) => self.may_be_blocked = true,
            EventData::RunResumed(_) => self.may_be_blocked = false,
            EventData::RunEnded { terminal } => self.terminal = Some(terminal),
            _ => {}
        }
    }

    pub fn into_waits(self) -> Vec<WorkflowWait> {
        self.waits.into_vec()
    }

    /// The outputs of the run, those that are stored apart included.
    ///
    /// # Errors
    /// Those of storage.
    pub async fn outputs(&mut self, store: &Store, tenant: TenantId) -> storage::Result<Map<String, Value>> {
        let mut outputs = std::mem::take(&mut self.outputs);
        for value in outputs.values_mut() {
            if let Some((blob, bytes)) = blob_of(value) {
                let bytes = store.blobs().range(tenant, &blob, 0..bytes).await?;
                *value = serde_json::from_slice(&bytes).unwrap_or_default();
            }
        }
        Ok(outputs)
    }
}

/// The text of a run's answer: a message, named by its conversation and its id.
///
/// # Errors
/// Those of storage.
pub async fn answer_text(store: &Store, tenant: TenantId, message: (Uuid, Uuid)) -> storage::Result<String> {
    let row = store.read(move |reader| reader.get::<Message>(tenant, &message)).await?;
    let parts = row.map(|row| row.body.parts).unwrap_or_default();
    let texts = parts.into_iter().filter_map(|part| match part {
        Part::Text { text } => Some(text),
        _ => None,
    });
    Ok(texts.collect::<Vec<_>>().join("\n\n"))
}

/// The blob of a value that is stored apart, and its size in bytes.
fn blob_of(value: &Value) -> Option<(BlobId, u64)> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    let blob = BlobId::parse(fields.get("$blob")?.as_str()?).ok()?;
    Some((blob, fields.get("bytes")?.as_u64()?))
}
