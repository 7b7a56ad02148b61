//! The part of an event that is shown to a reader who may use a workflow but not edit it.
//!
//! Only editors may see a graph: prompts, addresses, headers and intermediate results appear in the inputs and outputs
//! of nodes. All other readers of a run see its outline: which node did what and when, and the content that is
//! addressed to the user: the text of the answer, sources, files, forms, outputs and the end.

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

/// Separates an error message from the list of effects that could not be undone.
pub const NOT_UNDONE: &str = "; not undone: ";

/// Error codes whose message tells the user what to do.
const FOR_USERS: [&str; 2] = [OverBudget::CODE, "login_required"];

/// Returns the outline of an event, or `None` if it is the same as the event.
///
/// The sequence number, time, epoch and node are preserved, so that the outline has no gaps.
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

/// Returns an event without its data, for an event that cannot be deserialized.
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

/// Whether the outline of this event type may differ from the event. True for unknown types.
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
            | "memories"
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
    /// Removes everything that is only for editors of the graph. `in_node` is true for events of a workflow node;
    /// outside of nodes, reasoning and tool calls of a model are part of the answer. Every new event type must state
    /// here which of its fields all readers of a run may see.
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
            | Self::Memories { .. }
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
            // Node IDs, states and times. The name of an awaited event is what a caller needs to resume the run.
            same @ (Self::NodeReady(_)
            | Self::NodeWaiting(_)
            | Self::NodeSkipped(_)
            | Self::IterationStarted(_)
            | Self::BreakpointHit(_)
            | Self::NodesStale(_)) => same,
            // Do not occur in workflow runs. Access to the other run kinds is decided where they are read.
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
            // Within a node, these are intermediate steps towards its outputs.
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
    /// Returns the record as shown to readers who may not edit the workflow.
    pub fn outline(self) -> Self {
        Self { error: self.error.map(TerminalError::outline), ..self }
    }
}

impl TerminalError {
    /// Returns the error as shown to readers who may not edit the workflow: the error message of a node may quote its
    /// inputs or the response of a remote server.
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

    /// Returns the error of a single node as shown to the same readers.
    fn of_a_node(self) -> Self {
        let message = format!("the node failed ({})", self.code);
        Self { message, ..self }
    }
}

#[cfg(test)]
#[path = "outline_tests.rs"]
mod tests;
