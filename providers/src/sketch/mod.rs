//! `builtin/sketch`: generates images without a key and without a network.
//!
//! It does not understand the prompt: it draws a mirrored pattern that depends only on the text. The same prompt
//! always gives the same image.

mod draw;

use std::io::Cursor;

use async_trait::async_trait;
use bytes::Bytes;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat};

use crate::chat::ProviderError;
use crate::media::MediaHandle;
use crate::media::image::{GeneratedImage, ImageModel, ImageRequest};

/// The model's name at the provider `builtin`.
pub const NAME: &str = "sketch";
/// Maximum width and height in pixels.
const MAX_SIDE: u32 = 2_048;

/// The model `builtin/sketch`.
pub struct Sketch;

/// Returns the model for the registry.
#[must_use]
pub fn offered() -> MediaHandle<dyn ImageModel> {
    let mut offered: MediaHandle<dyn ImageModel> =
        MediaHandle::new("builtin", NAME, std::sync::Arc::new(Sketch));
    offered.info.name = "Sketch".to_owned();
    offered.info.info_tags.extend(["built-in", "pattern"].map(str::to_owned));
    offered
}

#[async_trait]
impl ImageModel for Sketch {
    async fn draw(&self, request: ImageRequest) -> Result<GeneratedImage, ProviderError> {
        let (width, height) = request.size;
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            let text = format!("builtin/sketch draws at most {MAX_SIDE} by {MAX_SIDE} pixels");
            return Err(ProviderError::refused(text));
        }
        let drawn = tasks::blocking(move || png(&request.prompt, width, height)).await;
        let failed = |why: String| ProviderError::protocol(format!("builtin/sketch failed: {why}"));
        let data = drawn.map_err(|why| failed(why.to_string()))?.map_err(|why| failed(why.to_string()))?;
        Ok(GeneratedImage { media_type: "image/png".to_owned(), data, usage: None })
    }
}

fn png(words: &str, width: u32, height: u32) -> image::ImageResult<Bytes> {
    let square = DynamicImage::ImageRgb8(draw::draw(words));
    let picture = match (width, height) == (draw::SIDE, draw::SIDE) {
        true => square,
        false => square.resize_to_fill(width, height, FilterType::Lanczos3),
    };
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)?;
    Ok(bytes.into())
}
