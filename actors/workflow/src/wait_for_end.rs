//! Reads a run until it ends or cannot continue by itself.

use std::time::Duration;

use runs::{Cursor, Event, EventData, StreamEvent, Terminal};
use serde_json::{Map, Value};
use storage::records::{Message, Part};
use storage::{BlobId, Store, TenantId};
use uuid::Uuid;

use crate::waits::{Waits, WorkflowWait, is_blocked};

/// How long a run that may be blocked must be silent before its state is looked up.
const IDLE_TIMEOUT: Duration = Duration::from_millis(100);

/// What has been read of a run so far.
#[derive(Default)]
pub struct RunProgress {
    /// How the run ended. `None` if the run is blocked or still continues.
    pub terminal: Option<Terminal>,
    outputs: Map<String, Value>,
    waits: Waits,
    /// Whether the run may be blocked, judging by its events.
    may_be_blocked: bool,
}

/// Reads a run of any kind until it ends, waits for a person or an event, or `patience` has elapsed.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn wait_for_end(
    store: &Store,
    tenant: TenantId,
    cursor: Cursor,
    patience: Option<Duration>,
) -> storage::Result<RunProgress> {
    let mut progress = RunProgress::default();
    let read = progress.read(store, tenant, cursor);
    match patience {
        // After the timeout the run continues, and the result is what has been read so far.
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
                true => tokio::time::timeout(IDLE_TIMEOUT, cursor.next()).await,
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

    /// Returns the outputs of the run, including values that are stored apart from the journal.
    ///
    /// # Errors
    /// Returns an error if the store fails.
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

/// Returns the text of a run's answer. `message` is the id of the conversation and the id of the message.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn answer_text(store: &Store, tenant: TenantId, message: (Uuid, Uuid)) -> storage::Result<String> {
    let row = store.read(move |reader| reader.get::<Message>(tenant, &message)).await?;
    let parts = row.map(|row| row.body.parts).unwrap_or_default();
    let texts = parts.into_iter().filter_map(|part| match part {
        Part::Text { text } => Some(text),
        _ => None,
    });
    Ok(texts.collect::<Vec<_>>().join("\n\n"))
}

/// Returns the blob and the size in bytes of a value that is stored apart from the journal.
fn blob_of(value: &Value) -> Option<(BlobId, u64)> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    let blob = BlobId::parse(fields.get("$blob")?.as_str()?).ok()?;
    Some((blob, fields.get("bytes")?.as_u64()?))
}
