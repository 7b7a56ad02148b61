//! The documentation of stream events in the OpenAPI document, for each encoding.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use utoipa::openapi::schema::{AnyOf, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// A chunk of the AI SDK's UI message stream, version 1 (`wire=ui-message`).
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct UiMessageChunk {
    #[serde(rename = "type")]
    #[schema(
        pattern = "^((start|finish)(-step)?|(text|reasoning)-(start|delta|end)|tool-(input|output)-[a-z]+|source-(url|document)|data-[a-z-]+|file|message-metadata|error|abort)$"
    )]
    pub kind: String,
    /// The fields of this type of chunk.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
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
    #[schema(value_type = Vec<Object>)]
    pub choices: Vec<Map<String, Value>>,
    /// Further fields, such as the usage of the run.
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
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let mut schema = AnyOf::new();
                schema.description = Some($description.into());
                schema.items = vec![$(Ref::from_schema_name(<$kind>::name()).into()),+];
                Schema::AnyOf(schema).into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $(
                    schemas.push((<$kind>::name().into(), <$kind>::schema()));
                    <$kind>::schemas(schemas);
                )+
            }
        }
    };
}

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
