//! Adds the limits that apply to all query parameters.

use serde_json::{Map, Value};

use crate::http::query::documented;

/// Adds the limits to each parameter that has no limits of its own, or higher ones.
pub(super) fn narrow_parameters(document: &mut Value) {
    for item in document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
            let parameters =
                operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten();
            parameters.filter(|it| it["in"] == "query").for_each(|it| narrow_parameter(&mut it["schema"]));
        }
    }
}

fn narrow_parameter(schema: &mut Value) {
    if schema["type"] == "array" {
        lower(schema, "maxItems", documented::MAX_ITEMS);
        narrow_text(&mut schema["items"], documented::MAX_ITEM_LENGTH);
    } else {
        narrow_text(schema, documented::MAX_VALUE_LENGTH);
    }
}

fn narrow_text(schema: &mut Value, longest: usize) {
    let fixed = ["enum", "format"].iter().any(|keyword| !schema[*keyword].is_null());
    if schema["type"] == "string" && !fixed {
        lower(schema, "maxLength", longest);
    }
}

fn lower(schema: &mut Value, keyword: &str, limit: usize) {
    let own = schema[keyword].as_u64().unwrap_or(u64::MAX);
    schema[keyword] = own.min(limit as u64).into();
}
