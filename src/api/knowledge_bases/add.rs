//! Adding documents to a knowledge base or to an assistant's own knowledge.

use std::sync::Arc;
use std::time::Duration;

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, Responder};
use bytes::Bytes;
use jobs::ingest::{Added, DocumentTarget, NewDocument, NewSource};
use serde::Serialize;
use storage::records::{Document, KnowledgeBase};
use storage::{Reader, Row};
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa::openapi::Responses;
use uuid::Uuid;

use super::documents::{AddedDocument, KnowledgeBaseDocumentResponse};
use super::schema::{self, AddKnowledgeBaseLinkBody, UploadKnowledgeBaseFileForm, Waiting};
use crate::App;
use crate::http::{
    Api, Caller, Created, DocumentedResponder, Faults, Json, Multipart, Refusal, Schemas, UploadedFile,
    document_json,
};

/// The maximum time that a response waits for documents.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The interval between checks of the documents' status.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A response with status 201 if something new was created, and 200 otherwise.
pub struct Put<T> {
    /// Whether something new was created.
    pub new: bool,
    /// The body of the response.
    pub it: T,
}

impl<T: Serialize> Responder for Put<T> {
    type Body = BoxBody;
    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        match self.new {
            true => Created(self.it).respond_to(request),
            false => Json(self.it).respond_to(request),
        }
    }
}

impl<T: Serialize + ToSchema> DocumentedResponder for Put<T> {
    fn document(responses: &mut Responses, schemas: &mut Schemas) {
        document_json::<T>(StatusCode::CREATED, responses, schemas);
        document_json::<T>(StatusCode::OK, responses, schemas);
    }
}

/// The context of adding documents: the caller and the target.
pub struct Adding<'a> {
    /// The application.
    pub app: &'a App,
    /// The user who adds the documents.
    pub caller: &'a Arc<Caller>,
    /// The knowledge base or assistant that receives the documents.
    pub home: DocumentTarget,
    /// Whether the response waits until the documents are indexed.
    pub waiting: Waiting,
}

impl Adding<'_> {
    /// Adds the files of a form, in the order of the form. A file with the same bytes as an existing document
    /// is the same document.
    pub async fn files(&self, form: Multipart<UploadKnowledgeBaseFileForm>) -> Api<Vec<AddedDocument>> {
        let Multipart { fields, files } = form;
        check(&fields, &files)?;
        let mut added = Vec::with_capacity(files.len());
        for file in &files {
            let (blob_id, size) = self.app.store.blobs().put_file(self.caller.tenant, file.path()).await?;
            let source = NewSource::File { blob_id, media_type: file.media_type.clone(), size };
            let title = fields.title.as_deref().unwrap_or(&file.filename);
            let description = fields.description.clone().unwrap_or_default();
            added.push(self.add(title, &file.filename, description, source).await?);
        }
        self.shown(added).await
    }

    /// Adds a text. A text that is equal to an existing one is the same document.
    pub async fn text(&self, title: &str, description: String, text: String) -> Api<AddedDocument> {
        let size = text.len() as u64;
        let blob_id = self.app.store.blobs().put_bytes(self.caller.tenant, Bytes::from(text)).await?;
        let added = self.add(title, "", description, NewSource::Text { blob_id, size }).await?;
        self.one(added).await
    }

    /// Adds a web page. A page that was added before is fetched again and remains the same document.
    pub async fn link(&self, new: AddKnowledgeBaseLinkBody) -> Api<AddedDocument> {
        let wrong = |why| Refusal::invalid("body", ["url"], why, "malformed");
        let url = schema::address(&new.url).map_err(wrong)?;
        let title = new.title.unwrap_or_default();
        let description = new.description.unwrap_or_default();
        let added = self.add(&title, "", description, NewSource::Link { url }).await?;
        self.one(added).await
    }

    async fn add(&self, title: &str, filename: &str, description: String, source: NewSource) -> Api<Added> {
        let (tenant, user, token_id) = (self.caller.tenant, self.caller.user, self.caller.token_id);
        let (title, filename, home) = (title.trim().to_owned(), filename.to_owned(), self.home);
        let new = NewDocument { tenant, user, token_id, home, title, filename, description, source };
        Ok(jobs::ingest::add_document(&self.app.actors, new).await?)
    }

    async fn one(&self, added: Added) -> Api<AddedDocument> {
        let mut shown = self.shown(vec![added]).await?;
        shown.pop().ok_or_else(|| Refusal::not_found("document"))
    }

    /// Returns the documents in their current state, or once no run works on them any more if the request asks
    /// to wait. Documents that are deleted during the wait are omitted.
    async fn shown(&self, added: Vec<Added>) -> Api<Vec<AddedDocument>> {
        let until = Instant::now() + TIMEOUT;
        let wanted: Arc<Vec<_>> =
            Arc::new(added.iter().map(|added| (added.document.id, added.existing)).collect());
        loop {
            let (wanted, tenant) = (wanted.clone(), self.caller.tenant);
            let read = move |reader: &Reader| look(reader, tenant, &wanted);
            let shown = self.app.store.read(read).await?;
            let in_work = shown.iter().any(|added| added.document.status.is_in_work());
            if !self.waiting.wait || !in_work || Instant::now() >= until {
                return Ok(shown);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

fn look(
    reader: &Reader,
    tenant: storage::TenantId,
    wanted: &[((Uuid, Uuid), bool)],
) -> storage::Result<Vec<AddedDocument>> {
    let mut shown = Vec::with_capacity(wanted.len());
    for (id, existing) in wanted {
        let base = reader.get::<KnowledgeBase>(tenant, &id.0)?;
        let document: Option<Row<Document>> = reader.get(tenant, id)?;
        if let (Some(base), Some(document)) = (base, document) {
            let document = KnowledgeBaseDocumentResponse::new(document, &base);
            shown.push(AddedDocument { document, existing: *existing });
        }
    }
    Ok(shown)
}

/// Validates the files, and the fields in combination with the files.
fn check(fields: &UploadKnowledgeBaseFileForm, files: &[UploadedFile]) -> Api<()> {
    let mut faults = Faults::new("body");
    if files.is_empty() {
        faults.add(["file"], "is needed", "missing");
    }
    if files.iter().any(|file| file.size == 0) {
        faults.add(["file"], "is empty", "too_short");
    }
    if fields.title.is_some() && files.len() > 1 {
        faults.add(["title"], "is only allowed with a single file", "conflicting");
    }
    faults.into_result()
}
