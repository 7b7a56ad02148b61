//! The files of a conversation's messages.

use actix_web::HttpResponse;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, Charset, ContentDisposition, DispositionParam,
    DispositionType, ExtendedValue,
};
use actix_web::web::Data;
use storage::records::{Conversation, Message, Part};
use storage::{BlobId, Reader, Row, TenantId};
use uuid::Uuid;

use super::tree;
use crate::App;
use crate::http::scopes::ConversationsRead;
use crate::http::{Api, ApiError, Area, Found, Path, operations};

/// Download a file of a conversation.
///
/// Only files that one of its messages has.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/files/{blob_id}",
    operation_id = "conversations.get_conversation_file",
    params(("conversation_id" = Uuid, Path), ("blob_id" = String, Path, description = "SHA-256 of its bytes.")),
    responses((status = 200, description = "Its bytes.", body = Vec<u8>, content_type = "application/octet-stream")))]
async fn get_conversation_file(
    conversation: Found<Row<Conversation>, ConversationsRead>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
) -> Api<HttpResponse> {
    let (tenant, id, Path((_, blob))) = (conversation.auth.tenant, conversation.id, path);
    let file = app.store.read(move |reader| find(reader, tenant, id, &blob)).await?;
    send(&app, tenant, file).await
}

/// A file as a message has it.
struct File {
    blob: BlobId,
    media_type: String,
    filename: String,
}

fn find(reader: &Reader, tenant: TenantId, conversation: Uuid, blob: &str) -> Api<File> {
    let messages = tree::messages(reader, tenant, conversation)?;
    let found = messages.iter().find_map(|message| file_of(message, blob));
    found.ok_or_else(|| ApiError::not_found("file"))
}

fn file_of(message: &Message, blob: &str) -> Option<File> {
    let sent = message.attachments.iter().find(|file| file.blob_id.as_str() == blob);
    if let Some(file) = sent {
        let (media_type, filename) = (file.media_type.clone(), file.filename.clone());
        return Some(File { blob: file.blob_id.clone(), media_type, filename });
    }
    message.parts.iter().find_map(|part| match part {
        Part::File { blob_id, media_type, filename } if blob_id.as_str() == blob => {
            let filename = filename.clone().unwrap_or_else(|| blob.to_owned());
            Some(File { blob: blob_id.clone(), media_type: media_type.clone(), filename })
        }
        _ => None,
    })
}

/// Sends it as something to save: nothing that a user uploaded runs as a page of ours.
async fn send(app: &App, tenant: TenantId, file: File) -> Api<HttpResponse> {
    let blob = app.store.blobs().get(tenant, &file.blob).await?;
    let name = ExtendedValue {
        charset: Charset::Ext("UTF-8".into()),
        language_tag: None,
        value: file.filename.into_bytes(),
    };
    let disposition = ContentDisposition {
        disposition: DispositionType::Attachment,
        parameters: vec![DispositionParam::FilenameExt(name)],
    };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, file.media_type))
        .insert_header((CONTENT_DISPOSITION, disposition))
        .insert_header((CACHE_CONTROL, "private, max-age=31536000, immutable"))
        .insert_header(("content-security-policy", "sandbox; default-src 'none'"))
        .insert_header(("x-content-type-options", "nosniff"))
        .no_chunking(blob.size);
    Ok(response.streaming(blob.bytes))
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; get_conversation_file);
}
