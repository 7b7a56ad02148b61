//! The documents of knowledge bases: files, texts and web pages.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, Responder};
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};
use storage::records::{
    Build, Document, DocumentError, DocumentSource, DocumentStatus, Draft, KnowledgeBase,
};
use storage::{Cursor, Reader, Row, Scan, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::watch::{run_of, watch};
use crate::App;
use crate::api::run_streams::StreamQuery;
use crate::http::encodings;
use crate::http::scopes::KnowledgeRead;
use crate::http::{
    Api, Code, Faults, HasVersion, Json, Loaded, Path, Query, Refusal, StoredFile, Unloaded, Validate,
    Versioned, list_of, operations, record_view, send_file,
};
use domain::knowledge_bases::document;
use domain::paging::filter_page;

record_view! {
    /// A document: a file, a text or a web page.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct KnowledgeBaseDocumentResponse
    from (row, build): (Row<Document>, Build), row.body => {
        /// The document's id, which operations on files accept as `file_id`.
        id: Uuid = row.id.1,
        /// The knowledge base that contains the document.
        knowledge_base_id: Uuid = row.id.0,
        /// The title. For a web page without a title, its URL.
        title: String = match row.body.title.is_empty() {
            true => row.body.url.clone().unwrap_or_default(),
            false => row.body.title,
        },
        /// Whether the document is a file, a text or a web page.
        source: DocumentSource,
        /// The URL of a web page.
        url: Option<String>,
        /// A description by the editors of the knowledge base.
        description: String,
        media_type: String,
        /// The size in bytes.
        size: u64,
        /// The processing status of the document.
        status: DocumentStatus,
        /// Why the document could not be read.
        error: Option<DocumentError>,
        /// The progress of the run that processes the document.
        progress: Option<DocumentProgress> = DocumentProgress::from_draft(row.body.status, row.body.draft),
        /// The run that processes the document, or processed it last.
        run_id: Option<Uuid>,
        /// The number of pages, sheets or slides.
        pages: u32,
        /// The number of characters of the text.
        characters: u64,
        /// The number of passages that can be searched.
        chunks: u32 = build.chunks,
        /// The number of tokens in these passages.
        tokens: u64 = build.tokens,
        /// The user who added the document.
        added_by: Uuid,
        /// When the web page was last fetched.
        fetched_at: Option<Timestamp>,
        /// The version of the document, which starts at 1 and increases with every change.
        version: u64 = row.version,
        /// When the document was added.
        created_at: Timestamp = row.created_at,
        /// When the document was last changed.
        updated_at: Timestamp = row.updated_at,
    }
}

/// The progress of a run that processes a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentProgress {
    pub stage: DocumentStatus,
    /// The number of passages that have been embedded.
    pub done: u32,
    /// The total number of passages, once it is known.
    pub total: Option<u32>,
}

impl DocumentProgress {
    fn from_draft(stage: DocumentStatus, draft: Option<Draft>) -> Option<Self> {
        let draft = draft.unwrap_or_default();
        stage.is_in_work().then_some(Self { stage, done: draft.embedded, total: draft.chunks })
    }
}

impl KnowledgeBaseDocumentResponse {
    pub fn new(row: Row<Document>, base: &KnowledgeBase) -> Self {
        let build = row.build(base.index_version).cloned().unwrap_or_default();
        (row, build).into()
    }
}

impl HasVersion for KnowledgeBaseDocumentResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

list_of! {
    /// A page of documents, oldest first.
    #[derive(Debug)]
    pub KnowledgeBaseDocumentResponseList of KnowledgeBaseDocumentResponse
}

/// A document that was added, or that existed before.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddedDocument {
    #[serde(flatten)]
    pub document: KnowledgeBaseDocumentResponse,
    /// Whether the document existed before.
    pub existing: bool,
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListDocuments {
    /// Returns only documents with this status.
    pub status: Option<DocumentStatus>,
    /// Returns only files, texts or web pages.
    pub source: Option<DocumentSource>,
    /// The maximum number of items to return.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl Default for ListDocuments {
    fn default() -> Self {
        Self { status: None, source: None, limit: 50, cursor: None }
    }
}

impl Validate for ListDocuments {
    fn validate(&self, faults: &mut Faults) {
        if self.cursor.as_deref().is_some_and(|cursor| Cursor::parse(cursor).is_err()) {
            faults.add(["cursor"], "is not a cursor of this list", "malformed");
        }
    }
}

/// A page of the documents of a knowledge base, limited to these sources.
pub fn list(
    reader: &Reader,
    tenant: TenantId,
    base: &Row<KnowledgeBase>,
    params: &ListDocuments,
    sources: &[DocumentSource],
) -> Api<KnowledgeBaseDocumentResponseList> {
    let after = params.cursor.as_deref().map(Cursor::parse).transpose()?;
    let wanted = |row: &Row<Document>| {
        let of_status = params.status.is_none_or(|status| row.status == status);
        let of_source = params.source.is_none_or(|source| row.source == source);
        Ok(of_status && of_source && (sources.is_empty() || sources.contains(&row.source)))
    };
    let scan = || Scan::table().prefix(base.id.as_bytes().to_vec());
    let page = |after, limit| reader.scan(tenant, scan().after(after).limit(limit));
    let page = filter_page(after, params.limit as usize, page, wanted)?;
    Ok(page.map(|row| KnowledgeBaseDocumentResponse::new(row, base)).into())
}

/// The text of a document, page by page.
#[derive(Debug, Serialize, ToSchema)]
pub struct KnowledgeBaseDocumentTextResponse {
    pub document_id: Uuid,
    /// The title of the document. Empty for a web page without a title.
    pub title: String,
    pub media_type: String,
    /// The pages, sheets or slides as Markdown. Formats without pages have a single page.
    pub pages: Vec<DocumentPage>,
}

/// A page, sheet or slide of a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentPage {
    /// The number of the page in the file, starting at 1.
    pub number: u32,
    /// The name of the sheet or slide.
    pub name: Option<String>,
    /// The text of the page. Positions in sources are character offsets in this text.
    pub text: String,
}

/// The pages of a text to return.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct WhichPage {
    /// Returns only this page.
    #[param(minimum = 1)]
    pub page: Option<u32>,
}

impl Validate for WhichPage {}

/// List the documents of a knowledge base.
#[utoipa::path(get, path = "/api/knowledge-bases/{knowledge_base_id}/documents", params(ListDocuments))]
async fn list_knowledge_base_documents(
    base: Loaded<Row<KnowledgeBase>, KnowledgeRead>,
    app: Data<App>,
    Query(params): Query<ListDocuments>,
) -> Api<Json<KnowledgeBaseDocumentResponseList>> {
    let Loaded { auth, it } = base;
    let tenant = auth.tenant;
    app.store.read(move |reader| list(reader, tenant, &it, &params, &[])).await.map(Json)
}

/// Retrieve a document of a knowledge base, or stream the progress of its processing.
///
/// With `wire`, or an `Accept` header that names a streaming type, the response is the stream of the run that
/// processes the document, or processed it last: `ingest.progress` events with `status`, `done` and `total`,
/// and finally `run.ended`. `Last-Event-ID` or `after` resumes the stream. The stream expires one day after its
/// end (410); the document itself continues to show its status.
#[utoipa::path(get, path = "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}",
    params(("knowledge_base_id" = Uuid, Path), ("document_id" = Uuid, Path), StreamQuery,
        ("Last-Event-ID" = Option<u64>, Header,
            description = "The sequence number of the last event that the client received. The stream continues after it.")),
    responses(
        (status = 200, description = "The document, or the event stream of its processing.",
            headers(("ETag" = String, description = "The version of the document.")), content(
            (KnowledgeBaseDocumentResponse = "application/json"), (encodings::EncodedEvent = "text/event-stream"),
            (runs::StreamEvent = "application/x-ndjson"))),
        (status = 410, description = "The stream has expired.")))]
async fn get_knowledge_base_document(
    base: Unloaded<Row<KnowledgeBase>, KnowledgeRead>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
    Query(how): Query<StreamQuery>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let wire = how.wire(&request);
    let loaded = base.load(&app, move |reader, caller, base| {
        let row = document(reader, caller.tenant, (base.id, path.1), &[])?;
        let snapshot = wire.map(|wire| Ok::<_, Refusal>((wire, run_of(reader, caller, &row, wire)?)));
        Ok((row, snapshot.transpose()?))
    });
    match loaded.await? {
        (base, (row, None)) => {
            Ok(Versioned(KnowledgeBaseDocumentResponse::new(row, &base)).respond_to(&request))
        }
        (base, (_, Some((wire, snapshot)))) => {
            let options = how.job_options(&request, wire)?;
            watch(app, base.auth.caller(), snapshot, base.id, &options).await
        }
    }
}

/// Download a document of a knowledge base.
///
/// Returns the bytes as they were uploaded or fetched.
#[utoipa::path(get, path = "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}/content",
    params(("knowledge_base_id" = Uuid, Path), ("document_id" = Uuid, Path),
        ("Range" = Option<String>, Header, description = "The requested part of the content, for example `bytes=0-1023`.")),
    responses(
        (status = 200, description = "The content of the document.", content((Vec<u8> = "application/octet-stream"), (Vec<u8> = "*/*"))),
        (status = 206, description = "The requested part of the content.", content((Vec<u8> = "application/octet-stream"), (Vec<u8> = "*/*"))),
        (status = 304, description = "The client already has the content."),
        (status = 416, description = "The range begins after the end of the content.")))]
async fn get_knowledge_base_document_content(
    base: Loaded<Row<KnowledgeBase>, KnowledgeRead>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let (tenant, base) = (base.auth.tenant, base.it.id);
    let row = app.store.read(move |reader| document(reader, tenant, (base, path.1), &[])).await?;
    let blob = row.blob_id.clone().ok_or_else(|| Refusal::not_found("content"))?;
    let Document { title: filename, media_type, .. } = row.body;
    // A page that is fetched again keeps its URL here but has different bytes.
    let file = StoredFile { blob, media_type, filename, is_immutable: false };
    send_file(&app, tenant, file, request.headers()).await
}

/// Retrieve the text of a document of a knowledge base.
///
/// Returns the text that was extracted from the file, page by page, as Markdown. Positions in the sources of
/// answers are character offsets in these texts. While a page is being fetched again, the response contains the
/// previous text, which is also the text that is searched.
#[utoipa::path(get, path = "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}/text",
    params(("knowledge_base_id" = Uuid, Path), ("document_id" = Uuid, Path), WhichPage))]
async fn get_knowledge_base_document_text(
    base: Loaded<Row<KnowledgeBase>, KnowledgeRead>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
    Query(which): Query<WhichPage>,
) -> Api<Json<KnowledgeBaseDocumentTextResponse>> {
    let (tenant, base) = (base.auth.tenant, base.it.id);
    let row = app.store.read(move |reader| document(reader, tenant, (base, path.1), &[])).await?;
    text(&app, tenant, row, which).await.map(Json)
}

/// The text of a document, which is stored as JSON.
async fn text(
    app: &App,
    tenant: TenantId,
    row: Row<Document>,
    which: WhichPage,
) -> Api<KnowledgeBaseDocumentTextResponse> {
    let blob = row.text_id.clone().ok_or_else(|| no_text(&row))?;
    let mut pieces = app.store.blobs().get(tenant, &blob).await?.bytes;
    let mut json = Vec::new();
    while let Some(piece) = pieces.try_next().await? {
        json.extend_from_slice(&piece);
    }
    let read = tasks::blocking(move || serde_json::from_slice::<knowledge::Extracted>(&json));
    let broken = |why: &dyn std::fmt::Display| Refusal::new(Code::Internal).because(why);
    let text = read.await.map_err(|why| broken(&why))?.map_err(|why| broken(&why))?;
    let pages = text.pages.into_iter().filter(|page| which.page.is_none_or(|only| only == page.number));
    let pages: Vec<_> =
        pages.map(|page| DocumentPage { number: page.number, name: page.name, text: page.text }).collect();
    if pages.is_empty() && which.page.is_some() {
        return Err(Refusal::not_found("page"));
    }
    let (document_id, title, media_type) = (row.id.1, row.body.title, row.body.media_type);
    Ok(KnowledgeBaseDocumentTextResponse { document_id, title, media_type, pages })
}

/// The problem response for a document without a text, with the reason.
fn no_text(row: &Document) -> Refusal {
    let why = match &row.error {
        Some(error) => format!("there is no text: {}", error.message),
        None => "its text has not been read yet".to_owned(),
    };
    Refusal::new(Code::NotFound).detail(why)
}

operations!(
    list_knowledge_base_documents,
    get_knowledge_base_document,
    get_knowledge_base_document_content,
    get_knowledge_base_document_text
);
