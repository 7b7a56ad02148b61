//! Converts the events of a response to deltas.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use super::wire::{self, Block, Citation, Delta, TokenCounts};
use crate::chat::{ChatDelta, FinishReason, ProviderError, Usage};
use crate::thoughts;
use crate::upstream::{Dialect, Event, Line, Step};

/// A block that is being received.
enum Open {
    /// A tool call: its index, whether any arguments have arrived, and the input of the start event.
    Call {
        index: u32,
        any: bool,
        input: Value,
    },
    Thought {
        text: String,
        signature: String,
    },
}

/// The state of a response.
pub(super) struct Reader {
    open: HashMap<u64, Open>,
    calls: u32,
    thoughts: u32,
    counted: TokenCounts,
    finish: Option<FinishReason>,
    input_chars: u64,
    output_chars: u64,
    reasoning_chars: u64,
}

impl Reader {
    /// `input_chars` is the length of the request, for an estimate if the server does not report usage.
    pub(super) fn new(input_chars: u64) -> Self {
        Self {
            open: HashMap::new(),
            calls: 0,
            thoughts: 0,
            counted: TokenCounts::default(),
            finish: None,
            input_chars,
            output_chars: 0,
            reasoning_chars: 0,
        }
    }

    fn begin(&mut self, at: u64, block: Block, out: &mut VecDeque<ChatDelta>) {
        match block {
            Block::Text { text, citations } => {
                self.text(text, out);
                out.extend(citations.into_iter().flatten().filter_map(source));
            }
            Block::Thinking { thinking, signature } => {
                self.open.insert(at, Open::Thought { text: thinking.clone(), signature });
                self.reasoning(thinking, out);
            }
            Block::RedactedThinking { data } => {
                let thought = json!({ "type": "reasoning.encrypted", "data": data, "index": self.thoughts });
                self.thoughts += 1;
                out.push_back(thoughts::delta(thoughts::ANTHROPIC, thought));
            }
            Block::ToolUse { id, name, input } => {
                let index = self.calls;
                self.calls += 1;
                self.open.insert(at, Open::Call { index, any: false, input });
                out.push_back(ChatDelta::ToolCallStart { index, call_id: id, name });
            }
            Block::Unknown => {}
        }
    }

    fn delta(&mut self, at: u64, delta: Delta, out: &mut VecDeque<ChatDelta>) {
        match (delta, self.open.get_mut(&at)) {
            (Delta::Text { text }, _) => self.text(text, out),
            (Delta::Thinking { thinking }, thought) => {
                if let Some(Open::Thought { text, .. }) = thought {
                    text.push_str(&thinking);
                }
                self.reasoning(thinking, out);
            }
            (Delta::Signature { signature }, Some(Open::Thought { signature: all, .. })) => {
                all.push_str(&signature);
            }
            (Delta::InputJson { partial_json }, Some(Open::Call { index, any, .. })) => {
                if !partial_json.is_empty() {
                    *any = true;
                    self.output_chars += partial_json.chars().count() as u64;
                    out.push_back(ChatDelta::ToolCallArguments { index: *index, delta: partial_json });
                }
            }
            (Delta::Citations { citation }, _) => out.extend(source(citation)),
            (Delta::Signature { .. } | Delta::InputJson { .. } | Delta::Unknown, _) => {}
        }
    }

    fn close_block(&mut self, at: u64, out: &mut VecDeque<ChatDelta>) {
        match self.open.remove(&at) {
            Some(Open::Call { index, any: false, input }) => {
                // The arguments arrived in the start event, or there are none, which is an empty object.
                let delta = if input.is_object() { input.to_string() } else { "{}".to_owned() };
                self.output_chars += delta.chars().count() as u64;
                out.push_back(ChatDelta::ToolCallArguments { index, delta });
            }
            Some(Open::Thought { text, signature }) if !signature.is_empty() => {
                let index = self.thoughts;
                self.thoughts += 1;
                let thought =
                    json!({ "type": "reasoning.text", "text": text, "signature": signature, "index": index });
                out.push_back(thoughts::delta(thoughts::ANTHROPIC, thought));
            }
            _ => {}
        }
    }

    fn text(&mut self, text: String, out: &mut VecDeque<ChatDelta>) {
        if !text.is_empty() {
            self.output_chars += text.chars().count() as u64;
            out.push_back(ChatDelta::Text(text));
        }
    }

    fn reasoning(&mut self, text: String, out: &mut VecDeque<ChatDelta>) {
        if !text.is_empty() {
            self.reasoning_chars += text.chars().count() as u64;
            out.push_back(ChatDelta::Reasoning(text));
        }
    }
}

impl Dialect for Reader {
    fn take(
        &mut self,
        line: &Line,
        event: &Event,
        out: &mut VecDeque<ChatDelta>,
    ) -> Result<Step, ProviderError> {
        let data = event.data.trim_ascii();
        if event.error {
            return Err(line.reported(data));
        }
        match serde_json::from_slice(data).map_err(|_| line.rubbish(data))? {
            wire::Event::MessageStart { message } => self.counted.update(message.usage),
            wire::Event::ContentBlockStart { index, content_block } => self.begin(index, content_block, out),
            wire::Event::ContentBlockDelta { index, delta } => self.delta(index, delta, out),
            wire::Event::ContentBlockStop { index } => self.close_block(index, out),
            wire::Event::MessageDelta { delta, usage } => {
                self.counted.update(usage.unwrap_or_default());
                self.finish = delta.stop_reason.map(finish_reason).or(self.finish.take());
            }
            wire::Event::MessageStop => return Ok(Step::End),
            wire::Event::Error => return Err(line.reported(data)),
            wire::Event::Unknown => {}
        }
        Ok(Step::On)
    }

    fn finished(&self) -> bool {
        self.finish.is_some()
    }

    fn end(&mut self, out: &mut VecDeque<ChatDelta>) {
        let estimate = || Usage::estimate(self.input_chars, self.output_chars, self.reasoning_chars);
        out.push_back(ChatDelta::Usage(self.counted.usage().unwrap_or_else(estimate)));
        let stopped = if self.calls > 0 { FinishReason::ToolCalls } else { FinishReason::Stop };
        out.push_back(ChatDelta::Finish(self.finish.take().unwrap_or(stopped)));
    }
}

fn source(citation: Citation) -> Option<ChatDelta> {
    let url = citation.url.or(citation.source.filter(|source| source.starts_with("http")));
    let title = citation.title.or(citation.document_title);
    let has_source = url.is_some() || title.is_some() || citation.cited_text.is_some();
    has_source.then_some(ChatDelta::Source { url, title, snippet: citation.cited_text })
}

fn finish_reason(reason: String) -> FinishReason {
    match reason.as_str() {
        "end_turn" | "stop_sequence" | "pause_turn" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::ContentFilter,
        _ => FinishReason::Other(reason),
    }
}
