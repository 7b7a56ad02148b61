//! Texts as vectors.

use providers::{EmbedPurpose, EmbedRequest, ProviderError};
use runs::{EventData, OverBudget};
use storage::TenantId;
use storage::records::Usage;
use uuid::Uuid;

use super::Library;
use crate::offer;

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
    /// The usage event for them; none where they used nothing.
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
    /// The model is not there any more.
    #[error("there is no embedding model {0:?}")]
    UnknownModel(String),
    /// Nothing more may be spent on models.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
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
            Self::OverBudget(_) => OverBudget::CODE,
            Self::Storage(_) => "storage",
            Self::Provider { why, .. } => why.stable_code(),
        }
    }

    /// The name that the provider itself has for its failure.
    pub fn provider_code(&self) -> Option<&str> {
        match self {
            Self::Provider { why, .. } => why.code.as_deref(),
            Self::UnknownModel(_) | Self::OverBudget(_) | Self::Storage(_) => None,
        }
    }

    /// What was spent all the same.
    pub fn bill(&self) -> Option<EventData> {
        match self {
            Self::UnknownModel(_) | Self::OverBudget(_) | Self::Storage(_) => None,
            Self::Provider { spent, .. } => spent.bill(),
        }
    }
}

impl Library {
    /// Embeds texts by the model of this id, in as many calls as it needs, at the cost of a user. Whether
    /// the model is shown to this user is not asked: a knowledge base lends the one that it was made with.
    ///
    /// # Errors
    /// A budget that is used up; and whatever kept one of the calls from succeeding, with what those before it
    /// took.
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
            // Some providers refuse an empty text.
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

    /// The embedding model that is used for a user where none was chosen, by its full id.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn default_embedder(&self, tenant: TenantId, user: Uuid) -> storage::Result<String> {
        let offer = offer::offer(&self.0.store, &self.0.models, tenant, user).await?;
        Ok(offer.terms().default_embedder(&self.0.models).info.id.clone())
    }
}
