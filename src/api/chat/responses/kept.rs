//! Responses that were asked for before.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Data;
use assist::completion::{Brought, brought};
use serde_json::Value;
use storage::Row;
use storage::records::{Run, RunInput, RunState};
use uuid::Uuid;

use super::schema::{DeletedResponse, HowToRetrieve, ResponseId, ResponseObject, run_of};
use crate::App;
use crate::api::conversations::attach::{self, Place, belongs, constants};
use crate::api::conversations::completion::name;
use crate::http::encodings::{self, Responses, Wire};
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Caller, Code, Json, Path, Query, Refusal, operations};

/// Show a response, or read its stream again.
#[utoipa::path(get, path = "/api/chat/partner_compatible/responses/{response_id}",
    operation_id = "chat.get_response", params(("response_id" = String, Path), HowToRetrieve),
    responses((status = 200, description = "The response.", content(
        (ResponseObject = "application/json"), (encodings::ResponseStreamEvent = "text/event-stream")))))]
async fn get_response(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Path(id): Path<ResponseId>,
    Query(how): Query<HowToRetrieve>,
) -> Api<HttpResponse> {
    let caller = auth.caller();
    let run = of(&app, &caller, &id).await?.0.id;
    match how.stream {
        true => stream(&app, &caller, run, how.starting_after).await,
        false => answer(&app, &caller, run).await,
    }
}

/// Stop a response.
#[utoipa::path(post, path = "/api/chat/partner_compatible/responses/{response_id}/cancel",
    operation_id = "chat.cancel_response", params(("response_id" = String, Path)),
    responses((status = 200, description = "The response.", body = ResponseObject)))]
async fn cancel_response(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Path(id): Path<ResponseId>,
) -> Api<HttpResponse> {
    let (row, _) = of(&app, &auth.caller(), &id).await?;
    app.actors.cancel(auth.tenant, row.id, auth.user).await?;
    answer(&app, &auth.caller(), row.id).await
}

/// Throw a response away.
#[utoipa::path(delete, path = "/api/chat/partner_compatible/responses/{response_id}",
    operation_id = "chat.delete_response", params(("response_id" = String, Path)))]
async fn delete_response(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Path(id): Path<ResponseId>,
) -> Api<Json<DeletedResponse>> {
    let (row, _) = of(&app, &auth.caller(), &id).await?;
    delete(&app, &auth.caller(), row).await?;
    Ok(Json(DeletedResponse { id: id.id, object: "response", deleted: true }))
}

/// The run of the response that a path names; 404 also where it is a response of another assistant than the path's.
pub async fn of(app: &App, caller: &Caller, id: &ResponseId) -> Api<(Row<Run>, Brought)> {
    let unknown = || Refusal::not_found("response");
    let found = run(app, caller, run_of(&id.id).ok_or_else(unknown)?).await?;
    match id.assistant.is_none_or(|assistant| found.0.assistant_id == Some(assistant)) {
        true => Ok(found),
        false => Err(unknown()),
    }
}

/// A response of the caller's, and what it was asked with; 404 for all others, and for answers that were not
/// asked for as responses.
pub async fn run(app: &App, caller: &Caller, run: Uuid) -> Api<(Row<Run>, Brought)> {
    let unknown = || Refusal::not_found("response");
    let row = belongs(app, caller, None, run).await.map_err(|why| match why.code() {
        Code::NotFound => unknown(),
        _ => why,
    })?;
    let brought = brought(&app.store, caller.tenant, run).await?;
    if brought.echo.is_empty() {
        return Err(unknown());
    }
    Ok((row, brought))
}

/// A response as it stands.
pub async fn answer(app: &Data<App>, caller: &Caller, run: Uuid) -> Api<HttpResponse> {
    let mut answer = HttpResponse::Ok().json(response(app, caller, run).await?);
    name(&mut answer, None, run);
    Ok(answer)
}

/// A response as it stands.
pub async fn response(app: &App, caller: &Caller, run: Uuid) -> Api<Value> {
    let (row, Brought { echo, .. }) = self::run(app, caller, run).await?;
    let mut responses = Responses::new(&constants(&row), echo, None);
    let mut cursor = app.actors.attach(caller.tenant, run, 0).await?;
    let tenant = caller.tenant;
    let end = app.store.read(move |reader| reader.journal_end(tenant, run)).await?;
    while cursor.position() < end {
        let Some(chunk) = cursor.next().await? else { break };
        for event in &chunk.events {
            responses.take(event);
        }
    }
    let mut response = responses.response();
    if row.state == RunState::Queued && end == 0 {
        response["status"] = "queued".into();
    }
    Ok(response)
}

/// The stream of a response, after the event of the number `seen`.
pub async fn stream(
    app: &Data<App>,
    caller: &Arc<Caller>,
    run: Uuid,
    seen: Option<u64>,
) -> Api<HttpResponse> {
    self::run(app, caller, run).await?;
    let (app, caller) = (app.clone(), caller.clone());
    let place = Place { app, caller, conversation: None, guest: false, stream: run, wire: Wire::Responses };
    let mut response = attach::response(place, seen).await?;
    name(&mut response, None, run);
    Ok(response)
}

/// Stops it where it is live, and removes all of it; what it cost stays.
async fn delete(app: &App, caller: &Caller, row: Row<Run>) -> Api<()> {
    let (tenant, run) = (caller.tenant, row.id);
    if !row.state.is_terminal() {
        app.actors.cancel(tenant, run, caller.user).await?;
    }
    let gone = app.store.run(move |tx| {
        let ended = tx.get::<Run>(tenant, &run)?.is_none_or(|row| row.state.is_terminal());
        if !ended {
            return Err(Refusal::new(Code::Conflict).detail("the response is about to end; try again"));
        }
        tx.drop_run(tenant, run)?;
        tx.delete::<RunInput>(tenant, &run)?;
        tx.delete::<Run>(tenant, &run)?;
        Ok(())
    });
    gone.await
}

operations!(get_response with assistant, cancel_response with assistant, delete_response with assistant);
