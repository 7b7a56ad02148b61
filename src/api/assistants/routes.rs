//! Assistants themselves.

use actix_web::web::Data;
use storage::records::Assistant;
use storage::{Row, Tx};

use super::change;
use super::list::{self, ListAssistants};
use super::schema::{CreateAssistantRequest, MessageResponse, PatchAssistantRequest};
use super::view::{AssistantPublicResponseList, AssistantResponse};
use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{Api, Area, Auth, Created, Editor, Found, IfMatch, Json, Query, Versioned, operations};

/// Create an assistant.
///
/// It belongs to the caller. Needs the role `editor`.
#[utoipa::path(post, path = "/api/assistants", operation_id = "assistants.create_assistant",
    responses((status = 201, description = "The assistant.", body = AssistantResponse)))]
async fn create_assistant(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Json(new): Json<CreateAssistantRequest>,
) -> Api<Created<AssistantResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    app.store.run(move |tx| change::create(tx, &caller, &models, new.clone())).await.map(Created)
}

/// List the assistants that the caller may use.
#[utoipa::path(get, path = "/api/assistants", operation_id = "assistants.get_assistants",
    params(ListAssistants),
    responses((status = 200, description = "A page of assistants.", body = AssistantPublicResponseList)))]
async fn get_assistants(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(asked): Query<ListAssistants>,
) -> Api<Json<AssistantPublicResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::list(reader, &caller, &asked)).await.map(Json)
}

/// Show an assistant.
///
/// Callers who may use it and not change it are not shown its instructions, tools and knowledge.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}", operation_id = "assistants.get_assistant",
    responses((status = 200, description = "The assistant.", body = AssistantResponse)))]
async fn get_assistant(
    assistant: Found<Row<Assistant>, AssistantsRead>,
) -> Api<Versioned<AssistantResponse>> {
    let Found { auth, it } = assistant;
    Ok(Versioned(AssistantResponse::of(it, &auth)))
}

/// Change an assistant.
///
/// What is left out stays; `null` brings back the default. A change of tools or skills takes back
/// the approval of external services.
#[utoipa::path(patch, path = "/api/assistants/{assistant_id}", operation_id = "assistants.patch_assistant",
    responses((status = 200, description = "The assistant as it is now.", body = AssistantResponse)))]
async fn patch_assistant(
    assistant: Found<Row<Assistant>, AssistantsWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<PatchAssistantRequest>,
) -> Api<Versioned<AssistantResponse>> {
    let (caller, models, id) = (assistant.auth.caller(), app.models.clone(), assistant.id);
    let patch = move |tx: &mut Tx| change::patch(tx, &caller, &models, id, &if_match, new.clone());
    app.store.run(patch).await.map(Versioned)
}

/// Put an assistant into the bin.
///
/// Its conversations stay readable, and its automations are paused.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}", operation_id = "assistants.delete_assistant",
    responses((status = 200, description = "It is in the bin.", body = MessageResponse)))]
async fn delete_assistant(
    assistant: Found<Row<Assistant>, AssistantsWrite>,
    app: Data<App>,
) -> Api<Json<MessageResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    app.store.run(move |tx| change::bin(tx, &caller, id)).await.map(Json)
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area;
        create_assistant with slash, get_assistants, get_assistant, patch_assistant, delete_assistant);
}
