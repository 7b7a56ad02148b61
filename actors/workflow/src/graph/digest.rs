//! Hashes of graphs and nodes, computed from canonical JSON.

use std::fmt::Write;

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};
use serde_json::{Value, json};

use super::node::Links;
use super::plan::{NodeIx, Plan};

/// The field that is excluded from the hash of a graph. It only affects how the graph is drawn.
const DRAWING: &str = "ui";

/// Returns the hash of a graph without the parts that only affect how it is drawn.
pub(super) fn of_graph(graph: &Value) -> String {
    let mut json = String::new();
    write(graph, true, &mut json);
    hash(&json)
}

/// Gives each node the hash of everything that determines its result.
pub(super) fn of_nodes(plan: &mut Plan, links: &[Links<'_>]) {
    let alone: Vec<String> = (0..plan.nodes.len()).map(|ix| of_node(plan, ix, &links[ix])).collect();
    for ix in 0..alone.len() {
        let inside = plan.within(ix);
        plan.nodes[ix].digest = match inside.is_empty() {
            true => alone[ix].clone(),
            false => {
                let mut parts: Vec<_> = inside.iter().map(|ix| (&plan.nodes[*ix].id, &alone[*ix])).collect();
                parts.sort();
                let parts: String =
                    parts.into_iter().map(|(id, digest)| format!("{id} {digest}\n")).collect();
                hash(&format!("{}\n{parts}", alone[ix]))
            }
        };
    }
}

fn of_node(plan: &Plan, ix: NodeIx, link: &Links<'_>) -> String {
    let node = &plan.nodes[ix];
    let edges = node.incoming.iter().map(|edge| &plan.edges[*edge]);
    let mut incoming: Vec<_> = edges.map(|edge| (&plan.nodes[edge.from].id, &edge.port)).collect();
    incoming.sort();
    let own = |name: &str| link.source.get(name);
    let all = json!({
        "type": own("type"), "config": own("config"), "in": own("in"), "out": own("out"), "policy": own("policy"),
        "parent": own("parent"), "incoming": incoming,
    });
    let mut json = String::new();
    // Within a node's configuration, a field named `ui` has nothing to do with drawing.
    write(&all, false, &mut json);
    hash(&json)
}

/// Writes JSON with sorted field names.
fn write(value: &Value, of_graph: bool, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (name, field) in fields.into_iter().filter(|(name, _)| !of_graph || *name != DRAWING) {
                // Nodes and edges have a `ui` field for drawing. Deeper levels do not.
                let deeper = of_graph && matches!(name.as_str(), "nodes" | "edges");
                let _ = write!(out, "{}:", Value::from(name.as_str()));
                write(field, deeper, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(item, of_graph, out);
                out.push(',');
            }
            out.push(']');
        }
        plain => drop(write!(out, "{plain}")),
    }
}

fn hash(text: &str) -> String {
    let mut context = Context::new(&SHA256);
    context.update(text.as_bytes());
    HEXLOWER.encode(context.finish().as_ref())
}
