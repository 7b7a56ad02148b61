//! A user's favourite assistants.

use actix_web::web::Data;
use serde::Deserialize;
use std::collections::HashSet;
use storage::records::{Assistant, Favourites};
use storage::{Reader, Row, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::access;
use super::schema::MessageResponse;
use super::view::{AssistantPublicResponse, AssistantPublicResponseList};
use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{Api, Area, Auth, Caller, Code, Faults, Found, Json, Path, Refusal, Validate, operations};

/// Most favourites of a user.
const MOST: usize = 200;

/// The favourites in another order.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ReorderFavouritesRequest {
    /// Exactly the favourites that are listed, each once, in the order they are to have.
    #[schema(max_items = 200)]
    pub assistant_ids: Vec<Uuid>,
}

impl Validate for ReorderFavouritesRequest {
    fn validate(&self, faults: &mut Faults) {
        let mut seen = HashSet::new();
        for (at, id) in self.assistant_ids.iter().enumerate() {
            if !seen.insert(id) {
                faults.add(["assistant_ids", &at.to_string()], "stands twice", "duplicate");
            }
        }
    }
}

/// List one's favourite assistants.
///
/// In their order. Those that are in the bin, or that the caller may not use any more, are left out.
#[utoipa::path(get, path = "/api/assistants/favourites", operation_id = "assistants.get_favourite_assistants",
    responses((status = 200, description = "The favourites.", body = AssistantPublicResponseList)))]
async fn get_favourite_assistants(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
) -> Api<Json<AssistantPublicResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list(reader, &caller)).await.map(Json)
}

/// Put one's favourite assistants into another order.
///
/// The ids have to be exactly the favourites that are listed; else 422.
#[utoipa::path(post, path = "/api/assistants/favourites/reorder",
    operation_id = "assistants.reorder_favourites",
    responses((status = 200, description = "They are in that order.", body = MessageResponse)))]
async fn reorder_favourites(
    auth: Auth<AssistantsWrite>,
    app: Data<App>,
    Json(new): Json<ReorderFavouritesRequest>,
) -> Api<Json<MessageResponse>> {
    let caller = auth.caller();
    app.store.run(move |tx| reorder(tx, &caller, &new.assistant_ids)).await.map(Json)
}

/// Make an assistant one's favourite.
///
/// It comes last. Doing so twice changes nothing.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/favourite",
    operation_id = "assistants.add_favourite_assistant",
    responses((status = 200, description = "It is a favourite.", body = MessageResponse),
        (status = 409, description = "Limit reached.", body = crate::http::Problem, content_type = "application/problem+json")))]
async fn add_favourite_assistant(
    assistant: Found<Row<Assistant>, AssistantsWrite>,
    app: Data<App>,
) -> Api<Json<MessageResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    app.store.run(move |tx| add(tx, &caller, id)).await.map(Json)
}

/// Take an assistant from one's favourites.
///
/// Doing so twice changes nothing. It works for one that the caller may not use any more, too.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/favourite",
    operation_id = "assistants.remove_favourite_assistant", params(("assistant_id" = Uuid, Path)),
    responses((status = 200, description = "It is none.", body = MessageResponse)))]
async fn remove_favourite_assistant(
    auth: Auth<AssistantsWrite>,
    app: Data<App>,
    Path(id): Path<Uuid>,
) -> Api<Json<MessageResponse>> {
    let caller = auth.caller();
    app.store.run(move |tx| remove(tx, &caller, id)).await.map(Json)
}

fn favourites(reader: &Reader, caller: &Caller) -> storage::Result<Option<Row<Favourites>>> {
    reader.get::<Favourites>(caller.tenant, &caller.user)
}

fn keep(tx: &mut Tx, caller: &Caller, old: Option<Row<Favourites>>, assistants: Vec<Uuid>) -> Api<()> {
    match old {
        Some(mut row) if row.assistants != assistants => {
            row.assistants = assistants;
            tx.update(caller.tenant, row)?;
        }
        Some(_) => {}
        None => {
            tx.insert(caller.tenant, caller.user, Favourites { assistants })?;
        }
    }
    Ok(())
}

/// The favourites that the caller may use.
fn usable(reader: &Reader, caller: &Caller, ids: &[Uuid]) -> storage::Result<Vec<Row<Assistant>>> {
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        rows.extend(access::visible(reader, caller, *id)?);
    }
    Ok(rows)
}

fn list(reader: &Reader, caller: &Caller) -> Api<AssistantPublicResponseList> {
    let ids = favourites(reader, caller)?.map(|row| row.body.assistants).unwrap_or_default();
    let rows = usable(reader, caller, &ids)?;
    let items: Vec<_> = rows.into_iter().map(|row| AssistantPublicResponse::of(row, caller)).collect();
    let total = Some(items.len() as u64);
    Ok(AssistantPublicResponseList { items, total, next_cursor: None })
}

fn add(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<MessageResponse> {
    let assistant = access::visible(tx, caller, id)?.ok_or_else(|| Refusal::not_found("assistant"))?;
    let row = favourites(tx, caller)?;
    let mut ids = row.as_ref().map(|row| row.assistants.clone()).unwrap_or_default();
    if !ids.contains(&id) {
        if ids.len() >= MOST {
            // Those that are gone make room.
            ids = usable(tx, caller, &ids)?.iter().map(|row| row.id).collect();
        }
        if ids.len() >= MOST {
            let why = format!("a user has {MOST} favourites at most");
            return Err(Refusal::new(Code::LimitReached).detail(why));
        }
        ids.push(id);
        keep(tx, caller, row, ids)?;
    }
    Ok(MessageResponse { message: format!("{:?} is a favourite", assistant.name) })
}

fn remove(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<MessageResponse> {
    let row = favourites(tx, caller)?;
    let mut ids = row.as_ref().map(|row| row.assistants.clone()).unwrap_or_default();
    match ids.iter().position(|other| *other == id) {
        Some(at) => {
            ids.remove(at);
            keep(tx, caller, row, ids)?;
        }
        None if access::visible(tx, caller, id)?.is_none() => return Err(Refusal::not_found("assistant")),
        None => {}
    }
    Ok(MessageResponse { message: "it is no favourite".to_owned() })
}

fn reorder(tx: &mut Tx, caller: &Caller, order: &[Uuid]) -> Api<MessageResponse> {
    let row = favourites(tx, caller)?;
    let ids = row.as_ref().map(|row| row.assistants.clone()).unwrap_or_default();
    let listed: HashSet<Uuid> = usable(tx, caller, &ids)?.iter().map(|row| row.id).collect();
    if order.len() != listed.len() || order.iter().any(|id| !listed.contains(id)) {
        let why = "must be exactly the favourites that are listed, each once";
        return Err(Refusal::invalid("body", ["assistant_ids"], why, "not_the_set"));
    }
    // Those that are not listed now may come back, and stand last then.
    let hidden = ids.iter().filter(|id| !listed.contains(*id));
    let ids = order.iter().chain(hidden).copied().collect();
    keep(tx, caller, row, ids)?;
    Ok(MessageResponse { message: "the favourites are in that order".to_owned() })
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area;
        get_favourite_assistants, reorder_favourites, add_favourite_assistant, remove_favourite_assistant);
}
