//! The scripts of a graph, tried before it is saved.

use std::collections::HashSet;
use std::time::Duration;

use sandbox::{Limits, Sandbox, Script, ScriptErrorKind};
use serde_json::{Map, Value};
use workflow::graph::{NodeKind, Plan};

use crate::http::{Api, Faults};

/// The function that is called instead of `main`, which is only looked for.
const PROBE: &str = "understudyProbe";

/// Refuses a graph with a code node whose script is no ECMAScript or has no function `main`. What stands outside of
/// functions is evaluated in the sandbox, which has no access to anything; `main` is not called. Scripts that the graph
/// had `before` are not tried again, and none where no sandbox can be had at the moment.
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
        // What goes wrong when it runs is told by the run.
        Ok(_) | Err(_) => None,
    }
}
