//! The documentation of stream events in the OpenAPI document, for each encoding.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A chunk of the AI SDK's UI message stream, version 1 (`wire=ui-message`).
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum UiMessageChunk {
    /// The message begins.
    Start {
        #[serde(rename = "messageId", default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        message_id: Option<String>,
    },
    /// A step of the message begins.
    StartStep {},
    TextStart {
        id: String,
    },
    TextDelta {
        id: String,
        delta: String,
    },
    TextEnd {
        id: String,
    },
    ReasoningStart {
        id: String,
    },
    ReasoningDelta {
        id: String,
        delta: String,
    },
    ReasoningEnd {
        id: String,
    },
    /// The model begins to call a tool, which the server executes.
    ToolInputStart {
        #[serde(rename = "toolCallId")]
        tool_call_id: String,
        #[serde(rename = "toolName")]
        tool_name: String,
        #[serde(rename = "providerExecuted")]
        provider_executed: bool,
        dynamic: bool,
    },
    /// A fragment of the arguments, as JSON text.
    ToolInputDelta {
        #[serde(rename = "toolCallId")]
        tool_call_id: String,
        #[serde(rename = "inputTextDelta")]
        input_text_delta: String,
    },
    ToolInputAvailable {
        #[serde(rename = "toolCallId")]
        tool_call_id: String,
        #[serde(rename = "toolName")]
        tool_name: String,
        #[schema(value_type = Value)]
        input: Value,
        #[serde(rename = "providerExecuted")]
        provider_executed: bool,
        dynamic: bool,
    },
    ToolOutputAvailable {
        #[serde(rename = "toolCallId")]
        tool_call_id: String,
        #[schema(value_type = Value)]
        output: Value,
        #[serde(rename = "providerExecuted")]
        provider_executed: bool,
        dynamic: bool,
    },
    ToolOutputError {
        #[serde(rename = "toolCallId")]
        tool_call_id: String,
        #[serde(rename = "errorText")]
        error_text: String,
        #[serde(rename = "providerExecuted")]
        provider_executed: bool,
        dynamic: bool,
    },
    /// A page on which the answer is based.
    SourceUrl {
        #[serde(rename = "sourceId")]
        source_id: String,
        url: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        title: Option<String>,
    },
    /// A document on which the answer is based. `providerMetadata.understudy` names it, and the place in it.
    SourceDocument {
        #[serde(rename = "sourceId")]
        source_id: String,
        #[serde(rename = "mediaType")]
        media_type: String,
        title: String,
        #[schema(value_type = Object)]
        #[serde(rename = "providerMetadata")]
        provider_metadata: Map<String, Value>,
    },
    /// A file that is part of the answer.
    File {
        url: String,
        #[serde(rename = "mediaType")]
        media_type: String,
    },
    /// A form of a workflow, or its outcome, which replaces it.
    DataForm {
        id: String,
        /// `state` (`open`, `answered` or `expired`), and the form or the answer.
        #[schema(value_type = Object)]
        data: Map<String, Value>,
    },
    /// The progress of a tool. Not part of the message.
    DataToolProgress {
        #[schema(value_type = Object)]
        data: Map<String, Value>,
        transient: bool,
    },
    /// A problem with a tool server. Not part of the message.
    DataToolServer {
        #[schema(value_type = Object)]
        data: Map<String, Value>,
        transient: bool,
    },
    /// Knowledge bases that the user may not read. Not part of the message.
    DataKnowledgeClosed {
        #[schema(value_type = Object)]
        data: Map<String, Value>,
        transient: bool,
    },
    /// The title of the conversation. Not part of the message.
    DataTitle {
        #[schema(value_type = Object)]
        data: Map<String, Value>,
        transient: bool,
    },
    /// The usage of the answer and its cost.
    MessageMetadata {
        #[schema(value_type = Object)]
        #[serde(rename = "messageMetadata")]
        message_metadata: Map<String, Value>,
    },
    FinishStep {},
    /// The end of an answer.
    Finish {
        /// `stop`, `length`, `content-filter`, `tool-calls` or `other`.
        #[serde(rename = "finishReason")]
        finish_reason: String,
    },
    /// The end of an answer that was stopped.
    Abort {
        reason: String,
    },
    /// The end of an answer that failed.
    Error {
        #[serde(rename = "errorText")]
        error_text: String,
    },
}

/// A chunk of a streamed chat completion (`wire=openai`).
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct ChatCompletionChunk {
    /// The id of the answer: `chatcmpl-` followed by 32 hexadecimal digits.
    pub id: String,
    /// `chat.completion.chunk`.
    #[schema(pattern = "^chat\\.completion\\.chunk$")]
    pub object: String,
    /// When the answer was requested, in seconds since 1970.
    pub created: i64,
    /// The full id of the answering model.
    pub model: String,
    /// The additions to each answer; empty in the last chunk, which contains the usage.
    pub choices: Vec<ChatCompletionChunkChoice>,
    /// Further fields, such as the usage of the run.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
}

/// An addition to one of the answers of a streamed chat completion.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct ChatCompletionChunkChoice {
    /// The number of the answer, from 0.
    pub index: u32,
    /// `role`, `content`, `reasoning_content`, `tool_calls`, `annotations`, or what the provider adds.
    #[schema(value_type = Object)]
    pub delta: Map<String, Value>,
    /// Further fields, such as `finish_reason` and `logprobs`.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
}

/// The failure of a streamed chat completion (`wire=openai`).
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct ChatCompletionFailure {
    /// `message`, `type`, `param`, `code`, and `provider_code` if the provider has a name for the error.
    #[schema(value_type = Object)]
    pub error: Map<String, Value>,
}

/// An event of a streamed response (`wire=responses`).
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct ResponseStreamEvent {
    /// The type of the event.
    #[serde(rename = "type")]
    #[schema(pattern = "^(response\\.[a-z_.]+|error)$")]
    pub kind: String,
    /// The position of the event in the stream, from 0. An error of the stream itself has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sequence_number: Option<u64>,
    /// The fields of this type of event.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
}

#[derive(Debug)]
pub struct ChatCompletionEvent;

/// An event of a run's stream in the requested encoding.
#[derive(Debug)]
pub struct EncodedEvent;

/// Declares a documented type that is one of several other types.
macro_rules! one_of {
    ($name:ident: $description:literal, $($kind:ty),+) => {
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let mut schema = utoipa::openapi::schema::AnyOf::new();
                schema.description = Some($description.into());
                let reference = utoipa::openapi::Ref::from_schema_name;
                schema.items = vec![$(reference(<$kind as utoipa::ToSchema>::name()).into()),+];
                utoipa::openapi::Schema::AnyOf(schema).into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schemas(
                schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>,
            ) {
                $(
                    let schema = <$kind as utoipa::PartialSchema>::schema();
                    schemas.push((<$kind as utoipa::ToSchema>::name().into(), schema));
                    <$kind as utoipa::ToSchema>::schemas(schemas);
                )+
            }
        }
    };
}
pub(crate) use one_of;

one_of!(
    ChatCompletionEvent: "An event of a streamed chat completion: a chunk, or the reason for a failure.",
    ChatCompletionChunk,
    ChatCompletionFailure
);
one_of!(
    EncodedEvent: "An event of a run's stream, in the encoding selected by `wire`.",
    runs::StreamEvent,
    UiMessageChunk,
    ChatCompletionChunk,
    ChatCompletionFailure,
    ResponseStreamEvent
);
