//! Multipart forms: the encoding of their fields, and the same fields as JSON.

use serde_json::{Map, Value, json};

use crate::http::form_body::FormBody;
use crate::http::validation::objects::{SCHEMAS, named};

/// The media type of forms.
const FORM: &str = "multipart/form-data";

/// Describes which fields of an operation's form are JSON. If the operation also accepts the fields as a JSON body,
/// describes that body, and adds its schema.
pub(super) fn describe(operation: &mut Value, form: FormBody, schemas: &mut Map<String, Value>) {
    let content = &mut operation["requestBody"]["content"];
    let Some(name) = named(&content[FORM]["schema"]).map(str::to_owned) else { return };
    if !form.json.is_empty() {
        let encoding = |field: &&str| ((*field).to_owned(), json!({"contentType": "application/json"}));
        content[FORM]["encoding"] = Value::Object(form.json.iter().map(encoding).collect());
    }
    if form.or_json {
        let body = format!("{}Body", name.strip_suffix("Form").unwrap_or(&name));
        let mut schema = schemas.get(&name).cloned().unwrap_or_default();
        if let Some(fields) = schema["properties"].as_object_mut() {
            fields.retain(|field, _| !form.files.contains(&field.as_str()));
        }
        content["application/json"] = json!({"schema": {"$ref": format!("{SCHEMAS}{body}")}});
        schemas.insert(body, schema);
    }
}
