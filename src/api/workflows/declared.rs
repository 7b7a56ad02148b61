//! Types of inputs and outputs in requests: a type name, or the form that a graph uses.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use workflow::graph::ValueType;

/// A declared type: `"string"`, or `{"type": "string"}`, which may also have a `description`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared(pub ValueType);

/// Extracts the types of all declarations.
pub fn types(all: BTreeMap<String, Declared>) -> BTreeMap<String, ValueType> {
    all.into_iter().map(|(name, Declared(kind))| (name, kind)).collect()
}

/// The form in which a graph declares the outputs of a `code` node.
#[derive(Deserialize)]
struct InGraph {
    #[serde(rename = "type")]
    kind: ValueType,
    #[serde(default, rename = "description")]
    _description: Option<String>,
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Declared;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a type, or an object with `type`")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Declared, E> {
        ValueType::deserialize(StrDeserializer::new(name)).map(Declared)
    }

    fn visit_map<M: MapAccess<'de>>(self, fields: M) -> Result<Declared, M::Error> {
        InGraph::deserialize(MapAccessDeserializer::new(fields)).map(|read| Declared(read.kind))
    }
}

impl<'de> Deserialize<'de> for Declared {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(Reading)
    }
}
