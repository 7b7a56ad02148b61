//! Adds documents: one transaction either adds the document and its run, or finds that the document already exists.

use domain::{Code, Refusal};
use runs::{AttachError, Runs, StartError};
use storage::records::{
    Assistant, Document, DocumentSource, DocumentStatus, KnowledgeBase, Run, RunKind, RunState,
};
use storage::{BlobId, CountedResource, IndexKey, Row, Scan, TenantId, Tx, journal};
use uuid::Uuid;

use super::{Ingest, IngestRequest};

/// The place where a document is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentTarget {
    /// A knowledge base.
    Base(Uuid),
    /// The assistant's own knowledge base, which is created on first use.
    Assistant(Uuid),
}

/// The content of a new document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewSource {
    /// A stored file.
    File {
        /// The blob that contains the file.
        blob_id: BlobId,
        /// The media type, as detected or declared.
        media_type: String,
        /// The size of the file, in bytes.
        size: u64,
    },
    /// A stored text.
    Text {
        /// The blob that contains the text, as Markdown in UTF-8.
        blob_id: BlobId,
        /// The size of the text, in bytes.
        size: u64,
    },
    /// A web page.
    Link {
        /// The URL of the page.
        url: String,
    },
}

/// A document to add. The caller must have checked the user's permission.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// The tenant that will contain the document.
    pub tenant: TenantId,
    /// The user who adds the document.
    pub user: Uuid,
    /// The API token of the request, for the usage record.
    pub token_id: Option<Uuid>,
    /// The place where the document is added.
    pub home: DocumentTarget,
    /// The displayed title of the document.
    pub title: String,
    /// The file name. Empty for texts and pages.
    pub filename: String,
    /// A description written by users.
    pub description: String,
    pub source: NewSource,
}

/// A document that was added or already existed.
#[derive(Clone, Debug)]
pub struct Added {
    pub base: Uuid,
    pub document: Row<Document>,
    /// Whether the document already existed.
    pub existing: bool,
}

/// Why a request was refused. A refusal changes nothing.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// An object that the request names does not exist.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The index of the knowledge base is being rebuilt.
    #[error("the knowledge base is being indexed again")]
    Reindexing,
    /// The embedding model does not exist.
    #[error("there is no embedding model {0:?}")]
    UnknownEmbedder(String),
    /// The user has reached the maximum number of waiting runs.
    #[error("too many runs are waiting")]
    TooMany,
    /// The supervisor's mailbox is full, or a run could not be stopped in time.
    #[error("the server is busy")]
    Busy,
    /// The process is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl From<StartError> for IngestError {
    fn from(why: StartError) -> Self {
        match why {
            StartError::TooMany => Self::TooMany,
            StartError::Busy => Self::Busy,
            StartError::ShuttingDown => Self::ShuttingDown,
            StartError::Storage(why) => Self::Storage(why),
            other => Self::Storage(storage::Error::Invalid(other.to_string())),
        }
    }
}

impl From<AttachError> for IngestError {
    fn from(why: AttachError) -> Self {
        match why {
            AttachError::NotFound | AttachError::Expired => Self::NotFound("run"),
            AttachError::Busy => Self::Busy,
            AttachError::Storage(why) => Self::Storage(why),
        }
    }
}

/// Adds a document and starts its ingest. If the same content or URL was added before, returns the existing document. Pages, and
/// documents that could not be read, are then read again.
pub async fn add_document(runs: &Runs, new: NewDocument) -> Result<Added, IngestError> {
    may_ingest(runs, new.tenant, new.user)?;
    let (tenant, user) = (new.tenant, new.user);
    let run_context = runs.handler::<Ingest>().run_context.clone();
    let embedder = run_context.library.default_embedder(tenant, user).await?;
    let own = runs.clone();
    let accepted = async move {
        let (added, run) = own.store().run(move |tx| accept(tx, &new, &embedder)).await?;
        if let Some(run) = run {
            own.launch(tenant, run);
        }
        Ok(added)
    };
    runs.run_uninterrupted(accepted).await
}

/// Checks whether the user may add documents now, and returns the embedding model for a knowledge base that may have to be
/// created. Call this before [`add_in`], and [`launch_documents`] after the commit.
pub async fn ready_to_add(runs: &Runs, tenant: TenantId, user: Uuid) -> Result<String, IngestError> {
    may_ingest(runs, tenant, user)?;
    let run_context = runs.handler::<Ingest>().run_context.clone();
    Ok(run_context.library.default_embedder(tenant, user).await?)
}

/// Starts the runs that [`add_in`] has accepted. If this is not called, for example because of a crash, the runs start when the
/// server restarts.
pub fn launch_documents(runs: &Runs, tenant: TenantId, accepted: Vec<Row<Run>>) {
    for run in accepted {
        runs.launch(tenant, run);
    }
}

pub(super) fn may_ingest(runs: &Runs, tenant: TenantId, user: Uuid) -> Result<(), IngestError> {
    if runs.draining() {
        return Err(IngestError::ShuttingDown);
    }
    Ok(runs.may_start(tenant, user)?)
}

/// Returns the knowledge base that a document is added to. Creates the assistant's own knowledge base if necessary.
fn home(tx: &mut Tx, new: &NewDocument, embedder: &str) -> Result<Row<KnowledgeBase>, IngestError> {
    let tenant = new.tenant;
    let id = match new.home {
        DocumentTarget::Base(id) => {
            return tx.get(tenant, &id)?.ok_or(IngestError::NotFound("knowledge base"));
        }
        DocumentTarget::Assistant(id) => id,
    };
    let mut assistant = tx.get::<Assistant>(tenant, &id)?.ok_or(IngestError::NotFound("assistant"))?;
    if let Some(own) = assistant.own_knowledge {
        return Ok(tx.require(tenant, &own)?);
    }
    let base = KnowledgeBase {
        name: assistant.name.clone(),
        owner: assistant.owner,
        assistant_id: Some(id),
        embedding_model: embedder.to_owned(),
        ..KnowledgeBase::default()
    };
    let base = tx.insert(tenant, storage::new_id(), base)?;
    assistant.own_knowledge = Some(base.id);
    tx.update(tenant, assistant)?;
    Ok(base)
}

type Accepted = (Added, Option<Row<Run>>);

/// Adds a document in the caller's transaction. Also returns the run that ingests the document, if one is needed.
///
/// # Errors
/// Returns the same errors as [`add_document`]. The caller must then abandon the transaction.
pub fn add_in(tx: &mut Tx, new: &NewDocument, embedder: &str) -> Result<Accepted, IngestError> {
    accept(tx, new, embedder)
}

fn accept(tx: &mut Tx, new: &NewDocument, embedder: &str) -> Result<Accepted, IngestError> {
    let tenant = new.tenant;
    let mut base = home(tx, new, embedder)?;
    if let Some(document) = existing(tx, tenant, base.id, &new.source)? {
        return again(tx, new, &base, document);
    }
    tx.require_place(CountedResource::Documents, u64::from(base.documents))?;
    // Updating the base makes concurrent additions conflict with each other, and with the deletion of the base.
    base.documents += 1;
    let base = tx.update(tenant, base)?;
    let id = storage::new_id();
    let run = run(
        tx,
        new.tenant,
        new.user,
        new.token_id,
        &base,
        &IngestRequest::Document { base: base.id, document: id },
    )?;
    let document = Document { run_id: Some(run.id), ..document(new) };
    let document = tx.insert(tenant, (base.id, id), document)?;
    link_in(tx, tenant, &base, &new.source)?;
    Ok((Added { base: base.id, document, existing: false }, Some(run)))
}

fn document(new: &NewDocument) -> Document {
    let plain = Document {
        title: new.title.clone(),
        filename: new.filename.clone(),
        description: new.description.clone(),
        added_by: new.user,
        ..Document::default()
    };
    match &new.source {
        NewSource::File { blob_id, media_type, size } => Document {
            source: DocumentSource::File,
            blob_id: Some(blob_id.clone()),
            media_type: media_type.clone(),
            size: *size,
            ..plain
        },
        NewSource::Text { blob_id, size } => Document {
            source: DocumentSource::Text,
            blob_id: Some(blob_id.clone()),
            media_type: "text/markdown".to_owned(),
            size: *size,
            ..plain
        },
        NewSource::Link { url } => Document { source: DocumentSource::Link, url: Some(url.clone()), ..plain },
    }
}

/// Finds the document that was added from the same content or URL.
fn existing(
    tx: &mut Tx,
    tenant: TenantId,
    base: Uuid,
    source: &NewSource,
) -> storage::Result<Option<Row<Document>>> {
    let content = match source {
        NewSource::File { blob_id, .. } | NewSource::Text { blob_id, .. } => blob_id.as_str(),
        NewSource::Link { url } => url,
    };
    let key = IndexKey::new().id(&base).text(content).done();
    Ok(tx.scan::<Document>(tenant, Scan::index("by_content").prefix(key).limit(1))?.items.pop())
}

/// Reads a page again, or a document that could not be read.
fn again(
    tx: &mut Tx,
    new: &NewDocument,
    base: &Row<KnowledgeBase>,
    document: Row<Document>,
) -> Result<Accepted, IngestError> {
    let worth = document.source == DocumentSource::Link
        || matches!(document.status, DocumentStatus::Failed | DocumentStatus::Cancelled);
    if document.status.is_in_work() || !worth {
        return Ok((Added { base: base.id, document, existing: true }, None));
    }
    let (document, run) = read_again(tx, new.tenant, (new.user, new.token_id), base, document)?;
    Ok((Added { base: base.id, document, existing: true }, Some(run)))
}

/// Adds a run that reads a document again, on behalf of this user and token.
pub(super) fn read_again(
    tx: &mut Tx,
    tenant: TenantId,
    (user, token_id): (Uuid, Option<Uuid>),
    base: &Row<KnowledgeBase>,
    mut document: Row<Document>,
) -> storage::Result<(Row<Document>, Row<Run>)> {
    let request = IngestRequest::Document { base: base.id, document: document.id.1 };
    let run = run(tx, tenant, user, token_id, base, &request)?;
    forget_run(tx, tenant, document.run_id)?;
    document.run_id = Some(run.id);
    document.status = DocumentStatus::Queued;
    document.error = None;
    Ok((tx.update(tenant, document)?, run))
}

/// Deletes the previous run of a document, which is no longer needed once another run owns the document.
pub(super) fn forget_run(tx: &mut Tx, tenant: TenantId, run: Option<Uuid>) -> storage::Result<()> {
    let Some(id) = run else { return Ok(()) };
    if tx.get::<Run>(tenant, &id)?.is_some_and(|run| run.state.is_terminal()) {
        tx.drop_run(tenant, id)?;
        tx.delete::<Run>(tenant, &id)?;
    }
    Ok(())
}

/// Adds the URL of a page in an assistant's own knowledge base to the assistant's web links.
fn link_in(
    tx: &mut Tx,
    tenant: TenantId,
    base: &Row<KnowledgeBase>,
    source: &NewSource,
) -> storage::Result<()> {
    let (Some(assistant), NewSource::Link { url }) = (base.assistant_id, source) else { return Ok(()) };
    let Some(mut assistant) = tx.get::<Assistant>(tenant, &assistant)? else { return Ok(()) };
    if !assistant.web_links.contains(url) {
        assistant.web_links.push(url.clone());
        tx.update(tenant, assistant)?;
    }
    Ok(())
}

/// Inserts an ingest run in its initial state.
pub(super) fn run(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    token_id: Option<Uuid>,
    base: &Row<KnowledgeBase>,
    request: &IngestRequest,
) -> storage::Result<Row<Run>> {
    let run = Run {
        kind: RunKind::Ingest,
        user,
        assistant_id: base.assistant_id,
        model: base.embedding_model.clone(),
        state: RunState::Queued,
        epoch: 1,
        request: serde_json::to_value(request).map_err(|why| storage::Error::Invalid(why.to_string()))?,
        context: Some("knowledge".to_owned()),
        token_id,
        trace: tx.trace(),
        ..Run::default()
    };
    let row = tx.insert(tenant, Uuid::now_v7(), run)?;
    journal::set_epoch(tx.batch(), tenant, row.id, 1);
    Ok(row)
}

impl From<IngestError> for Refusal {
    fn from(why: IngestError) -> Self {
        match why {
            IngestError::NotFound(what) => Self::not_found(what),
            IngestError::Reindexing => Code::Reindexing.into(),
            IngestError::UnknownEmbedder(model) => Self::new(Code::Conflict).detail(format!(
                "there is no embedding model {model:?}; choose another one for the knowledge base"
            )),
            IngestError::TooMany => {
                Self::new(Code::RateLimited).detail("too many of your runs are waiting").retry_after(5)
            }
            IngestError::Busy => Self::new(Code::Overloaded).retry_after(1),
            IngestError::ShuttingDown => Self::new(Code::ShuttingDown).retry_after(5),
            IngestError::Storage(why) => why.into(),
        }
    }
}
