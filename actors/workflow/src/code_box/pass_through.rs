//! The code that is returned if the model cannot write code.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::graph::ValueType;

/// Writes code that passes inputs through. An output takes the value of the input with the same name if the types match, and
/// otherwise the neutral value of its type.
pub(super) fn write(inputs: &BTreeMap<String, ValueType>, outputs: &BTreeMap<String, ValueType>) -> String {
    let mut code = String::from("function main(inputs) {\n  return {\n");
    for (name, kind) in outputs {
        let fits = inputs.get(name).is_some_and(|actual| actual == kind || *kind == ValueType::Any);
        let name = Value::from(name.as_str());
        let value = if fits { format!("inputs[{name}]") } else { neutral(*kind).to_string() };
        code.push_str(&format!("    {name}: {value},\n"));
    }
    code.push_str("  };\n}\n");
    code
}

fn neutral(kind: ValueType) -> Value {
    match kind {
        ValueType::String => json!(""),
        ValueType::Number | ValueType::Integer => json!(0),
        ValueType::Boolean => json!(false),
        ValueType::Object => json!({}),
        ValueType::Array => json!([]),
        ValueType::File => json!({"blob_id": "", "filename": "", "media_type": "", "size": 0}),
        ValueType::Any => Value::Null,
    }
}
