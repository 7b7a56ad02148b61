//! Files of the messages of a conversation.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::records::{Message, Part};
use storage::{Reader, Scan, TenantId};
use uuid::Uuid;

use super::reach::Readable;
use crate::App;
use crate::http::scopes::ConversationsRead;
use crate::http::{Api, Loaded, Path, Refusal, StoredFile, operations, send_file};

/// Download a file of a conversation.
///
/// Only files that a message of the conversation contains are available.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/files/{blob_id}",
    params(("conversation_id" = Uuid, Path), ("blob_id" = String, Path, description = "The SHA-256 hash of the file's content."),
        ("Range" = Option<String>, Header, description = "The requested part of the content, for example `bytes=0-1023`.")),
    responses(
        (status = 200, description = "The content of the file.", content((Vec<u8> = "application/octet-stream"), (Vec<u8> = "*/*"))),
        (status = 206, description = "The requested part of the file.", content((Vec<u8> = "application/octet-stream"), (Vec<u8> = "*/*"))),
        (status = 304, description = "The client already has the file."),
        (status = 416, description = "The range begins after the end of the file.")))]
async fn get_conversation_file(
    conversation: Loaded<Readable, ConversationsRead>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let (tenant, id, Path((_, blob))) = (conversation.auth.tenant, conversation.id, path);
    let file = app.store.read(move |reader| find(reader, tenant, id, &blob)).await?;
    send_file(&app, tenant, file.ok_or_else(|| Refusal::not_found("file"))?, request.headers()).await
}

/// Finds a file by its hash among the messages of a conversation.
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
        return Some(StoredFile { blob: file.blob_id.clone(), media_type, filename, is_immutable: true });
    }
    message.parts.iter().find_map(|part| match part {
        Part::File { blob_id, media_type, filename } if blob_id.as_str() == blob => {
            let filename = filename.clone().unwrap_or_else(|| blob.to_owned());
            Some(StoredFile {
                blob: blob_id.clone(),
                media_type: media_type.clone(),
                filename,
                is_immutable: true,
            })
        }
        _ => None,
    })
}

operations!(get_conversation_file);
