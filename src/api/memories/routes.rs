//! The operations of `/api/memories`.

use actix_web::web::Data;
use domain::memories::{self, MemoryFilter, MemoryInput, MemoryScope};
use storage::records::{Assistant, Memory};
use storage::{Cursor, Row, Tx};

use super::schema::{
    CreateMemoryRequest, ListMemories, MemoryResponse, MemoryResponseList, UpdateMemoryRequest,
};
use crate::App;
use crate::http::scopes::{MemoriesRead, MemoriesWrite};
use crate::http::{
    Api, Auth, Created, IfMatch, Json, Loaded, NoContent, Own, Paging, Query, Versioned, operations,
};

/// List the caller's memories.
///
/// Memories that are limited to one assistant are included only with `with_assistants`. Expired memories are
/// not returned.
#[utoipa::path(get, path = "/api/memories", params(ListMemories))]
async fn list_user_memories(
    auth: Auth<MemoriesRead, Own>,
    app: Data<App>,
    Query(params): Query<ListMemories>,
) -> Api<Json<MemoryResponseList>> {
    let (caller, filter) = (auth.caller(), params.filter()?);
    let read = app.store.read(move |reader| match params.ids {
        Some(ids) => memories::with_ids(reader, &caller, &ids),
        None => memories::list(reader, &caller, &filter),
    });
    let page = read.await?;
    Ok(Json(page.into()))
}

/// List the caller's memories that are limited to one assistant.
#[utoipa::path(get, path = "/api/memories/assistant/{assistant_id}", params(Paging))]
async fn list_assistant_memories(
    assistant: Loaded<Row<Assistant>, MemoriesRead, Own>,
    app: Data<App>,
    Query(params): Query<Paging>,
) -> Api<Json<MemoryResponseList>> {
    let (caller, scope) = (assistant.auth.caller(), MemoryScope::Assistant(assistant.it.id));
    let after = params.cursor.as_deref().map(Cursor::parse).transpose()?;
    let filter = MemoryFilter { source: None, scope, limit: params.limit as usize, after };
    let page = app.store.read(move |reader| memories::list(reader, &caller, &filter)).await?;
    Ok(Json(page.into()))
}

/// Create a memory.
///
/// The memory is included in the prompts of the models that answer the caller, as long as there is room for it
/// and the preference `use_memories` allows it. It applies to all assistants or to one.
#[utoipa::path(post, path = "/api/memories",
    responses((status = 409, description = "The caller already has the maximum number of memories.")))]
async fn create_memory(
    auth: Auth<MemoriesWrite, Own>,
    app: Data<App>,
    Json(new): Json<CreateMemoryRequest>,
) -> Api<Created<MemoryResponse>> {
    let (caller, new) = (auth.caller(), MemoryInput::from(new));
    app.store.run(move |tx| memories::create(tx, &caller, new.clone())).await.map(Created)
}

/// Update a memory.
#[utoipa::path(patch, path = "/api/memories/{memory_id}")]
async fn update_memory(
    memory: Loaded<Row<Memory>, MemoriesWrite, Own>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateMemoryRequest>,
) -> Api<Versioned<MemoryResponse>> {
    let (caller, id) = (memory.auth.caller(), memory.it.id.1);
    let (precondition, version, input) = (if_match.precondition(), new.version, MemoryInput::from(new));
    let update =
        move |tx: &mut Tx| memories::update(tx, &caller, id, (&precondition, version), input.clone());
    app.store.run(update).await.map(Versioned)
}

/// Delete a memory.
#[utoipa::path(delete, path = "/api/memories/{memory_id}")]
async fn delete_memory(memory: Loaded<Row<Memory>, MemoriesWrite, Own>, app: Data<App>) -> Api<NoContent> {
    let (caller, id) = (memory.auth.caller(), memory.it.id.1);
    app.store.run(move |tx| memories::delete(tx, &caller, id)).await.map(|()| NoContent)
}

operations!(list_user_memories, list_assistant_memories, create_memory, update_memory, delete_memory);
