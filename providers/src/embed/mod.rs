//! What every embedding model takes and gives, whichever provider serves it.

mod hash;

use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use utoipa::ToSchema;

use crate::chat::{Keys, Prices, ProviderError, Usage};
pub use hash::{Hash, NAME};

/// Texts that a server gets at once where it is not known how many it takes; what common servers take
/// without being told to.
pub(crate) const BATCH: usize = 32;
/// The most that can be set; the answer has to fit into memory.
pub(crate) const LARGEST_BATCH: usize = 256;

/// A model that turns texts into vectors.
#[async_trait]
pub trait EmbeddingModel: Send + Sync {
    /// Embeds texts; as many vectors come back, in the same order, each of length 1. Retries happen
    /// in here. Dropping the future closes the upstream connection at once.
    ///
    /// # Errors
    /// Whatever kept the vectors from coming, in the provider's words.
    async fn embed(&self, request: EmbedRequest) -> Result<Embedded, ProviderError>;
}

#[derive(Clone, Debug, Default)]
pub struct EmbedRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// At most [`EmbedderInfo::max_batch`] texts, none empty.
    pub texts: Vec<String>,
    /// Whether the texts are stored or searched with.
    pub purpose: EmbedPurpose,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// What a vector is for; some models make a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmbedPurpose {
    /// A text that is stored, to be found later.
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

/// What is told of an embedding model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EmbedderInfo {
    /// `<provider>/<model>`, for example `builtin/hash`.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// The provider's name.
    pub provider: String,
    /// Texts that it takes at once.
    pub max_batch: usize,
    /// What it costs; zero where it is not known.
    pub prices: Prices,
    /// Whether new knowledge bases use it when none was chosen.
    pub is_default: bool,
}

/// An embedding model that can be asked.
pub struct Embedder {
    /// What is told of it.
    pub info: EmbedderInfo,
    /// The provider's own id, which goes into [`EmbedRequest::model`].
    pub upstream_id: String,
    /// The implementation that computes vectors.
    pub model: Arc<dyn EmbeddingModel>,
}

impl Embedder {
    /// An embedding model of which nothing but the way to it is known.
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

/// The embedding model that comes with the server.
pub(crate) fn builtin() -> Embedder {
    let mut embedder = Embedder::new("builtin", NAME, Arc::new(Hash));
    embedder.info.name = "Hashed words".to_owned();
    embedder
}

/// Whether a model of this name embeds, as far as a name can tell.
pub(crate) fn name_embeds(id: &str) -> bool {
    let id = id.to_ascii_lowercase();
    id.contains("embed") || id.contains("bge-")
}

/// The same direction at length 1; none for what has no direction.
pub(crate) fn of_length_one(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    // Summed in f64, in which the squares of any f32 fit.
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length == 0.0 || !length.is_finite() {
        return None;
    }
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    Some(vector)
}
