//! Who may use a model.

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
    /// Whom a model is to be shown to.
    ModelVisibilityRequest
}

/// Whom a model is shown to.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelVisibilityResponse {
    /// The model's full id.
    pub model_id: String,
    /// For whom it is.
    #[serde(flatten)]
    pub audience: AudienceResponse,
    /// Whether it is a default model of this tenant; then it cannot be hidden.
    pub is_default: bool,
}

impl From<ModelAudience> for ModelVisibilityResponse {
    fn from(ModelAudience { model_id, audience, is_default }: ModelAudience) -> Self {
        Self { model_id, audience: audience.into(), is_default }
    }
}

/// Show whom a model is shown to.
///
/// Models of every kind: chat, embedding, speech, transcription, image, video.
#[utoipa::path(get, path = "/api/tenant-admin/models/{model_id:.*}/visibility",
    params(("model_id" = String, Path, description = "The model's id. Its slash may stand as it is.")))]
async fn get_model_visibility(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Path(model): Path<String>,
) -> Api<Json<ModelVisibilityResponse>> {
    let (caller, models) = (auth.caller(), Registry(app.models.clone()));
    let read = move |reader: &Reader| administration::model_audience(reader, &caller, &models, &model);
    Ok(Json(app.store.read(read).await?.into()))
}

/// Say whom a model is shown to.
///
/// For all others it is not there from then on: it is not listed, and requests that name it get 404. What it
/// answers at that moment it answers to its end, and knowledge bases go on with the embedding model they were
/// made with. A default model of the tenant cannot be hidden from anyone: 409.
#[utoipa::path(put, path = "/api/tenant-admin/models/{model_id:.*}/visibility",
    params(("model_id" = String, Path, description = "The model's id. Its slash may stand as it is.")))]
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
