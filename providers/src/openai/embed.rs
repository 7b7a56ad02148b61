//! Embeddings: the `/embeddings` endpoint.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::whole::LIMIT;
use crate::chat::{ProviderError, Usage};
use crate::embed::{EmbedRequest, Embedded, EmbeddingModel, of_length_one};
use crate::upstream::{Ask, Host, Line};

/// The embedding models of a server.
pub(crate) struct OpenAiEmbedder {
    host: Arc<Host>,
    /// Maximum number of texts per request, at least 1.
    max_batch: usize,
}

impl OpenAiEmbedder {
    pub(crate) fn new(host: Arc<Host>, max_batch: usize) -> Self {
        Self { host, max_batch: max_batch.max(1) }
    }

    async fn batch(&self, line: &Line, model: &str, texts: &[String]) -> Result<Embedded, ProviderError> {
        // The request does not set an encoding: some servers reject the parameter, and both encodings are accepted in
        // the response.
        let body = serde_json::json!({ "model": model, "input": texts }).to_string();
        let answer = line.ask(Ask::json(line.url("embeddings"), model, body)).await?.whole(LIMIT).await?;
        let usage = |counted: Option<TokenCounts>| {
            let chars: usize = texts.iter().map(|text| text.chars().count()).sum();
            let counted_tokens = counted.and_then(|counted| counted.prompt_tokens.or(counted.total_tokens));
            match counted_tokens {
                Some(input_tokens) => Usage { input_tokens, ..Usage::default() },
                None => Usage::estimate(chars as u64, 0, 0),
            }
        };
        let answer: Answer<'_> = serde_json::from_slice(&answer).map_err(|_| line.rubbish(&answer))?;
        if let Some(error) = answer.error {
            return Err(line.reported(error.get().as_bytes()));
        }
        let vectors = in_order(line, answer.data.unwrap_or_default(), texts.len())?;
        Ok(Embedded { vectors, usage: usage(answer.usage) })
    }
}

#[async_trait]
impl EmbeddingModel for OpenAiEmbedder {
    async fn embed(&self, request: EmbedRequest) -> Result<Embedded, ProviderError> {
        let line = self.host.line(&request.keys)?;
        let mut all = Embedded::default();
        for texts in request.texts.chunks(self.max_batch) {
            let batch =
                self.batch(&line, &request.model, texts).await.map_err(|error| line.cleaned(error))?;
            same_length(&line, all.vectors.first(), &batch.vectors)?;
            all.vectors.extend(batch.vectors);
            all.usage = all.usage.plus(batch.usage);
        }
        Ok(all)
    }
}

/// Returns the vectors in the order of the texts, normalized to length 1.
fn in_order(line: &Line, data: Vec<Item>, texts: usize) -> Result<Vec<Vec<f32>>, ProviderError> {
    let fault = |what: String| Err(ProviderError::protocol(format!("{} sent {what}", line.name())));
    if data.len() != texts {
        return fault(format!("{} vectors for {texts} texts", data.len()));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (at, item) in data.into_iter().enumerate() {
        // Some servers omit the index.
        let index = item.index.unwrap_or(at);
        let Some(place) = vectors.get_mut(index).filter(|place| place.is_none()) else {
            return fault(format!("no vector, or two, for one of {texts} texts"));
        };
        let Some(vector) = item.embedding.numbers().and_then(of_length_one) else {
            return fault(format!("a zero or non-finite vector for text {index}"));
        };
        *place = Some(vector);
    }
    let vectors: Vec<Vec<f32>> = vectors.into_iter().flatten().collect();
    same_length(line, vectors.first(), &vectors)?;
    Ok(vectors)
}

fn same_length(line: &Line, first: Option<&Vec<f32>>, all: &[Vec<f32>]) -> Result<(), ProviderError> {
    let length = first.map_or_else(|| all.first().map_or(0, Vec::len), Vec::len);
    if all.iter().all(|vector| vector.len() == length) {
        return Ok(());
    }
    Err(ProviderError::protocol(format!("{} sent vectors of different lengths", line.name())))
}

/// The response. Some servers send an error with a status of success.
#[derive(Deserialize)]
struct Answer<'a> {
    data: Option<Vec<Item>>,
    usage: Option<TokenCounts>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Numbers,
}

#[derive(Deserialize)]
struct TokenCounts {
    prompt_tokens: Option<u64>,
    total_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Numbers {
    Floats(Vec<f32>),
    /// Base64 of little-endian numbers of four bytes each.
    Base64(String),
}

impl Numbers {
    fn numbers(self) -> Option<Vec<f32>> {
        match self {
            Self::Floats(numbers) => Some(numbers),
            Self::Base64(text) => {
                let bytes = STANDARD.decode(text).ok()?;
                let (numbers, rest) = bytes.as_chunks::<4>();
                rest.is_empty().then(|| numbers.iter().map(|four| f32::from_le_bytes(*four)).collect())
            }
        }
    }
}
