//! Image generation.

use async_trait::async_trait;
use bytes::Bytes;

use crate::chat::{Keys, ProviderError, Usage};

/// A model that generates images.
#[async_trait]
pub trait ImageModel: Send + Sync {
    /// Generates one image. Dropping the future closes the upstream connection immediately.
    ///
    /// # Errors
    /// Returns the reason for the failure, with the provider's message.
    async fn draw(&self, request: ImageRequest) -> Result<GeneratedImage, ProviderError>;
}

/// The parameters of an image to generate.
#[derive(Clone, Debug)]
pub struct ImageRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// The description of the image.
    pub prompt: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// An image that a model generated.
#[derive(Clone, Debug)]
pub struct GeneratedImage {
    /// The media type, for example `image/png`.
    pub media_type: String,
    /// The encoded image.
    pub data: Bytes,
    /// Token usage, if the provider reports it.
    pub usage: Option<Usage>,
}
