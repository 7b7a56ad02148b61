//! Chat completions in the format of the OpenAI API.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Data;
use assist::completion::{ChatStart, ClientInput};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::Row;
use storage::records::Assistant;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::api::chat::answer::ChatCompletionResponse;
use crate::api::chat::chat_run::ChatRun;
use crate::api::chat::completion::fingerprint;
use crate::api::chat::messages;
use crate::api::client::Client;
use crate::http::encodings::{self, Wire};
use crate::http::idempotency::IdempotencyHeader;
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Caller, Checked, Faults, LargeJson, Validate, operations};

/// A chat completion request of the OpenAI API. Fields that are not listed here are passed to the provider unchanged.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct PartnerChatCompletionRequest {
    /// Id of the model. If omitted or `default`, the model of the assistant, the user or the tenant is used.
    pub model: Option<String>,
    /// The conversation, oldest message first.
    #[schema(value_type = Vec<Object>, max_items = 10000)]
    pub messages: Vec<Value>,
    /// Whether the response is a stream.
    pub stream: Option<bool>,
    pub stream_options: Option<StreamOptions>,
    /// Number of answers to generate. Each is a separate call of the model and is billed separately.
    #[schema(minimum = 1, maximum = 16)]
    pub n: Option<u32>,
    /// Functions that the client executes.
    #[schema(value_type = Option<Vec<Object>>, max_items = 1000)]
    pub tools: Option<Vec<Value>>,
    /// All other fields, which are passed to the provider.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub rest: Map<String, Value>,
}

/// Options of a stream.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
pub struct StreamOptions {
    /// Whether a last chunk contains the usage.
    pub include_usage: Option<bool>,
    /// All other options.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub rest: Map<String, Value>,
}

impl Validate for PartnerChatCompletionRequest {
    fn validate(&self, faults: &mut Faults) {
        messages::messages(&self.messages, faults);
        messages::tools(self.tools.as_deref().unwrap_or_default(), faults);
        for (at, _) in self.tools.iter().flatten().enumerate().filter(|(_, tool)| tool.is_string()) {
            faults.add(["tools", &at.to_string()], "must be an object", "type");
        }
    }
}

/// Create a chat completion, as in the OpenAI API.
///
/// Supports `stream`, `stream_options`, `n`, `tools` and all parameters that the provider knows. Fields that this server does not know are
/// passed to the provider unchanged. `X-Stream-Id` identifies the answer: for ten minutes after its end, clients can attach to it at
/// `Content-Location`. Errors have the form `{"error": {...}}`.
#[utoipa::path(post, path = "/api/chat/partner_compatible/chat/completions", request_body = PartnerChatCompletionRequest,
    responses((status = 200, description = "The chat completion, or its event stream.", content(
        (ChatCompletionResponse = "application/json"), (encodings::ChatCompletionEvent = "text/event-stream")))))]
async fn partner_compatible_chat_completion(
    auth: Auth<LlmUse>,
    app: Data<App>,
    LargeJson(body): LargeJson<PartnerChatCompletionRequest>,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    chat_run(auth.caller(), app, key, body, None).await?.answer().await
}

/// Create a chat completion with an assistant, as in the OpenAI API.
///
/// The assistant's instructions, knowledge, skills and tools are used. Its own tool calls are not reported.
#[utoipa::path(post, path = "/api/chat/partner_compatible/{assistant_id}/chat/completions",
    params(("assistant_id" = Uuid, Path)), request_body = PartnerChatCompletionRequest,
    responses((status = 200, description = "The chat completion, or its event stream.", content(
        (ChatCompletionResponse = "application/json"), (encodings::ChatCompletionEvent = "text/event-stream")))))]
async fn partner_compatible_chat_completion_with_assistant(
    assistant: Checked<Row<Assistant>, LlmUse>,
    app: Data<App>,
    LargeJson(body): LargeJson<PartnerChatCompletionRequest>,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    chat_run(assistant.auth.caller(), app, key, body, Some(assistant.id)).await?.answer().await
}

async fn chat_run(
    caller: Arc<Caller>,
    app: Data<App>,
    key: IdempotencyHeader,
    body: PartnerChatCompletionRequest,
    assistant_id: Option<Uuid>,
) -> Api<ChatRun> {
    let request_sha256 = fingerprint(&key, &(assistant_id, &body))?;
    let PartnerChatCompletionRequest { model, messages, stream, stream_options, n, tools, rest } = body;
    // `validate` already checked the messages and tools when the body was read, so no faults arise here.
    let mut faults = Faults::new("body");
    let brought = ClientInput {
        messages: messages::messages(&messages, &mut faults),
        tools: messages::tools(tools.as_deref().unwrap_or_default(), &mut faults),
        choices: n.unwrap_or(1),
        parameters: rest.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        ..ClientInput::default()
    };
    let start = ChatStart {
        idempotency_key: key.look_up(&app, &caller).await?,
        model: chosen(model, assistant_id),
        assistant_id,
        ..ChatStart::new(caller.tenant, caller.user, caller.token_id, request_sha256, brought)
    };
    let include_usage = stream_options.and_then(|options| options.include_usage).unwrap_or_default();
    let wire = stream.unwrap_or_default().then_some(Wire::OpenAi);
    Ok(ChatRun { app, caller, start, wire, include_usage, client: Client::Partner })
}

/// Returns the model that a client chose. The OpenAI API requires a model, so `default` and the assistant's own id stand for no choice.
pub fn chosen(model: Option<String>, assistant: Option<Uuid>) -> Option<String> {
    let none = |model: &str| {
        let model = model.trim();
        model.is_empty() || model == "default" || assistant.is_some_and(|id| model == id.to_string())
    };
    model.filter(|model| !none(model))
}

operations!(
    partner_compatible_chat_completion with v1,
    partner_compatible_chat_completion_with_assistant with v1
);
