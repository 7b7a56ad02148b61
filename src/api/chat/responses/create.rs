//! Creation of responses.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Data;
use assist::completion::{ChatStart, ClientInput};
use providers::{ChatMessage, Role};
use storage::Row;
use storage::records::Assistant;
use uuid::Uuid;

use super::schema::{CreateResponseRequest, ResponseObject, run_of};
use super::{input, stored};
use crate::App;
use crate::api::chat::chat_run::ChatRun;
use crate::api::chat::completion::fingerprint;
use crate::api::chat::messages;
use crate::api::chat::partner::chosen;
use crate::api::client::Client;
use crate::http::encodings::{self, Wire};
use crate::http::idempotency::IdempotencyHeader;
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Caller, Checked, Faults, LargeJson, Refusal, operations};

/// Create a response, as in the OpenAI Responses API.
///
/// A response is a run like every other answer. It continues if the client disconnects, and its stream can be read again with
/// `starting_after`. It can be cancelled, and continued with `previous_response_id` as long as it is stored.
#[utoipa::path(post, path = "/api/chat/partner_compatible/responses",
    request_body = CreateResponseRequest,
    responses((status = 200, description = "The response, or its event stream.", content(
        (ResponseObject = "application/json"), (encodings::ResponseStreamEvent = "text/event-stream")))))]
async fn create_response(
    auth: Auth<LlmUse>,
    app: Data<App>,
    LargeJson(body): LargeJson<CreateResponseRequest>,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    create(auth.caller(), app, key, body, None).await
}

/// Create a response with an assistant, as in the OpenAI Responses API.
#[utoipa::path(post, path = "/api/chat/partner_compatible/{assistant_id}/responses", params(("assistant_id" = Uuid, Path)),
    request_body = CreateResponseRequest,
    responses((status = 200, description = "The response, or its event stream.", content(
        (ResponseObject = "application/json"), (encodings::ResponseStreamEvent = "text/event-stream")))))]
async fn create_response_with_assistant(
    assistant: Checked<Row<Assistant>, LlmUse>,
    app: Data<App>,
    LargeJson(body): LargeJson<CreateResponseRequest>,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    create(assistant.auth.caller(), app, key, body, Some(assistant.id)).await
}

async fn create(
    caller: Arc<Caller>,
    app: Data<App>,
    key: IdempotencyHeader,
    body: CreateResponseRequest,
    assistant: Option<Uuid>,
) -> Api<HttpResponse> {
    let (stream, background) = (body.stream.unwrap_or_default(), body.background.unwrap_or_default());
    let mut chat_run = chat_run(caller, app, key, body, assistant).await?;
    let started = chat_run.start().await?;
    let (app, caller, run) = (chat_run.app.clone(), chat_run.caller.clone(), started.run.id);
    match (stream, background) {
        (true, _) => chat_run.stream(started, Wire::Responses).await,
        (false, true) => stored::answer(&app, &caller, stored::load(&app, &caller, run).await?).await,
        (false, false) => {
            chat_run.end(started).await?;
            stored::answer(&app, &caller, stored::load(&app, &caller, run).await?).await
        }
    }
}

async fn chat_run(
    caller: Arc<Caller>,
    app: Data<App>,
    key: IdempotencyHeader,
    body: CreateResponseRequest,
    assistant_id: Option<Uuid>,
) -> Api<ChatRun> {
    // The key is checked first, so that a request that is refused by the rate limit reads no earlier response.
    let request_sha256 = fingerprint(&key, &(assistant_id, &body))?;
    let idempotency_key = key.look_up(&app, &caller).await?;
    let echo = body.echo();
    let mut before = match body.previous_response_id.as_deref().and_then(run_of) {
        Some(run) => earlier_messages(&app, &caller, run).await?,
        None => Vec::new(),
    };
    let instructions = body.instructions.iter().map(|text| ChatMessage::text(Role::System, text.as_str()));
    before.splice(0..0, instructions);
    // `validate` already checked the input and tools when the body was read, so no faults arise here.
    let mut faults = Faults::new("body");
    let client_messages = input::input(&body.input, &mut faults);
    let tools = input::tools(body.tools.as_deref().unwrap_or_default());
    let count = before.len();
    let brought = ClientInput {
        messages: before.into_iter().chain(client_messages).collect(),
        tools: messages::tools(&tools, &mut faults),
        choices: 1,
        echo,
        before: count,
        parameters: input::parameters(body.rest),
        ..ClientInput::default()
    };
    let start = ChatStart {
        idempotency_key,
        model: chosen(body.model, assistant_id),
        assistant_id,
        stored: body.store != Some(false),
        ..ChatStart::new(caller.tenant, caller.user, caller.token_id, request_sha256, brought)
    };
    Ok(ChatRun { app, caller, start, wire: None, include_usage: false, client: Client::Partner })
}

/// Returns the messages up to the end of an earlier response, without its instructions.
async fn earlier_messages(app: &Data<App>, caller: &Arc<Caller>, run: Uuid) -> Api<Vec<ChatMessage>> {
    let unknown = || {
        let msg = "there is no such response; it may have expired";
        Refusal::invalid("body", ["previous_response_id"], msg, "not_found")
    };
    let mut earlier = stored::load(app, caller, run).await.map_err(|_| unknown())?;
    if !earlier.snapshot.run.state.is_terminal() {
        let msg = "this response is still in progress";
        return Err(Refusal::invalid("body", ["previous_response_id"], msg, "in_progress"));
    }
    let messages = std::mem::take(&mut earlier.brought.messages);
    let instructed = earlier.brought.echo.get("instructions").is_some_and(|text| !text.is_null());
    let mut all: Vec<ChatMessage> = messages.into_iter().skip(usize::from(instructed)).collect();
    let output = stored::response(app, caller, earlier).await?;
    let mut faults = Faults::new("body");
    let output =
        output.get("output").filter(|output| output.as_array().is_some_and(|items| !items.is_empty()));
    all.extend(output.map(|output| input::input(output, &mut faults)).unwrap_or_default());
    Ok(all)
}

operations!(create_response with v1, create_response_with_assistant with v1);
