//! The model that answers when nobody chose one.

use actix_web::web::Data;
use providers::{ModelInfo, Models};
use serde::{Deserialize, Serialize};
use storage::records::{Tenant, User};
use storage::{Reader, TenantId};
use utoipa::{IntoParams, ToSchema};

use super::view::LLMModelResponse;
use crate::App;
use crate::http::scopes::Any;
use crate::http::{Api, Area, Auth, Caller, Json, Query, Validate, operations};

/// Whose choice a default is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefaultModelSource {
    /// It was named in the request.
    Request,
    /// The user's preference.
    User,
    /// The tenant's default.
    Tenant,
    /// The installation's default.
    Installation,
}

/// The model that answers when nobody chose one.
#[derive(Debug, Serialize, ToSchema)]
pub struct DefaultModelResponse {
    /// The model.
    pub model: LLMModelResponse,
    /// Whose choice it is.
    pub source: DefaultModelSource,
}

/// Which default is asked for.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct WhichDefault {
    /// The model that the user chose last; passed over if it is no more.
    pub user_model_id: Option<String>,
}

impl Validate for WhichDefault {}

/// Show the model that answers when nobody chose one.
///
/// The first that exists: `user_model_id`, the user's preference, the tenant's default, the
/// installation's.
#[utoipa::path(get, path = "/api/chat/default-model", operation_id = "chat.get_default_model",
    params(WhichDefault),
    responses((status = 200, description = "The model.", body = DefaultModelResponse)))]
async fn get_default_model(
    auth: Auth<Any>,
    app: Data<App>,
    Query(which): Query<WhichDefault>,
) -> Api<Json<DefaultModelResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    let found = app.store.read(move |reader| choose(reader, &caller, &models, which.user_model_id));
    let (model, source) = found.await?;
    let id = model.id.clone();
    Ok(Json(DefaultModelResponse { model: LLMModelResponse::of(model, &id), source }))
}

/// The model that answers this caller when nobody chose one, and whose choice that is.
pub fn choose(
    reader: &Reader,
    caller: &Caller,
    models: &Models,
    asked: Option<String>,
) -> Api<(ModelInfo, DefaultModelSource)> {
    let user = reader.get::<User>(TenantId::SYSTEM, &caller.user)?;
    let tenant = reader.get::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)?;
    let named = [
        (asked, DefaultModelSource::Request),
        (user.and_then(|row| row.body.preferences.default_model), DefaultModelSource::User),
        (tenant.and_then(|row| row.body.default_model), DefaultModelSource::Tenant),
    ];
    let found = named.into_iter().find_map(|(id, source)| Some((models.find(&id?)?, source)));
    let (model, source) = found.unwrap_or_else(|| (models.default(), DefaultModelSource::Installation));
    Ok((model.info.clone(), source))
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; get_default_model);
}
