//! JSON Schemas that users define.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::{Fault, cost};

/// Maximum number of faults that are reported for a value.
const MAX_FAULTS: usize = 20;
/// Maximum number of characters of a fault's message, which may quote the value.
const MAX_MESSAGE_CHARS: usize = 500;

/// A schema to validate values.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    source: Value,
}

impl Schema {
    /// Compiles a schema. Patterns are matched in linear time, and remote references are not fetched.
    ///
    /// # Errors
    /// A description of the problem.
    pub fn read(schema: &Value) -> Result<Self, String> {
        let mut source = schema.clone();
        // References are pointers into the schema, whatever its id. Without it, the validator has no other base for them.
        if let Value::Object(fields) = &mut source {
            fields.retain(|name, value| !(["$id", "id"].contains(&name.as_str()) && value.is_string()));
        }
        cost::check(&source)?;
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        let validator = options.build(&source).map_err(|why| short(why.to_string()))?;
        Ok(Self { validator, source })
    }

    /// Validates a value. Returns all faults with their location in the value; empty if the value is valid.
    pub fn faults(&self, value: &Value) -> Vec<Fault> {
        if !cost::is_affordable(&self.source, value) {
            let why =
                "validation against the schema would take too long, because it refers to itself too often";
            return vec![Fault::new([""; 0], "schema", why)];
        }
        let fault = |why: jsonschema::ValidationError<'_>| {
            Fault::new(why.instance_path().iter(), "schema", short(why.to_string()))
        };
        self.validator.iter_errors(value).take(MAX_FAULTS).map(fault).collect()
    }
}

fn short(text: String) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn faults_have_their_location() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "b": {"type": "array", "items": {"type": "integer"}}}});
        let schema = Schema::read(&schema).expect("a schema");
        let mut places: Vec<_> =
            schema.faults(&json!({"b": [1, "x", 2.5]})).into_iter().map(|fault| fault.loc).collect();
        places.sort();
        let expected: [&[&str]; 3] = [&[], &["b", "1"], &["b", "2"]];
        assert_eq!(places, expected);
        assert!(schema.faults(&json!({"a": 1, "b": [3]})).is_empty());
    }

    #[test]
    fn schema_fetches_nothing_and_terminates() {
        for bad in
            [json!({"type": "nonsense"}), json!({"$ref": "http://127.0.0.1/x"}), json!({"pattern": "(?=a)"})]
        {
            assert!(Schema::read(&bad).is_err(), "{bad}");
        }
        let slow = Schema::read(&json!({"pattern": "^(a+)+$"})).expect("a schema");
        assert_eq!(slow.faults(&json!(format!("{}b", "a".repeat(50_000)))).len(), 1);
        let message = &slow.faults(&json!("b".repeat(50_000)))[0].msg;
        assert!(message.chars().count() <= MAX_MESSAGE_CHARS + 1);
    }

    /// Compiling the first four overflowed the stack in versions of `jsonschema` before 0.51, which ends the process.
    #[test]
    fn value_never_matches_a_schema_that_refers_to_itself_or_takes_too_long() {
        let chain = |links: usize, link: fn(String) -> Value| {
            let next = |at: usize| (at.to_string(), link(format!("#/$defs/{}", at + 1)));
            let mut links: serde_json::Map<_, _> = (0..links).map(next).collect();
            links.insert(links.len().to_string(), json!({"type": "object"}));
            json!({"$ref": "#/$defs/0", "$defs": links})
        };
        let twice = |to: String| json!({"allOf": [{"$ref": to}, {"$ref": to}]});
        let schemas = [
            json!({"$ref": "#", "unevaluatedProperties": false}),
            json!({"allOf": [{"$ref": "#"}], "unevaluatedProperties": false}),
            json!({"$ref": "#", "unevaluatedItems": false}),
            json!({"$ref": "#/$defs/a", "$defs": {
                "a": {"$ref": "#/$defs/b", "unevaluatedProperties": false},
                "b": {"$ref": "#/$defs/a", "unevaluatedProperties": false}}}),
            chain(5_000, |to| json!({"$ref": to})),
            chain(60, twice),
        ];
        for schema in schemas {
            if let Ok(schema) = Schema::read(&schema) {
                assert!(!schema.faults(&json!({"a": 1})).is_empty(), "{schema:?}");
            }
        }
    }

    #[test]
    fn only_the_whole_schema_may_have_an_id() {
        // The second is the id of a schema that the validator knows.
        for id in ["https://example.org/tide", "https://json-schema.org/draft/2020-12/schema"] {
            let schema = json!({"$id": id, "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"type": "integer"}}});
            let schema = Schema::read(&schema).expect("a schema");
            assert!(schema.faults(&json!({"a": 1})).is_empty());
            assert_eq!(schema.faults(&json!({"a": "x"})).len(), 1);
        }
        assert!(Schema::read(&json!({"properties": {"a": {"$id": "https://example.org/a"}}})).is_err());
    }
}
