//! What of an event a reader is shown who may use a workflow but not edit it.
//!
//! A graph is visible to its editors only: prompts, addresses, headers and intermediate results appear in the
//! inputs and outputs of nodes. Everyone else who reads a run is shown its outline: which node did what and when,
//! and what is addressed to the user: text of the answer, sources, files, forms, outputs and the end.

use std::borrow::Cow;

use bytes::Bytes;
use serde_json::{Map, Value, json};
use storage::journal::JournalEvent as Event;

use crate::event::flow::{
    BranchTaken, IterationFinished, NodeDelta, NodeFinished, NodeLog, NodeRetry, NodeStarted,
    RunCompensating, RunEnding, VariableChanged,
};
use crate::event::tool::{ToolProgress, ToolServerIssue, ToolStarted};
use crate::event::{EventData, StreamEvent, Terminal, TerminalError};
use crate::over_budget::OverBudget;

/// What separates an error from the effects that could not be undone after it.
pub const NOT_UNDONE: &str = "; not undone: ";

/// Errors whose message tells the user what to do.
const FOR_USERS: [&str; 2] = [OverBudget::CODE, "login_required"];

/// An event as the outline has it; `None` where it is the same.
///
/// The position in the journal, the time, the epoch and the node stay, so that sequence numbers have no gaps.
pub fn outline(event: &Event) -> Option<Event> {
    if !is_concealed(&event.kind) {
        return None;
    }
    let outlined = StreamEvent::read(event).and_then(|full| {
        let data = full.event.outline(full.node.is_some());
        serde_json::to_vec(&StreamEvent { event: data, ..full }).ok()
    });
    let json = outlined.unwrap_or_else(|| envelope(event));
    Some(Event { json: Bytes::from(json), ..event.clone() })
}

/// An event without its data, for one that cannot be read.
fn envelope(event: &Event) -> Vec<u8> {
    let fields: Map<String, Value> = serde_json::from_slice(&event.json).unwrap_or_default();
    let keeps = ["ts", "run_id", "epoch", "node_id", "exec_id", "scope"];
    let mut envelope: Map<String, Value> =
        fields.into_iter().filter(|(name, _)| keeps.contains(&name.as_str())).collect();
    envelope.insert("seq".into(), event.seq.into());
    envelope.insert("type".into(), (*event.kind).into());
    envelope.insert("data".into(), json!({}));
    Value::Object(envelope).to_string().into_bytes()
}

/// Whether an event of this type may be different in the outline. Types that are not known may be.
fn is_concealed(kind: &str) -> bool {
    !matches!(
        kind,
        "run.started"
            | "run.recovered"
            | "run.reset"
            | "run.cancelling"
            | "run.waiting"
            | "run.paused"
            | "run.resumed"
            | "text.start"
            | "text.delta"
            | "text.end"
            | "source"
            | "knowledge.closed"
            | "file"
            | "title"
            | "usage"
            | "model.answering"
            | "choice"
            | "choice.ended"
            | "graph"
            | "outputs"
            | "form.required"
            | "form.submitted"
            | "form.expired"
            | "node.ready"
            | "node.waiting"
            | "node.skipped"
            | "iteration.started"
            | "breakpoint.hit"
            | "nodes.stale"
            | "ingest.progress"
            | "skill.draft"
            | "directory.group"
            | "directory.members"
            | "video.submitting"
            | "video.postponed"
            | "video.submitted"
            | "video.progress"
            | "video.refused"
            | "video.made"
            | "video.completed"
    )
}

impl EventData {
    /// The event with everything removed that is for editors of the graph. `in_node` says whether it happened in a
    /// node of a workflow; what a model says and calls outside of nodes belongs to the answer. A new type of event
    /// has to state here which of its fields every reader of a run may see.
    pub fn outline(self, in_node: bool) -> Self {
        match self {
            // Addressed to the user, or without content.
            same @ (Self::RunStarted { .. }
            | Self::RunRecovered { .. }
            | Self::RunReset {}
            | Self::RunCancelling { .. }
            | Self::RunWaiting(_)
            | Self::RunPaused(_)
            | Self::RunResumed(_)
            | Self::TextStart { .. }
            | Self::TextDelta { .. }
            | Self::TextEnd { .. }
            | Self::Source(_)
            | Self::KnowledgeClosed { .. }
            | Self::File { .. }
            | Self::Title { .. }
            | Self::Usage { .. }
            | Self::Answering { .. }
            | Self::Choice { .. }
            | Self::ChoiceEnded { .. }
            | Self::Graph(_)
            | Self::Outputs(_)
            | Self::FormRequired(_)
            | Self::FormSubmitted(_)
            | Self::FormExpired(_)) => same,
            // Ids of nodes, states and times. The name of an event that is waited for is what resumes the run.
            same @ (Self::NodeReady(_)
            | Self::NodeWaiting(_)
            | Self::NodeSkipped(_)
            | Self::IterationStarted(_)
            | Self::BreakpointHit(_)
            | Self::NodesStale(_)) => same,
            // These do not occur in runs of workflows; who reads those runs is decided where they are read.
            same @ (Self::IngestProgress { .. }
            | Self::SkillDraft { .. }
            | Self::DirectoryGroup(_)
            | Self::DirectoryMembers(_)
            | Self::VideoSubmitting(_)
            | Self::VideoPostponed(_)
            | Self::VideoSubmitted(_)
            | Self::VideoProgress(_)
            | Self::VideoRefused(_)
            | Self::VideoGenerated(_)
            | Self::VideoCompleted(_)) => same,
            // In a node these are steps on the way to its outputs.
            same @ (Self::ReasoningStart { .. }
            | Self::ReasoningDelta { .. }
            | Self::ReasoningEnd { .. }
            | Self::ToolCallStart { .. }
            | Self::ToolCallDelta { .. }
            | Self::ToolCallReady { .. }
            | Self::ToolStarted(_)
            | Self::ToolProgress(_)
            | Self::ToolServer(_)
            | Self::ToolResult { .. }
            | Self::Logprobs { .. }
            | Self::Provider { .. })
                if !in_node =>
            {
                same
            }
            Self::ReasoningStart { part } => Self::ReasoningStart { part },
            Self::ReasoningDelta { part, .. } => Self::ReasoningDelta { part, text: String::new() },
            Self::ReasoningEnd { part } => Self::ReasoningEnd { part },
            Self::ToolCallStart { call_id, client, .. } => {
                Self::ToolCallStart { call_id, name: String::new(), client }
            }
            Self::ToolCallDelta { call_id, .. } => Self::ToolCallDelta { call_id, arguments: String::new() },
            Self::ToolCallReady { call_id, .. } => {
                Self::ToolCallReady { call_id, name: String::new(), arguments: json!({}) }
            }
            Self::ToolStarted(ToolStarted { call_id, repeatable, .. }) => Self::ToolStarted(ToolStarted {
                call_id,
                server: String::new(),
                tool: String::new(),
                repeatable,
            }),
            Self::ToolProgress(ToolProgress { call_id, progress, total, .. }) => {
                Self::ToolProgress(ToolProgress { call_id, progress, total, message: None })
            }
            Self::ToolServer(ToolServerIssue { code, .. }) => {
                Self::ToolServer(ToolServerIssue { server: String::new(), code, message: String::new() })
            }
            Self::ToolResult { call_id, .. } => Self::ToolResult { call_id, output: None, error: None },
            Self::Logprobs { choice, .. } => Self::Logprobs { choice, logprobs: json!({}) },
            Self::Provider { choice, .. } => Self::Provider { choice, delta: Map::new(), chunk: Map::new() },
            Self::NodeStarted(NodeStarted { attempt, .. }) => {
                Self::NodeStarted(NodeStarted { inputs: Map::new(), attempt })
            }
            Self::NodeDelta(NodeDelta { .. }) => Self::NodeDelta(NodeDelta::default()),
            Self::NodeLog(NodeLog { .. }) => Self::NodeLog(NodeLog::default()),
            Self::NodeRetry(NodeRetry { attempt, delay_ms, error }) => {
                Self::NodeRetry(NodeRetry { attempt, delay_ms, error: error.map(TerminalError::of_a_node) })
            }
            Self::NodeFinished(done) => {
                let NodeFinished { status, port: _, outputs: _, error, usage, cost_nanos, elapsed_ms, from } =
                    *done;
                let error = error.map(TerminalError::of_a_node);
                let outputs = Map::new();
                Self::NodeFinished(Box::new(NodeFinished {
                    status,
                    port: None,
                    outputs,
                    error,
                    usage,
                    cost_nanos,
                    elapsed_ms,
                    from,
                }))
            }
            Self::IterationFinished(IterationFinished { index, result: _, error }) => {
                let error = error.map(TerminalError::of_a_node);
                Self::IterationFinished(IterationFinished { index, result: Value::Null, error })
            }
            Self::BranchTaken(BranchTaken { .. }) => Self::BranchTaken(BranchTaken::default()),
            Self::VariableChanged(VariableChanged { .. }) => {
                Self::VariableChanged(VariableChanged::default())
            }
            Self::RunEnding(RunEnding { status, reason, error }) => {
                Self::RunEnding(RunEnding { status, reason, error: error.map(TerminalError::outline) })
            }
            Self::RunCompensating(RunCompensating { executions, error }) => {
                Self::RunCompensating(RunCompensating {
                    executions,
                    error: error.map(TerminalError::outline),
                })
            }
            Self::RunEnded { terminal } => Self::RunEnded { terminal: terminal.outline() },
        }
    }
}

impl Terminal {
    /// The record as readers see it who may not edit the workflow.
    pub fn outline(self) -> Self {
        Self { error: self.error.map(TerminalError::outline), ..self }
    }
}

impl TerminalError {
    /// The error as readers see it who may not edit the workflow: what a node says of its failure may quote its
    /// inputs, or what the other side answered.
    pub fn outline(self) -> Self {
        let for_users = self.authored || FOR_USERS.contains(&self.code.as_str());
        let message: Cow<'_, str> = match &self.node_id {
            None => return self,
            Some(_) if for_users => match self.message.split_once(NOT_UNDONE) {
                None => return self,
                Some((message, _)) => {
                    format!("{message}; not everything that was done could be undone").into()
                }
            },
            Some(node) => format!("the node {node} failed ({})", self.code).into(),
        };
        Self { message: message.into_owned(), ..self }
    }

    /// The error of one node, for the same readers.
    fn of_a_node(self) -> Self {
        let message = format!("the node failed ({})", self.code);
        Self { message, ..self }
    }
}

#[cfg(test)]
#[path = "outline_tests.rs"]
mod tests;
