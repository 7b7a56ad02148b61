//! The documents of knowledge bases: files, texts and pages of the web.

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
    /// A document: a file, a text or a page of the web.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct KnowledgeBaseDocumentResponse
    from (row, build): (Row<Document>, Build), row.body => {
        /// The document's id, which operations on files take as `file_id`.
        id: Uuid = row.id.1,
        /// The knowledge base it belongs to.
        knowledge_base_id: Uuid = row.id.0,
        /// Its title; a page without one has its address.
        title: String = match row.body.title.is_empty() {
            true => row.body.url.clone().unwrap_or_default(),
            false => row.body.title,
        },
        /// File, text or page.
        source: DocumentSource,
        /// The address of a page.
        url: Option<String>,
        /// A note of those who manage the knowledge base.
        description: String,
        media_type: String,
        /// The size in bytes.
        size: u64,
        /// How far it has come.
        status: DocumentStatus,
        /// Why it could not be read.
        error: Option<DocumentError>,
        /// How far the run that works on it is.
        progress: Option<DocumentProgress> = DocumentProgress::from_draft(row.body.status, row.body.draft),
        /// The run that works on it, or was the last to.
        run_id: Option<Uuid>,
        /// How many pages, sheets or slides it has.
        pages: u32,
        /// How many characters its text has.
        characters: u64,
        /// How many of its passages can be searched.
        chunks: u32 = build.chunks,
        /// How many tokens those have.
        tokens: u64 = build.tokens,
        /// The user who added it.
        added_by: Uuid,
        /// When the page was last fetched.
        fetched_at: Option<Timestamp>,
        /// How often it was written, from 1.
        version: u64 = row.version,
        /// When it was added.
        created_at: Timestamp = row.created_at,
        /// When it last changed.
        updated_at: Timestamp = row.updated_at,
    }
}

/// How far a run is with a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentProgress {
    pub stage: DocumentStatus,
    /// Passages that are embedded.
    pub done: u32,
    /// Passages in all, once that is known.
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

/// A document that was added, or was there.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddedDocument {
    #[serde(flatten)]
    pub document: KnowledgeBaseDocumentResponse,
    /// Whether it was there.
    pub existing: bool,
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListDocuments {
    /// Only those that have come this far.
    pub status: Option<DocumentStatus>,
    /// Only files, texts or pages.
    pub source: Option<DocumentSource>,
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
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

/// A page of the documents of a base, of these sources.
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
    /// Its name.
    pub title: String,
    pub media_type: String,
    /// Its pages, sheets or slides, as Markdown; one where the format has none.
    pub pages: Vec<DocumentPage>,
}

/// A page, sheet or slide.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentPage {
    /// Counted from 1, as the file counts them.
    pub number: u32,
    /// What a sheet or slide is called.
    pub name: Option<String>,
    /// Its text. The places that sources tell are counted in its characters.
    pub text: String,
}

/// Which pages of a text.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct WhichPage {
    /// Only this one.
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

/// Show a document of a knowledge base, or watch how it comes to be found.
///
/// With `wire`, or an `Accept` of a streaming type, the answer is the stream of the run that works on it, or was the
/// last to: `ingest.progress` with `status`, `done` and `total`, and `run.ended` last. `Last-Event-ID` or `after` resumes. A
/// day after its end the stream has expired (410); the document itself tells how it stands.
#[utoipa::path(get, path = "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}",
    params(("knowledge_base_id" = Uuid, Path), ("document_id" = Uuid, Path), StreamQuery,
        ("Last-Event-ID" = Option<u64>, Header, description = "Begins after this sequence number.")),
    responses(
        (status = 200, description = "The document, or its stream.", content(
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
/// Its bytes as they were uploaded or fetched.
#[utoipa::path(get, path = "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}/content",
    params(("knowledge_base_id" = Uuid, Path), ("document_id" = Uuid, Path),
        ("Range" = Option<String>, Header, description = "One part, for example `bytes=0-1023`.")),
    responses(
        (status = 200, description = "Its bytes.", content((Vec<u8> = "application/octet-stream"), (Vec<u8> = "*/*"))),
        (status = 206, description = "A part of them.", content((Vec<u8> = "application/octet-stream"), (Vec<u8> = "*/*"))),
        (status = 304, description = "The caller has it already."),
        (status = 416, description = "The part lies behind its end.")))]
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
    // A page that was fetched again keeps its address here and has other bytes.
    let file = StoredFile { blob, media_type, filename, is_immutable: false };
    send_file(&app, tenant, file, request.headers()).await
}

/// Read the text of a document of a knowledge base.
///
/// As it was found in the file, page by page, in Markdown. The places that sources of answers tell
/// are characters of these texts. While a page is read again, it is the text that is found until then.
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

/// The text, which is kept as JSON.
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

/// Why a document has no text.
fn no_text(row: &Document) -> Refusal {
    let why = match &row.error {
        Some(error) => format!("there is no text: {}", error.message),
        None => "its text was not read yet".to_owned(),
    };
    Refusal::new(Code::NotFound).detail(why)
}

operations!(
    list_knowledge_base_documents,
    get_knowledge_base_document,
    get_knowledge_base_document_content,
    get_knowledge_base_document_text
);
