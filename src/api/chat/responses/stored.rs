//! Reading, cancelling and deleting stored responses.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Data;
use assist::completion::ClientInput;
use serde_json::Value;
use storage::Row;
use storage::records::{Run, RunInput, RunState};
use uuid::Uuid;

use super::schema::{DeletedResponse, HowToRetrieve, ResponseId, ResponseObject, run_of};
use crate::App;
use crate::api::run_streams::{RunSnapshot, StreamReader, attach_responses, credential_rights, locate};
use crate::http::encodings::{self, Constants, Responses, Wire};
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Caller, Code, Json, Path, Query, Refusal, operations};

/// Retrieve a response, or stream it again.
#[utoipa::path(get, path = "/api/chat/partner_compatible/responses/{response_id}", params(("response_id" = String, Path), HowToRetrieve),
    responses((status = 200, description = "The response, or its event stream.", content(
        (ResponseObject = "application/json"), (encodings::ResponseStreamEvent = "text/event-stream")))))]
async fn get_response(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Path(id): Path<ResponseId>,
    Query(how): Query<HowToRetrieve>,
) -> Api<HttpResponse> {
    let caller = auth.caller();
    let stored = find(&app, &caller, &id).await?;
    match how.stream {
        true => stream(&app, &caller, stored, how.starting_after).await,
        false => answer(&app, &caller, stored).await,
    }
}

/// Stop a response.
#[utoipa::path(post, path = "/api/chat/partner_compatible/responses/{response_id}/cancel", params(("response_id" = String, Path)),
    responses((status = 200, description = "The response.", body = ResponseObject)))]
async fn cancel_response(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Path(id): Path<ResponseId>,
) -> Api<HttpResponse> {
    let (caller, stored) = (auth.caller(), find(&app, &auth.caller(), &id).await?);
    let run = stored.snapshot.run.id;
    app.actors.cancel(auth.tenant, run, auth.user).await?;
    answer(&app, &caller, load(&app, &caller, run).await?).await
}

/// Delete a response.
#[utoipa::path(delete, path = "/api/chat/partner_compatible/responses/{response_id}", params(("response_id" = String, Path)))]
async fn delete_response(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Path(id): Path<ResponseId>,
) -> Api<Json<DeletedResponse>> {
    let stored = find(&app, &auth.caller(), &id).await?;
    delete(&app, &auth.caller(), stored.snapshot.run).await?;
    Ok(Json(DeletedResponse { id: id.id, object: "response", deleted: true }))
}

/// A stored response of the caller.
pub struct StoredResponse {
    /// State of the run when it was read.
    pub snapshot: RunSnapshot,
    /// The input of the request, including its messages.
    pub brought: ClientInput,
}

/// Finds the response that a path names. Returns 404 if the response belongs to another assistant than the one in the path.
pub async fn find(app: &App, caller: &Arc<Caller>, id: &ResponseId) -> Api<StoredResponse> {
    let unknown = || Refusal::not_found("response");
    let stored = load(app, caller, run_of(&id.id).ok_or_else(unknown)?).await?;
    match id.assistant.is_none_or(|assistant| stored.snapshot.run.assistant_id == Some(assistant)) {
        true => Ok(stored),
        false => Err(unknown()),
    }
}

/// Loads a response of the caller. Returns 404 for responses of others, and for answers that were not created through the Responses API.
pub async fn load(app: &App, caller: &Arc<Caller>, run: Uuid) -> Api<StoredResponse> {
    let unknown = || Refusal::not_found("response");
    let reader = caller.clone();
    let read = app.store.read(move |store| RunSnapshot::of_chat(store, &reader, None, run, Wire::Responses));
    let mut snapshot = read.await.map_err(|why: Refusal| match why.code() {
        Code::NotFound => unknown(),
        _ => why,
    })?;
    let brought = snapshot.brought(app, caller.tenant).await?;
    if brought.echo.is_empty() {
        return Err(unknown());
    }
    Ok(StoredResponse { snapshot, brought })
}

/// Responds with the current state of a response.
pub async fn answer(app: &Data<App>, caller: &Caller, stored: StoredResponse) -> Api<HttpResponse> {
    let run = stored.snapshot.run.id;
    let mut answer = HttpResponse::Ok().json(response(app, caller, stored).await?);
    locate(&mut answer, None, run);
    Ok(answer)
}

/// Builds the current state of a response from the events of its run.
pub async fn response(app: &App, caller: &Caller, stored: StoredResponse) -> Api<Value> {
    let StoredResponse { snapshot: RunSnapshot { run, end, .. }, brought } = stored;
    let mut responses = Responses::new(&Constants::new(&run), brought.echo, None);
    let mut cursor = app.actors.attach_to(caller.tenant, &run, 0).await?;
    while cursor.position() < end {
        let Some(chunk) = cursor.next().await? else { break };
        for event in &chunk.events {
            responses.take(event);
        }
    }
    let mut response = responses.response();
    if run.state == RunState::Queued && end == 0 {
        response["status"] = "queued".into();
    }
    Ok(response)
}

/// Streams a response, beginning after the event with the sequence number `seen`.
pub async fn stream(
    app: &Data<App>,
    caller: &Arc<Caller>,
    stored: StoredResponse,
    seen: Option<u64>,
) -> Api<HttpResponse> {
    let StoredResponse { snapshot: RunSnapshot { run, .. }, brought } = stored;
    let rights = credential_rights(app, caller);
    let reader = StreamReader { app: app.clone(), caller: caller.clone(), rights };
    let mut response = attach_responses(reader, &run, brought.echo, seen).await?;
    locate(&mut response, None, run.id);
    Ok(response)
}

/// Cancels the run if it is live, and deletes the response. Its usage records are kept.
async fn delete(app: &App, caller: &Caller, row: Row<Run>) -> Api<()> {
    let (tenant, run) = (caller.tenant, row.id);
    if !row.state.is_terminal() {
        app.actors.cancel(tenant, run, caller.user).await?;
    }
    let removed = app.store.run(move |tx| {
        let ended = tx.get::<Run>(tenant, &run)?.is_none_or(|row| row.state.is_terminal());
        if !ended {
            return Err(Refusal::new(Code::Conflict).detail("the response is about to end; try again"));
        }
        tx.drop_run(tenant, run)?;
        tx.delete::<RunInput>(tenant, &run)?;
        tx.delete::<Run>(tenant, &run)?;
        Ok(())
    });
    removed.await
}

operations!(get_response with assistant, cancel_response with assistant, delete_response with assistant);
