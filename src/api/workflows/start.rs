//! Starting a run, and the response to the start.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use runs::RequestKey;
use storage::records::RunState;
use uuid::Uuid;
use workflow::{ConversationTarget, Started, WorkflowStart};

use super::schema::{RunMode, RunQuery, WorkflowRunRequestBody, WorkflowRunResponse};
use super::wait;
use crate::App;
use crate::api::conversations::rights::rights;
use crate::api::run_streams::{self, ReadOptions, RunSnapshot, StreamReader, locate};
use crate::http::credentials::sha256_hex;
use crate::http::encodings::Wire;
use crate::http::{Api, Caller};

/// Starts a run, or attaches to the run that was started with the same idempotency key.
pub async fn start(
    app: Data<App>,
    caller: Arc<Caller>,
    assistant: Uuid,
    query: RunQuery,
    request: &HttpRequest,
    (key, body): (Option<RequestKey>, WorkflowRunRequestBody),
) -> Api<HttpResponse> {
    let request_sha256 = fingerprint(assistant, &body);
    let mode = body.mode.unwrap_or_default();
    let started = workflow::start(
        &app.actors,
        WorkflowStart {
            tenant: caller.tenant,
            user: caller.user,
            token_id: caller.token_id,
            assistant_id: assistant,
            place: body.conversation_id.map_or(NEW, ConversationTarget::Existing),
            inputs: body.inputs,
            idempotency_key: key,
            request_sha256,
            on_active: query.on_active.unwrap_or_default(),
            context: query.context,
            debug: None,
            parent: None,
        },
    );
    let started = started.await?;
    let (conversation, stream) = (started.conversation_id, started.run.id);
    let mut response = match (query.wire.or(Wire::accepted(request.headers())), mode) {
        (Some(wire), _) => {
            let rights = rights(&app, &caller, conversation, false);
            let options = ReadOptions { include_usage: query.include_usage, ..ReadOptions::new(wire) };
            stream_of(StreamReader { app, caller, rights }, started, options).await?
        }
        (None, RunMode::Async) => HttpResponse::Accepted().json(accepted(&started)),
        (None, RunMode::Wait) => wait::respond(&app, &caller, started).await?,
    };
    locate(&mut response, Some(conversation), stream);
    Ok(response)
}

/// A new conversation of the user, with a title derived from the inputs.
const NEW: ConversationTarget = ConversationTarget::New { is_system: false, title: None };

/// A hash of the request that detects a different request with the same idempotency key. It covers everything
/// except the form of the response.
fn fingerprint(assistant: Uuid, body: &WorkflowRunRequestBody) -> String {
    let content = serde_json::json!([assistant, body.inputs, body.conversation_id]);
    sha256_hex(content.to_string().as_bytes())
}

fn accepted(started: &Started) -> WorkflowRunResponse {
    WorkflowRunResponse {
        conversation_id: started.conversation_id,
        stream_id: started.run.id,
        message_id: Some(started.message_id),
        state: started.run.state,
        state_detail: None,
        waits_for: Vec::new(),
        result: None,
    }
}

async fn stream_of(reader: StreamReader, started: Started, options: ReadOptions) -> Api<HttpResponse> {
    let run = started.run;
    if !started.resumed && run.state == RunState::Queued {
        return Ok(run_streams::follow(reader, &run, started.cursor, options.wire, options.include_usage));
    }
    let caller = reader.caller.clone();
    let read = reader.app.store.read(move |store| RunSnapshot::read(store, &caller, None, run, options.wire));
    let snapshot = read.await?;
    run_streams::attach(reader, snapshot, &options).await
}
