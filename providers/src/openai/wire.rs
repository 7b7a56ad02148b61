//! The parts of an OpenAI response that we read. Everything is optional, since servers omit different fields; unknown
//! fields are skipped without being stored.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::delta::Delta;
use crate::chat::Usage;

/// A `chat.completion.chunk`, or a whole `chat.completion`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    /// Parsed separately, so that invalid usage does not invalidate the response; see [`WireUsage::read`].
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) system_fingerprint: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) service_tier: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default)]
    pub(super) index: Option<u32>,
    /// Set in a chunk of a stream.
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    /// Set in a whole response.
    #[serde(borrow, default)]
    pub(super) message: Option<Delta<'a>>,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
    #[serde(borrow, default)]
    pub(super) logprobs: Option<&'a RawValue>,
}

/// A piece of a tool call.
#[derive(Debug, Default, Deserialize)]
pub(super) struct CallPiece<'a> {
    #[serde(default)]
    pub(super) index: Option<u32>,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(borrow, default)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Function<'a> {
    #[serde(default)]
    pub(super) name: Option<String>,
    /// A string; some servers send the object itself.
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

impl Function<'_> {
    /// Returns the text of the arguments in this piece.
    pub(super) fn arguments(&self) -> String {
        let Some(raw) = self.arguments else {
            return String::new();
        };
        serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
    }
}

/// A citation, as sent by models with web search.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Annotation {
    #[serde(default)]
    pub(super) url_citation: Option<Citation>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Citation {
    #[serde(default)]
    pub(super) url: Option<String>,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) content: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, deserialize_with = "count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    total_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
    #[serde(default)]
    completion_tokens_details: Option<Details>,
    /// The field in which one server reports cached tokens.
    #[serde(default, deserialize_with = "count")]
    prompt_cache_hit_tokens: Option<u64>,
    /// The cost in US dollars, reported by some gateways.
    #[serde(default)]
    cost: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct Details {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    reasoning_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_write_tokens: Option<u64>,
}

/// Parses a count. Some servers write it as a decimal number, which is rounded up. Anything else counts as missing.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    /// A larger decimal number is not a valid count.
    const MAX: f64 = 1e15;
    let value = Value::deserialize(deserializer)?;
    let decimal = || value.as_f64().filter(|number| (0.0..=MAX).contains(number));
    Ok(value.as_u64().or_else(|| decimal().map(|number| number.ceil() as u64)))
}

impl WireUsage {
    /// Converts the usage. Returns `None` for invalid usage and for the zeros that some servers send as a
    /// placeholder.
    pub(super) fn read(json: &RawValue) -> Option<Usage> {
        serde_json::from_str::<Self>(json.get()).ok()?.usage()
    }

    fn usage(&self) -> Option<Usage> {
        let input_tokens = self.prompt_tokens.unwrap_or(0);
        let mut output_tokens = self.completion_tokens.unwrap_or(0);
        let cached = self.prompt_tokens_details.as_ref().and_then(|d| d.cached_tokens);
        let written = self.prompt_tokens_details.as_ref().and_then(|d| d.cache_write_tokens);
        let reasoning = self.completion_tokens_details.as_ref().and_then(|d| d.reasoning_tokens);
        let reasoning_tokens = reasoning.unwrap_or(0);
        // Some servers do not include reasoning in the output tokens; the total shows this.
        let beside = input_tokens.saturating_add(output_tokens).saturating_add(reasoning_tokens);
        if reasoning_tokens > 0 && self.total_tokens == Some(beside) {
            output_tokens = output_tokens.saturating_add(reasoning_tokens);
        }
        (input_tokens > 0 || output_tokens > 0).then_some(Usage {
            input_tokens,
            output_tokens,
            cached_tokens: cached.or(self.prompt_cache_hit_tokens).unwrap_or(0),
            reasoning_tokens,
            cache_write_tokens: written.unwrap_or(0),
            estimated: false,
            cost_nanos: self.cost.as_ref().and_then(Value::as_f64).and_then(nanos),
        })
    }
}

/// Converts dollars to nano-dollars, if the amount is plausible.
fn nanos(dollars: f64) -> Option<u64> {
    const MAX: f64 = 1e9;
    (0.0..=MAX).contains(&dollars).then(|| (dollars * 1e9).round() as u64)
}

/// A text that may be missing, null, a string, or a list of parts with text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<Text, E> {
                Ok(Text(text))
            }

            fn visit_unit<E>(self) -> Result<Text, E> {
                Ok(Text::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Text, A::Error> {
                let mut all = String::new();
                while let Some(part) = parts.next_element::<Part>()? {
                    all.push_str(&part.text.unwrap_or_default());
                }
                Ok(Text(all))
            }
        }

        #[derive(Deserialize)]
        struct Part {
            #[serde(default)]
            text: Option<String>,
        }

        deserializer.deserialize_any(Any)
    }
}
