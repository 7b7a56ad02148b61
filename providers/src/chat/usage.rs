use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Characters per token, for providers that do not report usage. English text averages four with common tokenizers.
const CHARS_PER_TOKEN: u64 = 4;

/// The token usage of one response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub input_tokens: u64,
    /// Output tokens, including reasoning.
    pub output_tokens: u64,
    /// The part of `input_tokens` that was read from the provider's cache.
    pub cached_tokens: u64,
    /// The part of `output_tokens` that was reasoning.
    pub reasoning_tokens: u64,
    /// The part of `input_tokens` that the provider wrote to its cache, and charges for.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Whether the usage was estimated from characters because the provider did not report it.
    #[serde(default)]
    pub estimated: bool,
    /// The cost in nano-dollars if it must not be calculated from prices: the provider reports it, or a fallback
    /// answered at its own prices.
    #[serde(skip)]
    pub cost_nanos: Option<u64>,
}

impl Usage {
    /// Estimates the usage from character counts, four per token, rounded up. For providers that do not report usage,
    /// and for responses that were cut off before the report.
    #[must_use]
    pub fn estimate(input_chars: u64, output_chars: u64, reasoning_chars: u64) -> Self {
        let tokens = |chars: u64| chars.div_ceil(CHARS_PER_TOKEN);
        Self {
            input_tokens: tokens(input_chars),
            output_tokens: tokens(output_chars.saturating_add(reasoning_chars)),
            reasoning_tokens: tokens(reasoning_chars),
            estimated: true,
            ..Self::default()
        }
    }

    /// Returns the sum of the usage of two responses of a run. The sum is marked as estimated if either one is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            estimated: self.estimated || other.estimated,
            cost_nanos: self.cost_nanos.zip(other.cost_nanos).map(|(one, two)| one.saturating_add(two)),
        }
    }
}

/// The prices of a model in nano-dollars (10⁻⁹ US dollars) per token. One dollar per million tokens equals 1,000
/// nano-dollars per token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Prices {
    /// Price of an input token that was not cached.
    pub input_nanos_per_token: u64,
    /// Price of an output or reasoning token.
    pub output_nanos_per_token: u64,
    /// Price of an input token that was read from the provider's cache.
    pub cached_nanos_per_token: u64,
    /// Price of an input token that the provider wrote to its cache. If unset, `input_nanos_per_token` applies.
    pub cache_write_nanos_per_token: Option<u64>,
}

impl Prices {
    /// Returns the exact cost of a response in nano-dollars, or `u64::MAX` if it does not fit.
    ///
    /// Cached tokens are part of the input and have their own price, as do tokens written to the cache. If a provider
    /// reports more of these than input tokens, they are reduced to the number of input tokens. If the usage contains
    /// a cost, that cost is returned.
    #[must_use]
    pub fn cost_nanos(&self, usage: &Usage) -> u64 {
        if let Some(known) = usage.cost_nanos {
            return known;
        }
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let written = usage.cache_write_tokens.min(usage.input_tokens - cached);
        let fresh = usage.input_tokens - cached - written;
        let write_price = self.cache_write_nanos_per_token.unwrap_or(self.input_nanos_per_token);
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        // A single product of two 64-bit numbers fits into 128 bits, but the sum of several may not.
        let sum = part(fresh, self.input_nanos_per_token)
            .saturating_add(part(written, write_price))
            .saturating_add(part(cached, self.cached_nanos_per_token))
            .saturating_add(part(usage.output_tokens, self.output_nanos_per_token));
        u64::try_from(sum).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cost_nanos_applies_the_price_of_cached_tokens() {
        let prices = Prices {
            input_nanos_per_token: 2_500,
            output_nanos_per_token: 10_000,
            cached_nanos_per_token: 1_250,
            ..Prices::default()
        };
        let usage = Usage { input_tokens: 1_000, output_tokens: 7, cached_tokens: 400, ..Usage::default() };
        assert_eq!(prices.cost_nanos(&usage), 600 * 2_500 + 400 * 1_250 + 7 * 10_000);
    }

    #[test]
    fn cost_nanos_applies_the_cache_write_price_or_the_input_price() {
        let usage =
            Usage { input_tokens: 100, cached_tokens: 10, cache_write_tokens: 40, ..Usage::default() };
        let mut prices =
            Prices { input_nanos_per_token: 3_000, cached_nanos_per_token: 300, ..Prices::default() };
        assert_eq!(prices.cost_nanos(&usage), 90 * 3_000 + 10 * 300);
        prices.cache_write_nanos_per_token = Some(3_750);
        assert_eq!(prices.cost_nanos(&usage), 50 * 3_000 + 40 * 3_750 + 10 * 300);
    }

    #[test]
    fn cost_nanos_returns_a_known_cost() {
        let usage = Usage { input_tokens: 5, cost_nanos: Some(77), ..Usage::default() };
        let prices = Prices { input_nanos_per_token: 1, ..Prices::default() };
        assert_eq!(prices.cost_nanos(&usage), 77);
    }

    #[test]
    fn cost_nanos_limits_cached_tokens_to_the_input() {
        let prices = Prices { cached_nanos_per_token: 3, ..Prices::default() };
        let usage = Usage { input_tokens: 5, cached_tokens: 9, ..Usage::default() };
        assert_eq!(prices.cost_nanos(&usage), 15);
    }

    #[test]
    fn estimate_rounds_up_and_is_marked() {
        let usage = Usage::estimate(9, 4, 1);
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.reasoning_tokens), (3, 2, 1));
        assert!(usage.estimated);
    }

    proptest! {
        #[test]
        fn cost_nanos_never_overflows(input: u64, output: u64, cached: u64, written: u64, a: u64, b: u64, c: u64) {
            let prices = Prices {
                input_nanos_per_token: a,
                output_nanos_per_token: b,
                cached_nanos_per_token: c,
                cache_write_nanos_per_token: Some(a),
            };
            let usage = Usage {
                input_tokens: input,
                output_tokens: output,
                cached_tokens: cached,
                cache_write_tokens: written,
                ..Usage::default()
            };
            let _ = prices.cost_nanos(&usage);
        }

        #[test]
        fn cost_nanos_is_additive(tokens in 0u64..1_000_000, split in 0u64..1_000_000, price in 0u64..1_000_000) {
            let prices = Prices { input_nanos_per_token: price, ..Prices::default() };
            let of = |n| prices.cost_nanos(&Usage { input_tokens: n, ..Usage::default() });
            let split = split.min(tokens);
            prop_assert_eq!(of(tokens), of(split) + of(tokens - split));
        }
    }
}
