//! Adding documents: one transaction that adds the document and its run, or finds that it is there.

use domain::{Code, Refusal};
use runs::{AttachError, Runs, StartError};
use storage::records::{
    Assistant, Document, DocumentSource, DocumentStatus, KnowledgeBase, Run, RunKind, RunState,
};
use storage::{BlobId, Counted, IndexKey, Row, Scan, TenantId, Tx, journal};
use uuid::Uuid;

use super::{Ingest, IngestRequest};

/// Where a document goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentTarget {
    /// A knowledge base.
    Base(Uuid),
    /// The own knowledge of an assistant, which is made when it is first needed.
    Assistant(Uuid),
}

/// What is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewSource {
    /// A file that is kept.
    File {
        /// Its bytes.
        blob_id: BlobId,
        /// Its type, as detected or declared.
        media_type: String,
        /// Its bytes, counted.
        size: u64,
    },
    /// A text that is kept.
    Text {
        /// Its bytes, as Markdown in UTF-8.
        blob_id: BlobId,
        /// Its bytes, counted.
        size: u64,
    },
    /// A page of the web.
    Link {
        /// Its address.
        url: String,
    },
}

/// A document to be added. Whether the user may do so is not asked here.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// Whose it will be.
    pub tenant: TenantId,
    /// Who adds it.
    pub user: Uuid,
    /// The API token that was used, for the usage record.
    pub token_id: Option<Uuid>,
    /// Where it goes.
    pub home: DocumentTarget,
    /// Its name.
    pub title: String,
    /// The name of its file; empty for texts and pages.
    pub filename: String,
    /// What people keep with it.
    pub description: String,
    pub source: NewSource,
}

/// A document that was added, or was there.
#[derive(Clone, Debug)]
pub struct Added {
    pub base: Uuid,
    pub document: Row<Document>,
    /// Whether it was there.
    pub existing: bool,
}

/// Why something is refused; nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// Something it names does not exist.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The base's index is being rebuilt.
    #[error("the knowledge base is being indexed again")]
    Reindexing,
    /// There is no such embedding model.
    #[error("there is no embedding model {0:?}")]
    UnknownEmbedder(String),
    /// The user has as many runs waiting as they may.
    #[error("too many runs are waiting")]
    TooMany,
    /// The supervisor's mailbox is full, or a run could not be stopped in time.
    #[error("the server is busy")]
    Busy,
    /// The process is about to stop.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// Storage failed.
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

/// Adds a document and starts to make it findable. The same bytes, or the same address, again are
/// the same document; a page, and a document that could not be read, is then read again.
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
    runs.see_through(accepted).await
}

/// Whether the user may add documents now, and the model that embeds them where a base is still to be made: for
/// [`add_in`], after whose commit [`launch_documents`] is due.
pub async fn ready_to_add(runs: &Runs, tenant: TenantId, user: Uuid) -> Result<String, IngestError> {
    may_ingest(runs, tenant, user)?;
    let run_context = runs.handler::<Ingest>().run_context.clone();
    Ok(run_context.library.default_embedder(tenant, user).await?)
}

/// Starts what [`add_in`] has accepted. Without this, after a crash say, the next start of the server does it.
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

/// The base that a document goes to.
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

/// Adds a document within a transaction of the caller's, together with whatever else that does. The run that is to
/// make it findable comes back, if it needs one.
///
/// # Errors
/// Those of [`add_document`]; the transaction is then to be given up.
pub fn add_in(tx: &mut Tx, new: &NewDocument, embedder: &str) -> Result<Accepted, IngestError> {
    accept(tx, new, embedder)
}

fn accept(tx: &mut Tx, new: &NewDocument, embedder: &str) -> Result<Accepted, IngestError> {
    let tenant = new.tenant;
    let mut base = home(tx, new, embedder)?;
    if let Some(document) = existing(tx, tenant, base.id, &new.source)? {
        return again(tx, new, &base, document);
    }
    tx.require_place(Counted::Documents, u64::from(base.documents))?;
    // Writing the base makes two who add at once, or one who adds while another deletes it, meet.
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

/// The document that was made of the same thing.
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

/// Reads a page, or a document that could not be read, again.
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

/// Adds a run, of this user and by this token, that reads a document again.
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

/// The run before is of no use once another one has the document.
pub(super) fn forget_run(tx: &mut Tx, tenant: TenantId, run: Option<Uuid>) -> storage::Result<()> {
    let Some(id) = run else { return Ok(()) };
    if tx.get::<Run>(tenant, &id)?.is_some_and(|run| run.state.is_terminal()) {
        tx.drop_run(tenant, id)?;
        tx.delete::<Run>(tenant, &id)?;
    }
    Ok(())
}

/// A page among an assistant's own knowledge stands among its addresses.
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

/// Adds a run.
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
