//! The interface of embedding models, independent of the provider.

mod hash;

use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use utoipa::ToSchema;

use crate::chat::{Keys, Prices, ProviderError, Usage};
pub use hash::{Hash, NAME};

/// Default number of texts per request for a server with unknown limits; common servers accept this many.
pub(crate) const BATCH: usize = 32;
/// The maximum that can be configured; the response has to fit into memory.
pub(crate) const MAX_BATCH: usize = 256;

/// A model that converts texts to vectors.
#[async_trait]
pub trait EmbeddingModel: Send + Sync {
    /// Embeds texts. Returns one vector per text, in the same order, each of length 1. Retries happen here. Dropping
    /// the future closes the upstream connection immediately.
    ///
    /// # Errors
    /// Returns the reason for the failure, with the provider's message.
    async fn embed(&self, request: EmbedRequest) -> Result<Embedded, ProviderError>;
}

#[derive(Clone, Debug, Default)]
pub struct EmbedRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// At most [`EmbedderInfo::max_batch`] texts; none may be empty.
    pub texts: Vec<String>,
    /// Whether the texts are stored or used as search queries.
    pub purpose: EmbedPurpose,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// The purpose of a vector; some models distinguish them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmbedPurpose {
    /// A text that is stored and can be found later.
    #[default]
    Document,
    /// A search for stored texts.
    Query,
}

/// The vectors of a request.
#[derive(Clone, Debug, Default)]
pub struct Embedded {
    /// One vector for each text, in their order.
    pub vectors: Vec<Vec<f32>>,
    /// What the request used.
    pub usage: Usage,
}

/// The description of an embedding model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EmbedderInfo {
    /// `<provider>/<model>`, for example `builtin/hash`.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// The provider's name.
    pub provider: String,
    /// Maximum number of texts per request.
    pub max_batch: usize,
    /// The prices; zero if unknown.
    pub prices: Prices,
    /// Whether the model is used for new knowledge bases that name none.
    pub is_default: bool,
}

/// An embedding model that can be called.
pub struct Embedder {
    /// The description of the model.
    pub info: EmbedderInfo,
    /// The provider's own id, which goes into [`EmbedRequest::model`].
    pub upstream_id: String,
    /// The implementation that computes vectors.
    pub model: Arc<dyn EmbeddingModel>,
}

impl Embedder {
    /// Creates an embedding model with default properties.
    pub fn new(provider: &str, upstream_id: impl Into<String>, model: Arc<dyn EmbeddingModel>) -> Self {
        let upstream_id = upstream_id.into();
        let info = EmbedderInfo {
            id: format!("{provider}/{upstream_id}"),
            name: upstream_id.clone(),
            provider: provider.to_owned(),
            max_batch: BATCH,
            prices: Prices::default(),
            is_default: false,
        };
        Self { info, upstream_id, model }
    }
}

impl std::fmt::Debug for Embedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedder")
            .field("info", &self.info)
            .field("upstream_id", &self.upstream_id)
            .finish_non_exhaustive()
    }
}

/// Returns the built-in embedding model.
pub(crate) fn builtin() -> Embedder {
    let mut embedder = Embedder::new("builtin", NAME, Arc::new(Hash));
    embedder.info.name = "Hashed words".to_owned();
    embedder
}

/// Guesses from a model's name whether it is an embedding model.
pub(crate) fn name_embeds(id: &str) -> bool {
    let id = id.to_ascii_lowercase();
    id.contains("embed") || id.contains("bge-")
}

/// Normalizes a vector to length 1; `None` for a zero or non-finite vector.
pub(crate) fn of_length_one(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    // Summed in f64, which can represent the square of any f32.
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length == 0.0 || !length.is_finite() {
        return None;
    }
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    Some(vector)
}
