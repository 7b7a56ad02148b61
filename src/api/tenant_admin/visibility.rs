//! The audiences of models.

use actix_web::web::Data;
use domain::administration::{self, ModelAudience};
use serde::Serialize;
use storage::records::Audience;
use storage::{Reader, Tx};
use utoipa::ToSchema;

use super::audience::{AudienceResponse, audience_request};
use super::installed_models::Registry;
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Json, Path, operations};

audience_request! {
    /// The audience to which to show a model.
    ModelVisibilityRequest
}

/// The audience to which a model is visible.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelVisibilityResponse {
    /// The model's full id.
    pub model_id: String,
    /// The users and groups to whom the model is visible.
    #[serde(flatten)]
    pub audience: AudienceResponse,
    /// Whether the model is a default model of this tenant. Such a model cannot be hidden.
    pub is_default: bool,
}

impl From<ModelAudience> for ModelVisibilityResponse {
    fn from(ModelAudience { model_id, audience, is_default }: ModelAudience) -> Self {
        Self { model_id, audience: audience.into(), is_default }
    }
}

/// Retrieve the audience of a model.
///
/// Supports models of every kind: chat, embedding, speech, transcription, image and video.
#[utoipa::path(get, path = "/api/tenant-admin/models/{model_id:.*}/visibility",
    params(("model_id" = String, Path, description = "The id of the model. Its slash need not be escaped.")))]
async fn get_model_visibility(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Path(model): Path<String>,
) -> Api<Json<ModelVisibilityResponse>> {
    let (caller, models) = (auth.caller(), Registry(app.models.clone()));
    let read = move |reader: &Reader| administration::model_audience(reader, &caller, &models, &model);
    Ok(Json(app.store.read(read).await?.into()))
}

/// Set the audience of a model.
///
/// For all other users, the model no longer exists: it is not listed, and requests that name it return 404.
/// Responses that are being generated continue to their end, and knowledge bases keep the embedding model with
/// which they were created. A default model of the tenant cannot be hidden from anyone (409).
#[utoipa::path(put, path = "/api/tenant-admin/models/{model_id:.*}/visibility",
    params(("model_id" = String, Path, description = "The id of the model. Its slash need not be escaped.")))]
async fn update_model_visibility(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(model): Path<String>,
    Json(new): Json<ModelVisibilityRequest>,
) -> Api<Json<ModelVisibilityResponse>> {
    let (caller, models, audience) = (auth.caller(), Registry(app.models.clone()), Audience::from(new.0));
    let set =
        move |tx: &mut Tx| administration::set_model_audience(tx, &caller, &models, &model, audience.clone());
    Ok(Json(app.store.run(set).await?.into()))
}

operations!(get_model_visibility, update_model_visibility);
