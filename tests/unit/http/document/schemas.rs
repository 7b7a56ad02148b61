use serde_json::Value;
use serde_json::json;
use understudy::parts::http::SCHEMAS;
use understudy::parts::http::correct_schemas;

#[test]
fn flatten_merges_closed_parts_into_one_object() {
    let mut document = json!({"components": {"schemas": {
        "Ldap": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"],
            "additionalProperties": false},
        "Settings": {"oneOf": [{"description": "LDAP", "allOf": [{"$ref": "#/components/schemas/Ldap"},
            {"type": "object", "properties": {"kind": {"enum": ["ldap"]}}, "required": ["kind"]}]}]},
    }}});
    correct_schemas(&mut document);
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["Settings"]["oneOf"], json!([{"$ref": "#/components/schemas/SettingsLdap"}]));
    assert_eq!(
        schemas["SettingsLdap"],
        json!({"description": "LDAP", "type": "object", "additionalProperties": false,
            "properties": {"url": {"type": "string"}, "kind": {"enum": ["ldap"]}}, "required": ["url", "kind"]})
    );
}

#[test]
fn flatten_requires_no_fields_of_optional_parts() {
    let tagged = |kind: &str| json!({"type": "object", "properties": {"type": {"enum": [kind]}}, "required": ["type"]});
    let mut document = json!({"components": {"schemas": {
        "Node": {"type": "object", "properties": {"node": {"type": "string"}}, "required": ["node"]},
        "Data": {"oneOf": [tagged("a"), tagged("b")]},
        "Event": {"allOf": [{"oneOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]},
            {"$ref": "#/components/schemas/Data"}]},
    }}});
    correct_schemas(&mut document);
    let merged = |kind: &str| {
        json!({"type": "object", "required": ["type"],
        "properties": {"node": {"type": "string"}, "type": {"enum": [kind]}}})
    };
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["Event"]["discriminator"]["mapping"]["b"], "#/components/schemas/EventB");
    assert_eq!((&schemas["EventA"], &schemas["EventB"]), (&merged("a"), &merged("b")));
}

#[test]
fn close_keeps_types_open_that_are_also_sent() {
    let body = |name: &str| json!({"content": {"application/json": {"schema": {"$ref": format!("{SCHEMAS}{name}")}}}});
    let object = |field: Value| json!({"type": "object", "properties": {"field": field}});
    let mut document = json!({
        "paths": {"/x/{id}": {"put": {"requestBody": body("New"), "responses": {"200": body("Sent")}}}},
        "components": {"schemas": {
            "New": object(json!({"type": "array", "items": {"$ref": format!("{SCHEMAS}Inner")}})),
            "Inner": object(json!({"oneOf": [{"type": "null"}, {"$ref": format!("{SCHEMAS}Sent")}]})),
            "Sent": object(json!({"type": "string", "default": null})),
        }},
    });
    correct_schemas(&mut document);
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["New"]["additionalProperties"], false);
    assert_eq!(schemas["Inner"]["additionalProperties"], false);
    assert_eq!(schemas["Sent"], object(json!({"type": "string"})));
}
