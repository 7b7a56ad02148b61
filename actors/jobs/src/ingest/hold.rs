//! The document that a run works on: reading it, and recording its progress.

use std::sync::atomic::{AtomicBool, Ordering};

use assist::RunWork;
use assist::library::EmbedError;
use knowledge::ChunkSettings;
use runs::{EventData, RunOutcome, TerminalError, WriteError};
use storage::records::{Build, Document, DocumentStatus, KnowledgeBase};
use storage::{Row, TenantId, Tx};
use uuid::Uuid;

/// Why work on a document stops.
pub(super) enum Stop {
    /// The run ends with this outcome.
    Outcome(RunOutcome),
    /// The document was deleted or belongs to another run.
    Taken,
    /// The run may no longer write.
    Write,
}

impl From<WriteError> for Stop {
    fn from(_: WriteError) -> Self {
        Self::Write
    }
}

impl Stop {
    pub fn failed(code: &str, message: impl Into<String>) -> Self {
        Self::Outcome(RunOutcome::failed(code, message))
    }

    /// The outcome for a document that could not be embedded.
    pub fn unembedded(why: &EmbedError) -> Self {
        let error = TerminalError::new(why.code(), why.to_string());
        let provider_code = why.provider_code().map(str::to_owned);
        Self::Outcome(RunOutcome::Failed { error: TerminalError { provider_code, ..error } })
    }
}

/// The settings for building the index of a base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub version: u32,
    pub embedding_model: String,
    pub chunks: ChunkSettings,
}

impl Settings {
    /// The settings of the version that is currently searched.
    pub fn current(base: &KnowledgeBase) -> Self {
        Self {
            version: base.index_version,
            embedding_model: base.embedding_model.clone(),
            chunks: ChunkSettings { tokens: base.chunk_tokens, overlap: base.overlap },
        }
    }

    /// The settings of the version that is being built, if any.
    pub fn next(base: &KnowledgeBase) -> Option<Self> {
        base.rebuild.as_ref().map(|next| Self {
            version: next.index_version,
            embedding_model: next.embedding_model.clone(),
            chunks: ChunkSettings { tokens: next.chunk_tokens, overlap: next.overlap },
        })
    }
}

/// The work of a run on one document.
pub(super) struct Builder<'a> {
    pub work: &'a RunWork,
    /// Ids of the base and the document.
    pub id: (Uuid, Uuid),
    /// Whether the run is the document's own run, which sets the document's status.
    pub own: bool,
}

impl Builder<'_> {
    /// Loads the document and its base. Fails if the document no longer belongs to this run.
    pub async fn load(&self) -> Result<(Row<KnowledgeBase>, Row<Document>), Stop> {
        let (tenant, id) = (self.work.tenant, self.id);
        let read = self.work.store.read(move |reader| {
            let base = reader.get::<KnowledgeBase>(tenant, &id.0)?;
            Ok::<_, storage::Error>((base, reader.get::<Document>(tenant, &id)?))
        });
        match read.await.map_err(storage_failed)? {
            (Some(base), Some(document)) if !self.own || document.run_id == Some(self.work.run.id) => {
                Ok((base, document))
            }
            _ => Err(Stop::Taken),
        }
    }

    pub fn progress(&self, status: DocumentStatus, done: u32, total: Option<u32>) -> EventData {
        EventData::IngestProgress { document_id: self.id.1, status, done, total }
    }

    pub async fn report(&self, status: DocumentStatus, done: u32, total: Option<u32>) -> Result<(), Stop> {
        let progress = self.progress(status, done, total);
        self.write(vec![progress], Some(status), |_, _, _| Ok(())).await
    }

    /// Changes the document and records its progress.
    pub async fn step(
        &self,
        status: DocumentStatus,
        change: impl Fn(&mut Document) + Send + Sync,
    ) -> Result<(), Stop> {
        let progress = self.progress(status, 0, None);
        self.write(vec![progress], Some(status), |_, _, row| {
            change(&mut row.body);
            Ok(())
        })
        .await
    }

    /// Writes the document and events in one transaction, if the document still belongs to this run. Only the document's own run
    /// changes its status.
    pub async fn write(
        &self,
        events: Vec<EventData>,
        status: Option<DocumentStatus>,
        change: impl Fn(&mut Tx, TenantId, &mut Row<Document>) -> storage::Result<()> + Send + Sync,
    ) -> Result<(), Stop> {
        let (tenant, id, run, own) = (self.work.tenant, self.id, self.work.run.id, self.own);
        let taken = AtomicBool::new(false);
        let write = |tx: &mut Tx| {
            let row = tx.get::<Document>(tenant, &id)?;
            let row = row.filter(|row| !own || row.run_id == Some(run));
            taken.store(row.is_none(), Ordering::Relaxed);
            let Some(mut row) = row else { return Ok(()) };
            if let Some(status) = status.filter(|_| own) {
                row.status = status;
            }
            change(tx, tenant, &mut row)?;
            tx.update(tenant, row).map(drop)
        };
        let events = events.into_iter().map(Into::into).collect();
        self.work.write(events, write).await?;
        match taken.into_inner() {
            true => Err(Stop::Taken),
            false => Ok(()),
        }
    }
}

/// Turns a document's draft into a build, replacing the build for the same version.
pub(super) fn adopt(row: &mut Document) {
    let Some(draft) = row.draft.take() else { return };
    row.builds.retain(|build| build.index_version != draft.index_version);
    row.builds.push(Build {
        index_version: draft.index_version,
        generation: draft.generation,
        chunks: draft.chunks.unwrap_or_default(),
        tokens: draft.tokens,
    });
}

pub(super) fn storage_failed(why: storage::Error) -> Stop {
    Stop::failed("storage", why.to_string())
}
