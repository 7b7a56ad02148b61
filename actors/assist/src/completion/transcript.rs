//! What a completion's journal adds up to: the answer so far, from all models and epochs.

use std::collections::HashSet;

use runs::event::tool::ToolStarted;
use runs::{Event, EventData};
use serde_json::Value;
use storage::records::{Part, ToolCall};

use super::bill::Bill;

/// What is told of a call that no tool was given yet when the run ended, or was cut off,
pub(super) const NOT_MADE: &str = "the call was cut off before it was made";
/// of one that had been given to a tool of this server, or would have been next,
pub(super) const NO_RESULT: &str =
    "the run was stopped before this gave a result; it may have been under way";
/// and of one that was under way at a tool server.
pub(super) const CUT_OFF: &str = "uncertain_effect: the run was stopped while the call was under way, so it is not \
                                  known whether it took effect; look before it is called again";

/// The answer as its events tell it.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// Whether work had begun.
    pub started: bool,
    /// What the message holds, in order.
    pub parts: Vec<Part>,
    pub calls: Vec<ToolCall>,
    /// The text part that is open, by name and place,
    pub open_text: Option<(String, usize)>,
    /// and the part of the reasoning.
    pub open_reasoning: Option<(String, usize)>,
    /// Calls whose arguments were still coming.
    pub unready: Vec<String>,
    /// Calls that went out to tool servers, of which it is not known what they have done: those that were made, for an
    /// answer that starts over, and
    pub sent_calls: Vec<String>,
    /// those that nothing came back of.
    pub uncertain: Vec<String>,
    /// What its model calls took.
    pub(super) bill: Bill,
    /// The title that was made.
    pub title: Option<String>,
    /// Characters of output in all epochs, void ones included.
    pub all_chars: u64,
    /// Names of parts that were given out.
    pub parts_named: u32,
    /// Ids of calls that were given out,
    pub call_ids: HashSet<String>,
    /// and of those among them that the client answers.
    pub of_client: HashSet<String>,
}

impl Transcript {
    /// Reads a journal from its beginning. An event that cannot be read is passed over: it was
    /// written by a later version, and the answer does not hang on it.
    pub fn from_history(history: &[Event]) -> Self {
        let mut transcript = Self::default();
        for event in history {
            if let Some(data) = EventData::read(event) {
                transcript.apply(data);
            }
        }
        transcript
    }

    /// Characters of text that a reader can see.
    pub fn kept_chars(&self) -> u64 {
        let text = |part: &Part| match part {
            Part::Text { text } => text.chars().count() as u64,
            _ => 0,
        };
        self.parts.iter().map(text).sum()
    }

    /// The transcript after a `run.reset`: nothing of the answer stands, what it cost does.
    pub fn reset(self) -> Self {
        Self {
            parts: Vec::new(),
            calls: Vec::new(),
            open_text: None,
            open_reasoning: None,
            unready: Vec::new(),
            sent_calls: Vec::new(),
            uncertain: Vec::new(),
            ..self
        }
    }

    /// Settles the calls that were cut off: each gets a message in place of a result, so that no client waits for
    /// one, and no model takes what may have been done for what was never begun. Returns the messages by call.
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
