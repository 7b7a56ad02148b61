//! Attachments of a message, in the form that models read.

use futures::TryStreamExt;
use knowledge::{Extracted, Hint};
use providers::{Content, Model};
use storage::TenantId;
use storage::records::Attachment;

use crate::run_context::RunContext;

/// Maximum number of characters of an attached text that the model receives.
const MAX_TEXT_LENGTH: usize = 400_000;
/// Maximum size in bytes of an attached image that is loaded into memory.
const MAX_IMAGE_BYTES: usize = 20 << 20;

/// Converts an attached file: to an image for models with vision, and to its text for other files that have one.
pub(super) async fn attached(
    run_context: &RunContext,
    tenant: TenantId,
    attachment: &Attachment,
    model: &Model,
) -> Content {
    let Attachment { filename, media_type, size, .. } = attachment;
    let sees = model.info.capability_tags.iter().any(|tag| tag == "vision");
    if media_type.starts_with("image/") {
        return match sees {
            true => picture(run_context, tenant, attachment).await,
            false => Content::Text(format!("[attached: {filename}, {media_type}, {size} bytes]")),
        };
    }
    let hint = Hint { filename: filename.clone(), media_type: media_type.clone() };
    match run_context.library.text_of(tenant, &attachment.blob_id, &hint).await {
        Ok(read) => {
            let text = all_text(&read).chars().take(MAX_TEXT_LENGTH).collect();
            Content::File { filename: filename.clone(), media_type: media_type.clone(), text }
        }
        Err(why) => Content::Text(format!("[attached: {filename}, {media_type}, {size} bytes: {why}]")),
    }
}

/// The text of all pages, with page numbers if there are several.
fn all_text(read: &Extracted) -> String {
    if let [page] = read.pages.as_slice() {
        return page.text.clone();
    }
    let page = |page: &knowledge::Page| {
        let name = page.name.as_deref().map(|name| format!(": {name}")).unwrap_or_default();
        format!("[page {}{name}]\n{}", page.number, page.text)
    };
    read.pages.iter().map(page).collect::<Vec<_>>().join("\n\n")
}

async fn picture(run_context: &RunContext, tenant: TenantId, attachment: &Attachment) -> Content {
    let Attachment { filename, media_type, .. } = attachment;
    match bytes(run_context, tenant, attachment).await {
        Ok(data) => Content::Image { media_type: media_type.clone(), data: data.into(), detail: None },
        Err(why) => Content::Text(format!("[attached: {filename}, could not be read: {why}]")),
    }
}

async fn bytes(
    run_context: &RunContext,
    tenant: TenantId,
    attachment: &Attachment,
) -> storage::Result<Vec<u8>> {
    let mut blob = run_context.store.blobs().get(tenant, &attachment.blob_id).await?;
    let mut data = Vec::new();
    while let Some(piece) = blob.bytes.try_next().await? {
        data.extend_from_slice(&piece);
        if data.len() > MAX_IMAGE_BYTES {
            let too_large = format!("it is larger than {MAX_IMAGE_BYTES} bytes");
            return Err(storage::Error::Invalid(too_large));
        }
    }
    Ok(data)
}
