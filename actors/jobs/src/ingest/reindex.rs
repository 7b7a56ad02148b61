//! Rebuilds the index of a base with a different model or passage size, while the current index continues to be searched.

use std::collections::HashSet;

use assist::RunWork;
use assist::library::doc_keys;
use runs::{RunOutcome, Runs, WriteError};
use storage::records::{Document, DocumentError, DocumentStatus, KnowledgeBase, Rebuild, Run};
use storage::{Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::accept::{self, IngestError, may_ingest};
use super::hold::{Builder, Settings, Stop, adopt};
use super::{Ingest, IngestRequest};

/// A request to rebuild an index. Omitted values are unchanged.
#[derive(Clone, Debug)]
pub struct Reindex {
    /// The tenant that owns the base.
    pub tenant: TenantId,
    /// The user who makes the request.
    pub user: Uuid,
    /// The API token of the request, for the usage record.
    pub token_id: Option<Uuid>,
    pub base: Uuid,
    /// Full id of the embedding model.
    pub embedding_model: Option<String>,
    /// Size of a passage, in tokens.
    pub chunk_tokens: Option<u32>,
    /// Number of tokens that a passage repeats from the previous passage.
    pub overlap: Option<u32>,
}

/// Starts to build the next version of a base's index. The current version is searched until the new version is complete.
pub async fn reindex(runs: &Runs, request: Reindex) -> Result<Row<Run>, IngestError> {
    may_ingest(runs, request.tenant, request.user)?;
    if let Some(model) = &request.embedding_model
        && runs.handler::<Ingest>().run_context.models.find_embedder(model).is_none()
    {
        return Err(IngestError::UnknownEmbedder(model.clone()));
    }
    let tenant = request.tenant;
    let own = runs.clone();
    let accepted = async move {
        let run = own.store().run(move |tx| accept(tx, &request)).await?;
        own.launch(tenant, run.clone());
        Ok(run)
    };
    runs.run_uninterrupted(accepted).await
}

fn accept(tx: &mut Tx, request: &Reindex) -> Result<Row<Run>, IngestError> {
    let tenant = request.tenant;
    let base = tx.get::<KnowledgeBase>(tenant, &request.base)?;
    let mut base = base.ok_or(IngestError::NotFound("knowledge base"))?;
    if base.rebuild.is_some() {
        return Err(IngestError::Reindexing);
    }
    let embedding_model = request.embedding_model.clone().unwrap_or_else(|| base.embedding_model.clone());
    let run = accept::run(
        tx,
        tenant,
        request.user,
        request.token_id,
        &base,
        &IngestRequest::Base { base: base.id },
    )?;
    base.last_version += 1;
    base.rebuild = Some(Rebuild {
        index_version: base.last_version,
        run_id: run.id,
        embedding_model,
        chunk_tokens: request.chunk_tokens.unwrap_or(base.chunk_tokens),
        overlap: request.overlap.unwrap_or(base.overlap),
    });
    tx.update(tenant, base)?;
    Ok(run)
}

/// Builds the next version and makes it the version that is searched.
pub(super) async fn base(work: &RunWork, base: Uuid) -> Result<RunOutcome, WriteError> {
    let built = tokio::select! {
        biased;
        () = work.cancel.cancelled() => Err(Stop::Outcome(RunOutcome::Cancelled)),
        built = build(work, base) => built,
    };
    match built {
        Ok(()) => {
            clean(work, base).await?;
            Ok(RunOutcome::Succeeded { reason: None })
        }
        Err(Stop::Outcome(outcome)) => Ok(outcome),
        Err(Stop::Taken) => Ok(RunOutcome::Succeeded { reason: Some("superseded".into()) }),
        Err(Stop::Write) => Err(WriteError),
    }
}

/// Builds all searchable documents, repeatedly until none is missing. This includes documents that are added during the rebuild.
async fn build(work: &RunWork, base: Uuid) -> Result<(), Stop> {
    let mut unreadable = HashSet::new();
    loop {
        let Some(settings) = settings(work, base).await? else { return Ok(()) };
        let unfinished = remaining(work, base, settings.version, &unreadable).await?;
        if unfinished.is_empty() && swap(work, base, &settings, &unreadable).await? {
            return Ok(());
        }
        for document in unfinished {
            let builder = Builder { work, id: (base, document), own: false };
            match builder.build(&settings).await {
                Ok(()) => {
                    let version = settings.version;
                    let keep = move |_: &mut Tx, _, row: &mut Row<Document>| {
                        if row.draft.as_ref().is_some_and(|draft| draft.index_version == version) {
                            adopt(row);
                        }
                        Ok(())
                    };
                    builder.write(Vec::new(), None, keep).await?;
                }
                // The document belongs to its own run again, or was deleted.
                Err(Stop::Taken) => tokio::task::yield_now().await,
                Err(Stop::Outcome(RunOutcome::Failed { error })) if error.code.starts_with("file_") => {
                    unreadable.insert(document);
                }
                Err(other) => return Err(other),
            }
        }
    }
}

/// Returns the settings to build with, or `None` if this run has already completed the rebuild.
async fn settings(work: &RunWork, base: Uuid) -> Result<Option<Settings>, Stop> {
    let (tenant, run) = (work.tenant, work.run.id);
    let read = work.store.read(move |reader| reader.get::<KnowledgeBase>(tenant, &base));
    let row = read.await.map_err(super::hold::storage_failed)?.ok_or(Stop::Taken)?;
    let ours = row.rebuild.as_ref().is_some_and(|rebuild| rebuild.run_id == run);
    Ok(Settings::next(&row).filter(|_| ours))
}

/// Returns the searchable documents that have no passages for this version yet.
async fn remaining(
    work: &RunWork,
    base: Uuid,
    version: u32,
    unreadable: &HashSet<Uuid>,
) -> Result<Vec<Uuid>, Stop> {
    let (tenant, unreadable) = (work.tenant, unreadable.clone());
    let read = work.store.read(move |reader| lacking(reader, tenant, base, version));
    let unfinished = read.await.map_err(super::hold::storage_failed)?;
    Ok(unfinished.into_iter().map(|row| row.id.1).filter(|id| !unreadable.contains(id)).collect())
}

fn lacking(
    reader: &Reader,
    tenant: TenantId,
    base: Uuid,
    version: u32,
) -> storage::Result<Vec<Row<Document>>> {
    let documents = Scan::table().prefix(base.as_bytes().to_vec());
    let documents = reader.scan::<Document>(tenant, documents)?.items;
    let lacks = |row: &Row<Document>| row.status == DocumentStatus::Ready && row.build(version).is_none();
    Ok(documents.into_iter().filter(lacks).collect())
}

/// Switches searches to the new version if it is complete. Documents that could not be read again are marked as failed. Documents
/// that are currently being ingested are built for the new version by their own runs.
async fn swap(
    work: &RunWork,
    base: Uuid,
    settings: &Settings,
    unreadable: &HashSet<Uuid>,
) -> Result<bool, Stop> {
    let (tenant, run, version) = (work.tenant, work.run.id, settings.version);
    let swapped = std::sync::atomic::AtomicBool::new(false);
    let write = |tx: &mut Tx| {
        swapped.store(false, std::sync::atomic::Ordering::Relaxed);
        let Some(mut row) = tx.get::<KnowledgeBase>(tenant, &base)? else { return Ok(()) };
        let unfinished = lacking(tx, tenant, base, version)?;
        if unfinished.iter().any(|document| !unreadable.contains(&document.id.1)) {
            return Ok(());
        }
        let Some(next) = row.rebuild.take().filter(|next| next.run_id == run) else { return Ok(()) };
        for mut document in unfinished {
            document.status = DocumentStatus::Failed;
            let message = "the document could not be read again for the new index".to_owned();
            document.error =
                Some(DocumentError { code: "file_unreadable".into(), message, provider_code: None });
            tx.update(tenant, document)?;
        }
        row.index_version = next.index_version;
        row.embedding_model = next.embedding_model;
        row.chunk_tokens = next.chunk_tokens;
        row.overlap = next.overlap;
        swapped.store(true, std::sync::atomic::Ordering::Relaxed);
        tx.update(tenant, row).map(drop)
    };
    work.write(Vec::new(), write).await?;
    Ok(swapped.into_inner())
}

/// Deletes the passages of older versions. If a crash interrupts this, the next rebuild deletes the rest.
async fn clean(work: &RunWork, base: Uuid) -> Result<(), WriteError> {
    let tenant = work.tenant;
    let read = work.store.read(move |reader| {
        let documents = Scan::table().prefix(base.as_bytes().to_vec());
        let row = reader.get::<KnowledgeBase>(tenant, &base)?;
        Ok::<_, storage::Error>((row, reader.scan::<Document>(tenant, documents)?.items))
    });
    let (Some(row), documents) = read.await.map_err(|_| WriteError)? else { return Ok(()) };
    let version = row.index_version;
    for document in documents {
        let id = document.id;
        let old: Vec<u32> = document
            .builds
            .iter()
            .filter(|build| build.index_version != version)
            .map(|build| build.generation)
            .collect();
        if old.is_empty() {
            continue;
        }
        let write = |tx: &mut Tx| {
            let Some(mut row) = tx.get::<Document>(tenant, &id)? else { return Ok(()) };
            row.builds.retain(|build| build.index_version == version);
            let generations = row.builds.iter().map(|build| build.generation);
            let generations: Vec<u32> =
                generations.chain(row.draft.iter().map(|draft| draft.generation)).collect();
            tx.delete_chunks(tenant, id.1, &generations)?;
            tx.update(tenant, row).map(drop)
        };
        work.write(Vec::new(), write).await?;
        let removed = doc_keys(old.into_iter().map(|generation| (id.1, generation)));
        work.run_context.library.forget(tenant, base, removed).await;
    }
    Ok(())
}
