//! Completions of messages that the client sends, without a stored conversation.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use assist::completion::{ChatStart, ClientInput};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::Row;
use storage::records::{Assistant, Attachment};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::answer::ChatCompletionResponse;
use super::chat_run::ChatRun;
use super::messages;
use crate::App;
use crate::api::client::Client;
use crate::http::credentials::sha256_hex;
use crate::http::encodings::{self, Wire};
use crate::http::idempotency::IdempotencyHeader;
use crate::http::media_type::{NO_MEDIA_TYPE, is_media_type};
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Caller, Checked, Faults, LargeJson, Query, Refusal, Validate, operations};

/// The messages so far, and options of the answer.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatCompletionBody {
    /// The conversation, oldest message first, in the format of the OpenAI API.
    #[schema(value_type = Vec<Object>, max_items = 10000, example = json!([{"role": "user", "content": "Good morning."}]))]
    pub messages: Vec<Value>,
    /// Id of the model. Defaults to the model of the assistant, the user or the tenant, in this order.
    pub model: Option<String>,
    /// Id of the assistant that answers, with its instructions, knowledge, skills and tools.
    pub assistant_id: Option<Uuid>,
    /// Whether the response is a stream.
    #[serde(default)]
    pub stream: bool,
    /// Sampling temperature of the model.
    #[schema(minimum = 0, maximum = 2)]
    pub temperature: Option<f64>,
    /// Nucleus sampling: the probability mass from which the model chooses tokens.
    #[schema(minimum = 0, maximum = 1)]
    pub top_p: Option<f64>,
    /// Maximum number of tokens of the answer.
    #[schema(minimum = 1, maximum = 10000000)]
    pub max_tokens: Option<u64>,
    /// Tools that the model may call: functions that the client executes, in the format of the OpenAI API, or names of the server's tools.
    /// `server/tool` and `server/*` name tools of the assistant's tool servers.
    #[schema(value_type = Option<Vec<Object>>, max_items = 1000)]
    pub tools: Option<Vec<Value>>,
    /// Which of the tools may or must be called.
    #[schema(value_type = Option<Value>)]
    pub tool_choice: Option<Value>,
    /// Format of the answer, as in the OpenAI API.
    #[schema(value_type = Option<Object>)]
    pub response_format: Option<Value>,
    /// Files to attach to the last message.
    #[schema(max_items = 20)]
    pub attachments: Option<Vec<GivenFile>>,
    /// Ids of knowledge bases to search, in addition to those of the assistant.
    pub knowledge_base_ids: Option<Vec<Uuid>>,
}

/// An attached file.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenFile {
    /// Name of the file.
    pub filename: String,
    /// Media type, if it cannot be detected from the first bytes. Defaults to the type that the name implies.
    pub media_type: Option<String>,
    /// Content of the file, in base64.
    #[schema(content_encoding = "base64")]
    pub data: String,
}

/// Query parameters of a completion.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ChatQuery {
    /// Encoding of a stream. Defaults to the one that `Accept` requests, otherwise to `events`.
    pub wire: Option<Wire>,
    /// Stream option of OpenAI: whether a last chunk contains the usage.
    pub include_usage: bool,
    /// A free label of the client or page that sends the request. It is stored in the usage record.
    #[param(min_length = 1, max_length = 100)]
    pub context: Option<String>,
}

impl Validate for ChatQuery {}

impl Validate for ChatCompletionBody {
    fn validate(&self, faults: &mut Faults) {
        messages::messages(&self.messages, faults);
        messages::tools(self.tools.as_deref().unwrap_or_default(), faults);
        for (at, file) in self.attachments.iter().flatten().enumerate() {
            let at = at.to_string();
            if messages::decoded(&file.data).is_none() {
                faults.add(["attachments", &at, "data"], "is not valid base64", "malformed");
            }
            if file.filename.is_empty() || file.filename.chars().count() > 255 {
                faults.add(["attachments", &at, "filename"], "must have 1 to 255 characters", "too_long");
            }
            if file.media_type.as_deref().is_some_and(|media_type| !is_media_type(media_type)) {
                faults.add(["attachments", &at, "media_type"], NO_MEDIA_TYPE, "malformed");
            }
        }
    }
}

/// Answer the messages of the request, without a stored conversation.
///
/// The response is one JSON object, or with `stream` a stream (see `wire`). The run continues if the client disconnects: for ten minutes
/// after its end, clients can attach to it at `Content-Location`, in every encoding. Without an assistant, nothing is added to the
/// messages.
#[utoipa::path(post, path = "/api/chat/completion", params(ChatQuery),
    request_body = ChatCompletionBody,
    responses(
        (status = 200, description = "The answer, or its event stream.", content(
            (ChatCompletionResponse = "application/json"), (encodings::EncodedEvent = "text/event-stream"))),
        (status = 502, description = "The provider failed."),
        (status = 504, description = "The provider timed out.")))]
async fn chat_completion(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Query(how): Query<ChatQuery>,
    request: HttpRequest,
    LargeJson(body): LargeJson<ChatCompletionBody>,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    chat_run(auth.caller(), app, how, &request, (body, key)).await?.answer().await
}

/// Let an assistant answer the messages of the request, without a stored conversation.
#[utoipa::path(post, path = "/api/chat/completion/assistant/{assistant_id}", params(("assistant_id" = Uuid, Path), ChatQuery),
    request_body = ChatCompletionBody,
    responses(
        (status = 200, description = "The answer, or its event stream.", content(
            (ChatCompletionResponse = "application/json"), (encodings::EncodedEvent = "text/event-stream"))),
        (status = 502, description = "The provider failed."),
        (status = 504, description = "The provider timed out.")))]
async fn chat_completion_with_assistant(
    assistant: Checked<Row<Assistant>, LlmUse>,
    app: Data<App>,
    Query(how): Query<ChatQuery>,
    request: HttpRequest,
    LargeJson(mut body): LargeJson<ChatCompletionBody>,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    body.assistant_id = Some(assistant.id);
    chat_run(assistant.auth.caller(), app, how, &request, (body, key)).await?.answer().await
}

async fn chat_run(
    caller: Arc<Caller>,
    app: Data<App>,
    how: ChatQuery,
    request: &HttpRequest,
    (body, key): (ChatCompletionBody, IdempotencyHeader),
) -> Api<ChatRun> {
    let request_sha256 = fingerprint(&key, &body)?;
    // The key is checked first, so that a request that is refused by the rate limit stores no file.
    let idempotency_key = key.look_up(&app, &caller).await?;
    let attachments = files(&app, &caller, body.attachments.as_deref().unwrap_or_default()).await?;
    let wire = body.stream.then(|| how.wire.or(Wire::accepted(request.headers())).unwrap_or(Wire::Events));
    // `validate` already checked the messages and tools when the body was read, so no faults arise here.
    let mut faults = Faults::new("body");
    let client_tools = body.tools.as_deref().unwrap_or_default();
    let brought = ClientInput {
        messages: messages::messages(&body.messages, &mut faults),
        tools: messages::tools(client_tools, &mut faults),
        attachments,
        choices: 1,
        parameters: body.parameters(),
        ..ClientInput::default()
    };
    let named = client_tools.iter().filter_map(|tool| tool.as_str().map(str::to_owned)).collect();
    let start = ChatStart {
        idempotency_key,
        tools: body.tools.is_some().then_some(named),
        model: body.model,
        assistant_id: body.assistant_id,
        knowledge_bases: body.knowledge_base_ids.unwrap_or_default(),
        context: how.context,
        ..ChatStart::new(caller.tenant, caller.user, caller.token_id, request_sha256, brought)
    };
    Ok(ChatRun { app, caller, start, wire, include_usage: how.include_usage, client: Client::Own })
}

impl ChatCompletionBody {
    fn parameters(&self) -> Map<String, Value> {
        let fields = [
            ("temperature", self.temperature.map(Value::from)),
            ("top_p", self.top_p.map(Value::from)),
            ("max_tokens", self.max_tokens.map(Value::from)),
            ("tool_choice", self.tool_choice.clone()),
            ("response_format", self.response_format.clone()),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        fields.collect()
    }
}

/// Returns the fingerprint that distinguishes requests with the same idempotency key. Empty for a request without a key.
pub fn fingerprint(key: &IdempotencyHeader, body: &impl Serialize) -> Api<String> {
    if !key.is_given() {
        return Ok(String::new());
    }
    let json =
        serde_json::to_vec(body).map_err(|why| Refusal::from(crate::http::Code::Internal).because(why))?;
    Ok(sha256_hex(&json))
}

async fn files(app: &App, caller: &Caller, files: &[GivenFile]) -> Api<Vec<Attachment>> {
    let mut stored_files = Vec::with_capacity(files.len());
    for GivenFile { filename, media_type, data } in files {
        let bytes = Bytes::from(messages::decoded(data).unwrap_or_default());
        let size = bytes.len() as u64;
        let media_type = kind(&bytes, media_type.clone());
        let blob_id = app.store.blobs().put_bytes(caller.tenant, bytes).await?;
        stored_files.push(Attachment { blob_id, filename: filename.clone(), media_type, size });
    }
    Ok(stored_files)
}

/// Detects the media type of a file. If neither its bytes nor the client determine it, later readers use the file name.
fn kind(bytes: &[u8], declared_type: Option<String>) -> String {
    let marked = infer::get(bytes).map(|kind| kind.mime_type().to_owned());
    marked.or(declared_type).unwrap_or_else(|| "application/octet-stream".to_owned())
}

operations!(chat_completion with slash, chat_completion_with_assistant as "chat_completion.assistant");
