//! The delta of a chunk, or the message of a whole response.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::wire::{Annotation, CallPiece, Text};

/// The known fields, and the unknown ones, which are passed on.
#[derive(Debug, Default)]
pub(super) struct Delta<'a> {
    pub(super) content: Text,
    pub(super) refusal: Text,
    pub(super) reasoning_content: Text,
    pub(super) reasoning: Text,
    pub(super) tool_calls: Vec<CallPiece<'a>>,
    /// Unknown fields, and the annotations, which are also passed on.
    pub(super) others: Vec<(String, &'a RawValue)>,
    pub(super) annotations: Vec<Annotation>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Delta<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Delta<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a delta or a message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Delta<'de>, A::Error> {
                let mut all = Delta::default();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    all.field(key, &mut map)?;
                }
                Ok(all)
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

impl<'de> Delta<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: Key<'de>, map: &mut A) -> Result<(), A::Error> {
        match &*key.0 {
            "content" => self.content = map.next_value()?,
            "refusal" => self.refusal = map.next_value()?,
            "reasoning_content" => self.reasoning_content = map.next_value()?,
            "reasoning" => self.reasoning = map.next_value()?,
            "tool_calls" => self.tool_calls = map.next_value::<Option<_>>()?.unwrap_or_default(),
            // Always `assistant`.
            "role" => drop(map.next_value::<serde::de::IgnoredAny>()?),
            _ => {
                let value: &RawValue = map.next_value()?;
                if key.0 == "annotations" {
                    self.annotations = serde_json::from_str(value.get()).unwrap_or_default();
                }
                // Empty placeholders are skipped.
                if !["null", "[]", "\"\"", "{}"].contains(&value.get()) {
                    self.others.push((key.0.into_owned(), value));
                }
            }
        }
        Ok(())
    }
}

/// A key; copied only if it contains escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);
