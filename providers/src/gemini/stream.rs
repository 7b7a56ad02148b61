//! Converts the chunks of a response to deltas.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::wire::{Call, Candidate, Chunk, Grounding, Likely, Logprobs, Part, TokenCounts};
use crate::chat::{ChatDelta, FinishReason, ProviderError, Usage};
use crate::thoughts;
use crate::upstream::{Dialect, Event, Line, Step};

/// The state of a response.
pub(super) struct Reader {
    calls: u32,
    thoughts: u32,
    counted: Option<TokenCounts>,
    finish: Option<FinishReason>,
    input_chars: u64,
    output_chars: u64,
    reasoning_chars: u64,
}

impl Reader {
    /// `input_chars` is the length of the request, for an estimate if the server does not report usage.
    pub(super) fn new(input_chars: u64) -> Self {
        Self {
            calls: 0,
            thoughts: 0,
            counted: None,
            finish: None,
            input_chars,
            output_chars: 0,
            reasoning_chars: 0,
        }
    }

    fn candidate(&mut self, candidate: Candidate, out: &mut VecDeque<ChatDelta>) {
        for part in candidate.content.into_iter().flat_map(|content| content.parts) {
            self.part(part, out);
        }
        out.extend(candidate.logprobs_result.map(|returned| ChatDelta::Logprobs(logprobs(&returned))));
        out.extend(candidate.grounding_metadata.into_iter().flat_map(sources));
        if let Some(reason) = candidate.finish_reason.filter(|reason| !reason.is_empty()) {
            if let Some(why) = candidate.finish_message {
                tracing::debug!(reason, why, "the provider reported why a response ended");
            }
            self.finish = Some(finish_reason(reason));
        }
    }

    fn part(&mut self, part: Part, out: &mut VecDeque<ChatDelta>) {
        let mut call_id = None;
        if let Some(text) = part.text.filter(|text| !text.is_empty()) {
            let chars = text.chars().count() as u64;
            if part.thought {
                self.reasoning_chars += chars;
                out.push_back(ChatDelta::Reasoning(text));
            } else {
                self.output_chars += chars;
                out.push_back(ChatDelta::Text(text));
            }
        }
        if let Some(call) = part.function_call {
            call_id = Some(self.call(call, out));
        }
        if let Some(signature) = part.thought_signature.filter(|signature| !signature.is_empty()) {
            let mut thought =
                json!({ "type": "reasoning.encrypted", "data": signature, "index": self.thoughts });
            if let Some(id) = call_id {
                thought["id"] = Value::from(id);
            }
            self.thoughts += 1;
            out.push_back(thoughts::delta(thoughts::GEMINI, thought));
        }
    }

    /// Emits a call, which always arrives as a whole; generates an id if it has none.
    fn call(&mut self, call: Call, out: &mut VecDeque<ChatDelta>) -> String {
        let index = self.calls;
        self.calls += 1;
        let own = || format!("call_{}", uuid::Uuid::new_v4().simple());
        let call_id = call.id.filter(|id| !id.is_empty()).unwrap_or_else(own);
        let arguments = call.args.filter(Value::is_object).unwrap_or_else(|| json!({})).to_string();
        self.output_chars += arguments.chars().count() as u64;
        out.push_back(ChatDelta::ToolCallStart { index, call_id: call_id.clone(), name: call.name });
        out.push_back(ChatDelta::ToolCallArguments { index, delta: arguments });
        call_id
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
        if data == b"[DONE]" {
            return Ok(Step::End);
        }
        let chunk: Chunk = serde_json::from_slice(data).map_err(|_| line.rubbish(data))?;
        if event.error || chunk.error.is_some() {
            return Err(line.reported(data));
        }
        self.counted = chunk.usage_metadata.or(self.counted);
        for candidate in chunk.candidates.into_iter().filter(|candidate| candidate.index == 0) {
            self.candidate(candidate, out);
        }
        if let Some(reason) =
            chunk.prompt_feedback.as_ref().and_then(|feedback| feedback.block_reason.as_ref())
        {
            let why =
                chunk.prompt_feedback.as_ref().and_then(|feedback| feedback.block_reason_message.as_ref());
            tracing::debug!(reason, why, "the provider blocked a request");
            self.finish = Some(FinishReason::ContentFilter);
        }
        Ok(Step::On)
    }

    fn finished(&self) -> bool {
        self.finish.is_some()
    }

    fn end(&mut self, out: &mut VecDeque<ChatDelta>) {
        let estimate = || Usage::estimate(self.input_chars, self.output_chars, self.reasoning_chars);
        let usage = self.counted.as_ref().and_then(TokenCounts::usage).unwrap_or_else(estimate);
        out.push_back(ChatDelta::Usage(usage));
        let reason = match self.finish.take().unwrap_or(FinishReason::Stop) {
            // The API reports STOP although it waits for tool results.
            FinishReason::Stop if self.calls > 0 => FinishReason::ToolCalls,
            reason => reason,
        };
        out.push_back(ChatDelta::Finish(reason));
    }
}

/// Returns the sources of the answer, each with the text that it supports.
fn sources(grounding: Grounding) -> Vec<ChatDelta> {
    let snippet = |at: usize| {
        let support =
            grounding.grounding_supports.iter().find(|one| one.grounding_chunk_indices.contains(&at))?;
        support.segment.as_ref()?.text.clone()
    };
    let all = grounding.grounding_chunks.iter().enumerate();
    let source = |(at, chunk): (usize, &super::wire::Ground)| {
        let web = chunk.web.clone().or_else(|| chunk.retrieved_context.clone())?;
        Some(ChatDelta::Source { url: web.uri, title: web.title, snippet: snippet(at) })
    };
    all.filter_map(source).collect()
}

/// Converts log probabilities to OpenAI's format.
fn logprobs(returned: &Logprobs) -> Value {
    let one = |likely: &Likely| json!({ "token": likely.token, "logprob": likely.log_probability, "bytes": likely.token.as_bytes() });
    let each = returned.chosen_candidates.iter().enumerate().map(|(at, chosen)| {
        let mut entry = one(chosen);
        let top =
            returned.top_candidates.get(at).map(|top| top.candidates.iter().map(one).collect::<Vec<_>>());
        entry["top_logprobs"] = top.unwrap_or_default().into();
        entry
    });
    json!({ "content": each.collect::<Vec<_>>(), "refusal": null })
}

fn finish_reason(reason: String) -> FinishReason {
    match reason.as_str() {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY"
        | "RECITATION"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "LANGUAGE"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => FinishReason::ContentFilter,
        _ => FinishReason::Other(reason.to_ascii_lowercase()),
    }
}
