//! The models that are used where nobody chose one.

use actix_web::web::Data;
use providers::Models;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::records::{Audience, ModelRule, Tenant};
use storage::{Reader, Row, Tx};
use utoipa::ToSchema;

use super::{decide, tenant_of};
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Caller, Code, Json, Refusal, Validate, operations};

/// Which chat model is to be the default.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateDefaultModelRequest {
    /// A model; `null` leaves it to the installation.
    #[schema(min_length = 1, max_length = 200, example = "builtin/scribe")]
    pub model: Option<String>,
}

/// Which embedding model is to be the default.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateDefaultEmbeddingModelRequest {
    /// An embedding model, by its full id; `null` leaves it to the installation.
    #[schema(min_length = 1, max_length = 200, example = "builtin/hash")]
    pub model: Option<String>,
}

impl Validate for UpdateDefaultModelRequest {}

impl Validate for UpdateDefaultEmbeddingModelRequest {}

/// A default of the tenant.
#[derive(Debug, Serialize, ToSchema)]
pub struct TenantDefaultModelResponse {
    /// What the tenant chose; `null` where it leaves the choice to the installation.
    pub model: Option<String>,
    /// What is used now.
    pub effective: String,
}

/// Show the embedding model of new knowledge bases.
#[utoipa::path(
    get,
    path = "/api/tenant-admin/default-embedding-model",
    operation_id = "tenant-admin.get_default_embedding_model"
)]
async fn get_default_embedding_model(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
) -> Api<Json<TenantDefaultModelResponse>> {
    let (tenant, models) = (auth.tenant, app.models.clone());
    let read = move |reader: &Reader| {
        let row = reader.require::<Tenant>(storage::TenantId::SYSTEM, &tenant.0)?;
        Api::Ok(embedding_answer(&row, &models))
    };
    app.store.read(read).await.map(Json)
}

/// Choose the embedding model of new knowledge bases.
///
/// Those that are there keep theirs until they are reindexed. A model that is hidden from anyone cannot be
/// chosen: 409.
#[utoipa::path(
    put,
    path = "/api/tenant-admin/default-embedding-model",
    operation_id = "tenant-admin.update_default_embedding_model"
)]
async fn update_default_embedding_model(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateDefaultEmbeddingModelRequest>,
) -> Api<Json<TenantDefaultModelResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    let write = move |tx: &mut Tx| {
        let mut tenant = tenant_of(tx, &caller)?;
        let found = new.model.as_deref().map(|name| models.find_embedder(name).ok_or_else(no_such));
        tenant.default_embedding_model = found.transpose()?.map(|model| model.info.id.clone());
        let tenant = write(tx, &caller, tenant, Defaults::embedding, &models, "default_embedding_model")?;
        Api::Ok(embedding_answer(&tenant, &models))
    };
    app.store.run(write).await.map(Json)
}

/// Choose the chat model that answers where nobody chose one.
///
/// A model that is hidden from anyone cannot be chosen: 409.
#[utoipa::path(
    put,
    path = "/api/tenant-admin/default-model",
    operation_id = "tenant-admin.update_default_model"
)]
async fn update_default_model(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateDefaultModelRequest>,
) -> Api<Json<TenantDefaultModelResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    let write = move |tx: &mut Tx| {
        let mut tenant = tenant_of(tx, &caller)?;
        let found = new.model.as_deref().map(|name| models.find(name).ok_or_else(no_such));
        tenant.default_model = found.transpose()?.map(|model| model.info.id.clone());
        let tenant = write(tx, &caller, tenant, Defaults::chat, &models, "default_model")?;
        let effective = Defaults::chat(&tenant, &models);
        Api::Ok(TenantDefaultModelResponse { model: tenant.body.default_model, effective })
    };
    app.store.run(write).await.map(Json)
}

fn embedding_answer(tenant: &Row<Tenant>, models: &Models) -> TenantDefaultModelResponse {
    let effective = Defaults::embedding(tenant, models);
    TenantDefaultModelResponse { model: tenant.default_embedding_model.clone(), effective }
}

fn no_such() -> Refusal {
    Refusal::invalid("body", ["model"], "there is no such model", "not_found")
}

/// What is used in a tenant where nobody chose.
pub struct Defaults;

impl Defaults {
    /// The chat model.
    pub fn chat(tenant: &Tenant, models: &Models) -> String {
        let own = tenant.default_model.as_deref().and_then(|name| models.find(name));
        own.unwrap_or_else(|| models.default()).info.id.clone()
    }

    /// The embedding model.
    pub fn embedding(tenant: &Tenant, models: &Models) -> String {
        let own = tenant.default_embedding_model.as_deref().and_then(|name| models.find_embedder(name));
        own.unwrap_or_else(|| models.default_embedder()).info.id.clone()
    }
}

/// Writes a choice down, unless what is used then is hidden from anyone.
fn write(
    tx: &mut Tx,
    caller: &Caller,
    tenant: Row<Tenant>,
    default: fn(&Tenant, &Models) -> String,
    models: &Models,
    what: &str,
) -> Api<Row<Tenant>> {
    let id = default(&tenant, models);
    let rule = tx.get::<ModelRule>(caller.tenant, &id)?;
    if rule.is_some_and(|rule| rule.audience != Audience::Everyone) {
        return Err(
            Refusal::new(Code::IsDefault).detail(format!("{id} is hidden; show it to everyone first"))
        );
    }
    let (action, target) = (format!("tenant.{what}"), format!("tenant {}", tenant.id));
    Ok(decide(tx, caller, tenant, &action, target, json!({"model": id}))?)
}

operations!(get_default_embedding_model, update_default_embedding_model, update_default_model);
