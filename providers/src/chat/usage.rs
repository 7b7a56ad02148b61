use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Characters that make a token when a provider does not count for us. Four is what English text
/// comes to with the usual tokenizers.
const CHARS_PER_TOKEN: u64 = 4;

/// The tokens of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Tokens of the request, those from the provider's cache included.
    pub input_tokens: u64,
    /// Tokens of the answer, those of the reasoning included.
    pub output_tokens: u64,
    /// The part of `input_tokens` that came from the provider's cache.
    pub cached_tokens: u64,
    /// The part of `output_tokens` that was reasoning.
    pub reasoning_tokens: u64,
    /// The part of `input_tokens` that the provider put into its cache, and charges for.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// True when we estimated from characters because the provider did not say.
    #[serde(default)]
    pub estimated: bool,
    /// What it cost in nano-dollars, where that is known and not to be reckoned: the provider says so, or
    /// another model answered than was asked, at its own prices.
    #[serde(skip)]
    pub cost_nanos: Option<u64>,
}

impl Usage {
    /// An estimate from counts of characters, four to a token, rounded up; for providers that do
    /// not count and for answers that were cut off before they did.
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

    /// The sum of two answers of one run. Estimated as soon as one of them is.
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

/// What a model costs, in nano-dollars (10⁻⁹ US dollars) a token. One dollar a million tokens is
/// 1,000 nano-dollars a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Prices {
    /// A token of the request that was not cached.
    pub input_nanos_per_token: u64,
    /// A token of the answer or of its reasoning.
    pub output_nanos_per_token: u64,
    /// A token of the request that came from the provider's cache.
    pub cached_nanos_per_token: u64,
    /// A token of the request that the provider put into its cache. Priced as any other input token where no price
    /// is set.
    pub cache_write_nanos_per_token: Option<u64>,
}

impl Prices {
    /// What an answer cost, in nano-dollars: exact, and `u64::MAX` if it does not fit.
    ///
    /// Cached tokens are a part of the input and are charged at their own price, like those that went into
    /// the cache. A provider that reports more of these than input is believed about the input. A cost that
    /// the usage carries is taken as it is.
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
        // Three products of two 64-bit numbers can exceed 128 bits only together.
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
    fn cached_tokens_have_a_price_of_their_own() {
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
    fn what_goes_into_the_cache_has_a_price_of_its_own_or_that_of_the_input() {
        let usage =
            Usage { input_tokens: 100, cached_tokens: 10, cache_write_tokens: 40, ..Usage::default() };
        let mut prices =
            Prices { input_nanos_per_token: 3_000, cached_nanos_per_token: 300, ..Prices::default() };
        assert_eq!(prices.cost_nanos(&usage), 90 * 3_000 + 10 * 300);
        prices.cache_write_nanos_per_token = Some(3_750);
        assert_eq!(prices.cost_nanos(&usage), 50 * 3_000 + 40 * 3_750 + 10 * 300);
    }

    #[test]
    fn a_cost_that_is_known_is_not_reckoned() {
        let usage = Usage { input_tokens: 5, cost_nanos: Some(77), ..Usage::default() };
        let prices = Prices { input_nanos_per_token: 1, ..Prices::default() };
        assert_eq!(prices.cost_nanos(&usage), 77);
    }

    #[test]
    fn more_cached_than_input_is_cut_to_the_input() {
        let prices = Prices { cached_nanos_per_token: 3, ..Prices::default() };
        let usage = Usage { input_tokens: 5, cached_tokens: 9, ..Usage::default() };
        assert_eq!(prices.cost_nanos(&usage), 15);
    }

    #[test]
    fn estimates_round_up_and_say_so() {
        let usage = Usage::estimate(9, 4, 1);
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.reasoning_tokens), (3, 2, 1));
        assert!(usage.estimated);
    }

    proptest! {
        #[test]
        fn costs_never_overflow(input: u64, output: u64, cached: u64, written: u64, a: u64, b: u64, c: u64) {
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
        fn costs_add_up(tokens in 0u64..1_000_000, split in 0u64..1_000_000, price in 0u64..1_000_000) {
            let prices = Prices { input_nanos_per_token: price, ..Prices::default() };
            let of = |n| prices.cost_nanos(&Usage { input_tokens: n, ..Usage::default() });
            let split = split.min(tokens);
            prop_assert_eq!(of(tokens), of(split) + of(tokens - split));
        }
    }
}
