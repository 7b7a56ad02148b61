//! The parts of a streamed response that we read. Everything else is skipped.

use serde::Deserialize;
use serde_json::Value;

use crate::chat::Usage;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Chunk {
    pub(super) candidates: Vec<Candidate>,
    pub(super) usage_metadata: Option<TokenCounts>,
    pub(super) prompt_feedback: Option<Feedback>,
    pub(super) error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Candidate {
    pub(super) index: u32,
    pub(super) content: Option<Content>,
    pub(super) finish_reason: Option<String>,
    pub(super) finish_message: Option<String>,
    pub(super) grounding_metadata: Option<Grounding>,
    pub(super) logprobs_result: Option<Logprobs>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    pub(super) parts: Vec<Part>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Part {
    pub(super) text: Option<String>,
    pub(super) thought: bool,
    pub(super) thought_signature: Option<String>,
    pub(super) function_call: Option<Call>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Call {
    #[serde(default)]
    pub(super) id: Option<String>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) args: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Feedback {
    pub(super) block_reason: Option<String>,
    pub(super) block_reason_message: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Grounding {
    pub(super) grounding_chunks: Vec<Ground>,
    pub(super) grounding_supports: Vec<Support>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Ground {
    pub(super) web: Option<Web>,
    pub(super) retrieved_context: Option<Web>,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub(super) struct Web {
    pub(super) uri: Option<String>,
    pub(super) title: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Support {
    pub(super) grounding_chunk_indices: Vec<usize>,
    pub(super) segment: Option<Segment>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Segment {
    pub(super) text: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Logprobs {
    pub(super) chosen_candidates: Vec<Likely>,
    pub(super) top_candidates: Vec<Top>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Top {
    pub(super) candidates: Vec<Likely>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Likely {
    pub(super) token: String,
    pub(super) log_probability: f64,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TokenCounts {
    prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
}

impl TokenCounts {
    /// Converts the usage: the API counts reasoning separately from the output; our output includes it.
    pub(super) fn usage(&self) -> Option<Usage> {
        let prompt = self.prompt_token_count?;
        let thought = self.thoughts_token_count.unwrap_or(0);
        Some(Usage {
            input_tokens: prompt.saturating_add(self.tool_use_prompt_token_count.unwrap_or(0)),
            output_tokens: self.candidates_token_count.unwrap_or(0).saturating_add(thought),
            cached_tokens: self.cached_content_token_count.unwrap_or(0),
            reasoning_tokens: thought,
            ..Usage::default()
        })
    }
}
