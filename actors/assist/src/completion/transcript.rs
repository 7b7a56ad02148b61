//! The result of a completion's journal: the answer so far, from all models and epochs.

use std::collections::HashSet;

use runs::event::tool::ToolStarted;
use runs::{Event, EventData};
use serde_json::Value;
use storage::records::{Part, ToolCall};
use uuid::Uuid;

use super::bill::Bill;

/// Error of a tool call that had not been passed to a tool when the run ended or was interrupted.
pub(super) const NOT_MADE: &str = "the call was cut off before it was made";
/// Error of a call that had been passed to a built-in tool, or was the next one.
pub(super) const NO_RESULT: &str =
    "the run was stopped before this gave a result; it may have been under way";
/// Error of a call that was in progress at a tool server.
pub(super) const CUT_OFF: &str = "uncertain_effect: the run was stopped while the call was under way, so it is not \
                                  known whether it took effect; look before it is called again";

/// The answer as derived from its events.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// Whether the work had begun.
    pub started: bool,
    /// Parts of the message, in order.
    pub parts: Vec<Part>,
    pub calls: Vec<ToolCall>,
    /// The open text part: its name and position.
    pub open_text: Option<(String, usize)>,
    /// The open reasoning part: its name and position.
    pub open_reasoning: Option<(String, usize)>,
    /// Calls whose arguments were incomplete.
    pub unready: Vec<String>,
    /// Calls that were sent to tool servers and may have had effects. Relevant if the answer starts over.
    pub sent_calls: Vec<String>,
    /// Calls among them without a result.
    pub uncertain: Vec<String>,
    /// The memories that the model was given, the latest last.
    pub memories: Vec<Uuid>,
    /// Usage of the model calls.
    pub(super) bill: Bill,
    /// The title that was generated.
    pub title: Option<String>,
    /// Characters of output in all epochs, including discarded ones.
    pub all_chars: u64,
    /// Number of part names that were assigned.
    pub parts_named: u32,
    /// Call IDs that were assigned.
    pub call_ids: HashSet<String>,
    /// Call IDs among them that the client answers.
    pub of_client: HashSet<String>,
}

impl Transcript {
    /// Reads a journal from its beginning. An event that cannot be read is skipped: a later version wrote it, and the
    /// answer does not depend on it.
    pub fn from_history(history: &[Event]) -> Self {
        let mut transcript = Self::default();
        for event in history {
            if let Some(data) = EventData::read(event) {
                transcript.apply(data);
            }
        }
        transcript
    }

    /// Number of characters of text that a reader can see.
    pub fn kept_chars(&self) -> u64 {
        let text = |part: &Part| match part {
            Part::Text { text } => text.chars().count() as u64,
            _ => 0,
        };
        self.parts.iter().map(text).sum()
    }

    /// The transcript after a `run.reset`: the answer is discarded, its cost is not.
    pub fn reset(self) -> Self {
        Self {
            parts: Vec::new(),
            calls: Vec::new(),
            memories: Vec::new(),
            open_text: None,
            open_reasoning: None,
            unready: Vec::new(),
            sent_calls: Vec::new(),
            uncertain: Vec::new(),
            ..self
        }
    }

    /// Settles the calls that were interrupted: each gets an error instead of a result, so that no client waits for
    /// one, and no model mistakes a call that may have been executed for one that was never started. Returns the errors
    /// by call.
    pub fn settle(&mut self) -> Vec<(String, String)> {
        let Self { calls, unready, uncertain, of_client, .. } = self;
        let mut settled = Vec::new();
        for call in calls {
            let answered = call.output.is_some() || call.error.is_some();
            let why = match &call.call_id {
                id if unready.contains(id) => NOT_MADE,
                id if answered || of_client.contains(id) => continue,
                id if uncertain.contains(id) => CUT_OFF,
                _ => NO_RESULT,
            };
            call.error = Some(why.to_owned());
            settled.push((call.call_id.clone(), why.to_owned()));
        }
        unready.clear();
        uncertain.clear();
        settled
    }

    fn apply(&mut self, data: EventData) {
        self.bill.apply(&data);
        match data {
            EventData::RunStarted { .. } => self.started = true,
            EventData::TextStart { part } => {
                self.parts_named += 1;
                self.open_text = Some((part, self.parts.len()));
                self.parts.push(Part::Text { text: String::new() });
            }
            EventData::ReasoningStart { part } => {
                self.parts_named += 1;
                self.open_reasoning = Some((part, self.parts.len()));
                self.parts.push(Part::Reasoning { text: String::new() });
            }
            EventData::TextDelta { text, .. } => {
                self.count(&text);
                extend(&mut self.parts, &self.open_text, &text);
            }
            EventData::ReasoningDelta { text, .. } => {
                self.count(&text);
                extend(&mut self.parts, &self.open_reasoning, &text);
            }
            EventData::TextEnd { .. } => self.open_text = None,
            EventData::ReasoningEnd { .. } => self.open_reasoning = None,
            EventData::ToolCallStart { call_id, name, client } => {
                self.call_ids.insert(call_id.clone());
                if client {
                    self.of_client.insert(call_id.clone());
                }
                self.unready.push(call_id.clone());
                self.parts.push(Part::ToolCall { call_id: call_id.clone() });
                let arguments = Value::Null;
                self.calls.push(ToolCall { call_id, name, arguments, output: None, error: None });
            }
            EventData::ToolCallDelta { arguments, .. } => self.count(&arguments),
            EventData::ToolCallReady { call_id, arguments, .. } => {
                self.unready.retain(|id| *id != call_id);
                self.call(&call_id, |call| call.arguments = arguments);
            }
            EventData::ToolStarted(ToolStarted { call_id, repeatable, .. }) => {
                if !repeatable {
                    self.sent_calls.push(call_id.clone());
                }
                self.uncertain.push(call_id);
            }
            EventData::ToolResult { call_id, output, error } => {
                self.unready.retain(|id| *id != call_id);
                self.uncertain.retain(|id| *id != call_id);
                self.call(&call_id, |call| (call.output, call.error) = (output, error));
            }
            EventData::Source(source) => self.parts.push(Part::Source(source)),
            EventData::Memories { memory_ids } => {
                self.memories.retain(|id| !memory_ids.contains(id));
                self.memories.extend(memory_ids);
            }
            EventData::File { blob_id, media_type } => {
                self.parts.push(Part::File { blob_id, media_type, filename: None });
            }
            EventData::Title { title } => self.title = Some(title),
            EventData::RunReset {} => *self = std::mem::take(self).reset(),
            _ => {}
        }
    }

    fn count(&mut self, text: &str) {
        self.all_chars += text.chars().count() as u64;
    }

    fn call(&mut self, call_id: &str, change: impl FnOnce(&mut ToolCall)) {
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.call_id == call_id) {
            change(call);
        }
    }
}

fn extend(parts: &mut [Part], open: &Option<(String, usize)>, more: &str) {
    if let Some((_, at)) = open
        && let Some(Part::Text { text } | Part::Reasoning { text }) = parts.get_mut(*at)
    {
        text.push_str(more);
    }
}
