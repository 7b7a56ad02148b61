//! The files of a conversation's messages.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::records::{Message, Part};
use storage::{BlobId, Reader, Scan, TenantId};
use uuid::Uuid;

use super::reach::Readable;
use crate::App;
use crate::http::scopes::ConversationsRead;
use crate::http::{Api, Download, Found, Path, Refusal, download, operations};

/// Download a file of a conversation.
///
/// Only files that one of its messages has.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/files/{blob_id}",
    operation_id = "conversations.get_conversation_file",
    params(("conversation_id" = Uuid, Path), ("blob_id" = String, Path, description = "SHA-256 of its bytes."),
        ("Range" = Option<String>, Header, description = "One part, for example `bytes=0-1023`.")),
    responses(
        (status = 200, description = "Its bytes.", content((Vec<u8> = "application/octet-stream"), (Vec<u8> = "*/*"))),
        (status = 206, description = "A part of them.", content((Vec<u8> = "application/octet-stream"), (Vec<u8> = "*/*"))),
        (status = 304, description = "The caller has it already."),
        (status = 416, description = "The part lies behind its end.")))]
async fn get_conversation_file(
    conversation: Found<Readable, ConversationsRead>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let (tenant, id, Path((_, blob))) = (conversation.auth.tenant, conversation.id, path);
    let file = app.store.read(move |reader| find(reader, tenant, id, &blob)).await?;
    send_file(&app, tenant, file.ok_or_else(|| Refusal::not_found("file"))?, &request).await
}

/// A file that is kept, and what it is called.
pub struct StoredFile {
    /// Its bytes.
    pub blob: BlobId,
    /// Its type.
    pub media_type: String,
    /// Its name.
    pub filename: String,
    /// Whether its address will always stand for these bytes.
    pub stays: bool,
}

/// A file that a message of the conversation has.
pub(super) fn find(
    reader: &Reader,
    tenant: TenantId,
    conversation: Uuid,
    blob: &str,
) -> storage::Result<Option<StoredFile>> {
    let mut found = None;
    reader.visit::<Message>(tenant, Scan::table().prefix(conversation.as_bytes()), |message| {
        found = file_of(&message, blob);
        found.is_none()
    })?;
    Ok(found)
}

fn file_of(message: &Message, blob: &str) -> Option<StoredFile> {
    let sent = message.attachments.iter().find(|file| file.blob_id.as_str() == blob);
    if let Some(file) = sent {
        let (media_type, filename) = (file.media_type.clone(), file.filename.clone());
        return Some(StoredFile { blob: file.blob_id.clone(), media_type, filename, stays: true });
    }
    message.parts.iter().find_map(|part| match part {
        Part::File { blob_id, media_type, filename } if blob_id.as_str() == blob => {
            let filename = filename.clone().unwrap_or_else(|| blob.to_owned());
            Some(StoredFile { blob: blob_id.clone(), media_type: media_type.clone(), filename, stays: true })
        }
        _ => None,
    })
}

/// Sends it as something to save: nothing that a user uploaded runs as a page of ours.
pub async fn send_file(
    app: &App,
    tenant: TenantId,
    file: StoredFile,
    request: &HttpRequest,
) -> Api<HttpResponse> {
    let sent = Download {
        tenant,
        blob: &file.blob,
        size: None,
        media_type: &file.media_type,
        filename: &file.filename,
        inline: false,
        caching: if file.stays { "private, max-age=31536000, immutable" } else { "private, no-cache" },
        policy: "sandbox; default-src 'none'",
    };
    download(app, request.headers(), sent).await
}

operations!(get_conversation_file);
