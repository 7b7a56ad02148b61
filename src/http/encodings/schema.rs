//! The documentation of stream events in the OpenAPI document, for each encoding.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

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
