//! The bin: what is in it, taking assistants out of it, and deleting them for good.

use std::sync::Arc;

use actix_web::web::Data;
use assist::library::doc_keys;
use domain::assistants::{self, Deletion};
use runs::AttachError;
use storage::Tx;
use uuid::Uuid;

use super::binned::AlsoBinned;
use super::list::{self, ListAssistants};
use super::schema::MessageResponse;
use super::view::{AssistantPublicResponseList, AssistantResponse};
use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{Api, Auth, Caller, Code, Json, Loaded, Query, Refusal, ToOwn, Versioned, operations};

/// Attempts to cancel live runs; further runs may start during each.
const ROUNDS: usize = 4;

/// List the assistants in the bin.
///
/// Those that the caller may take out of it.
#[utoipa::path(get, path = "/api/assistants/deleted", params(ListAssistants))]
async fn get_deleted_assistants(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(params): Query<ListAssistants>,
) -> Api<Json<AssistantPublicResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::binned(reader, &caller, &params)).await.map(Json)
}

/// Take an assistant out of the bin.
///
/// Its automations stay paused until a user switches them on. One that is not in the bin is left
/// as it is. Needs to be its owner.
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

/// Delete an assistant for good.
///
/// From the bin, or at once. With it go its data items, its own files, texts and web links, the
/// memories that it alone has, and drafts of skills for it. Conversations with it stay readable,
/// knowledge bases and skills that it used stay, and its automations stay paused. Needs to be its
/// owner.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/permanent")]
async fn permanently_delete_assistant(
    assistant: Loaded<AlsoBinned, AssistantsWrite, ToOwn>,
    app: Data<App>,
) -> Api<Json<MessageResponse>> {
    remove(&app, &assistant.auth.caller(), assistant.it.0.id).await?;
    Ok(Json(MessageResponse { message: format!("{:?} is gone for good", assistant.it.0.name) }))
}

/// Cancels the runs that work on its knowledge, then deletes it with all that belongs to it in one transaction. 503 when
/// a run does not end in time; it stays cancelled.
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
                // It has ended or is about to; the next attempt finds out.
                Ok(_) | Err(AttachError::NotFound | AttachError::Expired | AttachError::Busy) => {}
            }
        }
    }
    Err(Refusal::new(Code::Overloaded).detail("a run that reads its knowledge does not stop").retry_after(2))
}

operations!(get_deleted_assistants, restore_assistant, permanently_delete_assistant);
