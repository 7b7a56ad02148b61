//! Pictures.

use async_trait::async_trait;
use bytes::Bytes;

use crate::chat::{Keys, ProviderError, Usage};

/// A model that draws.
#[async_trait]
pub trait ImageModel: Send + Sync {
    /// Draws one picture. Dropping the future closes the upstream connection at once.
    ///
    /// # Errors
    /// Whatever kept it from drawing, in the provider's words.
    async fn draw(&self, request: ImageRequest) -> Result<GeneratedImage, ProviderError>;
}

/// What is to be drawn.
#[derive(Clone, Debug)]
pub struct ImageRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// What the picture shows.
    pub prompt: String,
    /// Its width and height in pixels.
    pub size: (u32, u32),
    /// The caller's own keys.
    pub keys: Keys,
}

/// A picture.
#[derive(Clone, Debug)]
pub struct GeneratedImage {
    /// Its media type, for example `image/png`.
    pub media_type: String,
    /// Its bytes.
    pub data: Bytes,
    /// Tokens, where the provider counts them.
    pub usage: Option<Usage>,
}
