//! Pictures.

use async_trait::async_trait;
use bytes::Bytes;

use crate::chat::{Keys, ProviderError, Usage};

/// A model that generates images.
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
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// An image that a model generated.
#[derive(Clone, Debug)]
pub struct GeneratedImage {
    /// Its media type, for example `image/png`.
    pub media_type: String,
    /// The encoded image.
    pub data: Bytes,
    /// Tokens, where the provider counts them.
    pub usage: Option<Usage>,
}
