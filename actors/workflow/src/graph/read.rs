//! Reads a graph: first its shape, then everything that can be checked once the shape is known.

use std::collections::{BTreeMap, HashMap};

use runs::GraphFault;
use serde_json::Value;

use super::digest;
use super::faults::{Faults, Fields, Loc, is_name};
use super::joints::EdgeDraft;
use super::node::{self, Draft};
use super::plan::{InputSpec, Limits, Plan, PlanEdge, VarSpec};
use super::{joints, order, references};

/// Maximum number of nodes and edges, and maximum size of a graph in bytes of JSON.
pub(super) const NODES: usize = 500;
pub(super) const EDGES: usize = 2_000;
const BYTES: usize = 512 * 1024;
/// Maximum number of inputs, and of variables.
pub(super) const NAMES: usize = 200;

/// Names that have a meaning in expressions and therefore cannot be node ids.
const RESERVED: [&str; 22] = [
    "vars", "run", "inputs", "item", "index", "last", "loop", "error", "true", "false", "none", "null",
    "and", "or", "not", "in", "is", "if", "else", "self", "range", "dict",
];

impl Plan {
    /// Reads and checks a graph. Returns all faults at once.
    pub fn read(graph: &Value) -> Result<Plan, Vec<GraphFault>> {
        let mut faults = Faults::default();
        let plan = read(graph, &mut faults);
        match (plan, faults.is_empty()) {
            (Some(plan), true) => Ok(plan),
            _ => Err(faults.into_vec()),
        }
    }
}

fn read(graph: &Value, faults: &mut Faults) -> Option<Plan> {
    if !graph.is_object() {
        faults.add(&Loc::default(), "wrong_type", "a graph is an object");
        return None;
    }
    if serde_json::to_vec(graph).is_ok_and(|json| json.len() > BYTES) {
        faults.add(&Loc::default(), "too_large", "a graph has at most 512 KiB");
        return None;
    }
    let mut fields = Fields::read(Some(graph), Loc::default(), faults);
    if fields.get("schema").is_some_and(|schema| schema.as_u64() != Some(1)) {
        fields.fault("schema", "unknown_value", "must be 1");
    }
    let inputs = inputs(&mut fields);
    let vars = vars(&mut fields);
    let limits = limits(&mut fields);
    if fields.get("nodes").is_none() {
        fields.missing("nodes");
    }
    fields.raw("ui");
    let (nodes, edges) = (fields.array("nodes"), fields.array("edges"));
    for (name, count, most) in [("nodes", nodes.len(), NODES), ("edges", edges.len(), EDGES)] {
        if count > most {
            fields.fault(name, "too_many", format!("a graph has at most {most}"));
        }
    }
    fields.finish();
    // Without valid nodes, every edge would be reported as dangling.
    if nodes.len() > NODES || edges.len() > EDGES || !graph["nodes"].is_array() {
        return None;
    }
    let (drafts, by_id) = drafts(nodes, &vars, faults);
    let count = edges.len();
    let edges = edge_drafts(edges, faults);
    let mut plan = Plan {
        hash: digest::of_graph(graph),
        inputs,
        vars,
        nodes: Vec::with_capacity(drafts.len()),
        by_id,
        edges: Vec::with_capacity(edges.len()),
        limits,
        roots: Vec::new(),
    };
    let links: Vec<_> = drafts.iter().map(Draft::links).collect();
    plan.nodes = drafts.into_iter().map(|draft| draft.node).collect();
    joints::join_parents(&mut plan, &links, faults);
    joints::join_compensations(&mut plan, &links, faults);
    joints::join_edges(&mut plan, &edges, faults);
    joints::find_roots(&mut plan);
    order::check(&plan, &links, faults);
    // References can only be checked if the nodes have an order.
    if order::is_ordered(&plan) {
        let placed = plan.nodes.iter().zip(&links).all(|(node, link)| {
            node.parent.is_some() || link.source.get("parent").is_none_or(Value::is_null)
        });
        let joined = placed && plan.edges.len() == count;
        references::check(&plan, &links, joined, faults);
    }
    digest::of_nodes(&mut plan, &links);
    Some(plan)
}

fn inputs(fields: &mut Fields<'_, '_>) -> BTreeMap<String, InputSpec> {
    let mut inputs = BTreeMap::new();
    let loc = Loc::new(["inputs"]);
    for (name, value) in named(fields, "inputs") {
        let mut spec = Fields::read(Some(value), loc.at(name), fields.faults);
        let kind = spec.value_type("type").unwrap_or_default();
        let default = spec.get("default").cloned();
        if let Some(default) = &default
            && !kind.admits(default)
        {
            spec.fault("default", "type_mismatch", format!("is not of type {}", kind.name()));
        }
        let (required, description) =
            (spec.boolean("required"), spec.string("description").map(str::to_owned));
        spec.finish();
        inputs.insert(name.clone(), InputSpec { kind, required, default, description });
    }
    inputs
}

fn vars(fields: &mut Fields<'_, '_>) -> BTreeMap<String, VarSpec> {
    let mut vars = BTreeMap::new();
    let loc = Loc::new(["vars"]);
    for (name, value) in named(fields, "vars") {
        let mut spec = Fields::read(Some(value), loc.at(name), fields.faults);
        let kind = spec.value_type("type").unwrap_or_default();
        spec.one_of("scope", &[("run", ())]);
        let initial = spec.get("initial").cloned().unwrap_or_default();
        if !initial.is_null() && !kind.admits(&initial) {
            spec.fault("initial", "type_mismatch", format!("is not of type {}", kind.name()));
        }
        spec.raw("description");
        spec.finish();
        vars.insert(name.clone(), VarSpec { kind, initial });
    }
    vars
}

/// Returns the members of an object. Reports members whose names cannot be used in expressions.
fn named<'v>(fields: &mut Fields<'v, '_>, name: &'static str) -> Vec<(&'v String, &'v Value)> {
    let members: Vec<_> = fields.object(name).into_iter().flatten().collect();
    if members.len() > NAMES {
        fields.fault(name, "too_many", format!("there are at most {NAMES}"));
        return Vec::new();
    }
    for (member, _) in &members {
        if !is_name(member) {
            let why = "a name has letters, digits and `_`, no digit first, and at most 64 of them";
            fields.faults.add(&Loc::new([name]).at(member), "malformed", why);
        }
    }
    members
}

fn limits(fields: &mut Fields<'_, '_>) -> Limits {
    let mut limits = Limits::default();
    let settings = fields.get("limits");
    let mut settings = Fields::read(settings, Loc::new(["limits"]), fields.faults);
    limits.max_steps = settings.integer("max_steps", 1, 1_000_000).unwrap_or(limits.max_steps);
    limits.run_timeout_ms =
        settings.integer("run_timeout_ms", 1, 30 * 86_400_000).unwrap_or(limits.run_timeout_ms);
    limits.concurrency =
        settings.integer("concurrency", 1, 64).map_or(limits.concurrency, |concurrency| concurrency as usize);
    settings.finish();
    limits
}

/// Reads the nodes. Faults of a node without a usable id are located by the node's index.
fn drafts<'v>(
    nodes: &'v [Value],
    vars: &BTreeMap<String, VarSpec>,
    faults: &mut Faults,
) -> (Vec<Draft<'v>>, HashMap<String, usize>) {
    let mut by_id: HashMap<String, usize> = HashMap::new();
    let mut drafts = Vec::with_capacity(nodes.len());
    for (at, value) in nodes.iter().enumerate() {
        let id = value.get("id").and_then(Value::as_str);
        let usable = id.filter(|id| !by_id.contains_key(*id) && !id.is_empty());
        let loc = Loc::new(["nodes"]).at(usable.map_or_else(|| at.to_string(), str::to_owned));
        let mut fields = Fields::read(Some(value), loc.clone(), faults);
        if let Some(id) = fields.filled("id") {
            if !is_name(id) {
                let why = "a node's id has letters, digits and `_`, no digit first, and at most 64 of them";
                fields.fault("id", "malformed", why);
            } else if RESERVED.contains(&id) {
                fields.fault("id", "reserved", format!("{id:?} means something else in expressions"));
            } else if by_id.contains_key(id) {
                fields.fault("id", "duplicate", format!("there is another node {id:?}"));
            }
        }
        if let Some(id) = usable {
            by_id.insert(id.to_owned(), at);
        }
        drafts.push(node::read(usable.unwrap_or_default(), value, loc, fields, vars));
    }
    (drafts, by_id)
}

fn edge_drafts<'v>(edges: &'v [Value], faults: &mut Faults) -> Vec<EdgeDraft<'v>> {
    let mut drafts = Vec::with_capacity(edges.len());
    for (at, value) in edges.iter().enumerate() {
        let loc = Loc::new(["edges"]).at(at);
        let mut fields = Fields::read(Some(value), loc.clone(), faults);
        let (from, to) = (fields.filled("from"), fields.filled("to"));
        let port = fields.string("port").unwrap_or("out");
        fields.raw("id");
        fields.raw("ui");
        fields.finish();
        if let (Some(from), Some(to)) = (from, to) {
            drafts.push(EdgeDraft { from, port, to, loc });
        }
    }
    drafts
}

impl PlanEdge {
    /// An edge without state, from the port of one node to another node.
    pub(super) fn new(from: usize, port: &str, to: usize) -> Self {
        Self { from, port: port.to_owned(), to }
    }
}
