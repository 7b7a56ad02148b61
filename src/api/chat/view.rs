//! How models are shown.

use providers::{ModelInfo, Prices};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::list_of;

/// A model.
#[derive(Debug, Serialize, ToSchema)]
pub struct LLMModelResponse {
    /// Its id, for example `builtin/scribe`.
    pub id: String,
    /// The name to show.
    pub name: String,
    pub provider: String,
    /// What it can do: `chat`, `tools`, `vision`, `reasoning` and the like.
    pub capability_tags: Vec<String>,
    /// Further properties: `built-in`, `local`.
    pub info_tags: Vec<String>,
    /// Tokens that question and answer may have together.
    pub context_window: Option<u64>,
    /// Tokens that an answer may have.
    pub max_output_tokens: Option<u64>,
    /// What it costs.
    pub prices: ModelPrices,
    /// Whether it is used for this caller when a request names no model.
    pub is_default: bool,
    /// Whether the caller marked it.
    pub is_favourite: bool,
}

/// What a model costs.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelPrices {
    /// In nano-dollars a token.
    #[serde(flatten)]
    pub nanos: Prices,
    /// Dollars a million tokens of the question.
    #[schema(example = "0.150")]
    pub input_per_million: String,
    /// Dollars a million tokens of the answer.
    pub output_per_million: String,
    /// Dollars a million tokens of the question that the provider had cached.
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

/// Nano-dollars a token are thousandths of a dollar a million tokens.
fn per_million(nanos: u64) -> String {
    format!("{}.{:03}", nanos / 1_000, nanos % 1_000)
}

impl LLMModelResponse {
    /// A model, as it is shown to one whose default is `default`, and who marked some.
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
        }
    }
}

list_of! {
    /// Models.
    #[derive(Debug)]
    pub LLMModelResponseList of LLMModelResponse
}

#[cfg(test)]
mod tests {
    use super::per_million;

    #[test]
    fn prices_are_exact() {
        assert_eq!(per_million(0), "0.000");
        assert_eq!(per_million(150), "0.150");
        assert_eq!(per_million(15_000), "15.000");
    }
}
