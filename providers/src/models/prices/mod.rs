//! Imported prices. They take precedence over the built-in catalogue, and the configuration takes precedence over
//! them.

mod decimal;
mod formats;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use formats::{PriceFault, PriceFormat, PriceImport, read_prices};

use super::catalog;
use crate::chat::Prices;
use crate::config::ModelConfig;
use crate::upstream::Host;

/// The prices of one model, in nano-dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ModelPrice {
    /// Price of an input token.
    pub input_nanos: Option<u64>,
    /// Price of an output token.
    pub output_nanos: Option<u64>,
    /// Price of an input token read from the provider's cache; `input_nanos` if absent.
    pub cached_nanos: Option<u64>,
    /// Price of an input token that the provider writes to its cache; `input_nanos` if absent.
    pub cache_write_nanos: Option<u64>,
    /// Price of a unit of media: a million characters of speech, a minute of transcription, an image, a second of
    /// video.
    pub unit_nanos: Option<u64>,
}

impl ModelPrice {
    /// Maximum price of a token: a dollar.
    pub(super) const MAX_TOKEN_PRICE: u64 = 1_000_000_000;
    /// Maximum price of a unit: four thousand dollars.
    pub(super) const MAX_UNIT_PRICE: u64 = 4_000_000_000_000;

    fn of_tokens(&self) -> [Option<u64>; 4] {
        [self.input_nanos, self.output_nanos, self.cached_nanos, self.cache_write_nanos]
    }

    /// Whether no price is set.
    pub(super) fn is_empty(&self) -> bool {
        self.unit_nanos.is_none() && self.of_tokens().iter().all(Option::is_none)
    }

    /// Fills in prices that the configuration does not set. Token prices belong together: if one is configured, none
    /// of these is used. For prices up to the maximum, the conversion to a floating-point number and back yields the
    /// same number of nano-dollars.
    fn fill(&self, model: &mut ModelConfig) -> bool {
        let tokens = self.of_tokens();
        let fills_tokens = !prices_tokens(model) && tokens.iter().any(Option::is_some);
        if fills_tokens {
            let [input, output, cached, cache_write] =
                tokens.map(|nanos| nanos.map(|nanos| nanos as f64 / 1e3));
            model.input_price = input;
            model.output_price = output;
            model.cached_price = cached;
            model.cache_write_price = cache_write;
        }
        let fills_unit = model.unit_price.is_none() && self.unit_nanos.is_some();
        if fills_unit {
            model.unit_price = self.unit_nanos.map(|nanos| nanos as f64 / 1e9);
        }
        fills_tokens || fills_unit
    }
}

/// Whether any token price is set.
pub(super) fn prices_tokens(model: &ModelConfig) -> bool {
    [model.input_price, model.output_price, model.cached_price, model.cache_write_price]
        .iter()
        .any(Option::is_some)
}

/// An imported price table, keyed by model name in lower case.
///
/// A name is either the full id of a model (`<provider>/<model>`) or the model's own name. The latter is used only
/// for requests to the vendor of the model, since third-party servers have their own prices. Dated versions of a
/// model cost the same as the model unless they are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceTable {
    /// The version of the table; the greater version takes precedence.
    pub version: u64,
    /// Prices by model name.
    pub prices: BTreeMap<String, ModelPrice>,
}

impl PriceTable {
    /// Completes a model's configuration. Returns whether it added a price.
    pub(super) fn complete(&self, host: &Host, model: &mut ModelConfig) -> bool {
        if self.prices.is_empty() {
            return false;
        }
        let full = self.find(&format!("{}/{}", host.name, model.id));
        let price = full.or_else(|| catalog::is_home(host).then(|| self.find(&model.id)).flatten());
        price.is_some_and(|price| price.fill(model))
    }

    fn find(&self, name: &str) -> Option<&ModelPrice> {
        let name = name.to_lowercase();
        let ends = name.match_indices(['-', '@']).map(|(at, _)| at).rev();
        let shorter = ends.map(|end| &name[..end]).filter(|entry| catalog::is_version_of(&name, entry));
        std::iter::once(name.as_str()).chain(shorter).find_map(|entry| self.prices.get(entry))
    }
}

/// Where a price comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PriceOrigin {
    /// The configuration.
    Configured,
    /// The imported table.
    Imported,
    /// The table that ships with the server.
    Shipped,
    /// No price is known; usage is recorded at no cost.
    Unknown,
}

/// The price of a model and its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PricedModel {
    /// The full id of the model.
    pub model: String,
    /// The token prices, if known.
    pub prices: Option<Prices>,
    /// The price of a unit of media, in nano-dollars.
    pub unit_price_nanos: Option<u64>,
    /// Where the prices come from.
    pub origin: PriceOrigin,
}

impl PricedModel {
    pub(super) fn new(host: &Host, full: &ModelConfig, origin: PriceOrigin) -> Self {
        // Invalid prices were rejected when they were loaded.
        Self {
            model: format!("{}/{}", host.name, full.id),
            prices: full.prices().ok().flatten(),
            unit_price_nanos: full.unit_price_nanos().ok().flatten(),
            origin,
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
