use std::borrow::Cow;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Keys;

/// A request to a chat model.
#[derive(Debug, Clone, Default)]
pub struct ChatRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// The conversation so far, oldest first.
    pub messages: Vec<ChatMessage>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// Which tool the model may or must call, in OpenAI's format (`"auto"`, `"none"`, `"required"`, or an object that
    /// names one).
    pub tool_choice: Option<Value>,
    /// All other parameters (`temperature`, `top_p`, `max_tokens`, `response_format`, ...), including unknown ones,
    /// passed on unchanged.
    pub parameters: Map<String, Value>,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

impl ChatRequest {
    /// The number of input characters, for usage estimates. An image counts as 4,000 characters, about what common
    /// vision models charge for an image of medium size.
    #[must_use]
    pub fn input_chars(&self) -> u64 {
        let messages: u64 = self.messages.iter().map(ChatMessage::chars).sum();
        let tools: u64 = self.tools.iter().map(ToolSpec::chars).sum();
        messages + tools
    }

    /// Returns the messages for APIs that reject a request without a user or assistant turn: if there are only system
    /// messages, the last of them is sent as a user message.
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
    /// System instructions.
    System,
    /// The end user of the conversation.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One turn of the conversation. Its JSON form is internal and used for storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// The author of the message.
    pub role: Role,
    /// The content of the message, in order.
    pub content: Vec<Content>,
    /// The tools that the assistant called in this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// In a tool message: the id of the call whose result it contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Other fields of the message (`name`, `reasoning_content`, `cache_control`, ...), under their names in the
    /// OpenAI API. Encoders for other APIs ignore the fields that they do not support.
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

    /// Creates a message with the result of a tool call.
    pub fn tool_result(call_id: impl Into<String>, output: impl Into<String>) -> Self {
        Self { tool_call_id: Some(call_id.into()), ..Self::text(Role::Tool, output) }
    }

    /// Returns the text of the message without its files; parts are separated by line breaks.
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
        /// The media type, for example `image/png`.
        media_type: String,
        /// The encoded image, in the format of `media_type`.
        #[serde(with = "super::base64_bytes")]
        data: Bytes,
        /// The requested level of detail: `auto`, `low`, `high`.
        detail: Option<String>,
    },
    /// An image that the provider fetches.
    ImageUrl {
        /// An `https` or `data` URL that the provider fetches.
        url: String,
        /// The requested level of detail: `auto`, `low`, `high`.
        detail: Option<String>,
    },
    /// A file whose text has been extracted.
    File {
        /// The name under which the model sees it.
        filename: String,
        /// The media type of the original file.
        media_type: String,
        /// The text that was extracted from the file.
        text: String,
    },
    /// Any other content part of the OpenAI API (`input_audio`, `file`, `refusal`, ...), unchanged. Encoders for
    /// other APIs reject parts that they cannot express.
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

/// A tool call of an assistant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call, which its result refers to.
    pub call_id: String,
    /// Name of the tool, as the request named it.
    pub name: String,
    /// The arguments, as the text of a JSON object.
    pub arguments: String,
}

/// A tool that a model may call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name: letters, digits, `_` and `-`.
    pub name: String,
    /// The description, which the model reads.
    pub description: String,
    /// The JSON Schema of the arguments.
    pub parameters: Value,
    /// Other fields of the function in the OpenAI API, for example `strict`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl ToolSpec {
    fn chars(&self) -> u64 {
        let schema = self.parameters.to_string().len();
        (self.name.len() + self.description.len() + schema) as u64
    }
}
