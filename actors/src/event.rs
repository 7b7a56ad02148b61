//! The canonical events: what a journal holds and every wire is made from.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::records::{RunState, Usage};
use storage::{BlobId, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

/// One event of a run's journal, as it stands on disk and on the `events` and `ndjson` wires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StreamEvent {
    /// Position in the journal, from 1 without a gap.
    pub seq: u64,
    /// When the event was made.
    pub ts: Timestamp,
    /// The run; for a completion this is its stream id.
    pub run_id: Uuid,
    /// How often the run's actor has been built anew, from 1.
    pub epoch: u32,
    /// What happened.
    #[serde(flatten)]
    pub event: EventData,
}

/// What happened in a run: `{type, data}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", content = "data")]
pub enum EventData {
    /// Work has begun.
    #[serde(rename = "run.started")]
    RunStarted {
        /// Full id of the model that answers.
        model: String,
        /// The message that the answer is written to.
        message_id: Option<Uuid>,
        /// The message that is answered.
        parent_id: Option<Uuid>,
        /// Estimated tokens of the prompt: what is billed if the provider never tells.
        #[serde(default)]
        input_estimate: u64,
    },
    /// A part of the answer's text opens.
    #[serde(rename = "text.start")]
    TextStart {
        /// The part's name, unique in the run.
        part: String,
    },
    /// More text of an open part.
    #[serde(rename = "text.delta")]
    TextDelta {
        /// The open part.
        part: String,
        /// What is added.
        text: String,
    },
    /// A part of the answer's text is complete.
    #[serde(rename = "text.end")]
    TextEnd {
        /// The part.
        part: String,
    },
    /// A part of the model's reasoning opens.
    #[serde(rename = "reasoning.start")]
    ReasoningStart {
        /// The part's name, unique in the run.
        part: String,
    },
    /// More reasoning of an open part.
    #[serde(rename = "reasoning.delta")]
    ReasoningDelta {
        /// The open part.
        part: String,
        /// What is added.
        text: String,
    },
    /// A part of the reasoning is complete.
    #[serde(rename = "reasoning.end")]
    ReasoningEnd {
        /// The part.
        part: String,
    },
    /// The model begins to call a tool.
    #[serde(rename = "tool.call.start")]
    ToolCallStart {
        /// Unique in the run.
        call_id: String,
        /// The tool.
        name: String,
    },
    /// A piece of the call's arguments, as JSON text.
    #[serde(rename = "tool.call.delta")]
    ToolCallDelta {
        /// The call.
        call_id: String,
        /// The piece.
        arguments: String,
    },
    /// The call's arguments are complete.
    #[serde(rename = "tool.call.ready")]
    ToolCallReady {
        /// The call.
        call_id: String,
        /// The tool.
        name: String,
        /// The arguments; a string where the model wrote no valid JSON.
        #[schema(value_type = Object)]
        arguments: Value,
    },
    /// What the tool answered: `output` or `error`.
    #[serde(rename = "tool.result")]
    ToolResult {
        /// The call.
        call_id: String,
        /// What the tool gave.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(value_type = Option<Object>)]
        output: Option<Value>,
        /// Why it gave nothing.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        error: Option<String>,
    },
    /// Something the answer rests on.
    #[serde(rename = "source")]
    Source {
        /// A web address, or
        #[serde(skip_serializing_if = "Option::is_none", default)]
        url: Option<String>,
        /// a document.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        document_id: Option<Uuid>,
        /// Its title.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        title: Option<String>,
        /// The words that were used.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        snippet: Option<String>,
    },
    /// A file that the answer holds.
    #[serde(rename = "file")]
    File {
        /// Content address.
        blob_id: BlobId,
        /// MIME type.
        media_type: String,
    },
    /// The conversation has been given a title.
    #[serde(rename = "title")]
    Title {
        /// The title.
        title: String,
    },
    /// What one call of the model used.
    #[serde(rename = "usage")]
    Usage {
        /// Tokens.
        #[serde(flatten)]
        usage: Usage,
        /// What they cost, in thousand-millionths of a dollar.
        cost_nanos: u64,
        /// Whether the tokens were estimated, as the provider reported none.
        #[serde(default)]
        estimated: bool,
    },
    /// The run goes on in a new actor after a crash, from what had been kept.
    #[serde(rename = "run.recovered")]
    RunRecovered {
        /// The new epoch.
        epoch: u32,
        /// Characters of the answer that were kept.
        kept_chars: u64,
    },
    /// All of the answer before this event is void; it begins anew.
    #[serde(rename = "run.reset")]
    RunReset {},
    /// Somebody asked the run to stop.
    #[serde(rename = "run.cancelling")]
    RunCancelling {
        /// The user who asked.
        by: Uuid,
    },
    /// The run is over; nothing follows.
    #[serde(rename = "run.ended")]
    RunEnded {
        /// How it ended.
        terminal: Terminal,
    },
}

impl EventData {
    /// The event's `type`.
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
            Self::ToolResult { .. } => "tool.result",
            Self::Source { .. } => "source",
            Self::File { .. } => "file",
            Self::Title { .. } => "title",
            Self::Usage { .. } => "usage",
            Self::RunRecovered { .. } => "run.recovered",
            Self::RunReset {} => "run.reset",
            Self::RunCancelling { .. } => "run.cancelling",
            Self::RunEnded { .. } => "run.ended",
        }
    }

    /// About how much memory the event holds, in bytes.
    pub(crate) fn weight(&self) -> usize {
        const ENVELOPE: usize = 160;
        ENVELOPE
            + match self {
                Self::TextDelta { text, .. } | Self::ReasoningDelta { text, .. } => text.len(),
                Self::ToolCallDelta { arguments, .. } => arguments.len(),
                _ => 0,
            }
    }

    /// Adds a delta that follows this one directly; false when the two do not belong together.
    pub(crate) fn fold(&mut self, next: &EventData, limit: usize) -> bool {
        match (self, next) {
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

/// How a run ended: one record, written once, the same for every reader and for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Terminal {
    /// One of the terminal states.
    pub status: RunState,
    /// Why, where the status alone does not say it (`length`, `crashed`, `grace_expired`, ...).
    pub reason: Option<String>,
    /// Who cancelled it.
    pub cancelled_by: Option<Uuid>,
    /// What went wrong.
    pub error: Option<TerminalError>,
    /// Tokens of all the run's model calls.
    pub usage: Usage,
    /// Their cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// Sequence number of the event that carries this record.
    pub last_seq: u64,
    /// When work began; none for a run that never began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Timestamp,
    /// Whether the answer is there, but not all of it.
    pub partial: bool,
}

/// What went wrong in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TerminalError {
    /// Stable code.
    pub code: String,
    /// For people; a provider's own words, without keys.
    pub message: String,
}
