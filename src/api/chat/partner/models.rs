//! The models in the format of the OpenAI API.

use actix_web::web::Data;
use assist::offer::{ModelAccess, offer};
use providers::ModelInfo;
use serde::Serialize;
use storage::Row;
use storage::records::Assistant;
use utoipa::ToSchema;

use crate::App;
use crate::http::scopes::{Any, LlmUse};
use crate::http::{Api, Auth, Caller, Code, Json, Loaded, Path, Refusal, operations};
use domain::assistants::access;

/// A model in the format of the OpenAI API.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartnerCompatibleModel {
    /// Id of the model, for example `builtin/scribe`.
    pub id: String,
    /// Always `model`.
    #[schema(example = "model")]
    pub object: &'static str,
    /// Creation time of the model, in seconds since 1970. Always 0, because it is not known.
    pub created: u64,
    /// Provider of the model.
    pub owned_by: String,
}

impl From<&ModelInfo> for PartnerCompatibleModel {
    fn from(info: &ModelInfo) -> Self {
        Self { id: info.id.clone(), object: "model", created: 0, owned_by: info.provider.clone() }
    }
}

/// The models that the caller may use.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartnerCompatibleModelsResponse {
    /// Always `list`.
    #[schema(example = "list")]
    pub object: &'static str,
    /// The models, in order of preference.
    pub data: Vec<PartnerCompatibleModel>,
}

/// List the models that the caller may use, as in the OpenAI API.
///
/// Includes chat models and embedding models.
#[utoipa::path(get, path = "/api/chat/partner_compatible/models")]
async fn get_partner_compatible_models(
    auth: Auth<Any>,
    app: Data<App>,
) -> Api<Json<PartnerCompatibleModelsResponse>> {
    list(&app, &auth).await.map(Json)
}

/// Retrieve a model, as in the OpenAI API.
#[utoipa::path(get, path = "/api/chat/partner_compatible/models/{model_id:.*}",
    params(("model_id" = String, Path, description = "The id of the model. Its slash need not be escaped.")))]
async fn get_partner_compatible_model(
    auth: Auth<Any>,
    app: Data<App>,
    Path(model): Path<String>,
) -> Api<Json<PartnerCompatibleModel>> {
    find(&app, &auth, &model).await.map(Json)
}

/// List the models, under the address of an assistant.
///
/// Returns the same models as the address without an assistant, for clients whose base URL points to an assistant.
#[utoipa::path(get, path = "/api/chat/partner_compatible/{assistant_id}/models")]
async fn get_partner_compatible_models_with_assistant(
    assistant: Loaded<Row<Assistant>, LlmUse>,
    app: Data<App>,
) -> Api<Json<PartnerCompatibleModelsResponse>> {
    access::require_feature(&assistant, &assistant.auth)?;
    list(&app, &assistant.auth).await.map(Json)
}

/// Retrieve a model, under the address of an assistant.
#[utoipa::path(get, path = "/api/chat/partner_compatible/{assistant_id}/models/{model_id:.*}",
    params(("model_id" = String, Path, description = "The id of the model. Its slash need not be escaped.")))]
async fn get_partner_compatible_model_with_assistant(
    assistant: Loaded<Row<Assistant>, LlmUse>,
    app: Data<App>,
    Path(named): Path<(String, String)>,
) -> Api<Json<PartnerCompatibleModel>> {
    access::require_feature(&assistant, &assistant.auth)?;
    find(&app, &assistant.auth, &named.1).await.map(Json)
}

async fn list(app: &App, caller: &Caller) -> Api<PartnerCompatibleModelsResponse> {
    let offer = offer(&app.store, &app.models, caller.tenant, caller.user).await?;
    let mut data: Vec<_> = offer.models().iter().map(PartnerCompatibleModel::from).collect();
    data.extend(embedders(&offer));
    Ok(PartnerCompatibleModelsResponse { object: "list", data })
}

fn embedders(offer: &ModelAccess) -> impl Iterator<Item = PartnerCompatibleModel> {
    offer.embedders().into_iter().map(|info| PartnerCompatibleModel {
        id: info.id,
        object: "model",
        created: 0,
        owned_by: info.provider,
    })
}

async fn find(app: &App, caller: &Caller, name: &str) -> Api<PartnerCompatibleModel> {
    let offer = offer(&app.store, &app.models, caller.tenant, caller.user).await?;
    let chat = offer.find(name).map(|model| PartnerCompatibleModel::from(&model.info));
    let found = chat.or_else(|| embedders(&offer).find(|model| model.id == name));
    found.ok_or_else(|| {
        Refusal::new(Code::ModelNotFound)
            .detail(format!("there is no model {name:?}; GET /api/chat/models lists those there are"))
    })
}

operations!(
    get_partner_compatible_models with v1, get_partner_compatible_model with v1,
    get_partner_compatible_models_with_assistant with v1, get_partner_compatible_model_with_assistant with v1
);
