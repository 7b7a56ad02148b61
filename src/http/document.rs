//! The OpenAPI document: what the handlers declare, and additions that apply to all operations.

mod flatten;
mod forms;
mod headers;
mod limits;
mod media;
mod required;
mod responses;
pub(crate) mod schemas;
mod variants;

use super::access::Loads;
use super::area::{Area, AreaEntry, OperationDescription};
use super::error_codes;
use super::problem::{PartnerError, Problem, ValidationError};
use domain::access::level_name;
use domain::access::policy::{Requirement, role_name};
use serde_json::{Map, Value, json};
use storage::authority::Feature;
use storage::records::Role;
use utoipa::openapi::path::HttpMethod;
use utoipa::{PartialSchema, ToSchema};

/// The extension that marks an operation as the same as another one, at a further path.
const ALIAS: &str = "x-alias-of";

/// The extension with the full schema of a value that its own code checks: `{schema, components}`. Bodies are validated
/// against the rest of the schema, and the document shows the full one.
pub const FULL_SCHEMA: &str = "x-full-schema";

/// Keywords that describe an object beyond its type.
const SHAPES: [&str; 6] = ["properties", "additionalProperties", "oneOf", "anyOf", "allOf", "propertyNames"];
/// Keywords whose values are data and not schemas.
const SAMPLES: [&str; 4] = ["example", "examples", "default", "enum"];

/// Builds the OpenAPI document of these areas.
pub(super) fn document(areas: &[AreaEntry]) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    let mut tags = Vec::new();
    add_schema::<Problem>(&mut schemas);
    add_schema::<ValidationError>(&mut schemas);
    add_schema::<PartnerError>(&mut schemas);
    for entry in areas {
        let AreaEntry { area, prefix, feature, .. } = entry;
        if !tags.iter().any(|tag: &Value| tag["name"] == *area) {
            tags.push(json!({"name": area, "description": format!("Operations below `{prefix}`.")}));
        }
        let (described, components) = Area::describe(entry);
        for (name, schema) in components {
            schemas.insert(name, json!(schema));
        }
        for operation in described {
            let (path, method) = (operation.path.clone(), word(&operation.method));
            let item = paths.entry(path).or_insert_with(|| json!({}));
            let form = operation.form;
            item[method] = finish(operation, area, *feature);
            if let Some(form) = form {
                forms::describe(&mut item[method], form, &mut schemas);
            }
        }
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Understudy",
            "version": env!("CARGO_PKG_VERSION"),
            "description": include_str!("document.md"),
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": tags,
        "paths": paths,
        "components": {"schemas": schemas, "responses": responses::shared(), "securitySchemes": security_schemes()},
    });
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        expand(schemas);
    }
    headers::add(&mut document);
    open_objects(&mut document);
    limits::narrow_parameters(&mut document);
    schemas::correct(&mut document);
    // After the corrections, which would require members that may be null.
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        error_codes::add_members(schemas);
    }
    document
}

/// Removes the operations that only repeat others at further paths, so that a client generated from the document has
/// each operation once.
pub(super) fn remove_aliases(document: &mut Value) {
    let Some(paths) = document["paths"].as_object_mut() else { return };
    for item in paths.values_mut().filter_map(Value::as_object_mut) {
        item.retain(|_, operation| operation[ALIAS].is_null());
    }
    paths.retain(|_, item| item.as_object().is_some_and(|item| !item.is_empty()));
}

/// Replaces schemas by the full ones that they carry, and adds the schemas that these refer to.
fn expand(schemas: &mut Map<String, Value>) {
    let full: Vec<_> = schemas
        .iter_mut()
        .filter_map(|(name, schema)| Some((name.clone(), schema.as_object_mut()?.remove(FULL_SCHEMA)?)))
        .collect();
    for (name, mut full) in full {
        if let Value::Object(parts) = full["components"].take() {
            schemas.extend(parts);
        }
        schemas.insert(name, full["schema"].take());
    }
}

/// Returns the names of schemas shared by two different types. All but the last type would be lost.
pub(super) fn ambiguous_schemas(areas: &[AreaEntry]) -> Vec<String> {
    let mut known: Map<String, Value> = Map::new();
    let mut ambiguous = Vec::new();
    let mut own = Map::new();
    add_schema::<Problem>(&mut own);
    add_schema::<ValidationError>(&mut own);
    add_schema::<PartnerError>(&mut own);
    let of_areas = areas.iter().flat_map(|entry| Area::describe(entry).1);
    let of_areas = of_areas.map(|(name, schema)| (name, json!(schema)));
    for (name, schema) in own.into_iter().chain(of_areas) {
        match known.get(&name) {
            Some(other) if *other != schema && !ambiguous.contains(&name) => ambiguous.push(name),
            Some(_) => {}
            None => drop(known.insert(name, schema)),
        }
    }
    ambiguous
}

/// Marks objects of unknown content as open. Otherwise generators interpret them as empty objects.
fn open_objects(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(open_objects),
        Value::Object(fields) => {
            let is_object = match &fields.get("type") {
                Some(Value::String(name)) => name == "object",
                Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
                _ => false,
            };
            if is_object && !SHAPES.iter().any(|shape| fields.contains_key(*shape)) {
                fields.insert("additionalProperties".to_owned(), Value::Bool(true));
            }
            let inner = fields.iter_mut().filter(|(name, _)| !SAMPLES.contains(&name.as_str()));
            inner.for_each(|(_, value)| open_objects(value));
        }
        _ => {}
    }
}

fn add_schema<T: ToSchema + PartialSchema>(schemas: &mut Map<String, Value>) {
    let mut inner = Vec::new();
    T::schemas(&mut inner);
    schemas.insert(T::name().into_owned(), json!(T::schema()));
    schemas.extend(inner.into_iter().map(|(name, schema)| (name, json!(schema))));
}

pub(super) fn word(method: &HttpMethod) -> &'static str {
    match method {
        HttpMethod::Get => "get",
        HttpMethod::Post => "post",
        HttpMethod::Put => "put",
        HttpMethod::Delete => "delete",
        HttpMethod::Options => "options",
        HttpMethod::Head => "head",
        HttpMethod::Patch => "patch",
        HttpMethod::Trace => "trace",
    }
}

/// Adds to an operation what follows from its path, its arguments and the rules for all operations.
fn finish(described: OperationDescription, area: &str, feature: Option<Feature>) -> Value {
    let OperationDescription { path, method, operation, rule, if_match, versioned, alias_of, .. } = described;
    let mut operation = json!(operation);
    operation["tags"] = json!([area]);
    if let Some(original) = alias_of {
        operation[ALIAS] = original.into();
    }
    let requirement = Requirement { feature, ..rule.requirement };
    add_path_parameters(&mut operation, &path, rule.loads);
    match rule.open {
        true => operation["security"] = json!([]),
        false => {
            let scopes: Vec<_> = requirement.scopes().map(|scope| scope.as_str()).collect();
            operation["security"] = json!([{"bearer": scopes}, {"cookie": []}]);
            describe_requirement(&mut operation, &requirement, rule.loads);
        }
    }
    let method = word(&method);
    let facts = responses::Facts { path: &path, method, area, open: rule.open, if_match, versioned };
    responses::add(&mut operation, &facts);
    operation
}

/// Adds path parameters that the handler does not document because an object is loaded through them.
fn add_path_parameters(operation: &mut Value, path: &str, loads: Option<Loads>) {
    let mut parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    for name in names {
        let there = parameters.iter().any(|known| known["in"] == "path" && known["name"] == name);
        if let (false, Some(Loads { name: what, .. })) = (there, loads.filter(|loads| loads.param == name)) {
            parameters.insert(
                0,
                json!({
                    "name": name, "in": "path", "required": true, "description": format!("The id of the {what}."),
                    "schema": {"type": "string", "format": "uuid"},
                }),
            );
        }
    }
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
}

/// Appends the requirements on callers to the description, and adds them in machine-readable form.
fn describe_requirement(operation: &mut Value, requirement: &Requirement, loads: Option<Loads>) {
    let scopes: Vec<_> = requirement.scopes().map(|scope| format!("`{}`", scope.as_str())).collect();
    let mut who = match scopes.as_slice() {
        [] => "Requires credentials".to_owned(),
        [scope] => format!("Requires the scope {scope}"),
        all => format!("Requires the scopes {}", all.join(" and ")),
    };
    let (role, least) = (requirement.least_role(), loads.and_then(|loads| loads.level));
    if role > Role::User {
        who.push_str(&format!(" and the role `{}`", role_name(role)));
    }
    operation["x-role"] = json!(role_name(role));
    if let (Some(loads), Some(level)) = (loads, least) {
        who.push_str(&format!(". On the {}, the minimum grant level is `{}`", loads.name, level_name(level)));
        operation["x-grant"] = json!(level_name(level));
    }
    if let Some(feature) = requirement.feature {
        who.push_str(&format!(". Part of the feature `{}`", feature.key()));
        operation["x-feature"] = json!(feature.key());
    }
    let more = [
        (requirement.platform, "Only available to platform administrators"),
        (requirement.own_name, "Not available in impersonated sessions"),
        (requirement.is_personal(), "Not available to an administrator who impersonates the user"),
        (requirement.session, "Not available to API tokens"),
    ];
    more.iter().filter(|(applies, _)| *applies).for_each(|(_, words)| who.push_str(&format!(". {words}")));
    let said = operation["description"].as_str().unwrap_or_default().trim().to_owned();
    let gap = if said.is_empty() { "" } else { "\n\n" };
    operation["description"] = Value::String(format!("{said}{gap}{who}."));
}

fn security_schemes() -> Value {
    json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An access token from login, or an API token (`und_...`).",
        },
        "cookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": super::credentials::ACCESS_COOKIE,
            "description": "The cookie set by login. With it, unsafe methods require an `Origin` header that names this server or an allowed origin.",
        },
    })
}
