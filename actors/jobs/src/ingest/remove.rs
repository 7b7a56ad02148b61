//! Deletes documents and bases. Runs that work on them are stopped first.

use assist::library::doc_keys;
use runs::{AttachError, Runs};
use storage::records::{Assistant, Document, DocumentSource, KnowledgeBase};
use storage::{Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::Ingest;
use super::accept::IngestError;

/// Deletes a document and stops the run that works on it. When this function returns, searches no longer find the document.
/// Returns false if the document does not exist.
pub async fn remove_document(
    runs: &Runs,
    tenant: TenantId,
    user: Uuid,
    base: Uuid,
    document: Uuid,
) -> Result<bool, IngestError> {
    let id = (base, document);
    let row = runs.store().read(move |reader| reader.get::<Document>(tenant, &id)).await?;
    let Some(row) = row else { return Ok(false) };
    still(runs, tenant, user, &row).await?;
    let remove = move |tx: &mut Tx| {
        link_out(tx, tenant, id)?;
        tx.delete_document(tenant, base, document)
    };
    let removed = runs.store().run(remove).await?;
    let found = removed.is_some();
    runs.handler::<Ingest>()
        .run_context
        .library
        .forget(tenant, base, doc_keys(removed.into_iter().flatten()))
        .await;
    Ok(found)
}

/// Deletes a base with its documents, removes it from the assistants that use it, and stops the runs that work on it. When this
/// function returns, searches no longer find any of its documents.
pub async fn remove_base(runs: &Runs, tenant: TenantId, user: Uuid, base: Uuid) -> Result<(), IngestError> {
    still_base(runs, tenant, user, base).await?;
    let remove = move |tx: &mut Tx| {
        detach_everywhere(tx, tenant, base)?;
        tx.delete_knowledge_base(tenant, base)
    };
    let removed = runs.store().run(remove).await?;
    runs.handler::<Ingest>().run_context.library.forget_base(tenant, base, doc_keys(removed)).await;
    Ok(())
}

/// Stops all runs that work on a base, before the base is deleted.
async fn still_base(runs: &Runs, tenant: TenantId, user: Uuid, base: Uuid) -> Result<(), IngestError> {
    let read = runs.store().read(move |reader| {
        let documents = Scan::table().prefix(base.as_bytes().to_vec());
        let row = reader.get::<KnowledgeBase>(tenant, &base)?;
        Ok::<_, storage::Error>((row, reader.scan::<Document>(tenant, documents)?.items))
    });
    let (row, documents) = read.await?;
    if let Some(rebuild) = row.and_then(|row| row.body.rebuild) {
        stop(runs, tenant, user, rebuild.run_id).await?;
    }
    for document in documents {
        still(runs, tenant, user, &document).await?;
    }
    Ok(())
}

async fn still(
    runs: &Runs,
    tenant: TenantId,
    user: Uuid,
    document: &Row<Document>,
) -> Result<(), IngestError> {
    match document.run_id.filter(|_| document.status.is_in_work()) {
        Some(run) => stop(runs, tenant, user, run).await,
        None => Ok(()),
    }
}

async fn stop(runs: &Runs, tenant: TenantId, user: Uuid, run: Uuid) -> Result<(), IngestError> {
    match runs.cancel(tenant, run, user).await {
        // The rows must not be deleted while the run's actor still writes them.
        Ok(receipt) if receipt.terminal.is_none() => Err(IngestError::Busy),
        Ok(_) | Err(AttachError::NotFound | AttachError::Expired) => Ok(()),
        Err(why) => Err(why.into()),
    }
}

/// Removes the URL of a deleted page from the assistant's web links.
fn link_out(tx: &mut Tx, tenant: TenantId, id: (Uuid, Uuid)) -> storage::Result<()> {
    let Some(document) = tx.get::<Document>(tenant, &id)? else { return Ok(()) };
    let (DocumentSource::Link, Some(url)) = (document.source, &document.url) else { return Ok(()) };
    let base = tx.get::<KnowledgeBase>(tenant, &id.0)?;
    let Some(assistant) = base.and_then(|base| base.assistant_id) else { return Ok(()) };
    let Some(mut assistant) = tx.get::<Assistant>(tenant, &assistant)? else { return Ok(()) };
    assistant.web_links.retain(|link| link != url);
    tx.update(tenant, assistant).map(drop)
}

fn detach_everywhere(tx: &mut Tx, tenant: TenantId, base: Uuid) -> storage::Result<()> {
    for mut assistant in tx.scan::<Assistant>(tenant, Scan::table())?.items {
        if assistant.knowledge_bases.contains(&base) {
            assistant.knowledge_bases.retain(|id| *id != base);
            tx.update(tenant, assistant)?;
        }
    }
    Ok(())
}
