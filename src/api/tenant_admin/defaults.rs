//! The default models of a tenant.

use actix_web::web::Data;
use domain::administration;
use serde::{Deserialize, Serialize};
use storage::records::Tenant;
use storage::{Reader, TenantId, Tx};
use utoipa::ToSchema;

use super::installed_models::Registry;
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Json, Validate, operations};

/// The default chat model to set.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateDefaultModelRequest {
    /// The id of a model. `null` selects the default of the installation.
    #[schema(min_length = 1, max_length = 200, example = "builtin/scribe")]
    pub model: Option<String>,
}

/// The default embedding model to set.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateDefaultEmbeddingModelRequest {
    /// The full id of an embedding model. `null` selects the default of the installation.
    #[schema(min_length = 1, max_length = 200, example = "builtin/hash")]
    pub model: Option<String>,
}

impl Validate for UpdateDefaultModelRequest {}

impl Validate for UpdateDefaultEmbeddingModelRequest {}

/// A default model of the tenant.
#[derive(Debug, Serialize, ToSchema)]
pub struct TenantDefaultModelResponse {
    /// The model that the tenant has chosen. `null` if the tenant uses the default of the installation.
    pub model: Option<String>,
    /// The model that is currently used.
    pub effective: String,
}

/// Retrieve the default embedding model of new knowledge bases.
#[utoipa::path(get, path = "/api/tenant-admin/default-embedding-model")]
async fn get_default_embedding_model(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
) -> Api<Json<TenantDefaultModelResponse>> {
    let tenant = auth.tenant;
    let read = move |reader: &Reader| Api::Ok(reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?);
    let tenant = app.store.read(read).await?;
    Ok(Json(embedding_response(&tenant, &Registry(app.models.clone()))))
}

/// Set the default embedding model of new knowledge bases.
///
/// Existing knowledge bases keep their model until they are reindexed. A model that is not visible to all users
/// cannot be chosen (409).
#[utoipa::path(put, path = "/api/tenant-admin/default-embedding-model")]
async fn update_default_embedding_model(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateDefaultEmbeddingModelRequest>,
) -> Api<Json<TenantDefaultModelResponse>> {
    let (caller, models) = (auth.caller(), Registry(app.models.clone()));
    let set = move |tx: &mut Tx| {
        let model = new.model.as_deref();
        let tenant = administration::set_default_embedding_model(tx, &caller, &models, model)?;
        Api::Ok(embedding_response(&tenant, &models))
    };
    app.store.run(set).await.map(Json)
}

/// Set the tenant's default chat model.
///
/// A model that is not visible to all users cannot be chosen (409).
#[utoipa::path(put, path = "/api/tenant-admin/default-model")]
async fn update_default_model(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateDefaultModelRequest>,
) -> Api<Json<TenantDefaultModelResponse>> {
    let (caller, models) = (auth.caller(), Registry(app.models.clone()));
    let set = move |tx: &mut Tx| {
        let tenant = administration::set_default_model(tx, &caller, &models, new.model.as_deref())?;
        let effective = administration::default_model(&tenant, &models);
        Api::Ok(TenantDefaultModelResponse { model: tenant.body.default_model, effective })
    };
    app.store.run(set).await.map(Json)
}

fn embedding_response(tenant: &Tenant, models: &Registry) -> TenantDefaultModelResponse {
    let effective = administration::default_embedding_model(tenant, models);
    TenantDefaultModelResponse { model: tenant.default_embedding_model.clone(), effective }
}

operations!(get_default_embedding_model, update_default_embedding_model, update_default_model);
