//! Starting a run, and how that is answered.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use assist::completion::OnActive;
use runs::RequestKey;
use storage::records::RunState;
use uuid::Uuid;
use workflow::{ConversationTarget as Home, Started, WorkflowStart};

use super::schema::{RunMode, RunQuery, WorkflowRunRequestBody, WorkflowRunResponse};
use super::wait;
use crate::App;
use crate::api::conversations::rights::rights;
use crate::api::run_streams::{self, ReadOptions, RunSnapshot, StreamReader, locate};
use crate::http::credentials::sha256_hex;
use crate::http::encodings::Wire;
use crate::http::{Api, Caller};

/// Starts a run, or finds the one that was started under the same key.
pub async fn start(
    app: Data<App>,
    caller: Arc<Caller>,
    assistant: Uuid,
    how: RunQuery,
    request: &HttpRequest,
    (key, asked): (Option<RequestKey>, WorkflowRunRequestBody),
) -> Api<HttpResponse> {
    let request_sha256 = fingerprint(assistant, &asked);
    let mode = asked.mode.unwrap_or_default();
    let started = workflow::start(
        &app.actors,
        WorkflowStart {
            tenant: caller.tenant,
            user: caller.user,
            token_id: caller.token_id,
            assistant_id: assistant,
            place: asked.conversation_id.map_or(NEW, Home::Existing),
            inputs: asked.inputs,
            idempotency_key: key,
            request_sha256,
            on_active: how.on_active.map_or(OnActive::Refuse, OnActive::from),
            context: how.context,
            debug: None,
            parent: None,
        },
    );
    let started = started.await?;
    let (conversation, stream) = (started.conversation_id, started.run.id);
    let mut response = match (how.wire.or(Wire::accepted(request.headers())), mode) {
        (Some(wire), _) => {
            let rights = rights(&app, &caller, conversation, false);
            let options = ReadOptions { include_usage: how.include_usage, ..ReadOptions::new(wire) };
            stream_of(StreamReader { app, caller, rights }, started, options).await?
        }
        (None, RunMode::Async) => HttpResponse::Accepted().json(accepted(&started)),
        (None, RunMode::Wait) => wait::answer(&app, &caller, started).await?,
    };
    locate(&mut response, Some(conversation), stream);
    Ok(response)
}

/// A conversation of the user's own, with a title made from the inputs.
const NEW: Home = Home::New { is_system: false, title: None };

/// What tells this request from another under the same key: all of it but how it is answered.
fn fingerprint(assistant: Uuid, asked: &WorkflowRunRequestBody) -> String {
    let said = serde_json::json!([assistant, asked.inputs, asked.conversation_id]);
    sha256_hex(said.to_string().as_bytes())
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
