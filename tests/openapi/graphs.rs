//! The schema of workflow graphs, compared with what reading a graph accepts.

use serde_json::{Map, Value, json};
use workflow::graph::{NODE_TYPES, Plan};

use super::generated;
use crate::harness::documented::validator_of;
use crate::harness::random_graph::{GraphOptions, random_graph};

fn faults(graph: &Value) -> Vec<String> {
    let validator = validator_of(&json!({"$ref": "#/components/schemas/WorkflowGraph"}));
    validator.iter_errors(graph).map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

#[test]
fn graph_schema_accepts_the_graphs_of_the_documentation() {
    let page = include_str!("../../docs/workflows.md");
    let blocks = page.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut found = 0;
    for value in blocks.filter_map(|block| serde_json::from_str::<Value>(block).ok()) {
        if value["nodes"].is_array() {
            assert_eq!(faults(&value), Vec::<String>::new(), "{value}");
            found += 1;
        }
        if value["id"].is_string() && value["type"].is_string() {
            let graph = json!({"nodes": [value]});
            assert_eq!(faults(&graph), Vec::<String>::new(), "{graph}");
            found += 1;
        }
    }
    assert!(found > 20, "{found} examples");
}

#[test]
fn graph_schema_accepts_random_graphs() {
    for seed in 0..200 {
        let graph = random_graph(seed, &GraphOptions::default());
        assert!(Plan::read(&graph).is_ok(), "{seed}");
        assert_eq!(faults(&graph), Vec::<String>::new(), "{seed}: {graph}");
    }
}

/// A value that a schema accepts.
fn sample(schema: &Value, schemas: &Value) -> Value {
    if let Some(place) = schema["$ref"].as_str() {
        return sample(&schemas[place.rsplit('/').next().expect("a name")], schemas);
    }
    if let Some(value) = schema["enum"].as_array().and_then(|values| values.first()) {
        return value.clone();
    }
    for choice in ["oneOf", "anyOf"] {
        let options = schema[choice].as_array().into_iter().flatten();
        if let Some(option) = options.into_iter().find(|option| option["type"] != "null") {
            return sample(option, schemas);
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str().unwrap_or_default().to_owned(),
        kind => kind.as_str().unwrap_or_default().to_owned(),
    };
    match kind.as_str() {
        "object" => {
            let fields = schema["properties"].as_object().cloned().unwrap_or_default();
            fields
                .iter()
                .map(|(name, field)| (name.clone(), sample(field, schemas)))
                .collect::<Map<_, _>>()
                .into()
        }
        "array" => {
            let count = schema["minItems"].as_u64().unwrap_or(1);
            (0..count).map(|_| sample(&schema["items"], schemas)).collect()
        }
        "integer" | "number" => schema["minimum"].as_u64().unwrap_or(1).into(),
        "boolean" => true.into(),
        _ if schema["format"] == "uuid" => "01890a5d-ac96-774b-bcce-b302099a8057".into(),
        _ if schema["pattern"].as_str().is_some_and(|pattern| pattern.contains('x')) => "1280x720".into(),
        _ => "name".into(),
    }
}

/// A graph is refused if it has an unknown field, so every field of the schema must be one that is read.
#[test]
fn graph_schema_has_only_fields_that_are_read() {
    let document = generated();
    let schemas = &document["components"]["schemas"];
    let variants = schemas["WorkflowNode"]["discriminator"]["mapping"].as_object().expect("node types");
    assert_eq!(variants.len(), NODE_TYPES.len());
    for spec in NODE_TYPES {
        let place = variants[spec.name].as_str().expect("a place");
        let mut node = sample(&json!({"$ref": place}), schemas);
        node["id"] = "node".into();
        let graph = json!({"nodes": [node], "edges": [], "limits": sample(&schemas["WorkflowLimits"], schemas),
            "vars": {"name": sample(&schemas["WorkflowVariable"], schemas)},
            "inputs": {"name": sample(&schemas["WorkflowInput"], schemas)}});
        let every_fault = Plan::read(&graph).err().into_iter().flatten();
        let unknown = every_fault.filter(|fault| ["unknown_field", "unknown_type"].contains(&fault.kind));
        let unknown: Vec<_> = unknown.map(|fault| format!("{:?}: {}", fault.loc, fault.msg)).collect();
        assert_eq!(unknown, Vec::<String>::new(), "{graph}");
        let missing: Vec<_> = schemas[place.rsplit('/').next().expect("a name")]["required"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        for field in missing.iter().filter_map(Value::as_str) {
            let mut partial = graph.clone();
            partial["nodes"][0].as_object_mut().expect("a node").remove(field);
            assert!(!faults(&partial).is_empty(), "{} without {field}", spec.name);
            let faults = Plan::read(&partial).err().unwrap_or_default();
            let is_missed = faults.iter().any(|fault| fault.loc.iter().any(|step| step == field));
            assert!(is_missed, "{} without {field}: {faults:?}", spec.name);
        }
    }
}

#[test]
fn graph_schema_refuses_unknown_fields_and_types() {
    let graph = |node: Value| json!({"nodes": [node]});
    assert!(faults(&graph(json!({"id": "a", "type": "start"}))).is_empty());
    for node in [
        json!({"id": "a", "type": "nothing"}),
        json!({"id": "a", "type": "start", "confg": {}}),
        json!({"id": "a", "type": "llm", "in": {"prompt": "x"}, "config": {"modle": "x"}}),
        json!({"id": "a", "type": "llm", "in": {}}),
        json!({"id": "a", "type": "agent", "in": {"prompt": "x"}, "config": {"max_turns": 101}}),
    ] {
        assert!(!faults(&graph(node.clone())).is_empty(), "{node}");
        assert!(Plan::read(&graph(node.clone())).is_err(), "{node}");
    }
}
