//! The files that go with a message: sent along with it, or uploaded before.

use storage::records::{Attachment, Upload};
use storage::{BlobId, Row, TenantId, Timestamp};
use uuid::Uuid;

use crate::App;
use crate::http::{Api, Caller, Refusal, UploadedFile};
use domain::conversations::no_such;

/// Keeps the files that were sent along, and looks up those that were uploaded before.
pub async fn take(
    app: &App,
    caller: &Caller,
    conversation: Uuid,
    files: &[UploadedFile],
    uploads: &[Uuid],
) -> Api<Vec<Attachment>> {
    let mut taken = Vec::with_capacity(files.len() + uploads.len());
    for file in files {
        let (blob_id, size) = app.store.blobs().put_file(caller.tenant, file.path()).await?;
        let (filename, media_type) = (file.filename.clone(), file.media_type.clone());
        taken.push(Attachment { blob_id, filename, media_type, size });
    }
    for upload in uploads {
        taken.push(uploaded(app, caller, conversation, *upload).await?);
    }
    Ok(taken)
}

/// A file that came to a signed address of this conversation.
async fn uploaded(app: &App, caller: &Caller, conversation: Uuid, id: Uuid) -> Api<Attachment> {
    let tenant = caller.tenant;
    let row = app.store.read(move |reader| reader.get::<Upload>(tenant, &id)).await?;
    let row =
        row.filter(|row: &Row<Upload>| row.owner == caller.user && row.conversation_id == Some(conversation));
    let row = row.ok_or_else(|| no_such("uploads", "upload"))?;
    let none = || Refusal::invalid("body", ["uploads"], "the file has not come yet", "not_found");
    let blob_id = row.blob_id.clone().ok_or_else(none)?;
    // Our own addresses note the file when it comes, which makes the row's second version. At the
    // store's own address it came without us, so it is looked at when it is first used.
    if row.version == 1 && !came(app, tenant, &row, &blob_id).await? {
        return Err(none());
    }
    let Upload { filename, media_type, size, .. } = row.body;
    Ok(Attachment { blob_id, filename, media_type, size })
}

/// Whether a file came to the store's own address and is the one that was announced. Then the row says so, and what is
/// sent to the address afterwards has no effect.
async fn came(app: &App, tenant: TenantId, row: &Row<Upload>, blob: &BlobId) -> Api<bool> {
    if !app.store.blobs().adopt(tenant, row.id, blob, row.size).await? {
        return Ok(false);
    }
    let id = row.id;
    let note = move |tx: &mut storage::Tx| {
        let row = tx.require::<Upload>(tenant, &id)?;
        tx.update(tenant, row).map(drop)
    };
    app.store.run(note).await.map_err(Refusal::from)?;
    Ok(true)
}

/// Notes that a message has these uploads, so that they are not swept away as unused.
pub async fn used(app: &App, tenant: TenantId, uploads: Vec<Uuid>) {
    let note = move |tx: &mut storage::Tx| {
        for id in &uploads {
            if let Some(mut row) = tx.get::<Upload>(tenant, id)? {
                row.used = true;
                row.expires_at = row.expires_at.max(Timestamp::now());
                tx.update(tenant, row)?;
            }
        }
        Ok::<_, storage::Error>(())
    };
    if let Err(why) = app.store.run(note).await {
        // The message holds the file by itself; only the upload's row is told late.
        tracing::warn!(%why, "uploads could not be noted as used");
    }
}
