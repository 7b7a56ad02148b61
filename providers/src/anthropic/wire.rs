//! The parts of a streamed response that we read. Everything else is skipped.

use serde::Deserialize;
use serde_json::Value;

use crate::chat::Usage;

/// An event of the Messages stream.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: End,
        usage: Option<TokenCounts>,
    },
    MessageStop,
    Error,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) usage: TokenCounts,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        #[serde(default)]
        text: String,
        #[serde(default)]
        citations: Option<Vec<Citation>>,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(rename = "citations_delta")]
    Citations { citation: Citation },
    #[serde(other)]
    Unknown,
}

/// A citation in a response.
#[derive(Debug, Deserialize)]
pub(super) struct Citation {
    pub(super) url: Option<String>,
    /// The source of a search result that was part of the request.
    pub(super) source: Option<String>,
    pub(super) title: Option<String>,
    pub(super) document_title: Option<String>,
    pub(super) cited_text: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct End {
    pub(super) stop_reason: Option<String>,
}

/// Token counts; counts of later events replace earlier ones.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(super) struct TokenCounts {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    output_tokens_details: Option<Details>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
struct Details {
    #[serde(alias = "reasoning_tokens")]
    thinking_tokens: Option<u64>,
}

impl TokenCounts {
    pub(super) fn update(&mut self, later: Self) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.cache_creation_input_tokens =
            later.cache_creation_input_tokens.or(self.cache_creation_input_tokens);
        self.cache_read_input_tokens = later.cache_read_input_tokens.or(self.cache_read_input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
        self.output_tokens_details = later.output_tokens_details.or(self.output_tokens_details);
    }

    /// Converts the usage: the API counts cached tokens separately from the input; our input includes them.
    pub(super) fn usage(&self) -> Option<Usage> {
        let fresh = self.input_tokens?;
        let cached_tokens = self.cache_read_input_tokens.unwrap_or(0);
        let cache_write_tokens = self.cache_creation_input_tokens.unwrap_or(0);
        let output_tokens = self.output_tokens.unwrap_or(0);
        let thought = self.output_tokens_details.and_then(|details| details.thinking_tokens).unwrap_or(0);
        Some(Usage {
            input_tokens: fresh.saturating_add(cached_tokens).saturating_add(cache_write_tokens),
            output_tokens,
            cached_tokens,
            cache_write_tokens,
            reasoning_tokens: thought.min(output_tokens),
            ..Usage::default()
        })
    }
}
