use std::borrow::Cow;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Keys;

/// What a model is asked.
#[derive(Debug, Clone, Default)]
pub struct ChatRequest {
    /// The provider's own name of the model.
    pub model: String,
    /// The conversation so far, oldest first.
    pub messages: Vec<ChatMessage>,
    /// The tools it may call.
    pub tools: Vec<ToolSpec>,
    /// Which of them it may or must call, as the OpenAI interface spells it (`"auto"`, `"none"`,
    /// `"required"`, or an object that names one).
    pub tool_choice: Option<Value>,
    /// Everything else (`temperature`, `top_p`, `max_tokens`, `response_format`, ...), passed
    /// through as it is, including what we do not know.
    pub parameters: Map<String, Value>,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

impl ChatRequest {
    /// The characters a model has to read, for estimates. A picture counts as 4,000, about what
    /// the common vision models charge for a middling one.
    #[must_use]
    pub fn input_chars(&self) -> u64 {
        let messages: u64 = self.messages.iter().map(ChatMessage::chars).sum();
        let tools: u64 = self.tools.iter().map(ToolSpec::chars).sum();
        messages + tools
    }

    /// The messages, for APIs that refuse a request without a user or assistant turn: where there are only
    /// instructions, the last of them is sent as a user message.
    pub(crate) fn with_a_turn(&self) -> Cow<'_, [ChatMessage]> {
        match self.messages.split_last() {
            Some((last, before)) if self.messages.iter().all(|message| message.role == Role::System) => {
                let question = ChatMessage { role: Role::User, ..last.clone() };
                before.iter().cloned().chain([question]).collect()
            }
            _ => Cow::Borrowed(&self.messages),
        }
    }
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The instructions that stand above the conversation.
    System,
    /// The person who asks.
    User,
    /// The model that answers.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One turn of the conversation. Its JSON form is our own, for keeping it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// The author of the message.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Content>,
    /// The tools an assistant called in this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// On a tool's message: the call it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// What else the caller gave with it (`name`, `reasoning_content`, `cache_control`, ...), in the
    /// terms of the OpenAI interface; a provider of another dialect passes over what it has no use for.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl ChatMessage {
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            content: vec![Content::Text(text.into())],
            tool_calls: Vec::new(),
            tool_call_id: None,
            extra: Map::new(),
        }
    }

    /// The result of a tool call.
    pub fn tool_result(call_id: impl Into<String>, output: impl Into<String>) -> Self {
        Self { tool_call_id: Some(call_id.into()), ..Self::text(Role::Tool, output) }
    }

    /// The texts of the message without its files, one a line.
    #[must_use]
    pub fn plain_text(&self) -> String {
        let mut all = String::new();
        for content in &self.content {
            if let Content::Text(text) = content {
                if !all.is_empty() {
                    all.push('\n');
                }
                all.push_str(text);
            }
        }
        all
    }

    fn chars(&self) -> u64 {
        let content: u64 = self.content.iter().map(Content::chars).sum();
        let calls: usize = self.tool_calls.iter().map(|c| c.name.len() + c.arguments.len()).sum();
        content + calls as u64
    }
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Plain text.
    Text(String),
    Image {
        /// Its media type, for example `image/png`.
        media_type: String,
        /// The encoded image, in the format of `media_type`.
        #[serde(with = "super::base64_bytes")]
        data: Bytes,
        /// How closely it is to be looked at: `auto`, `low`, `high`.
        detail: Option<String>,
    },
    /// A picture that the provider fetches.
    ImageUrl {
        /// An `https` or `data` address that the provider fetches.
        url: String,
        /// How closely it is to be looked at: `auto`, `low`, `high`.
        detail: Option<String>,
    },
    /// A file whose text has been read out of it.
    File {
        /// The name under which the model sees it.
        filename: String,
        /// The media type of the original file.
        media_type: String,
        /// The text that was extracted from the file.
        text: String,
    },
    /// A part of the OpenAI interface that we have no form for (`input_audio`, `file`, `refusal`, ...), as it
    /// came. A provider of another dialect refuses what it cannot say.
    Raw(Value),
}

impl Content {
    fn chars(&self) -> u64 {
        const PICTURE: u64 = 4_000;
        match self {
            Self::Text(text) => text.chars().count() as u64,
            Self::Image { .. } | Self::ImageUrl { .. } => PICTURE,
            Self::Raw(value) => value.to_string().len() as u64,
            Self::File { filename, text, .. } => (filename.len() + text.chars().count()) as u64,
        }
    }
}

/// A call an assistant made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call, which its result refers to.
    pub call_id: String,
    /// Name of the tool, as the request named it.
    pub name: String,
    /// The text of a JSON object.
    pub arguments: String,
}

/// A tool a model may call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it is for, in words the model reads.
    pub description: String,
    /// A JSON Schema of its arguments.
    pub parameters: Value,
    /// What else belongs to the function in the OpenAI interface, for example `strict`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl ToolSpec {
    fn chars(&self) -> u64 {
        let schema = self.parameters.to_string().len();
        (self.name.len() + self.description.len() + schema) as u64
    }
}
