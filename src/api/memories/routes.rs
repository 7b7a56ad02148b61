//! `/api/memories`.

use actix_web::web::Data;
use domain::memories::{self, MemoryFilter, MemoryScope, NewMemory, UpdateMemory};
use storage::records::{Assistant, Memory};
use storage::{Cursor, Row, Tx};

use super::schema::{
    CreateMemoryRequest, ListMemories, MemoryResponse, MemoryResponseList, UpdateMemoryRequest,
};
use crate::App;
use crate::http::scopes::{MemoriesRead, MemoriesWrite};
use crate::http::{
    Api, Auth, Created, Found, IfMatch, Json, NoContent, Own, Paging, Problem, Query, Versioned, operations,
};

/// List what is remembered of the caller.
///
/// Without what only one assistant knows, unless `with_assistants` is set. What is over is not shown.
#[utoipa::path(
    get,
    path = "/api/memories",
    operation_id = "memories.list_user_memories",
    params(ListMemories)
)]
async fn list_user_memories(
    auth: Auth<MemoriesRead, Own>,
    app: Data<App>,
    Query(asked): Query<ListMemories>,
) -> Api<Json<MemoryResponseList>> {
    let (caller, filter) = (auth.caller(), asked.filter()?);
    let page = app.store.read(move |reader| memories::list(reader, &caller, &filter)).await?;
    Ok(Json(page.into()))
}

/// List what one assistant remembers of the caller.
#[utoipa::path(
    get,
    path = "/api/memories/assistant/{assistant_id}",
    operation_id = "memories.list_assistant_memories",
    params(Paging)
)]
async fn list_assistant_memories(
    assistant: Found<Row<Assistant>, MemoriesRead, Own>,
    app: Data<App>,
    Query(asked): Query<Paging>,
) -> Api<Json<MemoryResponseList>> {
    let (caller, scope) = (assistant.auth.caller(), MemoryScope::Assistant(assistant.it.id));
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let filter = MemoryFilter { source: None, scope, limit: asked.limit as usize, after };
    let page = app.store.read(move |reader| memories::list(reader, &caller, &filter)).await?;
    Ok(Json(page.into()))
}

/// Have something remembered.
///
/// It is told to the models that answer the caller, as far as they have room for it and the preference
/// `use_memories` allows it: to all assistants, or to one.
#[utoipa::path(post, path = "/api/memories", operation_id = "memories.create_memory",
    responses((status = 409, description = "The caller has as many as one may have.", body = Problem, content_type = "application/problem+json")))]
async fn create_memory(
    auth: Auth<MemoriesWrite, Own>,
    app: Data<App>,
    Json(new): Json<CreateMemoryRequest>,
) -> Api<Created<MemoryResponse>> {
    let (caller, new) = (auth.caller(), NewMemory::from(new));
    app.store.run(move |tx| memories::create(tx, &caller, new.clone())).await.map(Created)
}

/// Change what is remembered.
#[utoipa::path(patch, path = "/api/memories/{memory_id}", operation_id = "memories.update_memory")]
async fn update_memory(
    memory: Found<Row<Memory>, MemoriesWrite, Own>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateMemoryRequest>,
) -> Api<Versioned<MemoryResponse>> {
    let (caller, id) = (memory.auth.caller(), memory.it.id.1);
    let (precondition, new) = (if_match.precondition(), UpdateMemory::from(new));
    let update = move |tx: &mut Tx| memories::update(tx, &caller, id, &precondition, new.clone());
    app.store.run(update).await.map(Versioned)
}

/// Have something forgotten.
#[utoipa::path(delete, path = "/api/memories/{memory_id}", operation_id = "memories.delete_memory")]
async fn delete_memory(memory: Found<Row<Memory>, MemoriesWrite, Own>, app: Data<App>) -> Api<NoContent> {
    let (caller, id) = (memory.auth.caller(), memory.it.id.1);
    app.store.run(move |tx| memories::delete(tx, &caller, id)).await.map(|()| NoContent)
}

operations!(list_user_memories, list_assistant_memories, create_memory, update_memory, delete_memory);
