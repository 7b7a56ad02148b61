//! Creating, reading, updating, deleting and reindexing knowledge bases.

use actix_web::web::Data;
use storage::Row;
use storage::records::{KnowledgeBase, Run};
use uuid::Uuid;

use super::schema::{Deleting, KnowledgeBaseCreateBody, KnowledgeBaseUpdateBody};
use super::view::{KnowledgeBaseReindexResponse, KnowledgeBaseResponse, KnowledgeBaseResponseList};
use super::{Changeable, change, list, remove};
use crate::App;
use crate::http::scopes::{KnowledgeRead, KnowledgeWrite};
use crate::http::{
    Accepted, Api, Auth, Created, Editor, IfMatch, Json, Loaded, NoContent, Paging, Query, ToOwn, Versioned,
    operations,
};

/// Create a knowledge base.
///
/// The caller becomes its owner. Requires the role `editor`.
#[utoipa::path(post, path = "/api/knowledge-bases")]
async fn create_knowledge_base(
    auth: Auth<KnowledgeWrite, Editor>,
    app: Data<App>,
    Json(new): Json<KnowledgeBaseCreateBody>,
) -> Api<Created<KnowledgeBaseResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    let created = app.store.run(move |tx| {
        let row = change::create(tx, &caller, &models, new.clone().into())?;
        Ok(KnowledgeBaseResponse::new(tx, row, &caller)?)
    });
    created.await.map(Created)
}

/// List the knowledge bases that the caller can read.
#[utoipa::path(get, path = "/api/knowledge-bases", params(Paging))]
async fn list_knowledge_bases(
    auth: Auth<KnowledgeRead>,
    app: Data<App>,
    Query(params): Query<Paging>,
) -> Api<Json<KnowledgeBaseResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::list(reader, &caller, &params)).await.map(Json)
}

/// Retrieve a knowledge base.
#[utoipa::path(get, path = "/api/knowledge-bases/{knowledge_base_id}")]
async fn get_knowledge_base(
    base: Loaded<Row<KnowledgeBase>, KnowledgeRead>,
    app: Data<App>,
) -> Api<Versioned<KnowledgeBaseResponse>> {
    let (caller, row) = (base.auth.caller(), base.it);
    let shown = app.store.read(move |reader| KnowledgeBaseResponse::new(reader, row, &caller)).await?;
    Ok(Versioned(shown))
}

/// Update a knowledge base.
///
/// Omitted fields do not change; `null` restores a default. A different embedding model or passage size
/// requires a new index. A run builds it while the current index continues to serve searches; until it
/// finishes, `rebuild` names the run.
#[utoipa::path(patch, path = "/api/knowledge-bases/{knowledge_base_id}",
    responses((status = 409, description = "The index is already being rebuilt.")))]
async fn update_knowledge_base(
    base: Loaded<Changeable, KnowledgeWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<KnowledgeBaseUpdateBody>,
) -> Api<Versioned<KnowledgeBaseResponse>> {
    let (caller, id) = (base.auth.caller(), base.it.0.id);
    change::patch(&app, &caller, id, if_match, new).await.map(Versioned)
}

/// Delete a knowledge base with its documents.
///
/// If assistants use the knowledge base, the response is 409 with a list of them. `force=true` detaches it from
/// them and deletes it.
#[utoipa::path(delete, path = "/api/knowledge-bases/{knowledge_base_id}", params(Deleting),
    responses((status = 409, description = "Assistants use the knowledge base.")))]
async fn delete_knowledge_base(
    base: Loaded<Row<KnowledgeBase>, KnowledgeWrite, ToOwn>,
    app: Data<App>,
    Query(params): Query<Deleting>,
) -> Api<NoContent> {
    let (caller, id): (_, Uuid) = (base.auth.caller(), base.it.id);
    remove::remove(&app, &caller, id, params.force).await.map(|()| NoContent)
}

/// Rebuild the index of a knowledge base.
///
/// The current index continues to serve searches until the new one is complete.
#[utoipa::path(post, path = "/api/knowledge-bases/{knowledge_base_id}/reindex",
    responses((status = 409, description = "The index is already being rebuilt.")))]
async fn reindex_knowledge_base(
    base: Loaded<Changeable, KnowledgeWrite>,
    app: Data<App>,
) -> Api<Accepted<KnowledgeBaseReindexResponse>> {
    let id = base.it.0.id;
    let run: Row<Run> = jobs::ingest::reindex(&app.actors, change::reindex(&base.auth, id, None)).await?;
    Ok(Accepted(KnowledgeBaseReindexResponse {
        knowledge_base_id: id,
        run_id: run.id,
        status: run.body.state,
    }))
}

operations!(
    create_knowledge_base,
    list_knowledge_bases,
    get_knowledge_base,
    update_knowledge_base,
    delete_knowledge_base,
    reindex_knowledge_base
);
