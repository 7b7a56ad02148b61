//! The JSON schemas of request types as derived by `utoipa`: `body` is the schema, and `components/schemas` contains
//! the schemas it refers to.

use serde_json::{Map, Value, json};
use utoipa::openapi::path::Parameter;
use utoipa::openapi::{RefOr, Required, Schema};
use utoipa::{IntoParams, ToSchema};

/// The schema of a request body.
pub fn of_body<T: ToSchema>() -> Value {
    let mut parts = Vec::new();
    T::schemas(&mut parts);
    body(&T::schema(), parts)
}

// Not generic, like `query`, so that it is compiled only once instead of for each type.
fn body(schema: &RefOr<Schema>, parts: Vec<(String, RefOr<Schema>)>) -> Value {
    let parts: Map<String, Value> = parts.into_iter().map(|(name, part)| (name, json!(part))).collect();
    json!({"body": schema, "components": {"schemas": parts}})
}

/// The schema of query parameters, as an object. The macro does not collect the schemas that parameters refer to.
pub(crate) fn of_query<T: IntoParams>() -> Value {
    query(T::into_params(|| None))
}

fn query(parameters: Vec<Parameter>) -> Value {
    let (mut fields, mut required) = (Map::new(), Vec::new());
    for parameter in parameters {
        if matches!(parameter.required, Required::True) {
            required.push(parameter.name.clone());
        }
        fields.insert(parameter.name, parameter.schema.map_or(Value::Bool(true), |schema| json!(schema)));
    }
    json!({"body": {"type": "object", "properties": fields, "required": required}, "components": {"schemas": {}}})
}
