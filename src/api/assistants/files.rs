//! The files of an assistant's own knowledge.

use actix_web::web::Data;
use domain::knowledge_bases::rename_document;
use jobs::ingest::DocumentTarget;
use serde::{Deserialize, Serialize};
use storage::records::{Assistant, DocumentSource, KnowledgeBase};
use storage::{Reader, TenantId, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::knowledge::Changeable;
use super::schema::MessageResponse;
use crate::App;
use crate::api::knowledge_bases::add::Adding;
use crate::api::knowledge_bases::documents::{
    self, AddedDocument, KnowledgeBaseDocumentResponse, KnowledgeBaseDocumentResponseList, ListDocuments,
};
use crate::api::knowledge_bases::files::{self, FILES};
use crate::api::knowledge_bases::schema::{
    KnowledgeBaseFileUpdateBody, UploadKnowledgeBaseFileForm, Waiting,
};
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{
    Api, Created, Faults, IfMatch, Json, Loaded, Multipart, MultipartForm, Path, Query, Refusal, Validate,
    list_of, operations,
};

list_of! {
    /// A page of an assistant's files, oldest first.
    #[derive(Debug)]
    pub AssistantFileList of KnowledgeBaseDocumentResponse
}

/// A form with files for an assistant.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct UploadAssistantFileForm(pub UploadKnowledgeBaseFileForm);

impl MultipartForm for UploadAssistantFileForm {
    const JSON: &'static [&'static str] = UploadKnowledgeBaseFileForm::JSON;
    const FILES: &'static [&'static str] = UploadKnowledgeBaseFileForm::FILES;
}

impl Validate for UploadAssistantFileForm {
    const TRIMMED: &'static [&'static str] = UploadKnowledgeBaseFileForm::TRIMMED;

    fn validate(&self, faults: &mut Faults) {
        self.0.validate(faults);
    }
}

/// The title and description of a file. Replaces both.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct UpdateAssistantFileRequest(pub KnowledgeBaseFileUpdateBody);

impl Validate for UpdateAssistantFileRequest {
    const TRIMMED: &'static [&'static str] = KnowledgeBaseFileUpdateBody::TRIMMED;

    fn validate(&self, faults: &mut Faults) {
        self.0.validate(faults);
    }
}

/// Confirmation that files were added.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantFileUploadResponse {
    /// Confirmation in words.
    pub message: String,
    /// Documents of the files, in the order of the form.
    pub files: Vec<AddedDocument>,
}

/// Confirmation of an operation on a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantFileMessageResponse {
    /// Confirmation in words.
    pub message: String,
    pub file_id: Uuid,
}

/// List the files and texts of an assistant.
///
/// Requires the right to change the assistant.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/files", params(ListDocuments))]
async fn get_assistant_files(
    assistant: Loaded<Changeable, AssistantsRead>,
    app: Data<App>,
    Query(params): Query<ListDocuments>,
) -> Api<Json<AssistantFileList>> {
    let (tenant, row) = (assistant.auth.tenant, assistant.it.0);
    let page = app.store.read(move |reader| of_own(reader, tenant, &row, &params, FILES)).await?;
    let KnowledgeBaseDocumentResponseList { items, total, next_cursor } = page;
    Ok(Json(AssistantFileList { items, total, next_cursor }))
}

/// Add files to an assistant.
///
/// The assistant's answers can use the files. For each file, a run extracts its text, splits it into passages and indexes them. Uploading
/// the same bytes again returns the same file.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/files", params(Waiting),
    request_body(content = UploadAssistantFileForm, content_type = "multipart/form-data"))]
async fn upload_file_to_assistant(
    assistant: Loaded<Changeable, AssistantsWrite>,
    app: Data<App>,
    Query(waiting): Query<Waiting>,
    form: Multipart<UploadAssistantFileForm>,
) -> Api<Created<AssistantFileUploadResponse>> {
    let (caller, home) = (assistant.auth.caller(), DocumentTarget::Assistant(assistant.it.0.id));
    let form = Multipart { fields: form.fields.0, files: form.files };
    let files = Adding { app: &app, caller: &caller, home, waiting }.files(form).await?;
    let message = match files.len() {
        1 => "1 file was added".to_owned(),
        count => format!("{count} files were added"),
    };
    Ok(Created(AssistantFileUploadResponse { message, files }))
}

/// Change the title and description of a file of an assistant.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/files/{file_id}",
    params(("assistant_id" = Uuid, Path), ("file_id" = Uuid, Path)))]
async fn update_file_information(
    assistant: Loaded<Changeable, AssistantsWrite>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
    if_match: IfMatch,
    Json(new): Json<UpdateAssistantFileRequest>,
) -> Api<Json<MessageResponse>> {
    let (tenant, id) = (assistant.auth.tenant, (own(&assistant.it.0)?, path.1));
    let precondition = if_match.precondition();
    let rename =
        move |tx: &mut Tx| rename_document(tx, tenant, id, FILES, &precondition, new.0.clone().into());
    let row = app.store.run(rename).await?;
    Ok(Json(MessageResponse { message: format!("the title of the file is {:?}", row.title) }))
}

/// Delete a file of an assistant.
///
/// When the response arrives, searches no longer find the file.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/files/{file_id}",
    params(("assistant_id" = Uuid, Path), ("file_id" = Uuid, Path)))]
async fn delete_file_from_assistant(
    assistant: Loaded<Changeable, AssistantsWrite>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
) -> Api<Json<AssistantFileMessageResponse>> {
    files::remove(&app, &assistant.auth, (own(&assistant.it.0)?, path.1), FILES).await?;
    Ok(Json(AssistantFileMessageResponse { message: "the file was deleted".to_owned(), file_id: path.1 }))
}

/// Returns the id of the knowledge base that contains an assistant's own knowledge.
pub fn own(assistant: &Assistant) -> Api<Uuid> {
    assistant.own_knowledge.ok_or_else(|| Refusal::not_found("document"))
}

/// Returns a page of an assistant's own documents. The page is empty if the assistant has none.
pub fn of_own(
    reader: &Reader,
    tenant: TenantId,
    assistant: &Assistant,
    params: &ListDocuments,
    sources: &[DocumentSource],
) -> Api<KnowledgeBaseDocumentResponseList> {
    let base = match assistant.own_knowledge {
        Some(id) => reader.get::<KnowledgeBase>(tenant, &id)?,
        None => None,
    };
    match base {
        Some(base) => documents::list(reader, tenant, &base, params, sources),
        None => Ok(KnowledgeBaseDocumentResponseList { items: Vec::new(), total: None, next_cursor: None }),
    }
}

operations!(
    get_assistant_files,
    upload_file_to_assistant,
    update_file_information,
    delete_file_from_assistant
);
