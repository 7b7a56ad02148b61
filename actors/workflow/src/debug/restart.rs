//! Restarts: a new run that reuses the results of an earlier run that are still valid.

use runs::{Runs, StartError};
use storage::records::{DebugSession, Run};
use storage::{Row, Timestamp};
use uuid::Uuid;

use super::forecast::{Forecast, forecast};
use super::options::{WhichGraph, fault, fitting, order};
use super::play::{SessionState, merged, other_inputs, refuse, scene, start};
use super::source::Source;
use super::stale::{Change, Frontier};
use super::stored::{inputs_of, latest, pinned};
use super::{DebugCaller, DebugError, Fields, PlayOptions, Played};
use crate::Fork;
use crate::graph::{NodeIx, Plan};

/// Describes which part of a run is repeated, and on which graph.
#[derive(Clone, Debug)]
pub struct RestartPoint {
    /// The node that runs again together with everything behind it. If omitted, a restart on the previous graph runs everything
    /// again, and a restart on another graph runs the stale nodes again.
    pub from_node: Option<String>,
    /// Whether nodes that are not behind `from_node` keep their results.
    pub keep_upstream: bool,
    pub graph: WhichGraph,
    /// Whether the client has confirmed that effects which cannot be undone may be repeated.
    pub confirmed: bool,
}

/// A run that partly repeats another run.
#[derive(Clone, Debug)]
pub struct Restarted {
    /// The new run.
    pub played: Played,
    /// The run that is repeated.
    pub forked_from: Uuid,
    /// The nodes whose results are reused, and the nodes that run again.
    pub frontier: Frontier,
    /// The cost and repeated effects of the restart.
    pub forecast: Forecast,
}

/// Starts a new run that partly repeats the newest run of the session. If that run is live, it is stopped first. Its records are
/// retained.
pub async fn restart(
    runs: &Runs,
    caller: &DebugCaller,
    options: PlayOptions,
    from: RestartPoint,
) -> Result<Restarted, DebugError> {
    let SessionState { session, newest } = scene(runs, caller).await?;
    let run = newest.ok_or(DebugError::NoRun)?;
    let request = RestartRequest { caller, session, run, options, from };
    let prepared = request.prepare(runs).await?;
    request.confirm(&prepared)?;
    let prepared = match request.run.state.is_terminal() {
        true => prepared,
        false => request.after_its_end(runs).await?,
    };
    request.start(runs, prepared).await
}

struct RestartRequest<'a> {
    caller: &'a DebugCaller,
    session: DebugSession,
    run: Row<Run>,
    options: PlayOptions,
    from: RestartPoint,
}

/// A restart that has been checked and computed.
struct PreparedRestart {
    session: DebugSession,
    inputs: Fields,
    /// The hash of the graph that the frontier and forecast were computed for.
    graph_hash: String,
    frontier: Frontier,
    forecast: Forecast,
}

impl RestartRequest<'_> {
    async fn prepare(&self, runs: &Runs) -> Result<PreparedRestart, DebugError> {
        let over = self.run.expires_at.is_some_and(|at| at <= Timestamp::now());
        if self.run.journal_expired || over {
            return Err(StartError::Expired.into());
        }
        let (store, tenant) = (runs.store(), self.caller.tenant);
        let old = pinned(runs, tenant, &self.run).await?;
        let plan = match self.from.graph {
            WhichGraph::Pinned => old.clone(),
            WhichGraph::Latest => latest(runs, self.caller)?,
        };
        let from = self.check(&plan)?;
        let before = inputs_of(runs, tenant, &self.run).await?;
        let inputs = self.options.inputs.clone().unwrap_or_else(|| before.clone());
        plan.take_inputs(&inputs).map_err(StartError::Inputs)?;
        let run = self.run.clone();
        let source = store.read(move |reader| Source::of_run(reader, tenant, &run)).await?;
        let session = fitting(&merged(self.session.clone(), &self.options), &plan);
        let change = Change {
            source: &source,
            old: &old,
            new: &plan,
            from,
            keep: self.from.keep_upstream && (from.is_some() || self.from.graph == WhichGraph::Latest),
            other_inputs: other_inputs(&plan, &inputs, &before),
            pins: &session.pins,
            overrides: &session.overrides,
        };
        let frontier = change.frontier();
        let forecast = forecast(&source, &plan, &frontier);
        Ok(PreparedRestart { session, inputs, graph_hash: plan.hash.clone(), frontier, forecast })
    }

    /// Checks the request against the graph. Returns the node to begin at, if one is named.
    fn check(&self, plan: &Plan) -> Result<Option<NodeIx>, DebugError> {
        let mut faults = self.options.check(plan);
        let named = self.from.from_node.as_deref();
        let found = named.and_then(|id| plan.by_id.get(id).copied());
        if let (Some(id), None) = (named, found) {
            faults.push(fault(&["from_node"], format!("there is no node {id:?}"), "not_found"));
        }
        if found.is_some_and(|ix| plan.node(ix).compensates) {
            let why = "runs only to undo another node".to_owned();
            faults.push(fault(&["from_node"], why, "not_in_flow"));
        }
        refuse(faults)?;
        Ok(found)
    }

    fn confirm(&self, prepared: &PreparedRestart) -> Result<(), DebugError> {
        match self.from.confirmed || prepared.forecast.irreversible.is_empty() {
            true => Ok(()),
            false => Err(DebugError::Unconfirmed(Box::new(prepared.forecast.clone()))),
        }
    }

    /// Stops the run and prepares the restart again, because the run may have continued, and its work may have been undone.
    async fn after_its_end(&self, runs: &Runs) -> Result<PreparedRestart, DebugError> {
        let stopped = runs.cancel(self.caller.tenant, self.run.id, self.caller.user).await?;
        if stopped.terminal.is_none() {
            return Err(DebugError::Busy);
        }
        let prepared = self.prepare(runs).await?;
        self.confirm(&prepared)?;
        Ok(prepared)
    }

    async fn start(self, runs: &Runs, prepared: PreparedRestart) -> Result<Restarted, DebugError> {
        let PreparedRestart { session, inputs, graph_hash, frontier, forecast } = prepared;
        let order = order(session.clone(), self.options.mode, self.options.until);
        let fork = Fork {
            from: self.run.id,
            reuse: frontier.reuse.clone(),
            stale: frontier.stale.clone(),
            pinned: self.from.graph == WhichGraph::Pinned,
            graph_hash: Some(graph_hash),
        };
        let played = start(runs, self.caller, session, inputs, order, Some(fork)).await?;
        Ok(Restarted { played, forked_from: self.run.id, frontier, forecast })
    }
}
