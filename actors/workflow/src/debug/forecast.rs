//! Forecasts what it costs to run a part of a run again, and which external effects are repeated.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::source::{Execution, Source};
use super::stale::Frontier;
use crate::graph::{Effect, NodeIx, NodeKind, Plan, PlanNode};

/// What a restart costs and repeats, based on what the previous run did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Forecast {
    /// Tokens that the nodes which run again used in the previous run.
    pub tokens_again: u64,
    /// Tokens of the results that are reused.
    pub tokens_reused: u64,
    /// Cost of the tokens that are spent again, in billionths of a US dollar.
    pub cost_nanos_again: u64,
    /// Cost of the tokens of reused results, in billionths of a US dollar.
    pub cost_nanos_reused: u64,
    /// Effects that are repeated and cannot be undone. They require confirmation.
    pub irreversible: Vec<Repeated>,
    /// Effects that are repeated although they are meant to happen only once.
    pub once: Vec<Repeated>,
}

/// An effect of a node that a restart would repeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Repeated {
    pub node: String,
    /// How many times the effect happened in the previous run.
    pub times: u64,
    /// A description of the effect.
    #[schema(example = "sends 1 request to api.example.com")]
    pub what: String,
}

/// Computes the forecast for running the stale part of a run again on this graph.
pub(super) fn forecast(source: &Source, plan: &Plan, frontier: &Frontier) -> Forecast {
    let stale: HashSet<&str> = frontier.stale.iter().map(String::as_str).collect();
    let reused: HashSet<&str> = frontier.reuse.iter().map(String::as_str).collect();
    let mut forecast = Forecast::default();
    for (ix, node) in plan.nodes.iter().enumerate() {
        // The usage of a container is the usage of the nodes inside it, which are counted separately.
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

/// Returns the host of a URL, without credentials, path or query, which may contain secrets.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    (!host.is_empty()).then_some(host)
}
