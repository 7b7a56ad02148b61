//! What running a part of a run again means: in tokens, and in the world outside.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::source::{Execution, Source};
use super::stale::Frontier;
use crate::graph::{Effect, NodeIx, NodeKind, Plan, PlanNode};

/// What a restart means, going by what the run before did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Forecast {
    /// Tokens that the nodes which run again cost then.
    pub tokens_again: u64,
    /// Tokens of the results that are taken over.
    pub tokens_reused: u64,
    /// What the tokens that are spent again cost, in thousand-millionths of a dollar.
    pub cost_nanos_again: u64,
    /// What the tokens of the results that are taken over cost.
    pub cost_nanos_reused: u64,
    /// What happens again and cannot be undone. Has to be confirmed.
    pub irreversible: Vec<Repeated>,
    /// What happens again and was meant to happen once.
    pub once: Vec<Repeated>,
}

/// Something that a node did and would do again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Repeated {
    pub node: String,
    /// How often it did it.
    pub times: u64,
    /// What it would do, in words.
    #[schema(example = "sends 1 request to api.example.com")]
    pub what: String,
}

/// What it means to run the stale part of a run again on this graph.
pub(super) fn forecast(source: &Source, plan: &Plan, frontier: &Frontier) -> Forecast {
    let stale: HashSet<&str> = frontier.stale.iter().map(String::as_str).collect();
    let reused: HashSet<&str> = frontier.reuse.iter().map(String::as_str).collect();
    let mut forecast = Forecast::default();
    for (ix, node) in plan.nodes.iter().enumerate() {
        // The nodes in a container have costs of their own.
        let (tokens, cost_nanos) = match node.children.is_empty() {
            true => usage_of(source, &node.id),
            false => (0, 0),
        };
        if stale.contains(node.id.as_str()) {
            forecast.tokens_again += tokens;
            forecast.cost_nanos_again += cost_nanos;
            forecast.note(source, node);
        } else if reused.contains(outermost(plan, ix)) {
            forecast.tokens_reused += tokens;
            forecast.cost_nanos_reused += cost_nanos;
        }
    }
    forecast
}

impl Forecast {
    fn note(&mut self, source: &Source, node: &PlanNode) {
        let done: Vec<_> = source.executions_of(&node.id).filter(|execution| execution.began).collect();
        if done.is_empty() || node.policy.effect.may_repeat() {
            return;
        }
        let repeated =
            Repeated { node: node.id.clone(), times: done.len() as u64, what: in_words(node, &done) };
        match node.policy.effect {
            Effect::Irreversible => self.irreversible.push(repeated),
            _ => self.once.push(repeated),
        }
    }
}

fn usage_of(source: &Source, node: &str) -> (u64, u64) {
    source
        .executions_of(node)
        .fold((0, 0), |(tokens, cost), execution| (tokens + execution.tokens, cost + execution.cost_nanos))
}

fn outermost(plan: &Plan, mut ix: NodeIx) -> &str {
    while let Some(parent) = plan.node(ix).parent {
        ix = parent;
    }
    &plan.node(ix).id
}

fn in_words(node: &PlanNode, done: &[&Execution]) -> String {
    let times = match done.len() {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    };
    match &node.kind {
        NodeKind::Http(_) => requests(done),
        NodeKind::Tool(tool) => format!("calls the tool {} {times}", tool.tool),
        NodeKind::Function(function) => format!("calls the function {} {times}", function.function),
        NodeKind::Workflow(_) => format!("runs another workflow {times}"),
        NodeKind::Video(_) => format!("makes a video {times}"),
        _ => format!("runs the node {} {times}", node.id),
    }
}

fn requests(done: &[&Execution]) -> String {
    let mut hosts: BTreeMap<&str, u64> = BTreeMap::new();
    for execution in done {
        let url = execution.inputs.as_ref().and_then(|inputs| inputs.get("url")).and_then(Value::as_str);
        *hosts.entry(url.and_then(host).unwrap_or("another server")).or_default() += 1;
    }
    let to = |(host, n): (&&str, &u64)| format!("{n} request{} to {host}", if *n == 1 { "" } else { "s" });
    format!("sends {}", hosts.iter().map(to).collect::<Vec<_>>().join(" and "))
}

/// The host of an address, without what may be secret in it.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    (!host.is_empty()).then_some(host)
}
