//! Public representation of models.

use assist::offer::Unavailability;
use providers::{ModelInfo, Prices};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::list_of;

/// A chat model.
#[derive(Debug, Serialize, ToSchema)]
pub struct LLMModelResponse {
    /// Id of the model, for example `builtin/scribe`.
    pub id: String,
    /// Display name of the model.
    pub name: String,
    pub provider: String,
    /// Capabilities of the model, such as `chat`, `tools`, `vision` and `reasoning`.
    pub capability_tags: Vec<String>,
    /// Further properties: `built-in`, `local`.
    pub info_tags: Vec<String>,
    /// Maximum number of tokens of question and answer together.
    pub context_window: Option<u64>,
    /// Maximum number of tokens of an answer.
    pub max_output_tokens: Option<u64>,
    /// Prices of the model, per token.
    pub prices: ModelPrices,
    /// Whether the model answers this caller when a request names none.
    pub is_default: bool,
    /// Whether the model is a favourite of the caller.
    pub is_favourite: bool,
    /// Why the caller cannot use the model.
    pub unavailable_reason: Option<ModelUnavailableReason>,
}

/// Why a model cannot be used: `not_visible` (an administrator has chosen who may use it), `key_missing` (its provider needs an API key
/// of the tenant, and none is set for the provider's present address).
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelUnavailableReason {
    NotVisible,
    KeyMissing,
}

impl From<Unavailability> for ModelUnavailableReason {
    fn from(why: Unavailability) -> Self {
        match why {
            Unavailability::NotVisible => Self::NotVisible,
            Unavailability::KeyMissing => Self::KeyMissing,
        }
    }
}

/// Prices of a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelPrices {
    /// Prices in nano-dollars per token.
    #[serde(flatten)]
    pub nanos: Prices,
    /// Dollars per million input tokens.
    #[schema(example = "0.150")]
    pub input_per_million: String,
    /// Dollars per million output tokens.
    pub output_per_million: String,
    /// Dollars per million input tokens that the provider had cached.
    pub cached_per_million: String,
}

impl From<Prices> for ModelPrices {
    fn from(nanos: Prices) -> Self {
        Self {
            nanos,
            input_per_million: per_million(nanos.input_nanos_per_token),
            output_per_million: per_million(nanos.output_nanos_per_token),
            cached_per_million: per_million(nanos.cached_nanos_per_token),
        }
    }
}

/// One nano-dollar per token is a thousandth of a dollar per million tokens.
pub fn per_million(nanos: u64) -> String {
    format!("{}.{:03}", nanos / 1_000, nanos % 1_000)
}

impl LLMModelResponse {
    /// Converts a model for a caller with this default model and these favourites.
    pub fn from_info(info: ModelInfo, default: &str, favourites: &[String]) -> Self {
        Self {
            is_default: info.id == default,
            is_favourite: favourites.contains(&info.id),
            id: info.id,
            name: info.name,
            provider: info.provider,
            capability_tags: info.capability_tags,
            info_tags: info.info_tags,
            context_window: info.context_window,
            max_output_tokens: info.max_output_tokens,
            prices: info.prices.into(),
            unavailable_reason: None,
        }
    }

    /// The same model if the caller cannot use it.
    pub fn unavailable(self, why: Unavailability) -> Self {
        Self { unavailable_reason: Some(why.into()), ..self }
    }
}

list_of! {
    /// The chat models that the caller may use.
    #[derive(Debug)]
    pub LLMModelResponseList of LLMModelResponse
}
