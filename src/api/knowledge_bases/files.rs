//! The files of knowledge bases.

use actix_web::web::Data;
use domain::knowledge_bases::{document, rename_document};
use jobs::ingest::DocumentTarget;
use serde::Serialize;
use storage::records::DocumentSource;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Changeable;
use super::add::{Adding, Put};
use super::documents::{AddedDocument, KnowledgeBaseDocumentResponse};
use super::schema::{KnowledgeBaseFileUpdateBody, UploadKnowledgeBaseFileForm, Waiting};
use crate::App;
use crate::http::scopes::KnowledgeWrite;
use crate::http::{
    Api, Caller, IfMatch, Json, Loaded, Multipart, NoContent, Path, Query, Refusal, Versioned, operations,
};

/// The sources that count as files. Texts are files that were not uploaded.
pub const FILES: &[DocumentSource] = &[DocumentSource::File, DocumentSource::Text];

/// The files that were added to a knowledge base.
#[derive(Debug, Serialize, ToSchema)]
pub struct KnowledgeBaseUploadResponse {
    /// The documents of the files, in the order of the form.
    pub items: Vec<AddedDocument>,
}

/// Upload files to a knowledge base.
///
/// For each file, a run extracts the text, splits it into passages and indexes them. A file with the same bytes
/// as an existing document is the same document, and the response is 200 if no file is new. Supported formats:
/// PDF, DOCX, PPTX, XLSX, ODS, HTML, Markdown, CSV, JSON, RTF, EML, plain text and source code.
#[utoipa::path(post, path = "/api/knowledge-bases/{knowledge_base_id}/files", params(Waiting),
    request_body(content = UploadKnowledgeBaseFileForm, content_type = "multipart/form-data"))]
async fn upload_file_to_knowledge_base(
    base: Loaded<Changeable, KnowledgeWrite>,
    app: Data<App>,
    Query(waiting): Query<Waiting>,
    form: Multipart<UploadKnowledgeBaseFileForm>,
) -> Api<Put<KnowledgeBaseUploadResponse>> {
    let (caller, home) = (base.auth.caller(), DocumentTarget::Base(base.it.0.id));
    let items = Adding { app: &app, caller: &caller, home, waiting }.files(form).await?;
    let new = items.iter().any(|added| !added.existing);
    Ok(Put { new, it: KnowledgeBaseUploadResponse { items } })
}

/// Update the title and description of a file in a knowledge base.
#[utoipa::path(put, path = "/api/knowledge-bases/{knowledge_base_id}/files/{file_id}",
    params(("knowledge_base_id" = Uuid, Path), ("file_id" = Uuid, Path)))]
async fn update_knowledge_base_file(
    base: Loaded<Changeable, KnowledgeWrite>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
    if_match: IfMatch,
    Json(new): Json<KnowledgeBaseFileUpdateBody>,
) -> Api<Versioned<KnowledgeBaseDocumentResponse>> {
    let (tenant, base) = (base.auth.tenant, base.it.0);
    let id = (base.id, path.1);
    let precondition = if_match.precondition();
    let row = app
        .store
        .run(move |tx| rename_document(tx, tenant, id, FILES, &precondition, new.clone().into()))
        .await?;
    Ok(Versioned(KnowledgeBaseDocumentResponse::new(row, &base)))
}

/// Delete a file from a knowledge base.
///
/// Searches no longer return the file once the response is sent.
#[utoipa::path(delete, path = "/api/knowledge-bases/{knowledge_base_id}/files/{file_id}",
    params(("knowledge_base_id" = Uuid, Path), ("file_id" = Uuid, Path)))]
async fn delete_knowledge_base_file(
    base: Loaded<Changeable, KnowledgeWrite>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
) -> Api<NoContent> {
    remove(&app, &base.auth, (base.it.0.id, path.1), FILES).await.map(|()| NoContent)
}

/// Deletes a document of one of these sources. Searches no longer return it once this returns.
pub async fn remove(
    app: &App,
    caller: &Caller,
    id: (Uuid, Uuid),
    sources: &'static [DocumentSource],
) -> Api<()> {
    let (tenant, user) = (caller.tenant, caller.user);
    app.store.read(move |reader| document(reader, tenant, id, sources)).await?;
    match jobs::ingest::remove_document(&app.actors, tenant, user, id.0, id.1).await? {
        true => Ok(()),
        false => Err(Refusal::not_found("document")),
    }
}

operations!(upload_file_to_knowledge_base, update_knowledge_base_file, delete_knowledge_base_file);
