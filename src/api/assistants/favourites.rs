//! The favourite assistants of a user.

use actix_web::web::Data;
use domain::assistants::favourites::{self};
use serde::Deserialize;
use std::collections::HashSet;
use storage::records::Assistant;
use storage::{Reader, Row};
use utoipa::ToSchema;
use uuid::Uuid;

use super::schema::MessageResponse;
use super::view::{AssistantPublicResponse, AssistantPublicResponseList};
use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{Api, Auth, Caller, Faults, Json, Loaded, Path, Validate, operations};

/// A new order of the favourite assistants.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ReorderFavouritesRequest {
    /// Ids of exactly the favourites that are listed, each once, in the new order.
    #[schema(max_items = 200)]
    pub assistant_ids: Vec<Uuid>,
}

impl Validate for ReorderFavouritesRequest {
    fn validate(&self, faults: &mut Faults) {
        let mut seen = HashSet::new();
        for (at, id) in self.assistant_ids.iter().enumerate() {
            if !seen.insert(id) {
                faults.add(["assistant_ids", &at.to_string()], "appears more than once", "duplicate");
            }
        }
    }
}

/// List the caller's favourite assistants.
///
/// Returns them in the order that the caller chose. Assistants that are in the bin, or that the caller may no longer use, are left out.
#[utoipa::path(get, path = "/api/assistants/favourites")]
async fn get_favourite_assistants(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
) -> Api<Json<AssistantPublicResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list(reader, &caller)).await.map(Json)
}

/// Reorder the caller's favourite assistants.
///
/// The ids must be exactly the favourites that are listed; otherwise the response is 422.
#[utoipa::path(post, path = "/api/assistants/favourites/reorder")]
async fn reorder_favourites(
    auth: Auth<AssistantsWrite>,
    app: Data<App>,
    Json(new): Json<ReorderFavouritesRequest>,
) -> Api<Json<MessageResponse>> {
    let caller = auth.caller();
    app.store.run(move |tx| favourites::reorder(tx, &caller, &new.assistant_ids)).await?;
    Ok(Json(MessageResponse { message: "the favourites were reordered".to_owned() }))
}

/// Add an assistant to the caller's favourites.
///
/// The assistant is added at the end. The operation is idempotent.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/favourite",
    responses((status = 409, description = "The caller already has the maximum of 200 favourites.")))]
async fn add_favourite_assistant(
    assistant: Loaded<Row<Assistant>, AssistantsWrite>,
    app: Data<App>,
) -> Api<Json<MessageResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    let row = app.store.run(move |tx| favourites::add(tx, &caller, id)).await?;
    Ok(Json(MessageResponse { message: format!("{:?} is a favourite", row.name) }))
}

/// Remove an assistant from the caller's favourites.
///
/// The operation is idempotent. It also works for an assistant that the caller may no longer use.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/favourite", params(("assistant_id" = Uuid, Path)))]
async fn remove_favourite_assistant(
    auth: Auth<AssistantsWrite>,
    app: Data<App>,
    Path(id): Path<Uuid>,
) -> Api<Json<MessageResponse>> {
    let caller = auth.caller();
    app.store.run(move |tx| favourites::remove(tx, &caller, id)).await?;
    Ok(Json(MessageResponse { message: "the assistant is not a favourite".to_owned() }))
}

fn list(reader: &Reader, caller: &Caller) -> Api<AssistantPublicResponseList> {
    let rows = favourites::list(reader, caller)?;
    let items: Vec<_> = rows.into_iter().map(|row| AssistantPublicResponse::new(row, caller)).collect();
    let total = Some(items.len() as u64);
    Ok(AssistantPublicResponseList { items, total, next_cursor: None })
}

operations!(
    get_favourite_assistants,
    reorder_favourites,
    add_favourite_assistant,
    remove_favourite_assistant
);
