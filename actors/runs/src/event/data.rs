//! What happened: `{type, data}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::BlobId;
use storage::records::{DocumentStatus, Source, Usage};
use utoipa::ToSchema;
use uuid::Uuid;

use super::directory::{DirectoryGroupDone, DirectoryMembersDone};
use super::flow::*;
use super::source;
use super::terminal::Terminal;
use super::tool::{ToolProgress, ToolServerIssue, ToolStarted};
use super::video::*;

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
    TextEnd { part: String },
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
    ReasoningEnd { part: String },
    /// The model begins to call a tool.
    #[serde(rename = "tool.call.start")]
    ToolCallStart {
        /// Unique in the run.
        call_id: String,
        /// The tool.
        name: String,
        /// Whether the client calls the tool, and sends a new request with the result.
        #[serde(default, skip_serializing_if = "is_false")]
        client: bool,
    },
    /// A piece of the call's arguments, as JSON text.
    #[serde(rename = "tool.call.delta")]
    ToolCallDelta {
        call_id: String,
        /// The piece.
        arguments: String,
    },
    /// The call's arguments are complete.
    #[serde(rename = "tool.call.ready")]
    ToolCallReady {
        call_id: String,
        /// The tool.
        name: String,
        /// The arguments; a string where the model wrote no valid JSON.
        #[schema(value_type = Value)]
        arguments: Value,
    },
    /// A tool of a tool server is about to be called.
    #[serde(rename = "tool.started")]
    ToolStarted(ToolStarted),
    /// A tool tells how far it has come.
    #[serde(rename = "tool.progress")]
    ToolProgress(ToolProgress),
    /// A tool server cannot be used as it should be.
    #[serde(rename = "tool.server")]
    ToolServer(ToolServerIssue),
    /// What the tool answered: `output` or `error`.
    #[serde(rename = "tool.result")]
    ToolResult {
        call_id: String,
        /// What the tool gave.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(value_type = Option<Value>)]
        output: Option<Value>,
        /// Why it gave nothing.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        error: Option<String>,
    },
    /// Something the answer rests on.
    #[serde(rename = "source")]
    Source(#[serde(serialize_with = "source::serialize")] Source),
    /// Some of the assistant's knowledge bases are closed to the user: the answer does not rest on them.
    #[serde(rename = "knowledge.closed")]
    KnowledgeClosed {
        /// How many; not which, since the user may not see them.
        count: u32,
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
    Title { title: String },
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
        /// Full id of the model, where a run may use several.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        model: Option<String>,
    },
    /// Another model answers than was asked, as that one could not.
    #[serde(rename = "model.answering")]
    Answering {
        /// Full id of the model that answers.
        model: String,
    },
    /// The part or the call that opens next belongs to a further answer: the client asked for several.
    #[serde(rename = "choice")]
    Choice {
        /// Which, from 1; all that no such event precedes is of answer 0.
        choice: u32,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        part: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        call_id: Option<String>,
    },
    /// One of several answers is complete.
    #[serde(rename = "choice.ended")]
    ChoiceEnded {
        /// Which, from 0.
        choice: u32,
        /// Why it ended: `stop`, `length`, `tool_calls`, `content_filter`.
        reason: String,
    },
    /// How likely the tokens just told were, as the provider says.
    #[serde(rename = "logprobs")]
    Logprobs {
        /// Which of several answers they belong to, from 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        choice: u32,
        /// As the OpenAI interface has them.
        #[schema(value_type = Value)]
        logprobs: Value,
    },
    /// What else the provider tells, under its own names.
    #[serde(rename = "provider")]
    Provider {
        /// Which of several answers it belongs to, from 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        choice: u32,
        /// Fields of a delta in the OpenAI interface, for example `refusal`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object)]
        delta: Map<String, Value>,
        /// Fields of a chunk, for example `system_fingerprint`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object)]
        chunk: Map<String, Value>,
    },
    /// The run goes on in a new actor after a crash, from what had been kept.
    #[serde(rename = "run.recovered")]
    RunRecovered {
        /// The new epoch.
        epoch: u32,
        /// Characters of the answer that were kept.
        kept_chars: u64,
    },
    /// The answer before this event is void; it is written again from the start.
    #[serde(rename = "run.reset")]
    RunReset {},
    /// A stop of the run was requested.
    #[serde(rename = "run.cancelling")]
    RunCancelling {
        /// The user who asked.
        by: Uuid,
    },
    /// The graph that a workflow's run goes by.
    #[serde(rename = "graph")]
    Graph(GraphPinned),
    /// Nothing can go on until something comes from outside.
    #[serde(rename = "run.waiting")]
    RunWaiting(RunWaiting),
    /// The run was halted and goes on when it is told to.
    #[serde(rename = "run.paused")]
    RunPaused(RunPaused),
    /// It goes on.
    #[serde(rename = "run.resumed")]
    RunResumed(RunResumed),
    /// The run is about to end, in this way.
    #[serde(rename = "run.ending")]
    RunEnding(RunEnding),
    /// What was done is about to be undone.
    #[serde(rename = "run.compensating")]
    RunCompensating(RunCompensating),
    /// What a workflow's run gives.
    #[serde(rename = "outputs")]
    Outputs(Outputs),
    /// A node could start and waits for its turn.
    #[serde(rename = "node.ready")]
    NodeReady(NodeReady),
    /// A node has begun to work.
    #[serde(rename = "node.started")]
    NodeStarted(NodeStarted),
    /// A node made more text.
    #[serde(rename = "node.delta")]
    NodeDelta(NodeDelta),
    /// A message of a node for the user who debugs it.
    #[serde(rename = "node.log")]
    NodeLog(NodeLog),
    /// An attempt failed, and another one follows.
    #[serde(rename = "node.retry")]
    NodeRetry(NodeRetry),
    /// A node waits for something.
    #[serde(rename = "node.waiting")]
    NodeWaiting(NodeWaiting),
    /// A node is over.
    #[serde(rename = "node.finished")]
    NodeFinished(Box<NodeFinished>),
    /// No branch leads to a node any more.
    #[serde(rename = "node.skipped")]
    NodeSkipped(NodeSkipped),
    /// A container begins with an item or another round.
    #[serde(rename = "iteration.started")]
    IterationStarted(IterationStarted),
    /// It is through with it.
    #[serde(rename = "iteration.finished")]
    IterationFinished(IterationFinished),
    /// A node decided on where the run goes on.
    #[serde(rename = "branch.taken")]
    BranchTaken(BranchTaken),
    /// A variable has another value.
    #[serde(rename = "variable.changed")]
    VariableChanged(VariableChanged),
    /// A person is asked.
    #[serde(rename = "form.required")]
    FormRequired(Box<FormRequired>),
    /// A person has answered.
    #[serde(rename = "form.submitted")]
    FormSubmitted(FormSubmitted),
    /// The form was not answered in time.
    #[serde(rename = "form.expired")]
    FormExpired(FormExpired),
    /// The run has come to a breakpoint.
    #[serde(rename = "breakpoint.hit")]
    BreakpointHit(BreakpointHit),
    /// These nodes run again, as what they rest on has changed.
    #[serde(rename = "nodes.stale")]
    NodesStale(NodesStale),
    /// A document is a step further on its way into the index.
    #[serde(rename = "ingest.progress")]
    IngestProgress {
        document_id: Uuid,
        /// How far it has come.
        status: DocumentStatus,
        /// Passages that are through this step.
        done: u32,
        /// Passages there are, once that is known.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        total: Option<u32>,
    },
    /// A draft of a skill has been checked.
    #[serde(rename = "skill.draft")]
    SkillDraft {
        /// Which draft, from 1.
        attempt: u32,
        files: Vec<String>,
        /// What the checks found; nothing, where it is good.
        faults: Vec<String>,
    },
    /// A group has been held against its directory.
    #[serde(rename = "directory.group")]
    DirectoryGroup(Box<DirectoryGroupDone>),
    /// The tenant's members have been held against the directory.
    #[serde(rename = "directory.members")]
    DirectoryMembers(Box<DirectoryMembersDone>),
    /// A video is about to be submitted to its provider.
    #[serde(rename = "video.submitting")]
    VideoSubmitting(VideoSubmitting),
    /// Its provider has not taken it yet.
    #[serde(rename = "video.postponed")]
    VideoPostponed(VideoPostponed),
    /// Its provider has it.
    #[serde(rename = "video.submitted")]
    VideoSubmitted(VideoSubmitted),
    /// Its provider is a step further.
    #[serde(rename = "video.progress")]
    VideoProgress(VideoProgress),
    /// Its provider will not make it.
    #[serde(rename = "video.refused")]
    VideoRefused(VideoRefused),
    /// Its provider has made it; its file is fetched.
    #[serde(rename = "video.made")]
    VideoGenerated(VideoGenerated),
    /// The video is here.
    #[serde(rename = "video.completed")]
    VideoCompleted(VideoCompleted),
    /// The run is over; nothing follows.
    #[serde(rename = "run.ended")]
    RunEnded {
        /// How it ended.
        terminal: Terminal,
    },
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
