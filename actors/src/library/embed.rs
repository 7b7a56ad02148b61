//! Texts as vectors.

use providers::{EmbedPurpose, EmbedRequest, ProviderError};
use storage::records::Usage;

use super::Library;
use crate::completion::turn;
use crate::event::EventData;

/// Vectors with what they took.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    /// Full id of the model that made them.
    pub model: String,
    /// One for each text, of length 1.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens.
    pub usage: Usage,
    /// What they cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// Whether the tokens were estimated.
    pub estimated: bool,
}

impl Vectors {
    /// How a journal tells of what they took; nothing where they took nothing.
    pub(crate) fn bill(&self) -> Option<EventData> {
        let free = self.usage == Usage::default() && self.cost_nanos == 0;
        (!free).then(|| EventData::Usage {
            usage: self.usage,
            cost_nanos: self.cost_nanos,
            estimated: self.estimated,
            model: Some(self.model.clone()),
        })
    }
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model is not there any more.
    #[error("there is no embedding model {0:?}")]
    UnknownModel(String),
    /// The provider gave none, or not all.
    #[error("{why}")]
    Provider {
        /// In its words.
        why: ProviderError,
        /// What the calls before took; without the vectors.
        spent: Box<Vectors>,
    },
}

impl EmbedError {
    /// A stable name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownModel(_) => "unknown_model",
            Self::Provider { why, .. } => turn::code_of(why),
        }
    }

    /// What was spent all the same.
    pub(crate) fn bill(&self) -> Option<EventData> {
        match self {
            Self::UnknownModel(_) => None,
            Self::Provider { spent, .. } => spent.bill(),
        }
    }
}

impl Library {
    /// Embeds texts by the model of this id, in as many calls as it needs.
    ///
    /// # Errors
    /// Whatever kept one of the calls from succeeding, with what those before it took.
    pub async fn embed(
        &self,
        model: &str,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> Result<Vectors, EmbedError> {
        let embedder =
            self.0.models.find_embedder(model).ok_or_else(|| EmbedError::UnknownModel(model.to_owned()))?;
        let mut all = Vectors { model: embedder.info.id.clone(), ..Vectors::default() };
        for batch in texts.chunks(embedder.info.max_batch.max(1)) {
            // Some providers refuse an empty text.
            let texts =
                batch.iter().map(|text| if text.trim().is_empty() { " .".into() } else { text.clone() });
            let request =
                EmbedRequest { model: embedder.upstream_id.clone(), texts: texts.collect(), purpose };
            let embedded = match embedder.model.embed(request).await {
                Ok(embedded) => embedded,
                Err(why) => {
                    all.vectors.clear();
                    return Err(EmbedError::Provider { why, spent: Box::new(all) });
                }
            };
            all.cost_nanos += embedder.info.prices.cost_nanos(&embedded.usage);
            all.estimated |= embedded.usage.estimated;
            all.usage.input_tokens += embedded.usage.input_tokens;
            all.vectors.extend(embedded.vectors);
        }
        Ok(all)
    }

    /// The embedding model of new knowledge bases, by its full id.
    pub fn default_embedder(&self) -> String {
        self.0.models.default_embedder().info.id.clone()
    }
}
