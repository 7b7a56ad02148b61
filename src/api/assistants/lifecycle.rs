//! The bin: listing and restoring assistants in it, and deleting assistants permanently.

use std::sync::Arc;

use actix_web::web::Data;
use assist::library::doc_keys;
use domain::assistants::{self, Deletion};
use runs::AttachError;
use storage::Tx;
use uuid::Uuid;

use super::list::{self, ListAssistants};
use super::loadable::AlsoBinned;
use super::schema::MessageResponse;
use super::view::{AssistantPublicResponseList, AssistantResponse};
use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{Api, Auth, Caller, Code, Json, Loaded, Query, Refusal, ToOwn, Versioned, operations};

/// Maximum number of attempts to cancel live runs; further runs may start during each attempt.
const ROUNDS: usize = 4;

/// List the assistants in the bin.
///
/// Returns the assistants that the caller may restore.
#[utoipa::path(get, path = "/api/assistants/deleted", params(ListAssistants))]
async fn get_deleted_assistants(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(params): Query<ListAssistants>,
) -> Api<Json<AssistantPublicResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::binned(reader, &caller, &params)).await.map(Json)
}

/// Restore an assistant from the bin.
///
/// Its automations stay paused until a user enables them. An assistant that is not in the bin is not changed. Only the owner may restore an
/// assistant.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/restore")]
async fn restore_assistant(
    assistant: Loaded<AlsoBinned, AssistantsWrite, ToOwn>,
    app: Data<App>,
) -> Api<Versioned<AssistantResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.it.0.id);
    let restore = move |tx: &mut Tx| {
        let row = assistants::restore(tx, &caller, id)?;
        Ok::<_, Refusal>(AssistantResponse::new(tx, row, &caller)?)
    };
    app.store.run(restore).await.map(Versioned)
}

/// Delete an assistant permanently.
///
/// The assistant may be in the bin or not. Its data items, its own files, texts and web links, the memories that only this assistant has,
/// and drafts of skills for it are deleted with it. Conversations with the assistant remain readable, knowledge bases and skills that it
/// used are kept, and its automations stay paused. Only the owner may delete an assistant.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/permanent")]
async fn permanently_delete_assistant(
    assistant: Loaded<AlsoBinned, AssistantsWrite, ToOwn>,
    app: Data<App>,
) -> Api<Json<MessageResponse>> {
    remove(&app, &assistant.auth.caller(), assistant.it.0.id).await?;
    Ok(Json(MessageResponse { message: format!("{:?} was deleted permanently", assistant.it.0.name) }))
}

/// Cancels the runs that work on the assistant's knowledge, then deletes the assistant with everything that belongs to it in one
/// transaction. Refuses with 503 if a run does not end in time; the run stays cancelled.
async fn remove(app: &App, caller: &Arc<Caller>, id: Uuid) -> Api<()> {
    for _ in 0..ROUNDS {
        let owner = caller.clone();
        let live = match app.store.run(move |tx| assistants::delete(tx, &owner, id)).await? {
            Deletion::Done { base, documents } => {
                let documents = doc_keys(documents);
                app.run_context.library.forget(caller.tenant, base.unwrap_or_default(), documents).await;
                return Ok(());
            }
            Deletion::LiveRuns(live) => live,
        };
        let cancels = live.into_iter().map(|run| app.actors.cancel(caller.tenant, run, caller.user));
        for cancelled in futures::future::join_all(cancels).await {
            match cancelled {
                Err(AttachError::Storage(why)) => return Err(why.into()),
                // The run has ended or is about to end; the next attempt checks this.
                Ok(_) | Err(AttachError::NotFound | AttachError::Expired | AttachError::Busy) => {}
            }
        }
    }
    Err(Refusal::new(Code::Overloaded).detail("a run that reads its knowledge does not stop").retry_after(2))
}

operations!(get_deleted_assistants, restore_assistant, permanently_delete_assistant);
