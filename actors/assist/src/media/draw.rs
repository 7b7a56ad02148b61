use providers::media::image::{GeneratedImage, ImageModel, ImageRequest};
use storage::Store;

use super::SelectedModel;
use super::bill::Bill;
use crate::ask::NoAnswer;

/// Generates an image of `size` pixels. Dropping the future ends the call.
///
/// # Errors
/// The error that prevented the image. Nothing is billed then.
pub async fn draw(
    store: &Store,
    chosen: SelectedModel<dyn ImageModel>,
    prompt: String,
    size: (u32, u32),
) -> Result<GeneratedImage, NoAnswer> {
    let SelectedModel { requester, offered, keys } = chosen;
    let model = offered.upstream_id.clone();
    let drawn = offered.model.draw(ImageRequest { model, prompt, size, keys }).await?;
    let bill =
        Bill { requester, model: offered.info.clone(), quantity: 1, estimated: false, tokens: drawn.usage };
    bill.book(store).await?;
    Ok(drawn)
}
