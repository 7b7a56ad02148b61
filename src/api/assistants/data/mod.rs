//! Data items: JSON objects that an assistant stores. Their rules are in `assist::data`, because functions of skills use them, too. Only
//! users who may change the assistant have access to them.

pub(crate) mod rank;
mod schema;
mod search;
pub(crate) mod vectors;
mod write;

use actix_web::web::Data;
use assist::data::{self, located};
use storage::Row;
use storage::records::Assistant;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{Api, Created, Json, Loaded, Path, Query, Refusal, ToEdit, operations};
use schema::{
    BulkUpdateAssistantDataRequest, CreateAssistantDataRequest, CreateAssistantDataResponse,
    DeleteAssistantDataRequest, DeleteAssistantDataResponse, QueryAssistantData, QueryAssistantDataResponse,
    SearchAssistantDataRequest, SearchAssistantDataResponse, UpdateAssistantDataRequest,
    UpdateAssistantDataResponse,
};
use write::DataItemWriter;

pub use vectors::bill;

/// List the data items of an assistant.
///
/// Requires the right to change the assistant.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/data", params(QueryAssistantData))]
async fn query_asssitant_data(
    assistant: Loaded<Row<Assistant>, AssistantsRead, ToEdit>,
    app: Data<App>,
    Query(params): Query<QueryAssistantData>,
) -> Api<Json<QueryAssistantDataResponse>> {
    let (tenant, id) = (assistant.auth.tenant, assistant.id);
    let query = params.query().map_err(|faults| Refusal::faulty(located("query", faults)))?;
    let _turn = app.whole_reads.turn().await?;
    let page = app.store.read(move |reader| data::query(reader, tenant, id, &query)).await;
    page.map(|page| Json(page.into())).map_err(|why| data::refusal("query", why))
}

/// Add a data item to an assistant.
///
/// The item is validated against the assistant's `data_schema`, and all faults are reported. An assistant stores at most 10,000 items.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/data",
    responses((status = 409, description = "The assistant already stores the maximum number of data items.")))]
async fn create_asssitant_data(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    Json(new): Json<CreateAssistantDataRequest>,
) -> Api<Created<CreateAssistantDataResponse>> {
    DataItemWriter::new(app, assistant).create(new).await.map(Created)
}

/// Change data items of an assistant, all or none.
///
/// Changes either individual items by their ids, or all items that match a filter. At most 1,000 items per request.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/data",
    responses((status = 412, description = "The current version of a data item differs from the one in the request.")))]
async fn bulk_update_assistant_data(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    Json(request): Json<BulkUpdateAssistantDataRequest>,
) -> Api<Json<UpdateAssistantDataResponse>> {
    DataItemWriter::new(app, assistant).update_all(request).await.map(Json)
}

/// Delete data items of an assistant.
///
/// Deletes either items by their ids, or all items that match a filter, in one transaction.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/data")]
async fn delete_asssitant_data(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    Json(request): Json<DeleteAssistantDataRequest>,
) -> Api<Created<DeleteAssistantDataResponse>> {
    DataItemWriter::new(app, assistant).delete_all(request).await.map(Created)
}

/// Change a data item of an assistant.
///
/// Replaces the object, unless `merge` is set.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/data/{data_id}",
    params(("assistant_id" = Uuid, Path), ("data_id" = Uuid, Path)),
    responses((status = 412, description = "The current version of a data item differs from the one in the request.")))]
async fn update_asssitant_data(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
    Json(change): Json<UpdateAssistantDataRequest>,
) -> Api<Created<UpdateAssistantDataResponse>> {
    let Path((_, item)) = path;
    DataItemWriter::new(app, assistant).update(item, change).await.map(Created)
}

/// Delete a data item of an assistant.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/data/{data_id}",
    params(("assistant_id" = Uuid, Path), ("data_id" = Uuid, Path)))]
async fn delete_asssitant_data_path(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Created<DeleteAssistantDataResponse>> {
    let Path((_, item)) = path;
    DataItemWriter::new(app, assistant).delete(item).await.map(Created)
}

/// Search the data items of an assistant.
///
/// Searches by words (BM25), by meaning (vectors of the default embedding model), or by both, combined by reciprocal rank. If the embedding
/// model is not available, `hybrid` falls back to words and reports this in `degraded`; `vector` fails with 502.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/search",
    responses((status = 502, description = "The embedding model failed.")))]
async fn search_assistant_data(
    assistant: Loaded<Row<Assistant>, AssistantsRead, ToEdit>,
    app: Data<App>,
    Json(request): Json<SearchAssistantDataRequest>,
) -> Api<Json<SearchAssistantDataResponse>> {
    search::search(app, assistant.auth.caller(), assistant.id, request).await.map(Json)
}

operations!(
    query_asssitant_data,
    create_asssitant_data,
    bulk_update_assistant_data,
    delete_asssitant_data,
    update_asssitant_data,
    delete_asssitant_data_path,
    search_assistant_data
);
