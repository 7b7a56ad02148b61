//! Operations on whole assistants.

use actix_web::web::Data;
use domain::assistants;
use storage::records::Assistant;
use storage::{Row, Tx};

use super::change;
use super::list::{self, ListAssistants};
use super::schema::{CreateAssistantRequest, MessageResponse, PatchAssistantRequest, UpdateAssistantRequest};
use super::scripts;
use super::view::{AssistantPublicResponse, AssistantPublicResponseList, AssistantResponse};
use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{
    Api, Auth, Created, Editor, IfMatch, Json, Loaded, Patch, Query, ToEdit, ToOwn, Versioned, operations,
};

/// Create an assistant.
///
/// The assistant belongs to the caller. Requires the role `editor`.
#[utoipa::path(post, path = "/api/assistants")]
async fn create_assistant(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Json(new): Json<CreateAssistantRequest>,
) -> Api<Created<AssistantResponse>> {
    scripts::check(&app.sandbox, new.workflow.as_ref(), None).await?;
    let (caller, run_context, links) = (auth.caller(), app.run_context.clone(), new.web_links.clone());
    let created =
        app.store.run(move |tx| change::create(tx, &caller, &run_context, new.clone().into())).await?;
    change::with_links(&app, &auth.caller(), created, Patch::Set(links)).await.map(Created)
}

/// List the assistants that the caller may use.
#[utoipa::path(get, path = "/api/assistants", params(ListAssistants))]
async fn get_assistants(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(params): Query<ListAssistants>,
) -> Api<Json<AssistantPublicResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::list(reader, &caller, &params)).await.map(Json)
}

/// Retrieve an assistant.
///
/// Callers who may use the assistant but not change it do not see its instructions, tools and knowledge.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}")]
async fn get_assistant(
    assistant: Loaded<Row<Assistant>, AssistantsRead>,
    app: Data<App>,
) -> Api<Versioned<AssistantResponse>> {
    let (caller, row) = (assistant.auth.caller(), assistant.it);
    let shown = app.store.read(move |reader| AssistantResponse::new(reader, row, &caller)).await?;
    Ok(Versioned(shown))
}

/// Change an assistant.
///
/// Fields that are omitted stay unchanged; `null` restores the default. A change of tools, skills or tool servers withdraws the approval of
/// external services. After the change is stored, new pages of `web_links` are fetched, and pages that are no longer listed are removed.
#[utoipa::path(patch, path = "/api/assistants/{assistant_id}")]
async fn patch_assistant(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<PatchAssistantRequest>,
) -> Api<Versioned<AssistantResponse>> {
    put(&app, &assistant, if_match, new).await.map(Versioned)
}

/// Replace an assistant.
///
/// Fields that are omitted are reset to their default. A change of tools, skills or tool servers withdraws the approval of external
/// services. Only owners may change who can see the assistant.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}")]
async fn update_assistant(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateAssistantRequest>,
) -> Api<Versioned<AssistantResponse>> {
    put(&app, &assistant, if_match, new.into()).await.map(Versioned)
}

/// Retrieve the public view of an assistant.
///
/// For every caller, the response contains neither instructions nor tools, files and knowledge.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/public")]
async fn get_public_assistant(
    assistant: Loaded<Row<Assistant>, AssistantsRead>,
) -> Api<Versioned<AssistantPublicResponse>> {
    let Loaded { auth, it } = assistant;
    Ok(Versioned(AssistantPublicResponse::new(it, &auth)))
}

/// Move an assistant to the bin.
///
/// Its conversations remain readable, and its automations are paused.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}")]
async fn delete_assistant(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToOwn>,
    app: Data<App>,
) -> Api<Json<MessageResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    let row = app.store.run(move |tx| assistants::put_into_bin(tx, &caller, id)).await?;
    Ok(Json(MessageResponse { message: format!("{:?} is in the bin", row.name) }))
}

async fn put(
    app: &App,
    assistant: &Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    if_match: IfMatch,
    new: PatchAssistantRequest,
) -> Api<AssistantResponse> {
    scripts::check(&app.sandbox, new.workflow.as_set(), assistant.workflow.as_ref()).await?;
    let (caller, run_context, id) = (assistant.auth.caller(), app.run_context.clone(), assistant.id);
    let links = new.web_links.clone();
    let change = move |tx: &mut Tx| change::patch(tx, &caller, &run_context, id, &if_match, new.clone());
    let changed = app.store.run(change).await?;
    change::with_links(app, &assistant.auth.caller(), changed, links).await
}

operations!(
    create_assistant with slash, get_assistants, get_assistant, get_public_assistant, patch_assistant,
    update_assistant, delete_assistant
);
