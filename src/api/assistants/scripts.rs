//! Checks the scripts of a graph before the graph is stored.

use std::collections::HashSet;
use std::time::Duration;

use sandbox::{Limits, Sandbox, Script, ScriptErrorKind};
use serde_json::{Map, Value};
use workflow::graph::{NodeKind, Plan};

use crate::http::{Api, Faults};

/// Name of the function that is called instead of `main`, to check whether `main` exists.
const PROBE: &str = "understudyProbe";

/// Refuses a graph with a code node whose script is not valid ECMAScript or has no function `main`. Top-level code is evaluated in the
/// sandbox, which has no access to anything; `main` is not called. Scripts that are already in `before`, the previous graph, are not
/// checked again. If no sandbox is available at the moment, scripts are not checked at all.
pub async fn check(sandbox: &Sandbox, graph: Option<&Value>, before: Option<&Value>) -> Api<()> {
    let Some(plan) = graph.and_then(|graph| Plan::read(graph).ok()) else { return Ok(()) };
    let before = before.and_then(|graph| Plan::read(graph).ok());
    let known: HashSet<&str> = before.iter().flat_map(scripts).map(|(_, code)| code).collect();
    let new = scripts(&plan).filter(|(_, code)| !known.contains(code));
    let tried = new.map(|(node, code)| async move { (node, fault(sandbox, code).await) });
    let mut faults = Faults::new("body");
    for (node, fault) in futures::future::join_all(tried).await {
        if let Some(why) = fault {
            faults.add(["workflow", "nodes", node, "config", "code"], why, "malformed");
        }
    }
    faults.into_result()
}

fn scripts(plan: &Plan) -> impl Iterator<Item = (&str, &str)> {
    plan.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Code(config) => Some((node.id.as_str(), config.code.as_str())),
        _ => None,
    })
}

async fn fault(sandbox: &Sandbox, code: &str) -> Option<String> {
    let probe = format!("{code}\n;function {PROBE}() {{ return typeof main === 'function' }}");
    let script = Script { code: probe, inputs: Map::new(), entry: PROBE.to_owned() };
    let limits = Limits { time: Duration::from_secs(2), ..Limits::default() };
    match sandbox.run(&script, &limits).await {
        Ok(ran) if ran.output == Value::Bool(false) => {
            Some("the code has no function main(inputs)".to_owned())
        }
        Err(why) if why.kind == ScriptErrorKind::Syntax => Some(match why.line {
            Some(line) => format!("{} (line {line})", why.message),
            None => why.message,
        }),
        // Run-time errors are reported by the run itself.
        Ok(_) | Err(_) => None,
    }
}
