//! The JSON schema of graphs, made from the tables and types that graphs are read with.
//!
//! It describes everything about a graph that does not depend on other parts of it. References between nodes, expressions, names
//! of ports and the like are checked only by [`Plan::read`](super::Plan::read).

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::catalog::{FieldSpec, NODE_TYPES, TypeSpec};
use super::config::*;
use super::policy::{Effect, OnError, Retry};
use super::read::{EDGES, NAMES, NODES};
use super::{node, policies};
use runs::event::ValueType;

/// The name of the schema of graphs. The names of its parts begin with `Workflow`, too.
pub const GRAPH_SCHEMA: &str = "WorkflowGraph";

const SCHEMAS: &str = "#/components/schemas/";
/// A name that expressions can refer to.
const NAME: &str = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";

/// Returns the schema of graphs, and the schemas that it refers to, by name.
pub fn graph_schema() -> (Value, Map<String, Value>) {
    let mut parts = Parts::default();
    let nodes: Vec<Value> = NODE_TYPES.iter().map(|spec| parts.node(spec)).collect();
    parts.add("WorkflowNode", json!({"description": "A node of a graph.", "oneOf": nodes}));
    let value_type = parts.of::<ValueType>();
    parts.add("WorkflowInput", closed("An input of a run.", &[], json!({
        "type": optional(value_type.clone()),
        "required": {"type": ["boolean", "null"], "default": false, "description": "Whether a run requires the input."},
        "default": {"description": "The value if the input is missing."},
        "description": {"type": ["string", "null"], "description": "A description for people who fill in the form."},
    })));
    parts.add(
        "WorkflowVariable",
        closed(
            "A variable, which `set` nodes change.",
            &[],
            json!({
                "type": optional(value_type.clone()),
                "initial": {"description": "The initial value. Without it, `null`."},
                "scope": {"type": ["string", "null"], "enum": ["run", null]},
                "description": {},
            }),
        ),
    );
    parts.add("WorkflowEdge", closed("An edge, from a port of one node to another node.", &["from", "to"], json!({
        "from": {"type": "string", "description": "The id of the node that the edge leaves."},
        "port": {"type": ["string", "null"], "default": "out", "description": "The port of that node."},
        "to": {"type": "string", "description": "The id of the node that the edge leads to."},
        "id": {"description": "A name for editors. It is ignored."},
        "ui": ui(),
    })));
    parts.add("WorkflowLimits", closed("Limits of each run of a graph.", &[], json!({
        "max_steps": number("Maximum number of node executions. Each iteration counts.", 1, 1_000_000, 2_000),
        "run_timeout_ms": number("Maximum working time in milliseconds, without waiting.", 1, 30 * 86_400_000, 3_600_000),
        "concurrency": number("Maximum number of nodes that work at the same time.", 1, 64, 16),
    })));
    let graph = closed(
        "The graph of a workflow. At most 512 KiB of JSON.",
        &["nodes"],
        json!({
            "schema": {"type": ["integer", "null"], "enum": [1, null], "description": "The version of the format."},
            "inputs": named("WorkflowInput", "The inputs of a run, by name.", NAMES),
            "vars": named("WorkflowVariable", "Variables, by name.", NAMES),
            "nodes": {"type": "array", "maxItems": NODES, "items": reference("WorkflowNode")},
            "edges": {"type": ["array", "null"], "maxItems": EDGES, "items": reference("WorkflowEdge")},
            "limits": nullable("WorkflowLimits"),
            "ui": ui(),
        }),
    );
    (graph, parts.schemas)
}

/// The schemas that the schema of graphs refers to, collected so far.
#[derive(Default)]
struct Parts {
    schemas: Map<String, Value>,
}

impl Parts {
    fn add(&mut self, name: &str, schema: Value) -> Value {
        self.schemas.insert(name.to_owned(), schema);
        reference(name)
    }

    /// Adds the schema of a type, with the schemas that it refers to, and returns a reference to it.
    fn of<T: ToSchema>(&mut self) -> Value {
        let mut inner = Vec::new();
        T::schemas(&mut inner);
        for (name, schema) in inner {
            // A configuration that was added before refuses unknown fields, which its type does not state.
            self.schemas.entry(name).or_insert_with(|| json!(schema));
        }
        self.add(&T::name(), json!(T::schema()))
    }

    /// Adds the schema of a configuration. Unknown fields are refused.
    fn config<T: ToSchema>(&mut self) -> Value {
        let reference = self.of::<T>();
        if let Some(schema) = self.schemas.get_mut(&*T::name()) {
            // Flattened fields come first, and are closed by their own schema.
            let own = schema["allOf"].as_array().map_or(0, Vec::len).checked_sub(1);
            let fields = own.map_or("".to_owned(), |own| format!("/allOf/{own}"));
            if let Some(fields) = schema.pointer_mut(&fields) {
                fields["additionalProperties"] = false.into();
            }
        }
        reference
    }

    /// Adds the schema of a type of nodes, and returns a reference to it.
    fn node(&mut self, spec: &TypeSpec) -> Value {
        let config = self.config_of(spec);
        let (policy, value_type) = (self.policy(), self.of::<ValueType>());
        let output = self.add(
            "WorkflowOutput",
            closed(
                "A declared output of a node.",
                &[],
                json!({
                    "type": optional(value_type.clone()), "description": {},
                }),
            ),
        );
        let mut required = vec!["id", "type"];
        required.extend(spec.inputs.iter().any(|input| input.required).then_some("in"));
        let mut node = closed(
            spec.about,
            &required,
            json!({
                "id": {"type": "string", "pattern": NAME, "description": "The name of the node, by which expressions refer to it."},
                "type": {"type": "string", "enum": [spec.name]},
                "in": inputs(spec),
                "out": {"type": ["object", "null"], "additionalProperties": optional(output), "maxProperties": node::FIELDS,
                    "description": "Declared outputs, by name."},
                "parent": {"type": ["string", "null"], "description": "The container that contains the node."},
                "policy": {"oneOf": [{"type": "null"}, policy]},
                "config": match &config {
                    Some((config, false)) => json!({"oneOf": [{"type": "null"}, config]}),
                    Some((config, true)) => config.clone(),
                    None => json!({"type": ["object", "null"], "properties": {}, "additionalProperties": false}),
                },
                "ui": ui(),
            }),
        );
        if config.is_some_and(|(_, is_required)| is_required) {
            node["required"].as_array_mut().into_iter().for_each(|required| required.push("config".into()));
        }
        node["x-node-type"] = json!({
            "inputs": fields(spec.inputs), "open_inputs": spec.open_inputs,
            "outputs": fields(spec.outputs), "open_outputs": spec.open_outputs,
            "ports": spec.ports, "effect": spec.effect, "timeout_ms": spec.timeout_ms,
            "is_container": spec.is_container(),
        });
        let words = spec.name.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]);
        self.add(&format!("WorkflowNode{}", words.collect::<String>()), node)
    }

    /// A reference to the schema of the configuration of a type, and whether it has required fields.
    fn config_of(&mut self, spec: &TypeSpec) -> Option<(Value, bool)> {
        let config = match spec.name {
            "llm" => self.config::<LlmConfig>(),
            "agent" => self.config::<AgentConfig>(),
            "classifier" => self.config::<ClassifierConfig>(),
            "extract" => self.config::<ExtractConfig>(),
            "retrieve" => self.config::<RetrieveConfig>(),
            "function" => self.config::<FunctionConfig>(),
            "tool" => self.config::<ToolConfig>(),
            "http" => self.config::<HttpConfig>(),
            "code" => self.config::<CodeConfig>(),
            "list" => self.config::<ListConfig>(),
            "switch" => self.config::<SwitchConfig>(),
            "join" => self.config::<JoinConfig>(),
            "each" => self.config::<EachConfig>(),
            "loop" => self.config::<LoopConfig>(),
            "human" => self.config::<HumanConfig>(),
            "wait" => self.config::<WaitConfig>(),
            "workflow" => self.config::<WorkflowConfig>(),
            "video" => self.config::<VideoConfig>(),
            _ => return None,
        };
        let name = config["$ref"].as_str().and_then(|name| name.strip_prefix(SCHEMAS)).unwrap_or_default();
        let schema = &self.schemas[name];
        let parts = schema["allOf"].as_array().into_iter().flatten().chain([schema]);
        let is_required = parts.into_iter().any(|part| !part["required"].is_null());
        Some((config, is_required))
    }

    fn policy(&mut self) -> Value {
        let (on_error, effect) = (self.of::<OnError>(), self.of::<Effect>());
        let retry = self.config::<Retry>();
        self.add("WorkflowPolicy", closed("What happens when a node takes too long, fails, or is interrupted by a crash.", &[], json!({
            "timeout_ms": {"type": ["integer", "null"], "minimum": 0, "maximum": policies::TIMEOUT,
                "description": "Time limit of one attempt in milliseconds; 0 for none. The default depends on the type."},
            "retry": {"oneOf": [{"type": "null"}, retry]},
            "on_error": {"oneOf": [{"type": "null"}, on_error]},
            "default": {"type": ["object", "null"], "additionalProperties": true,
                "description": "With `continue`: the outputs of the node after a failure."},
            "effect": {"oneOf": [{"type": "null"}, effect]},
            "compensate": {"type": ["string", "null"], "description": "The node that undoes this one."},
        })))
    }
}

/// An object without other fields than these. Text of the descriptions of its fields is in the schemas of the fields.
fn closed(description: &str, required: &[&str], fields: Value) -> Value {
    let mut schema = json!({
        "type": "object", "description": description, "properties": fields, "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("{SCHEMAS}{name}")})
}

fn nullable(name: &str) -> Value {
    optional(reference(name))
}

/// Reading a graph takes `null` for a missing value.
fn optional(schema: Value) -> Value {
    json!({"oneOf": [{"type": "null"}, schema]})
}

/// An object whose members have this schema.
fn named(schema: &str, description: &str, most: usize) -> Value {
    json!({
        "type": ["object", "null"], "description": description, "additionalProperties": optional(reference(schema)),
        "propertyNames": {"pattern": NAME}, "maxProperties": most,
    })
}

fn number(description: &str, least: u64, most: u64, default: u64) -> Value {
    json!({
        "type": ["integer", "null"], "format": "int64", "minimum": least, "maximum": most, "default": default,
        "description": description,
    })
}

fn ui() -> Value {
    json!({"description": "Any value, for editors that draw the graph. It is ignored."})
}

/// The inputs of a node: JSON whose texts may contain expressions.
fn inputs(spec: &TypeSpec) -> Value {
    let required: Vec<_> =
        spec.inputs.iter().filter(|input| input.required).map(|input| input.name).collect();
    let fields: Map<_, _> =
        spec.inputs.iter().map(|input| (input.name.to_owned(), input_value(input))).collect();
    // The fields of a form can have initial values.
    let open = spec.open_inputs || spec.name == "human";
    let mut schema = json!({
        "type": if required.is_empty() { json!(["object", "null"]) } else { json!("object") },
        "description": "Values that depend on the run: JSON whose texts may contain `{{ expressions }}`.",
        "properties": fields,
        "additionalProperties": open,
        "maxProperties": node::FIELDS,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The value of an input: a literal of its type, or a text that consists of one expression.
fn input_value(input: &FieldSpec) -> Value {
    let mut types = match input.kind {
        ValueType::Any => return json!({}),
        ValueType::String => vec!["string"],
        ValueType::Number => vec!["number", "string"],
        ValueType::Integer => vec!["integer", "string"],
        ValueType::Boolean => vec!["boolean", "string"],
        ValueType::Array => vec!["array", "string"],
        ValueType::Object | ValueType::File => vec!["object", "string"],
    };
    if !input.required {
        types.push("null");
    }
    let mut schema = json!({"type": types});
    match input.kind {
        ValueType::Array => schema["items"] = json!({}),
        ValueType::Object | ValueType::File => schema["additionalProperties"] = true.into(),
        _ => {}
    }
    schema
}

fn fields(fields: &[FieldSpec]) -> Value {
    let field =
        |field: &FieldSpec| json!({"name": field.name, "type": field.kind, "required": field.required});
    fields.iter().map(field).collect()
}
