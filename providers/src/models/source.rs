use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::anthropic::Anthropic;
use crate::chat::{ChatModel, Keys, ProviderError};
use crate::config::{CheckedProvider, ModelConfig, ProviderKind};
use crate::embed::{BATCH, Embedder, EmbeddingModel};
use crate::gemini::{Gemini, GeminiEmbedder};
use crate::media::MediaKind;
use crate::media::image::ImageModel;
use crate::media::speech::SpeechModel;
use crate::media::transcription::TranscriptionModel;
use crate::media::video::VideoModel;
use crate::openai::{self, OpenAi, OpenAiEmbedder};
use crate::upstream::{Host, Line, ModelListing};

/// A provider of any protocol; gives access to each of its models.
#[async_trait]
pub(crate) trait Source: Send + Sync {
    fn host(&self) -> &Arc<Host>;

    /// Returns the provider's models, in its order.
    async fn list(&self, line: &Line) -> Result<Vec<ModelListing>, ProviderError>;

    /// Returns a chat model with these known properties.
    fn chat(&self, known: &ModelConfig) -> Arc<dyn ChatModel>;

    /// Returns an embedding model that sends `max_batch` texts per request; `None` if the provider has no embedding
    /// models.
    fn embedder(&self, max_batch: usize) -> Option<Arc<dyn EmbeddingModel>>;

    /// Returns a media model; `None` if the provider has no models of this kind.
    fn media(&self, kind: MediaKind, id: &str) -> Option<MediaModel>;
}

/// The implementation of a media model.
pub(crate) enum MediaModel {
    Speech(Arc<dyn SpeechModel>),
    Transcription(Arc<dyn TranscriptionModel>),
    Image(Arc<dyn ImageModel>),
    Video(Arc<dyn VideoModel>),
}

/// Creates the source of a configured provider.
pub(super) fn open(provider: CheckedProvider) -> Arc<dyn Source> {
    let host = Arc::new(Host::new(provider));
    match host.kind {
        ProviderKind::Openai => Arc::new(Arc::new(OpenAi::new(host))),
        ProviderKind::Anthropic => Arc::new(Arc::new(Anthropic::new(host))),
        ProviderKind::Gemini => Arc::new(Arc::new(Gemini::new(host))),
    }
}

/// Lists the models of a source with these keys; returns an error if that takes longer than `within`.
pub(super) async fn list(
    source: &Arc<dyn Source>,
    keys: &Keys,
    within: Duration,
) -> Result<Vec<ModelListing>, ProviderError> {
    let line = source.host().line(keys)?;
    let listing = tokio::time::timeout(within, source.list(&line));
    let late = |_| Err(ProviderError::timeout(format!("{} took too long", line.name())));
    listing.await.unwrap_or_else(late).map_err(|error| line.cleaned(error))
}

#[async_trait]
impl Source for Arc<OpenAi> {
    fn host(&self) -> &Arc<Host> {
        OpenAi::host(self)
    }

    async fn list(&self, line: &Line) -> Result<Vec<ModelListing>, ProviderError> {
        openai::list(line).await
    }

    fn chat(&self, _: &ModelConfig) -> Arc<dyn ChatModel> {
        Arc::clone(self) as Arc<dyn ChatModel>
    }

    fn embedder(&self, max_batch: usize) -> Option<Arc<dyn EmbeddingModel>> {
        Some(Arc::new(OpenAiEmbedder::new(Arc::clone(Source::host(self)), max_batch)))
    }

    fn media(&self, kind: MediaKind, id: &str) -> Option<MediaModel> {
        let host = Source::host(self);
        match kind {
            MediaKind::Speech => Some(MediaModel::Speech(openai::speech(host, id))),
            MediaKind::Transcription => Some(MediaModel::Transcription(openai::transcription(host, id))),
            MediaKind::Image => Some(MediaModel::Image(openai::image(host, id))),
            MediaKind::Video => Some(MediaModel::Video(openai::video(host, id))),
        }
    }
}

#[async_trait]
impl Source for Arc<Anthropic> {
    fn host(&self) -> &Arc<Host> {
        Anthropic::host(self)
    }

    async fn list(&self, line: &Line) -> Result<Vec<ModelListing>, ProviderError> {
        crate::anthropic::list(line).await
    }

    fn chat(&self, known: &ModelConfig) -> Arc<dyn ChatModel> {
        Arc::new(self.model(known.max_output_tokens))
    }

    fn embedder(&self, _: usize) -> Option<Arc<dyn EmbeddingModel>> {
        None
    }

    fn media(&self, _: MediaKind, _: &str) -> Option<MediaModel> {
        None
    }
}

#[async_trait]
impl Source for Arc<Gemini> {
    fn host(&self) -> &Arc<Host> {
        Gemini::host(self)
    }

    async fn list(&self, line: &Line) -> Result<Vec<ModelListing>, ProviderError> {
        crate::gemini::list(line).await
    }

    fn chat(&self, _: &ModelConfig) -> Arc<dyn ChatModel> {
        Arc::clone(self) as Arc<dyn ChatModel>
    }

    fn embedder(&self, max_batch: usize) -> Option<Arc<dyn EmbeddingModel>> {
        Some(Arc::new(GeminiEmbedder::new(Arc::clone(Source::host(self)), max_batch)))
    }

    fn media(&self, _kind: MediaKind, _id: &str) -> Option<MediaModel> {
        None
    }
}

impl Embedder {
    /// Creates an embedder of a source from its configuration; `None` if the source has no embedding models.
    pub(crate) fn from_source(source: &Arc<dyn Source>, known: &ModelConfig) -> Option<Self> {
        let max_batch = known.max_batch.unwrap_or(BATCH);
        let mut embedder = Self::new(&source.host().name, known.id.as_str(), source.embedder(max_batch)?);
        embedder.info.max_batch = max_batch;
        // Invalid prices were rejected when the configuration was loaded.
        embedder.info.prices = known.prices().ok().flatten().unwrap_or_default();
        if let Some(name) = &known.name {
            embedder.info.name.clone_from(name);
        }
        Some(embedder)
    }
}
