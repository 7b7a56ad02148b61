//! The names of event types, the size of events, and which events fold.

use serde_json::Value;

use super::EventData;
use super::flow::NodeDelta;

impl EventData {
    /// The `type` of the event.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run.started",
            Self::TextStart { .. } => "text.start",
            Self::TextDelta { .. } => "text.delta",
            Self::TextEnd { .. } => "text.end",
            Self::ReasoningStart { .. } => "reasoning.start",
            Self::ReasoningDelta { .. } => "reasoning.delta",
            Self::ReasoningEnd { .. } => "reasoning.end",
            Self::ToolCallStart { .. } => "tool.call.start",
            Self::ToolCallDelta { .. } => "tool.call.delta",
            Self::ToolCallReady { .. } => "tool.call.ready",
            Self::ToolStarted(_) => "tool.started",
            Self::ToolProgress(_) => "tool.progress",
            Self::ToolServer(_) => "tool.server",
            Self::ToolResult { .. } => "tool.result",
            Self::Source(_) => "source",
            Self::KnowledgeClosed { .. } => "knowledge.closed",
            Self::Memories { .. } => "memories",
            Self::File { .. } => "file",
            Self::Title { .. } => "title",
            Self::Usage { .. } => "usage",
            Self::Answering { .. } => "model.answering",
            Self::Choice { .. } => "choice",
            Self::ChoiceEnded { .. } => "choice.ended",
            Self::Logprobs { .. } => "logprobs",
            Self::Provider { .. } => "provider",
            Self::RunRecovered { .. } => "run.recovered",
            Self::RunReset {} => "run.reset",
            Self::RunCancelling { .. } => "run.cancelling",
            Self::Graph(_) => "graph",
            Self::RunWaiting(_) => "run.waiting",
            Self::RunPaused(_) => "run.paused",
            Self::RunResumed(_) => "run.resumed",
            Self::RunEnding(_) => "run.ending",
            Self::RunCompensating(_) => "run.compensating",
            Self::Outputs(_) => "outputs",
            Self::NodeReady(_) => "node.ready",
            Self::NodeStarted(_) => "node.started",
            Self::NodeDelta(_) => "node.delta",
            Self::NodeLog(_) => "node.log",
            Self::NodeRetry(_) => "node.retry",
            Self::NodeWaiting(_) => "node.waiting",
            Self::NodeFinished(_) => "node.finished",
            Self::NodeSkipped(_) => "node.skipped",
            Self::IterationStarted(_) => "iteration.started",
            Self::IterationFinished(_) => "iteration.finished",
            Self::BranchTaken(_) => "branch.taken",
            Self::VariableChanged(_) => "variable.changed",
            Self::FormRequired(_) => "form.required",
            Self::FormSubmitted(_) => "form.submitted",
            Self::FormExpired(_) => "form.expired",
            Self::BreakpointHit(_) => "breakpoint.hit",
            Self::NodesStale(_) => "nodes.stale",
            Self::SkillDraft { .. } => "skill.draft",
            Self::IngestProgress { .. } => "ingest.progress",
            Self::DirectoryGroup(_) => "directory.group",
            Self::DirectoryMembers(_) => "directory.members",
            Self::VideoSubmitting(_) => "video.submitting",
            Self::VideoPostponed(_) => "video.postponed",
            Self::VideoSubmitted(_) => "video.submitted",
            Self::VideoProgress(_) => "video.progress",
            Self::VideoRefused(_) => "video.refused",
            Self::VideoGenerated(_) => "video.made",
            Self::VideoCompleted(_) => "video.completed",
            Self::RunEnded { .. } => "run.ended",
        }
    }

    /// Approximate memory use of the event in bytes.
    pub(crate) fn weight(&self) -> usize {
        const ENVELOPE: usize = 160;
        // A map with its first keys.
        const MAP: usize = 800;
        let fields =
            |fields: &serde_json::Map<String, Value>| MAP + fields.values().map(shallow).sum::<usize>();
        ENVELOPE
            + match self {
                Self::NodeStarted(started) => fields(&started.inputs),
                Self::NodeFinished(done) => fields(&done.outputs),
                Self::VariableChanged(change) => shallow(&change.value),
                Self::IterationFinished(done) => shallow(&done.result),
                Self::Outputs(event) => fields(&event.outputs),
                Self::TextDelta { text, .. } | Self::ReasoningDelta { text, .. } => text.len(),
                Self::ToolCallDelta { arguments, .. } => arguments.len(),
                Self::Logprobs { logprobs, .. } => 4 * shallow(logprobs),
                Self::Provider { delta, chunk, .. } => fields(delta) + fields(chunk),
                Self::NodeDelta(delta) => delta.text.len(),
                Self::DirectoryGroup(done) => done.name.len() + done.detail.as_ref().map_or(0, String::len),
                Self::SkillDraft { files, faults, .. } => files.iter().chain(faults).map(String::len).sum(),
                _ => 0,
            }
    }

    /// Appends a delta that directly follows this one. Returns false if the two cannot be folded.
    pub(crate) fn fold(&mut self, next: &EventData, limit: usize) -> bool {
        match (self, next) {
            (Self::NodeDelta(NodeDelta { text }), Self::NodeDelta(NodeDelta { text: t }))
                if text.len() + t.len() <= limit =>
            {
                text.push_str(t);
                true
            }
            // The later report replaces the earlier one.
            (Self::ToolProgress(older), Self::ToolProgress(newer)) if older.call_id == newer.call_id => {
                older.clone_from(newer);
                true
            }
            (Self::TextDelta { part, text }, Self::TextDelta { part: p, text: t })
            | (Self::ReasoningDelta { part, text }, Self::ReasoningDelta { part: p, text: t })
            | (
                Self::ToolCallDelta { call_id: part, arguments: text },
                Self::ToolCallDelta { call_id: p, arguments: t },
            ) if part == p && text.len() + t.len() <= limit => {
                text.push_str(t);
                true
            }
            _ => false,
        }
    }
}

/// Approximate memory use of a value in bytes. Does not traverse nested values: values larger than a few thousand bytes
/// are not stored in events.
fn shallow(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => 64 * items.len(),
        Value::Object(members) => 256 * members.len(),
        _ => 0,
    }
}
