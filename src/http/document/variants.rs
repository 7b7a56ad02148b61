//! Tagged choices: names for their variants, and discriminators.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::http::validation::objects::{SCHEMAS, named};

/// Names the variants of tagged choices. Generators name unnamed variants by position, or not at all.
pub(super) fn name_variants(schemas: &mut Map<String, Value>) {
    let mut named: Map<String, Value> = Map::new();
    let known: BTreeSet<String> = schemas.keys().cloned().collect();
    for (name, schema) in schemas.iter_mut() {
        let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for variant in variants.into_iter().flatten() {
            let Some(tag) = tag_of(variant) else { continue };
            let words = tag.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
            let own = words.fold(name.clone(), |name, word| name + &capital(word));
            if !known.contains(&own) && !named.contains_key(&own) {
                let reference = json!({"$ref": format!("{SCHEMAS}{own}")});
                named.insert(own, std::mem::replace(variant, reference));
            }
        }
    }
    schemas.extend(named);
}

/// The tag of a variant with fields: the value of its only constant field.
fn tag_of(variant: &Value) -> Option<String> {
    let fields = variant["properties"].as_object()?.values();
    let mut tags = fields.filter_map(|field| match field["enum"].as_array()?.as_slice() {
        [Value::String(tag)] => Some(tag.clone()),
        _ => None,
    });
    tags.next()
}

/// Adds a discriminator to each choice between shared objects that are distinguished by a constant field.
pub(super) fn add_discriminators(schemas: &mut Map<String, Value>) {
    let known = schemas.clone();
    for schema in schemas.values_mut().filter(|schema| schema["discriminator"].is_null()) {
        let Some(variants) = schema["oneOf"].as_array() else { continue };
        let variants: Option<Vec<_>> =
            variants.iter().map(|variant| Some((named(variant)?, known.get(named(variant)?)?))).collect();
        if let Some(discriminator) = variants.as_deref().and_then(discriminator) {
            schema["discriminator"] = discriminator;
        }
    }
}

/// The discriminator of these variants: a required field with a different constant in each of them.
fn discriminator(variants: &[(&str, &Value)]) -> Option<Value> {
    let (_, first) = variants.first().filter(|_| variants.len() > 1)?;
    let fields = first["properties"].as_object()?.keys();
    let mut mappings = fields.filter_map(|field| {
        let mut mapping = Map::new();
        for (name, schema) in variants {
            let required = schema["required"].as_array()?.iter().any(|it| it == field);
            let value = constant(&schema["properties"][field]).filter(|_| required)?;
            if mapping.insert(value.to_owned(), format!("{SCHEMAS}{name}").into()).is_some() {
                return None;
            }
        }
        Some(json!({"propertyName": field, "mapping": mapping}))
    });
    mappings.next()
}

/// The only value that a schema allows, if it is a text.
fn constant(schema: &Value) -> Option<&str> {
    match schema["enum"].as_array()?.as_slice() {
        [Value::String(value)] => Some(value),
        _ => None,
    }
}
