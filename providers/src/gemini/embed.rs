//! Embeddings: the `batchEmbedContents` method.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::path;
use crate::chat::{ProviderError, Usage};
use crate::embed::{EmbedPurpose, EmbedRequest, Embedded, EmbeddingModel, of_length_one};
use crate::upstream::{Ask, Host, Line};

/// Maximum size of a response: 32 MiB.
const LIMIT: usize = 32 << 20;
/// Maximum number of texts per request that the API accepts.
const MAX_TEXTS: usize = 100;

/// The embedding models of the server.
pub(crate) struct GeminiEmbedder {
    host: Arc<Host>,
    /// Maximum number of texts per request, from 1 to [`MAX_TEXTS`].
    max_batch: usize,
}

impl GeminiEmbedder {
    pub(crate) fn new(host: Arc<Host>, max_batch: usize) -> Self {
        Self { host, max_batch: max_batch.clamp(1, MAX_TEXTS) }
    }

    async fn batch(
        &self,
        line: &Line,
        request: &EmbedRequest,
        texts: &[String],
    ) -> Result<Embedded, ProviderError> {
        let kind = match request.purpose {
            EmbedPurpose::Document => "RETRIEVAL_DOCUMENT",
            EmbedPurpose::Query => "RETRIEVAL_QUERY",
        };
        let model = path(&request.model, "");
        let model = model.trim_end_matches(':');
        let one = |text: &String| -> Value {
            json!({ "model": model, "content": { "parts": [{ "text": text }] }, "taskType": kind })
        };
        let body = json!({ "requests": texts.iter().map(one).collect::<Vec<_>>() }).to_string();
        let url = line.url(&path(&request.model, "batchEmbedContents"));
        let answer = line.ask(Ask::json(url, &request.model, body)).await?.whole(LIMIT).await?;
        let answer: Answer = serde_json::from_slice(&answer).map_err(|_| line.rubbish(&answer))?;
        let vectors =
            answer.embeddings.into_iter().map(|one| of_length_one(one.values)).collect::<Option<Vec<_>>>();
        let fault = |what: &str| Err(ProviderError::protocol(format!("{} sent {what}", line.name())));
        let Some(vectors) = vectors else {
            return fault("a zero or non-finite vector");
        };
        if vectors.len() != texts.len() {
            return fault(&format!("{} vectors for {} texts", vectors.len(), texts.len()));
        }
        let chars: usize = texts.iter().map(|text| text.chars().count()).sum();
        let counted_tokens = answer.usage_metadata.and_then(|usage| usage.prompt_token_count);
        let usage = match counted_tokens {
            Some(input_tokens) => Usage { input_tokens, ..Usage::default() },
            None => Usage::estimate(chars as u64, 0, 0),
        };
        Ok(Embedded { vectors, usage })
    }
}

#[async_trait]
impl EmbeddingModel for GeminiEmbedder {
    async fn embed(&self, request: EmbedRequest) -> Result<Embedded, ProviderError> {
        let line = self.host.line(&request.keys)?;
        let mut all = Embedded::default();
        for texts in request.texts.chunks(self.max_batch) {
            let batch = self.batch(&line, &request, texts).await.map_err(|error| line.cleaned(error))?;
            all.vectors.extend(batch.vectors);
            all.usage = all.usage.plus(batch.usage);
        }
        let length = all.vectors.first().map_or(0, Vec::len);
        if all.vectors.iter().any(|vector| vector.len() != length) {
            return Err(ProviderError::protocol(format!(
                "{} sent vectors of different lengths",
                line.name()
            )));
        }
        Ok(all)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    embeddings: Vec<Vector>,
    #[serde(default)]
    usage_metadata: Option<TokenCounts>,
}

#[derive(Deserialize)]
struct Vector {
    #[serde(default)]
    values: Vec<f32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenCounts {
    prompt_token_count: Option<u64>,
}
