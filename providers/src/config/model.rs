use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};

use super::ConfigError;
use crate::chat::Prices;

/// One model of a provider: in the file either its id alone or a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelConfig {
    /// The provider's own id.
    pub id: String,
    /// The name to show; else the id.
    pub name: Option<String>,
    /// Tokens that request and answer may have together.
    pub context_window: Option<u64>,
    /// Tokens an answer may have.
    pub max_output_tokens: Option<u64>,
    /// US dollars a million tokens of the request.
    pub input_price: Option<f64>,
    /// US dollars a million tokens of the answer.
    pub output_price: Option<f64>,
    /// US dollars a million cached tokens of the request; else as `input_price`.
    pub cached_price: Option<f64>,
    /// What it can do (`chat`, `vision`, `tools`, `reasoning`, `embedding`, ...); else `chat`, or
    /// `embedding` where its id has "embed" in it.
    pub tags: Vec<String>,
    /// Texts that it embeds at once, if it embeds; else 32.
    pub max_batch: Option<usize>,
}

impl ModelConfig {
    /// A model of which only the id is known.
    pub fn id(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Whether it turns texts into vectors: it is tagged `embedding`, or its id has "embed" in it.
    pub(crate) fn embeds(&self) -> bool {
        self.tagged("embedding") || crate::embed::name_embeds(&self.id)
    }

    /// Whether it is offered for chats. One that embeds is offered only if it is tagged `chat`, too.
    pub(crate) fn chats(&self) -> bool {
        self.tagged("chat") || !self.embeds()
    }

    fn tagged(&self, tag: &str) -> bool {
        self.tags.iter().any(|one| one == tag)
    }

    /// The prices in the unit we count in.
    ///
    /// # Errors
    /// A price that is negative, or finer than we can count exactly.
    pub(crate) fn prices(&self) -> Result<Prices, ConfigError> {
        let input = self.nanos("input_price", self.input_price)?;
        Ok(Prices {
            input_nanos_per_token: input.unwrap_or(0),
            output_nanos_per_token: self.nanos("output_price", self.output_price)?.unwrap_or(0),
            cached_nanos_per_token: self.nanos("cached_price", self.cached_price)?.or(input).unwrap_or(0),
        })
    }

    /// A dollar a million tokens is a thousand nano-dollars a token.
    fn nanos(&self, key: &str, dollars: Option<f64>) -> Result<Option<u64>, ConfigError> {
        const DEAREST: f64 = 1e9;
        let Some(dollars) = dollars else {
            return Ok(None);
        };
        let nanos = (dollars * 1_000.0).round();
        // The tolerance is for decimal fractions that have no binary form, such as 0.075.
        if !(0.0..=DEAREST).contains(&dollars) || (dollars * 1_000.0 - nanos).abs() > 1e-6 {
            return Err(ConfigError(format!(
                "model {}: {key} = {dollars} is not a price: US dollars a million tokens, from 0 \
                 to a billion in steps of 0.001",
                self.id
            )));
        }
        Ok(Some(nanos as u64))
    }
}

/// The table form, apart so that a misspelt key in it is named.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    id: String,
    name: Option<String>,
    context_window: Option<u64>,
    max_output_tokens: Option<u64>,
    input_price: Option<f64>,
    output_price: Option<f64>,
    cached_price: Option<f64>,
    #[serde(default)]
    tags: Vec<String>,
    max_batch: Option<usize>,
}

impl<'de> Deserialize<'de> for ModelConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = ModelConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a model's id or a table with `id`")
            }

            fn visit_str<E>(self, id: &str) -> Result<ModelConfig, E> {
                Ok(ModelConfig::id(id))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ModelConfig, A::Error> {
                let table = Table::deserialize(MapAccessDeserializer::new(map))?;
                Ok(ModelConfig {
                    id: table.id,
                    name: table.name,
                    context_window: table.context_window,
                    max_output_tokens: table.max_output_tokens,
                    input_price: table.input_price,
                    output_price: table.output_price,
                    cached_price: table.cached_price,
                    tags: table.tags,
                    max_batch: table.max_batch,
                })
            }
        }

        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn priced(input: f64) -> ModelConfig {
        ModelConfig { input_price: Some(input), ..ModelConfig::id("m") }
    }

    #[test]
    fn dollars_become_nanos_exactly() {
        for (dollars, nanos) in [(0.0, 0), (0.001, 1), (0.075, 75), (2.5, 2_500), (75.0, 75_000)] {
            let prices = priced(dollars).prices().unwrap();
            assert_eq!(prices.input_nanos_per_token, nanos);
            assert_eq!(prices.cached_nanos_per_token, nanos, "cached as input by default");
            assert_eq!(prices.output_nanos_per_token, 0);
        }
    }

    #[test]
    fn a_price_we_cannot_count_is_refused() {
        for dollars in [-1.0, 0.0375, f64::NAN, f64::INFINITY, 1e12] {
            let error = priced(dollars).prices().unwrap_err().to_string();
            assert!(error.contains("model m") && error.contains("input_price"), "{error}");
        }
    }
}
