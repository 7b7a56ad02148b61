use bytes::Bytes;
use serde_json::{Map, Value};

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
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The instructions that stand above the conversation.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One turn of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Content>,
    /// The tools an assistant called in this turn.
    pub tool_calls: Vec<ToolCall>,
    /// On a tool's message: the call it answers.
    pub tool_call_id: Option<String>,
}

impl ChatMessage {
    /// A message of one text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, content: vec![Content::Text(text.into())], tool_calls: Vec::new(), tool_call_id: None }
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
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A picture.
    Image {
        /// Its media type, for example `image/png`.
        media_type: String,
        /// Its bytes.
        data: Bytes,
    },
    /// A file whose text has been read out of it.
    File {
        /// Its name.
        filename: String,
        /// Its media type.
        media_type: String,
        /// Its text.
        text: String,
    },
}

impl Content {
    fn chars(&self) -> u64 {
        const PICTURE: u64 = 4_000;
        match self {
            Self::Text(text) => text.chars().count() as u64,
            Self::Image { .. } => PICTURE,
            Self::File { filename, text, .. } => (filename.len() + text.chars().count()) as u64,
        }
    }
}

/// A call an assistant made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Names the call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The text of a JSON object.
    pub arguments: String,
}

/// A tool a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it is for, in words the model reads.
    pub description: String,
    /// A JSON Schema of its arguments.
    pub parameters: Value,
}

impl ToolSpec {
    fn chars(&self) -> u64 {
        let schema = self.parameters.to_string().len();
        (self.name.len() + self.description.len() + schema) as u64
    }
}
