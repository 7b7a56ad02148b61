//! Structured answers: extracts values for a JSON Schema from the last user message by matching words.
//!
//! A choice (`enum`, or `oneOf`/`anyOf` of constants with descriptions) is the value that shares the most terms with
//! the message. A string is the text that follows the name of its property (`name: Ada`, `name is Ada`), a word in
//! its `format`, or the sentence that shares the most terms with the property. A number is the first one after the
//! name, or the first one in the message. A boolean is true if the property is mentioned and not negated. An array
//! contains the items listed after its name, or one item per line. Values that are not found are empty, and omitted
//! if the schema does not require them.

use std::cell::Cell;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::extract::{after_name, bare, is_spoken_of, number, string, words_of};
use super::split::terms;
use crate::chat::{ChatRequest, Role};

const DEPTH: u32 = 16;
/// Maximum number of values in an answer, since a recursive schema has no end.
const PLACES: u32 = 5_000;
/// Maximum number of items of an array.
const ITEMS: usize = 100;

/// Returns the answer to a request with a schema as its response format.
pub(super) fn shaped(request: &ChatRequest) -> Option<String> {
    let format = request.parameters.get("response_format")?;
    let schema = (format.get("type")? == "json_schema").then(|| format.pointer("/json_schema/schema"))??;
    let question = request.messages.iter().rev().find(|message| message.role == Role::User)?;
    let text = question.plain_text();
    let reader = Reader { root: schema, places: Cell::new(PLACES) };
    let value = reader.value(schema, "", &text, DEPTH).unwrap_or_else(|| reader.empty(schema, DEPTH));
    Some(value.to_string())
}

struct Reader<'a> {
    root: &'a Value,
    /// The remaining number of values.
    places: Cell<u32>,
}

impl<'a> Reader<'a> {
    /// Returns the value for the property `name` in a text; `None` if it is not found.
    fn value(&self, schema: &'a Value, name: &str, text: &str, depth: u32) -> Option<Value> {
        let schema = self.resolved(schema);
        if depth == 0 || !self.take_place() {
            return None;
        }
        if let Some(constant) = schema.get("const") {
            return Some(constant.clone());
        }
        if let Some(choices) = choices(schema) {
            return Some(chosen(&choices, text));
        }
        if let Some(other) = alternative(schema) {
            return self.value(other, name, text, depth - 1);
        }
        match kind(schema) {
            "object" => Some(self.object(schema, text, depth)),
            "array" => self.array(schema, name, text, depth),
            "integer" => number(text, name).map(|found| bounded(schema, found.round(), true)),
            "number" => number(text, name).map(|found| bounded(schema, found, false)),
            "boolean" => Some(Value::Bool(is_spoken_of(text, name))),
            "null" => Some(Value::Null),
            _ => string(schema, name, text).map(Value::String),
        }
    }

    /// Returns an empty value of the schema's type.
    fn empty(&self, schema: &'a Value, depth: u32) -> Value {
        let schema = self.resolved(schema);
        if let Some(default) = schema.get("default").or_else(|| schema.get("const")) {
            return default.clone();
        }
        if let Some(choices) = choices(schema) {
            return choices[0].0.clone();
        }
        if let Some(other) = alternative(schema).filter(|_| depth > 0) {
            return self.empty(other, depth - 1);
        }
        match kind(schema) {
            "object" if depth > 0 && self.take_place() => self.object(schema, "", depth),
            "object" => Value::Object(Map::new()),
            "array" => Value::Array(Vec::new()),
            "integer" => bounded(schema, 0.0, true),
            "number" => bounded(schema, 0.0, false),
            "boolean" => Value::Bool(false),
            "null" => Value::Null,
            _ => Value::String(String::new()),
        }
    }

    fn take_place(&self) -> bool {
        let remaining = self.places.get();
        self.places.set(remaining.saturating_sub(1));
        remaining > 0
    }

    fn object(&self, schema: &'a Value, text: &str, depth: u32) -> Value {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
        let mut object = Map::new();
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let found =
                self.value(property, name, text, depth.saturating_sub(1)).filter(|_| !text.is_empty());
            let missing = || is_required(name).then(|| self.empty(property, depth - 1));
            if let Some(value) = found.or_else(missing) {
                object.insert(name.clone(), value);
            }
        }
        Value::Object(object)
    }

    fn array(&self, schema: &'a Value, name: &str, text: &str, depth: u32) -> Option<Value> {
        let items = self.resolved(schema.get("items")?);
        let most =
            schema.get("maxItems").and_then(Value::as_u64).map_or(ITEMS, |most| ITEMS.min(most as usize));
        let named = after_name(text, name);
        let whole = named.unwrap_or(text);
        let pieces: Vec<&str> = match (choices(items), kind(items)) {
            (Some(choices), _) => {
                let mentioned = |(value, _): &&(&Value, &str)| is_mentioned(whole, value);
                let found = choices.iter().filter(mentioned).map(|(value, _)| (*value).clone());
                return Some(found.take(most).collect());
            }
            (None, "object") => text.lines().filter(|line| !line.trim().is_empty()).collect(),
            _ => named?.split([',', ';']).flat_map(|piece| piece.split(" and ")).collect(),
        };
        let tidy = |piece: &&str| piece.chars().any(char::is_alphanumeric);
        let value = |piece: &str| match kind(items) {
            "object" => self.value(items, "", piece, depth - 1),
            "integer" | "number" => self.value(items, "", piece, depth - 1),
            _ => Some(Value::from(bare(piece))),
        };
        Some(pieces.into_iter().filter(tidy).filter_map(value).take(most).collect())
    }

    /// Resolves references within the root schema.
    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        for _ in 0..DEPTH {
            let reference = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
            match reference.and_then(|pointer| self.root.pointer(pointer)) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }
}

fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "string",
    }
}

/// Returns the values of a choice, each with its description.
fn choices(schema: &Value) -> Option<Vec<(&Value, &str)>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return (!values.is_empty()).then(|| values.iter().map(|value| (value, "")).collect());
    }
    let others = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let constant = |other| {
        let other: &Value = other;
        let description = other.get("description").and_then(Value::as_str).unwrap_or_default();
        Some((other.get("const")?, description))
    };
    others.iter().map(constant).collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
}

/// Returns the first of several alternative schemas that is not `null`.
fn alternative(schema: &Value) -> Option<&Value> {
    let others = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| schema.get(*key)?.as_array())?;
    others.iter().find(|other| other.get("type").is_none_or(|kind| kind != "null")).or_else(|| others.first())
}

/// Returns the choice that shares the most terms with a text; its own name counts three times. The first of equal
/// choices wins.
fn chosen(choices: &[(&Value, &str)], text: &str) -> Value {
    let text_terms: HashSet<String> = terms(text).collect();
    let shared = |words: &str| terms(words).filter(|term| text_terms.contains(term)).count();
    let score = |(value, description): &(&Value, &str)| 3 * shared(&plain(value)) + shared(description);
    let mut best = (0, choices[0].0);
    for choice in choices {
        let score = score(choice);
        if score > best.0 {
            best = (score, choice.0);
        }
    }
    best.1.clone()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| words_of(text).join(" "))
}

/// Limits a number to the schema's bounds.
fn bounded(schema: &Value, number: f64, whole: bool) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let number = bound("minimum").map_or(number, |least| number.max(least));
    let number = bound("maximum").map_or(number, |most| number.min(most));
    if whole && number.abs() < 9e15 { Value::from(number as i64) } else { Value::from(number) }
}

/// Whether a text mentions a choice.
fn is_mentioned(text: &str, value: &Value) -> bool {
    let text_terms: HashSet<String> = terms(text).collect();
    let value = plain(value);
    let mut wanted = terms(&value).peekable();
    wanted.peek().is_some() && wanted.all(|term| text_terms.contains(&term))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::ChatMessage;
    use serde_json::json;

    fn read(text: &str, schema: Value) -> Value {
        let format = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": schema}});
        let request = ChatRequest {
            messages: vec![ChatMessage::text(Role::User, text)],
            parameters: Map::from_iter([("response_format".to_owned(), format)]),
            ..ChatRequest::default()
        };
        serde_json::from_str(&shaped(&request).unwrap()).unwrap()
    }

    #[test]
    fn shaped_chooses_the_class_with_the_most_shared_words() {
        let classes = json!({"type": "string", "oneOf": [
            {"const": "praise", "description": "the user is happy and says thanks"},
            {"const": "bug_report", "description": "something is broken, crashes or does not work"},
        ]});
        assert_eq!(
            read("It crashes when I click, please fix the broken page", classes.clone()),
            "bug_report"
        );
        assert_eq!(read("Thanks, I am so happy!", classes.clone()), "praise");
        assert_eq!(read("xyz", classes), "praise", "the first where nothing fits");
        assert_eq!(read("paint it GREEN", json!({"enum": ["red", "green"]})), "green");
    }

    #[test]
    fn shaped_extracts_an_object() {
        let schema = json!({"type": "object", "required": ["name", "age", "email", "tags", "urgent", "missing"],
            "properties": {
                "name": {"type": "string"}, "age": {"type": "integer", "minimum": 18},
                "email": {"type": "string", "format": "email"}, "tags": {"type": "array", "items": {"type": "string"}},
                "urgent": {"type": "boolean"}, "missing": {"type": "string"}, "optional": {"type": "string"},
                "place": {"$ref": "#/$defs/place"},
            }, "$defs": {"place": {"type": "object", "properties": {"city": {"type": ["null", "string"]}}}}});
        let text = "Name: Ada Lovelace\nAge = 36\nWrite to ada@example.org.\nTags: maths, engines and poetry\n\
                    This is not urgent.\nHer city is London.";
        assert_eq!(
            read(text, schema),
            json!({"name": "Ada Lovelace", "age": 36, "email": "ada@example.org",
                   "tags": ["maths", "engines", "poetry"], "urgent": false, "missing": "",
                   "place": {"city": "London"}})
        );
    }

    #[test]
    fn shaped_extracts_arrays_of_objects_and_choices() {
        let item = json!({"type": "object", "properties": {"price": {"type": "number"}}});
        assert_eq!(
            read("price: 1.5\nprice: -2", json!({"type": "array", "items": item})),
            json!([{"price": 1.5}, {"price": -2.0}])
        );
        let colours = json!({"type": "array", "items": {"enum": ["red", "green", "blue"]}});
        assert_eq!(read("I like blue and red", colours), json!(["red", "blue"]));
    }

    #[test]
    fn shaped_terminates_on_recursive_schemas() {
        let own = json!({"$ref": "#"});
        let properties = json!({"a": own, "b": own, "c": own, "d": own});
        let schema = json!({"type": "object", "required": ["a", "b", "c", "d"], "properties": properties});
        assert!(read("x", schema).is_object());
    }

    proptest::proptest! {
        #[test]
        fn shaped_always_matches_the_schema(text in "(?s)(name|is|ü|-|_|:|=|[0-9]|[.,\n \"*]|[a-z]){0,60}", name in "[a-zA-Zü_ -]{0,6}") {
            let property = |kind: &str| json!({"type": kind, "minimum": 1});
            let kinds = ["string", "number", "integer", "boolean", "null", "object"];
            let of = |name: &str| {
                let own = kinds.map(|kind| (format!("{name}{kind}"), property(kind)));
                Map::from_iter(own.into_iter().chain([(name.to_owned(), json!({"items": {"type": "string"}}))]))
            };
            let properties = of(&name);
            let required: Vec<&String> = properties.keys().collect();
            let schema = json!({"type": "object", "properties": properties, "required": required});
            let value = read(&text, schema);
            proptest::prop_assert!(required.iter().all(|name| value.get(name).is_some()), "{value}");
        }
    }
}
