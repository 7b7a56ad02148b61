//! Checks of the OpenAPI document, such as that the committed document equals the generated one.

mod graphs;
mod problems;

use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

fn generated() -> Value {
    understudy::INDEX.document()
}

/// Every operation with its path and method.
pub fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, item): (&String, &Value)| {
        let item = item.as_object().expect("an item");
        item.iter()
            .map(|(method, operation)| (path.clone(), method.clone(), operation.clone()))
            .collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).collect()
}

#[test]
fn committed_document_equals_the_generated_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let fresh = format!("{}\n", serde_json::to_string_pretty(&generated()).unwrap());
    if committed != fresh {
        let differ = committed.lines().zip(fresh.lines()).position(|(a, b)| a != b).unwrap_or_default();
        panic!(
            "openapi.json is not what the code says, from line {} on; generate it with\n\
             cargo run -- openapi > openapi.json",
            differ + 1
        );
    }
}

#[test]
fn committed_access_page_equals_the_generated_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/access.md");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let fresh = understudy::INDEX.access_page();
    if committed != fresh {
        let differ = committed.lines().zip(fresh.lines()).position(|(a, b)| a != b).unwrap_or_default();
        panic!(
            "docs/access.md is not what the code says, from line {} on; generate it with\n\
             cargo run -- access > docs/access.md",
            differ + 1
        );
    }
}

#[test]
fn document_and_access_page_agree() {
    let page = understudy::INDEX.access_page();
    for (path, method, operation) in operations(&generated()) {
        let id = operation["operationId"].as_str().unwrap_or_default();
        let row = page.lines().find(|line| line.starts_with(&format!("| `{id}` |")));
        let row = row.unwrap_or_else(|| panic!("{id} is not on the page"));
        assert!(row.contains(&format!("{} `{path}`", method.to_uppercase())), "{row}");
        let open = operation["security"].as_array().is_none_or(Vec::is_empty);
        assert_eq!(row.contains("no credentials needed"), open, "{row}");
        if open {
            continue;
        }
        let scopes = operation["security"][0]["bearer"].as_array().into_iter().flatten();
        let scopes: Vec<_> = scopes.filter_map(Value::as_str).map(|scope| format!("`{scope}`")).collect();
        if !scopes.is_empty() {
            assert!(row.contains(&format!("| {} |", scopes.join(" and "))), "{row}");
        }
        assert!(row.contains(&format!("| {} |", operation["x-role"].as_str().unwrap_or_default())), "{row}");
        if let Some(grant) = operation["x-grant"].as_str() {
            assert!(row.contains(&format!(": {grant} |")), "{row}");
        }
    }
}

/// Code generators treat an object schema without properties as an object that is always empty, and offer no way
/// to fill it.
#[test]
fn object_schemas_declare_their_shape() {
    fn look(schema: &Value, way: &str, bare: &mut Vec<String>) {
        if let Value::Array(items) = schema {
            items.iter().enumerate().for_each(|(at, item)| look(item, &format!("{way}/{at}"), bare));
        }
        let Value::Object(fields) = schema else { return };
        let said = fields.get("type").map(Value::to_string).unwrap_or_default();
        let shapes = ["properties", "additionalProperties", "oneOf", "anyOf", "allOf", "propertyNames"];
        if said.contains("\"object\"") && !shapes.iter().any(|shape| fields.contains_key(*shape)) {
            bare.push(way.to_owned());
        }
        for (name, inner) in fields {
            if !["example", "examples", "default", "enum"].contains(&name.as_str()) {
                look(inner, &format!("{way}/{name}"), bare);
            }
        }
    }
    let (document, mut bare) = (generated(), Vec::new());
    look(&document, "", &mut bare);
    assert_eq!(bare, Vec::<String>::new());
    let parameters =
        &document["components"]["schemas"]["CreateAssistantRequest"]["properties"]["model_parameters"];
    assert_eq!(parameters["additionalProperties"], true, "{parameters}");
    assert_eq!(document["servers"][0]["url"], "/");
}

#[test]
fn document_states_the_limits_of_the_domain() {
    let document = generated();
    let length = |schema: &str, field: &str| {
        let field = &document["components"]["schemas"][schema]["properties"][field];
        let number =
            |limit: &str| usize::try_from(field[limit].as_u64().expect("a limit")).expect("a length");
        number("minLength")..=number("maxLength")
    };
    for (schema, field) in [
        ("CreateApiTokenRequest", "name"),
        ("UpdateApiTokenBody", "name"),
        ("AddTenantRequest", "name"),
        ("UpdateTenantSettingsRequest", "name"),
    ] {
        assert_eq!(length(schema, field), domain::NAME_LENGTH, "{schema}.{field}");
    }
    for (schema, field) in [
        ("AddUserRequest", "password"),
        ("RegisterRequest", "password"),
        ("ChangePasswordRequest", "new_password"),
        ("ResetPasswordRequest", "new_password"),
    ] {
        assert_eq!(length(schema, field), domain::credentials::PASSWORD_LENGTH, "{schema}.{field}");
    }
    for schema in ["CreateMemoryRequest", "UpdateMemoryRequest"] {
        assert_eq!(length(schema, "content"), 1..=domain::memories::MAX_CHARS, "{schema}");
    }
    for schema in ["KnowledgeBaseFileUpdateBody", "AddKnowledgeBaseLinkBody"] {
        assert_eq!(length(schema, "title"), 1..=domain::knowledge_bases::MAX_TITLE_CHARS, "{schema}");
    }
    let most = |schema: &str, field: &str, limit: &str| {
        let field = &document["components"]["schemas"][schema]["properties"][field];
        usize::try_from(field[limit].as_u64().expect("a limit")).expect("a length")
    };
    assert_eq!(most("AddKnowledgeBaseLinkBody", "url", "maxLength"), domain::knowledge_bases::MAX_URL_BYTES);
    for schema in ["CreateAssistantRequest", "UpdateAssistantRequest"] {
        assert_eq!(most(schema, "knowledge_bases", "maxItems"), domain::knowledge_bases::MAX_ATTACHED);
        assert_eq!(most(schema, "web_links", "maxItems"), domain::knowledge_bases::MAX_WEB_LINKS);
    }
    assert_eq!(most("CreateTeamBody", "owners", "maxItems"), domain::teams::MAX_OWNERS);
    assert_eq!(most("CreateTeamBody", "members", "maxItems"), domain::teams::MAX_MEMBERS);
}

#[test]
fn every_operation_has_an_id_a_summary_and_a_success() {
    let mut ids = HashSet::new();
    for (path, method, operation) in operations(&generated()) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let area = operation["tags"][0].as_str().unwrap_or_default();
        assert!(id.starts_with(&format!("{area}.")), "{method} {path}: {id:?} is not in {area:?}");
        assert!(ids.insert(id.clone()), "{id} occurs twice");
        let summary = operation["summary"].as_str().unwrap_or_default();
        assert!(summary.len() > 5 && summary.len() < 100, "{id}: summary {summary:?}");
        let responses = operation["responses"].as_object().expect("responses");
        // An operation that a browser opens may succeed with a redirect.
        assert!(responses.keys().any(|status| status.starts_with(['2', '3'])), "{id} never succeeds");
        for (status, response) in responses {
            let described = response["$ref"].is_string()
                || !response["description"].as_str().unwrap_or_default().is_empty();
            assert!(described, "{id}: {status} has no description");
        }
    }
}

#[test]
fn aliases_name_the_operation_that_they_repeat() {
    let all = operations(&generated());
    let id = |operation: &Value| operation["operationId"].as_str().unwrap_or_default().to_owned();
    let alias = |operation: &Value| operation["x-alias-of"].as_str().map(str::to_owned);
    let own: HashSet<_> =
        all.iter().filter(|(.., it)| alias(it).is_none()).map(|(.., operation)| id(operation)).collect();
    for (path, method, operation) in &all {
        let Some(original) = alias(operation) else { continue };
        assert!(own.contains(&original), "{method} {path} repeats {original}");
        assert!(id(operation).starts_with(&format!("{original}.")), "{method} {path} repeats {original}");
    }
    let rest: HashSet<_> = operations(&understudy::INDEX.document_without_aliases())
        .iter()
        .map(|(.., operation)| id(operation))
        .collect();
    assert_eq!(rest, own);
    assert!(own.len() < all.len());
}

#[test]
fn every_path_parameter_is_described() {
    for (path, _, operation) in operations(&generated()) {
        let in_path: BTreeSet<_> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let named: BTreeSet<_> =
            parameters.iter().filter(|p| p["in"] == "path").filter_map(|p| p["name"].as_str()).collect();
        assert_eq!(in_path, named, "{}", operation["operationId"]);
    }
}

#[test]
fn every_reference_resolves() {
    let document = generated();
    let mut found = BTreeSet::new();
    collect(&document, &mut found);
    for reference in found {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found.insert(reference.clone());
            }
            fields.values().for_each(|field| collect(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

#[test]
fn schemas_expose_no_secret() {
    let document = generated();
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for (name, schema) in schemas {
        let text = schema.to_string();
        for secret in ["secret_sha256", "password_hash", "refresh_sha256", "\"phc\""] {
            assert!(!text.contains(secret), "{name} shows {secret}");
        }
    }
}

/// If two types had the same schema name, one of them would be missing from the document.
#[test]
fn every_schema_name_refers_to_one_type() {
    assert_eq!(understudy::INDEX.ambiguous_schemas(), Vec::<String>::new());
}

/// Visits every schema of the document, with its location.
fn schemas<'d>(value: &'d Value, way: &str, look: &mut impl FnMut(&str, &'d Value)) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| schemas(item, &format!("{way}/{at}"), look));
        }
        Value::Object(fields) => {
            look(way, value);
            let inner =
                fields.iter().filter(|(name, _)| !["example", "examples", "enum"].contains(&name.as_str()));
            inner.for_each(|(name, field)| schemas(field, &format!("{way}/{name}"), look));
        }
        _ => {}
    }
}

/// The HTTP library responds to URLs longer than 64 KiB with 400 and no body, so no documented request may have
/// one.
#[test]
fn longest_documented_query_fits_in_a_url() {
    let longest = |schema: &Value| {
        let ascii = schema["pattern"].as_str().is_some_and(|pattern| pattern.contains("[ -~]"));
        let fixed =
            schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::len).max();
        // A percent-encoded character outside ASCII takes up to 12 bytes.
        let text = schema["maxLength"].as_u64().map(|most| most as usize * if ascii { 3 } else { 12 });
        fixed.or(text).unwrap_or(36)
    };
    let document = generated();
    for (path, method, operation) in operations(&document) {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let lengths = parameters.filter(|it| it["in"] == "query").map(|it| {
            let (schema, name) = (&it["schema"], it["name"].as_str().expect("a name").len() + 2);
            match schema["maxItems"].as_u64() {
                Some(most) => most as usize * (name + longest(&schema["items"])),
                None => name + longest(schema),
            }
        });
        let length: usize = lengths.sum();
        assert!(length < 63 * 1024, "{method} {path}: {length} bytes");
    }
}

#[test]
fn bytes_are_binary_and_streams_are_text() {
    let document = generated();
    let mut faulty = Vec::new();
    for (path, method, operation) in operations(&document) {
        let bodies = operation["responses"].as_object().into_iter().flat_map(|all| all.values());
        for body in bodies.chain([&operation["requestBody"]]) {
            for (media, content) in body["content"].as_object().into_iter().flatten() {
                let schema = &content["schema"];
                let fine = match media.as_str() {
                    "application/json" | "application/problem+json" => true,
                    "multipart/form-data" => true,
                    "text/event-stream" => {
                        let data = &schema["anyOf"][1]["properties"]["data"];
                        let or_done = data["anyOf"].as_array().and_then(|forms| forms.first());
                        schema["type"] == "string" || !or_done.unwrap_or(data)["contentSchema"].is_null()
                    }
                    "application/x-ndjson" => {
                        schema["type"] == "string" || !schema["contentSchema"].is_null()
                    }
                    _ => schema["type"] == "string",
                };
                if !fine {
                    faulty.push(format!("{method} {path}: {media} is {schema}"));
                }
            }
        }
    }
    schemas(&document, "", &mut |way, schema| {
        let nullable = schema["type"].as_array().is_some_and(|types| types.contains(&"null".into()));
        if schema["format"] == "binary" && !nullable && schema.get("default").is_some_and(Value::is_null) {
            faulty.push(format!("{way} is null unless it is sent"));
        }
    });
    assert_eq!(faulty, Vec::<String>::new());
}

/// No object can have the fields of two closed schemas, and a flattened field that is missing is not null.
#[test]
fn flattened_schemas_can_be_satisfied() {
    let document = generated();
    let mut faulty = Vec::new();
    schemas(&document, "", &mut |way, schema| {
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let part = match part["$ref"].as_str() {
                Some(reference) => document.pointer(reference.trim_start_matches('#')).expect("it is there"),
                None => part,
            };
            let null = part["oneOf"].as_array().into_iter().flatten().any(|option| option["type"] == "null");
            if null || part["additionalProperties"] == false {
                faulty.push(way.to_owned());
            }
        }
    });
    assert_eq!(faulty, Vec::<String>::new());
}

#[test]
fn refusals_are_documented_according_to_the_operation() {
    let document = generated();
    for (path, method, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap_or_default();
        let responses = &operation["responses"];
        let has = |status: &str| !responses[status].is_null();
        assert!(has("400") && has("422") && has("429") && has("5XX"), "{id}");
        let body = !operation["requestBody"].is_null();
        assert!(!body || (has("401") && has("403") && has("408") && has("413") && has("415")), "{id}");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let if_match = parameters.clone().any(|it| it["name"] == "If-Match");
        // Changes of data items name the version in the body.
        let in_body =
            ["assistants.bulk_update_assistant_data", "assistants.update_asssitant_data"].contains(&id);
        assert_eq!(if_match || in_body, has("412"), "{id}");
        assert!(method == "get" || has("409"), "{id}");
        // Errors have the format of their path.
        for (status, response) in responses.as_object().into_iter().flatten() {
            let response = match response["$ref"].as_str() {
                Some(reference) => document.pointer(reference.trim_start_matches('#')).expect("it is there"),
                None => response,
            };
            if !status.starts_with(['4', '5']) || response["content"].is_null() {
                continue;
            }
            let partner = path.starts_with("/api/chat/partner_compatible");
            let media = if partner { "application/json" } else { "application/problem+json" };
            let shown: Vec<_> =
                response["content"].as_object().into_iter().flat_map(|all| all.keys()).collect();
            assert!(shown.contains(&&media.to_owned()), "{id}: {status}");
            assert!(status == "422" || shown.len() == 1, "{id}: {status} {shown:?}");
        }
    }
    let set = &document["paths"]["/api/users/custom-prompt"];
    assert!(!set["put"]["responses"]["412"].is_null() && !set["get"]["responses"]["304"].is_null());
    let body =
        set["put"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str().expect("a name");
    let body = document.pointer(body.trim_start_matches('#')).expect("it is there");
    assert_eq!(body["additionalProperties"], false);
}

/// Each number is the same wherever it occurs.
#[test]
fn readme_and_changelog_state_the_counts_of_the_document() {
    let readme = include_str!("../../README.md");
    let document = understudy::INDEX.document();
    let methods = ["get", "put", "post", "patch", "delete"];
    let paths = document["paths"].as_object().expect("paths").values();
    let operations: usize =
        paths.map(|item| methods.iter().filter(|method| item.get(**method).is_some()).count()).sum();
    assert!(
        readme.contains(&format!("lists {operations} operations")),
        "the document has {operations} operations"
    );
    let areas =
        readme.split("## Features").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("areas");
    let counts = areas.lines().filter(|line| line.starts_with("| ")).filter_map(|line| {
        let last = line.trim_end_matches(['|', ' ']).rsplit('|').next()?.trim();
        last.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
    });
    let counts: Vec<_> = counts.collect();
    assert_eq!(counts.len(), 22);
    assert!(
        areas.contains(&format!("{} of them are the interface", counts.iter().sum::<usize>())),
        "{areas}"
    );

    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(document["info"]["version"], version);
    assert!(readme.contains(&format!("Understudy {version} listens")), "{version}");
    assert!(include_str!("../../CHANGELOG.md").contains(&format!("## [{version}]")), "{version}");
}

/// The limits in the document are the limits that requests are checked against.
#[test]
fn lengths_and_ranges_match_the_validation_rules() {
    let document = generated();
    let schemas = &document["components"]["schemas"];
    let field = |schema: &str, field: &str| schemas[schema]["properties"][field].clone();
    assert_eq!(field("UpdateUserCustomPromptBody", "custom_prompt")["maxLength"], 8_000);
    let mut limited = 0;
    for (_, _, operation) in operations(&document) {
        let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        let Some(body) = body.as_str().and_then(|at| document.pointer(at.trim_start_matches('#'))) else {
            continue;
        };
        let fields = body["properties"].as_object().into_iter().flat_map(|fields| fields.values());
        let keywords = ["maxLength", "maximum", "maxItems"];
        limited +=
            usize::from(fields.into_iter().any(|field| keywords.iter().any(|it| !field[*it].is_null())));
    }
    assert!(limited > 40, "{limited} bodies with limits");
}

/// Otherwise a client that generates requests from the document would send URLs that no HTTP library accepts.
#[test]
fn every_query_parameter_has_a_length() {
    let document = generated();
    for (path, method, operation) in operations(&document) {
        assert!(operation.get("parameters").is_none_or(Value::is_array), "{method} {path}");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for parameter in parameters.filter(|it| it["in"] == "query") {
            let told = format!("{method} {path}: {}", parameter["name"]);
            let schema = &parameter["schema"];
            let is_list = schema["type"] == "array";
            assert!(!is_list || schema["maxItems"].is_u64(), "{told}");
            let text = if is_list { &schema["items"] } else { schema };
            let is_free = text["type"] == "string" && text["enum"].is_null() && text["format"].is_null();
            assert!(!is_free || text["maxLength"].is_u64(), "{told}");
        }
    }
}
