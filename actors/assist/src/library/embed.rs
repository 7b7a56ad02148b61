//! Computes embedding vectors of texts.

use providers::{EmbedPurpose, EmbedRequest, ProviderError};
use runs::{EventData, OverBudget};
use storage::TenantId;
use storage::records::Usage;
use uuid::Uuid;

use super::Library;
use crate::offer;

/// Vectors, and the usage of computing them.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    /// Full ID of the model that computed them.
    pub model: String,
    /// One vector of length 1 per text.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens used.
    pub usage: Usage,
    /// Cost of the tokens in billionths of a dollar.
    pub cost_nanos: u64,
    /// Whether the tokens were estimated.
    pub estimated: bool,
}

impl Vectors {
    /// The usage event for the vectors, or `None` if there was no usage.
    pub fn bill(&self) -> Option<EventData> {
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
    /// The model no longer exists.
    #[error("there is no embedding model {0:?}")]
    UnknownModel(String),
    /// The budget for models is exhausted.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The underlying storage operation failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The provider returned no vectors, or not all of them.
    #[error("{why}")]
    Provider {
        /// The provider's error.
        why: ProviderError,
        /// Usage of the preceding calls, without their vectors.
        spent: Box<Vectors>,
    },
}

impl EmbedError {
    /// Stable machine-readable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownModel(_) => "unknown_model",
            Self::OverBudget(_) => OverBudget::CODE,
            Self::Storage(_) => "storage",
            Self::Provider { why, .. } => why.stable_code(),
        }
    }

    /// The provider's own error code.
    pub fn provider_code(&self) -> Option<&str> {
        match self {
            Self::Provider { why, .. } => why.code.as_deref(),
            Self::UnknownModel(_) | Self::OverBudget(_) | Self::Storage(_) => None,
        }
    }

    /// The usage event for the calls that succeeded before the failure.
    pub fn bill(&self) -> Option<EventData> {
        match self {
            Self::UnknownModel(_) | Self::OverBudget(_) | Self::Storage(_) => None,
            Self::Provider { spent, .. } => spent.bill(),
        }
    }
}

impl Library {
    /// Embeds texts with the model of this ID, in as many calls as necessary, at the expense of a user. Does not check
    /// whether the model is available to this user: a knowledge base may be used with the model that it was created
    /// with.
    ///
    /// # Errors
    /// The exhausted budget, or the error of the first failed call together with the usage of the preceding calls.
    pub async fn embed(
        &self,
        (tenant, user): (TenantId, Uuid),
        model: &str,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> Result<Vectors, EmbedError> {
        let embedder =
            self.0.models.find_embedder(model).ok_or_else(|| EmbedError::UnknownModel(model.to_owned()))?;
        let offer = offer::offer(&self.0.store, &self.0.models, tenant, user).await?;
        offer.within_budget()?;
        let mut all = Vectors { model: embedder.info.id.clone(), ..Vectors::default() };
        for batch in texts.chunks(embedder.info.max_batch.max(1)) {
            // Some providers reject an empty text.
            let texts =
                batch.iter().map(|text| if text.trim().is_empty() { " .".into() } else { text.clone() });
            let (model, keys) = (embedder.upstream_id.clone(), offer.keys());
            let request = EmbedRequest { model, texts: texts.collect(), purpose, keys };
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

    /// The full ID of the embedding model that is used for a user if none was chosen.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn default_embedder(&self, tenant: TenantId, user: Uuid) -> storage::Result<String> {
        let offer = offer::offer(&self.0.store, &self.0.models, tenant, user).await?;
        Ok(offer.terms().default_embedder(&self.0.models).info.id.clone())
    }
}
