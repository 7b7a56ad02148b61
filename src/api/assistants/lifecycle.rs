//! The bin: what is in it, taking assistants out of it, and deleting them for good.

use std::sync::Arc;

use actix_web::web::Data;
use actors::AttachError;
use actors::library::doc_keys;
use serde_json::json;
use storage::records::{Document, KnowledgeBase, Run, SkillDraft};
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::access::{self, AlsoBinned};
use super::list::{self, ListAssistants};
use super::schema::MessageResponse;
use super::view::{AssistantPublicResponseList, AssistantResponse};
use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{Api, Area, Auth, Caller, Code, Found, Json, Query, Refusal, ToOwn, Versioned, operations};
use domain::audit::{Actor, audit};

/// Rounds of stopping what is live: something else may begin while the one before is stopped.
const ROUNDS: usize = 4;

/// List the assistants in the bin.
///
/// Those that the caller may take out of it.
#[utoipa::path(get, path = "/api/assistants/deleted", operation_id = "assistants.get_deleted_assistants",
    params(ListAssistants),
    responses((status = 200, description = "A page of assistants.", body = AssistantPublicResponseList)))]
async fn get_deleted_assistants(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(asked): Query<ListAssistants>,
) -> Api<Json<AssistantPublicResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::binned(reader, &caller, &asked)).await.map(Json)
}

/// Take an assistant out of the bin.
///
/// Its automations stay paused until somebody switches them on. One that is not in the bin is left
/// as it is. Needs to be its owner.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/restore",
    operation_id = "assistants.restore_assistant",
    responses((status = 200, description = "The assistant.", body = AssistantResponse)))]
async fn restore_assistant(
    assistant: Found<AlsoBinned, AssistantsWrite, ToOwn>,
    app: Data<App>,
) -> Api<Versioned<AssistantResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.it.0.id);
    app.store.run(move |tx| restore(tx, &caller, id)).await.map(Versioned)
}

/// Delete an assistant for good.
///
/// From the bin, or at once. With it go its data items, its own files, texts and web links, the
/// memories that it alone has, and drafts of skills for it. Conversations with it stay readable,
/// knowledge bases and skills that it used stay, and its automations stay paused. Needs to be its
/// owner.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/permanent",
    operation_id = "assistants.permanently_delete_assistant",
    responses((status = 200, description = "It is gone.", body = MessageResponse)))]
async fn permanently_delete_assistant(
    assistant: Found<AlsoBinned, AssistantsWrite, ToOwn>,
    app: Data<App>,
) -> Api<Json<MessageResponse>> {
    remove(&app, &assistant.auth.caller(), assistant.it.0.id).await?;
    Ok(Json(MessageResponse { message: format!("{:?} is gone for good", assistant.it.0.name) }))
}

fn restore(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<AssistantResponse> {
    let mut row = access::owned(tx, caller, id)?;
    if row.deleted_at.take().is_some() {
        row = tx.update(caller.tenant, row)?;
    }
    Ok(AssistantResponse::of(tx, row, caller)?)
}

/// Stops what is live in its knowledge, then deletes it with all that belongs to it in one
/// transaction. 503 when a run does not stop in time; it is then still told to.
async fn remove(app: &App, caller: &Arc<Caller>, id: Uuid) -> Api<()> {
    for _ in 0..ROUNDS {
        let owner = caller.clone();
        let live = match app.store.run(move |tx| cascade(tx, &owner, id)).await? {
            Cascade::Done { base, gone } => {
                let gone = doc_keys(gone);
                app.run_context.library.forget(caller.tenant, base.unwrap_or_default(), gone).await;
                return Ok(());
            }
            Cascade::Live(live) => live,
        };
        let cancels = live.into_iter().map(|run| app.actors.cancel(caller.tenant, run, caller.user));
        for cancelled in futures::future::join_all(cancels).await {
            match cancelled {
                Err(AttachError::Storage(why)) => return Err(why.into()),
                // Gone meanwhile, or about to be: the next look tells.
                Ok(_) | Err(AttachError::NotFound | AttachError::Expired | AttachError::Busy) => {}
            }
        }
    }
    Err(Refusal::new(Code::Overloaded).detail("a run that reads its knowledge does not stop").retry_after(2))
}

/// What came of an attempt to delete an assistant.
enum Cascade {
    /// It is gone, and indexes have to forget these documents of its own knowledge.
    Done { base: Option<Uuid>, gone: Vec<(Uuid, u32)> },
    /// These runs have to end first.
    Live(Vec<Uuid>),
}

fn cascade(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<Cascade> {
    let row = access::owned(tx, caller, id)?;
    let base = row.own_knowledge;
    let live = live_runs(tx, caller.tenant, id, base)?;
    if !live.is_empty() {
        return Ok(Cascade::Live(live));
    }
    actors::automation::pause_of_assistant(tx, caller.tenant, id)?;
    let actor = Actor::from(caller);
    let detail = json!({"name": row.name, "owner": row.owner});
    audit(tx, caller.tenant, actor, "assistant.delete", format!("assistant {id}"), detail)?;
    let gone = tx.delete_assistant(caller.tenant, id)?.unwrap_or_default();
    Ok(Cascade::Done { base, gone })
}

/// Runs that work on its knowledge, or on skills for it.
fn live_runs(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    base: Option<Uuid>,
) -> storage::Result<Vec<Uuid>> {
    let drafts = Scan::table().prefix(assistant.as_bytes().to_vec());
    let drafts = reader.scan::<SkillDraft>(tenant, drafts)?.items;
    let mut runs: Vec<Uuid> = drafts.iter().map(|draft| draft.id.1).collect();
    if let Some(base) = base {
        let documents = Scan::table().prefix(base.as_bytes().to_vec());
        runs.extend(reader.scan::<Document>(tenant, documents)?.items.iter().filter_map(|row| row.run_id));
        let base = reader.get::<KnowledgeBase>(tenant, &base)?;
        runs.extend(base.and_then(|row| row.body.rebuild).map(|rebuild| rebuild.run_id));
    }
    let mut live = Vec::new();
    for run in runs {
        if reader.get::<Run>(tenant, &run)?.is_some_and(|row| !row.state.is_terminal()) {
            live.push(run);
        }
    }
    Ok(live)
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; get_deleted_assistants, restore_assistant, permanently_delete_assistant);
}
