use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};

use super::ConfigError;
use crate::chat::Prices;
use crate::media::MediaKind;

/// A model of a provider: in the configuration file either its id or a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelConfig {
    /// The provider's id of the model, as sent in requests.
    pub id: String,
    /// The display name; defaults to the id.
    pub name: Option<String>,
    /// Maximum number of tokens of request and response together.
    pub context_window: Option<u64>,
    /// Maximum number of tokens of a response.
    pub max_output_tokens: Option<u64>,
    /// Price in US dollars per million input tokens.
    pub input_price: Option<f64>,
    /// Price in US dollars per million output tokens.
    pub output_price: Option<f64>,
    /// Price in US dollars per million cached input tokens; defaults to `input_price`.
    pub cached_price: Option<f64>,
    /// Price in US dollars per million input tokens that the provider writes to its cache; defaults to `input_price`.
    pub cache_write_price: Option<f64>,
    /// Price in US dollars per unit of a media model: a million characters of speech, a minute of transcription, an
    /// image, a second of video.
    pub unit_price: Option<f64>,
    /// Full ids of models that are tried in this order if this one cannot answer.
    pub fallbacks: Vec<String>,
    /// Capabilities (`chat`, `vision`, `tools`, `reasoning`, `embedding`, ...). Defaults to `chat`, or to `embedding`
    /// if the id contains "embed".
    pub tags: Vec<String>,
    /// Maximum number of texts per embedding request; defaults to 32.
    pub max_batch: Option<usize>,
}

impl ModelConfig {
    /// Creates a model of which only the id is known.
    pub fn id(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Whether the model is an embedding model: it is tagged `embedding`, or its id contains "embed".
    pub(crate) fn embeds(&self) -> bool {
        self.tagged("embedding") || crate::embed::name_embeds(&self.id)
    }

    /// Returns the media kinds of the model, from its tags, or from its id if no tag names a purpose.
    pub(crate) fn media(&self) -> Vec<MediaKind> {
        let tagged: Vec<_> = MediaKind::ALL.into_iter().filter(|kind| self.tagged(kind.tag())).collect();
        let is_given = !tagged.is_empty() || self.tagged("chat") || self.tagged("embedding");
        if is_given { tagged } else { MediaKind::of_name(&self.id).into_iter().collect() }
    }

    /// Whether the model is offered for chats: it is tagged `chat`, or has no other purpose.
    pub(crate) fn chats(&self) -> bool {
        self.tagged("chat") || (!self.embeds() && self.media().is_empty())
    }

    fn tagged(&self, tag: &str) -> bool {
        self.tags.iter().any(|one| one == tag)
    }

    /// Converts the token prices to nano-dollars per token; `None` if none is set.
    ///
    /// # Errors
    /// Returns an error if a price is negative or finer than a nano-dollar per token.
    pub(crate) fn prices(&self) -> Result<Option<Prices>, ConfigError> {
        let input = self.nanos("input_price", self.input_price)?;
        let output = self.nanos("output_price", self.output_price)?;
        let cached = self.nanos("cached_price", self.cached_price)?;
        let cache_write = self.nanos("cache_write_price", self.cache_write_price)?;
        let is_given = [input, output, cached, cache_write].iter().any(Option::is_some);
        Ok(is_given.then(|| Prices {
            input_nanos_per_token: input.unwrap_or(0),
            output_nanos_per_token: output.unwrap_or(0),
            cached_nanos_per_token: cached.or(input).unwrap_or(0),
            cache_write_nanos_per_token: cache_write,
        }))
    }

    /// Converts the price of a unit of media to nano-dollars.
    ///
    /// # Errors
    /// Returns an error if the price is negative or finer than a nano-dollar.
    pub(crate) fn unit_price_nanos(&self) -> Result<Option<u64>, ConfigError> {
        const MAX_PRICE: f64 = 1e6;
        let Some(dollars) = self.unit_price else {
            return Ok(None);
        };
        let nanos = (dollars * 1e9).round();
        if !(0.0..=MAX_PRICE).contains(&dollars) || (dollars * 1e9 - nanos).abs() > 1e-3 {
            return Err(ConfigError(format!(
                "model {}: unit_price = {dollars} is not a price: US dollars a unit, from 0 to a million in \
                 steps of a nano-dollar",
                self.id
            )));
        }
        Ok(Some(nanos as u64))
    }

    /// Converts dollars per million tokens to nano-dollars per token: a factor of a thousand.
    fn nanos(&self, key: &str, dollars: Option<f64>) -> Result<Option<u64>, ConfigError> {
        const MAX_PRICE: f64 = 1e9;
        let Some(dollars) = dollars else {
            return Ok(None);
        };
        let nanos = (dollars * 1_000.0).round();
        // The tolerance is for decimal fractions without an exact binary representation, such as 0.075.
        if !(0.0..=MAX_PRICE).contains(&dollars) || (dollars * 1_000.0 - nanos).abs() > 1e-6 {
            return Err(ConfigError(format!(
                "model {}: {key} = {dollars} is not a price: US dollars a million tokens, from 0 \
                 to a billion in steps of 0.001",
                self.id
            )));
        }
        Ok(Some(nanos as u64))
    }
}

/// The table form, a separate type so that unknown keys are reported by name.
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
    cache_write_price: Option<f64>,
    unit_price: Option<f64>,
    #[serde(default)]
    fallbacks: Vec<String>,
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
                    cache_write_price: table.cache_write_price,
                    unit_price: table.unit_price,
                    fallbacks: table.fallbacks,
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
    fn prices_converts_dollars_to_nanos_exactly() {
        for (dollars, nanos) in [(0.0, 0), (0.001, 1), (0.075, 75), (2.5, 2_500), (75.0, 75_000)] {
            let prices = priced(dollars).prices().unwrap().unwrap();
            assert_eq!(prices.input_nanos_per_token, nanos);
            assert_eq!(prices.cached_nanos_per_token, nanos, "cached as input by default");
            assert_eq!(prices.output_nanos_per_token, 0);
        }
    }

    #[test]
    fn purpose_comes_from_tags_and_otherwise_from_the_id() {
        let of = |id: &str, tags: &[&str]| {
            let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
            let model = ModelConfig { tags, ..ModelConfig::id(id) };
            (model.chats(), model.embeds(), model.media())
        };
        assert_eq!(of("gpt-4o", &[]), (true, false, vec![]));
        assert_eq!(of("gpt-4o-mini-tts", &["fast"]), (false, false, vec![MediaKind::Speech]));
        assert_eq!(of("tts-of-ours", &["chat"]), (true, false, vec![]));
        assert_eq!(of("acme", &["image", "chat"]), (true, false, vec![MediaKind::Image]));
        assert_eq!(of("nomic-embed", &[]), (false, true, vec![]));
    }

    #[test]
    fn unit_price_nanos_converts_exactly() {
        let priced = |dollars| ModelConfig { unit_price: Some(dollars), ..ModelConfig::id("m") };
        for (dollars, nanos) in [(0.0, 0), (0.006, 6_000_000), (15.0, 15_000_000_000), (0.0001, 100_000)] {
            assert_eq!(priced(dollars).unit_price_nanos().unwrap(), Some(nanos));
        }
        for dollars in [-1.0, f64::NAN, 1e7, 1.5e-9] {
            assert!(priced(dollars).unit_price_nanos().is_err(), "{dollars}");
        }
    }

    #[test]
    fn prices_rejects_inexact_values() {
        for dollars in [-1.0, 0.0375, f64::NAN, f64::INFINITY, 1e12] {
            let error = priced(dollars).prices().unwrap_err().to_string();
            assert!(error.contains("model m") && error.contains("input_price"), "{error}");
        }
    }
}
