//! The attachments of a message: files in its form, and files that were uploaded before.

use storage::records::{Attachment, Upload};
use storage::{BlobId, Row, TenantId, Timestamp};
use uuid::Uuid;

use crate::App;
use crate::http::{Api, Caller, Refusal, UploadedFile};
use domain::conversations::no_such;

/// Stores the files of the form and looks up the files that were uploaded before.
pub async fn store(
    app: &App,
    caller: &Caller,
    conversation: Uuid,
    files: &[UploadedFile],
    uploads: &[Uuid],
) -> Api<Vec<Attachment>> {
    let mut attachments = Vec::with_capacity(files.len() + uploads.len());
    for file in files {
        let (blob_id, size) = app.store.blobs().put_file(caller.tenant, file.path()).await?;
        let (filename, media_type) = (file.filename.clone(), file.media_type.clone());
        attachments.push(Attachment { blob_id, filename, media_type, size });
    }
    for upload in uploads {
        attachments.push(uploaded(app, caller, conversation, *upload).await?);
    }
    Ok(attachments)
}

/// Looks up a file that was uploaded to a signed URL of this conversation.
async fn uploaded(app: &App, caller: &Caller, conversation: Uuid, id: Uuid) -> Api<Attachment> {
    let tenant = caller.tenant;
    let row = app.store.read(move |reader| reader.get::<Upload>(tenant, &id)).await?;
    let row =
        row.filter(|row: &Row<Upload>| row.owner == caller.user && row.conversation_id == Some(conversation));
    let row = row.ok_or_else(|| no_such("uploads", "upload"))?;
    let missing = || Refusal::invalid("body", ["uploads"], "the file has not been uploaded yet", "not_found");
    let blob_id = row.blob_id.clone().ok_or_else(missing)?;
    // An upload through this server marks the row, which becomes its second version. An upload directly to the bucket does not, so the
    // bucket is checked when the file is first used.
    if row.version == 1 && !adopt_upload(app, tenant, &row, &blob_id).await? {
        return Err(missing());
    }
    let Upload { filename, media_type, size, .. } = row.body;
    Ok(Attachment { blob_id, filename, media_type, size })
}

/// Adopts a file that was uploaded directly to the bucket, if it matches the announced hash and size. Then marks the row, so that later
/// uploads to the URL have no effect.
async fn adopt_upload(app: &App, tenant: TenantId, row: &Row<Upload>, blob: &BlobId) -> Api<bool> {
    if !app.store.blobs().adopt(tenant, row.id, blob, row.size).await? {
        return Ok(false);
    }
    let id = row.id;
    let mark = move |tx: &mut storage::Tx| {
        let row = tx.require::<Upload>(tenant, &id)?;
        tx.update(tenant, row).map(drop)
    };
    app.store.run(mark).await.map_err(Refusal::from)?;
    Ok(true)
}

/// Marks uploads as used by a message, so that they are not deleted as unused.
pub async fn mark_used(app: &App, tenant: TenantId, uploads: Vec<Uuid>) {
    let mark = move |tx: &mut storage::Tx| {
        for id in &uploads {
            if let Some(mut row) = tx.get::<Upload>(tenant, id)? {
                row.used = true;
                row.expires_at = row.expires_at.max(Timestamp::now());
                tx.update(tenant, row)?;
            }
        }
        Ok::<_, storage::Error>(())
    };
    if let Err(why) = app.store.run(mark).await {
        // The message itself references the file; only the row of the upload is out of date.
        tracing::warn!(%why, "uploads could not be marked as used");
    }
}
