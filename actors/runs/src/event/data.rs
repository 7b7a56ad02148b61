//! The type-specific part of an event: `{type, data}`.

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

/// The type of an event and its data: `{type, data}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", content = "data")]
pub enum EventData {
    /// The work of the run has begun.
    #[serde(rename = "run.started")]
    RunStarted {
        /// Full ID of the model that answers.
        model: String,
        /// The message that the answer is written to.
        message_id: Option<Uuid>,
        /// The message that is answered.
        parent_id: Option<Uuid>,
        /// Estimated number of prompt tokens. Billed if the provider reports no usage.
        #[serde(default)]
        input_estimate: u64,
    },
    /// A part of the answer's text begins.
    #[serde(rename = "text.start")]
    TextStart {
        /// Name of the part, unique in the run.
        part: String,
    },
    /// Text that is appended to an open part.
    #[serde(rename = "text.delta")]
    TextDelta {
        /// Name of the open part.
        part: String,
        /// The text to append.
        text: String,
    },
    /// A part of the answer's text is complete.
    #[serde(rename = "text.end")]
    TextEnd { part: String },
    /// A part of the model's reasoning begins.
    #[serde(rename = "reasoning.start")]
    ReasoningStart {
        /// Name of the part, unique in the run.
        part: String,
    },
    /// Reasoning text that is appended to an open part.
    #[serde(rename = "reasoning.delta")]
    ReasoningDelta {
        /// Name of the open part.
        part: String,
        /// The text to append.
        text: String,
    },
    /// A part of the reasoning is complete.
    #[serde(rename = "reasoning.end")]
    ReasoningEnd { part: String },
    /// The model begins to call a tool.
    #[serde(rename = "tool.call.start")]
    ToolCallStart {
        /// ID of the call, unique in the run.
        call_id: String,
        /// Name of the tool.
        name: String,
        /// Whether the client executes the tool and sends the result in a new request.
        #[serde(default, skip_serializing_if = "is_false")]
        client: bool,
    },
    /// A fragment of the call's arguments, as JSON text.
    #[serde(rename = "tool.call.delta")]
    ToolCallDelta {
        call_id: String,
        /// The fragment to append.
        arguments: String,
    },
    /// The call's arguments are complete.
    #[serde(rename = "tool.call.ready")]
    ToolCallReady {
        call_id: String,
        /// Name of the tool.
        name: String,
        /// The arguments. A string if the model did not write valid JSON.
        #[schema(value_type = Value)]
        arguments: Value,
    },
    /// A tool of a tool server is about to be called.
    #[serde(rename = "tool.started")]
    ToolStarted(ToolStarted),
    /// A tool reports its progress.
    #[serde(rename = "tool.progress")]
    ToolProgress(ToolProgress),
    /// A tool server has a problem or cannot be used.
    #[serde(rename = "tool.server")]
    ToolServer(ToolServerIssue),
    /// The result of a tool call: `output` or `error`.
    #[serde(rename = "tool.result")]
    ToolResult {
        call_id: String,
        /// Output of the tool.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(value_type = Option<Value>)]
        output: Option<Value>,
        /// Why the tool returned no output.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(nullable = false)]
        error: Option<String>,
    },
    /// A source that the answer is based on.
    #[serde(rename = "source")]
    Source(#[serde(serialize_with = "source::serialize")] Source),
    /// The user has no access to some of the assistant's knowledge bases, so the answer is not based on them.
    #[serde(rename = "knowledge.closed")]
    KnowledgeClosed {
        /// Number of these knowledge bases. They are not listed, because the user may not see them.
        count: u32,
    },
    /// Memories of the user that the model was given for the answer.
    #[serde(rename = "memories")]
    Memories {
        /// The latest memories, at most 100, in the order in which they were stored.
        memory_ids: Vec<Uuid>,
    },
    /// A file that is part of the answer.
    #[serde(rename = "file")]
    File {
        /// Content address of the file.
        blob_id: BlobId,
        /// MIME type of the file.
        media_type: String,
    },
    /// The conversation has been given a title.
    #[serde(rename = "title")]
    Title { title: String },
    /// Usage of one model call.
    #[serde(rename = "usage")]
    Usage {
        /// Token counts.
        #[serde(flatten)]
        usage: Usage,
        /// Cost of the tokens in billionths of a dollar.
        cost_nanos: u64,
        /// Whether the tokens were estimated because the provider reported none.
        #[serde(default)]
        estimated: bool,
        /// Full ID of the model, if the run may use several.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(nullable = false)]
        model: Option<String>,
    },
    /// A different model than the requested one answers, because the requested one failed.
    #[serde(rename = "model.answering")]
    Answering {
        /// Full ID of the model that answers.
        model: String,
    },
    /// The part or call that begins next belongs to an additional answer, because the client requested several.
    #[serde(rename = "choice")]
    Choice {
        /// Index of the answer, from 1. Everything without a preceding event of this type belongs to answer 0.
        choice: u32,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(nullable = false)]
        part: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(nullable = false)]
        call_id: Option<String>,
    },
    /// One of several answers is complete.
    #[serde(rename = "choice.ended")]
    ChoiceEnded {
        /// Index of the answer, from 0.
        choice: u32,
        /// Why it ended: `stop`, `length`, `tool_calls`, `content_filter`.
        reason: String,
    },
    /// Log probabilities of the preceding tokens, as reported by the provider.
    #[serde(rename = "logprobs")]
    Logprobs {
        /// Index of the answer that they belong to, from 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        choice: u32,
        /// The log probabilities in the format of the OpenAI API.
        #[schema(value_type = Value)]
        logprobs: Value,
    },
    /// Other fields of the provider's response, under the provider's names.
    #[serde(rename = "provider")]
    Provider {
        /// Index of the answer that they belong to, from 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        choice: u32,
        /// Fields of a delta in the OpenAI API, for example `refusal`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object)]
        delta: Map<String, Value>,
        /// Fields of a chunk in the OpenAI API, for example `system_fingerprint`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[schema(value_type = Object)]
        chunk: Map<String, Value>,
    },
    /// The run continues in a new actor after a crash, from the state that was stored.
    #[serde(rename = "run.recovered")]
    RunRecovered {
        /// Number of the new epoch.
        epoch: u32,
        /// Number of characters of the answer that were retained.
        kept_chars: u64,
    },
    /// Discards the answer before this event. It is written again from the beginning.
    #[serde(rename = "run.reset")]
    RunReset {},
    /// A cancel of the run was requested.
    #[serde(rename = "run.cancelling")]
    RunCancelling {
        /// The user who requested the cancel.
        by: Uuid,
    },
    /// The graph that a workflow run executes.
    #[serde(rename = "graph")]
    Graph(GraphPinned),
    /// The run cannot continue until something external happens.
    #[serde(rename = "run.waiting")]
    RunWaiting(RunWaiting),
    /// The run was paused and continues when it is resumed.
    #[serde(rename = "run.paused")]
    RunPaused(RunPaused),
    /// The run continues.
    #[serde(rename = "run.resumed")]
    RunResumed(RunResumed),
    /// The run is about to end, with the given state.
    #[serde(rename = "run.ending")]
    RunEnding(RunEnding),
    /// The effects of the run are about to be undone.
    #[serde(rename = "run.compensating")]
    RunCompensating(RunCompensating),
    /// The outputs of a workflow run.
    #[serde(rename = "outputs")]
    Outputs(Outputs),
    /// A node is ready to start and waits for its turn.
    #[serde(rename = "node.ready")]
    NodeReady(NodeReady),
    /// A node has started an attempt.
    #[serde(rename = "node.started")]
    NodeStarted(NodeStarted),
    /// A node generated more text.
    #[serde(rename = "node.delta")]
    NodeDelta(NodeDelta),
    /// A log message of a node, for debugging the workflow.
    #[serde(rename = "node.log")]
    NodeLog(NodeLog),
    /// An attempt of a node failed, and another one follows.
    #[serde(rename = "node.retry")]
    NodeRetry(NodeRetry),
    /// A node waits for something.
    #[serde(rename = "node.waiting")]
    NodeWaiting(NodeWaiting),
    /// A node has finished, successfully or not.
    #[serde(rename = "node.finished")]
    NodeFinished(Box<NodeFinished>),
    /// A node is skipped because no branch leads to it any more.
    #[serde(rename = "node.skipped")]
    NodeSkipped(NodeSkipped),
    /// A container node begins an iteration.
    #[serde(rename = "iteration.started")]
    IterationStarted(IterationStarted),
    /// A container node has finished an iteration.
    #[serde(rename = "iteration.finished")]
    IterationFinished(IterationFinished),
    /// A node selected the branch on which the run continues.
    #[serde(rename = "branch.taken")]
    BranchTaken(BranchTaken),
    /// A variable has a new value.
    #[serde(rename = "variable.changed")]
    VariableChanged(VariableChanged),
    /// A form was sent to a person.
    #[serde(rename = "form.required")]
    FormRequired(Box<FormRequired>),
    /// A person has submitted a form.
    #[serde(rename = "form.submitted")]
    FormSubmitted(FormSubmitted),
    /// A form was not submitted in time.
    #[serde(rename = "form.expired")]
    FormExpired(FormExpired),
    /// The run has reached a breakpoint.
    #[serde(rename = "breakpoint.hit")]
    BreakpointHit(BreakpointHit),
    /// These nodes are executed again, because their inputs have changed.
    #[serde(rename = "nodes.stale")]
    NodesStale(NodesStale),
    /// A document has progressed in indexing.
    #[serde(rename = "ingest.progress")]
    IngestProgress {
        document_id: Uuid,
        /// Current step of the document.
        status: DocumentStatus,
        /// Number of passages that have completed this step.
        done: u32,
        /// Total number of passages, once it is known.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(nullable = false)]
        total: Option<u32>,
    },
    /// A draft of a skill has been checked.
    #[serde(rename = "skill.draft")]
    SkillDraft {
        /// Number of the draft, from 1.
        attempt: u32,
        files: Vec<String>,
        /// Faults that the checks found. Empty if the draft is valid.
        faults: Vec<String>,
    },
    /// A group has been synchronised with its directory.
    #[serde(rename = "directory.group")]
    DirectoryGroup(Box<DirectoryGroupDone>),
    /// The tenant's members have been synchronised with the directory.
    #[serde(rename = "directory.members")]
    DirectoryMembers(Box<DirectoryMembersDone>),
    /// A video job is about to be submitted to the provider.
    #[serde(rename = "video.submitting")]
    VideoSubmitting(VideoSubmitting),
    /// The provider has not accepted the video job yet.
    #[serde(rename = "video.postponed")]
    VideoPostponed(VideoPostponed),
    /// The provider has accepted the video job.
    #[serde(rename = "video.submitted")]
    VideoSubmitted(VideoSubmitted),
    /// The provider reported progress on the video job.
    #[serde(rename = "video.progress")]
    VideoProgress(VideoProgress),
    /// The provider refused to generate the video.
    #[serde(rename = "video.refused")]
    VideoRefused(VideoRefused),
    /// The provider has generated the video. Its file is about to be downloaded.
    #[serde(rename = "video.made")]
    VideoGenerated(VideoGenerated),
    /// The video has been downloaded.
    #[serde(rename = "video.completed")]
    VideoCompleted(VideoCompleted),
    /// The run has ended. This is always the last event.
    #[serde(rename = "run.ended")]
    RunEnded {
        /// How the run ended.
        terminal: Terminal,
    },
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
