//! The model that answers when a request names none.

use actix_web::web::Data;
use assist::offer::{Choice, ModelChoices};
use providers::{ModelInfo, Models};
use serde::{Deserialize, Serialize};
use storage::Reader;
use utoipa::{IntoParams, ToSchema};

use super::view::LLMModelResponse;
use crate::App;
use crate::http::scopes::Any;
use crate::http::{Api, Auth, Caller, Json, Query, Validate, operations};

/// Who chose a default model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefaultModelSource {
    /// The request named the model.
    Request,
    /// The preference of the user.
    User,
    /// The tenant's default.
    Tenant,
    /// The installation's default.
    Installation,
}

impl From<Choice> for DefaultModelSource {
    fn from(whose: Choice) -> Self {
        match whose {
            Choice::User => Self::User,
            Choice::Tenant => Self::Tenant,
            Choice::Installation => Self::Installation,
        }
    }
}

/// The model that answers when a request names none.
#[derive(Debug, Serialize, ToSchema)]
pub struct DefaultModelResponse {
    pub model: LLMModelResponse,
    /// Who chose the model.
    pub source: DefaultModelSource,
}

/// Query parameters of the default model.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct WhichDefault {
    /// Id of the model that the user chose last. Ignored if the model no longer exists.
    pub user_model_id: Option<String>,
}

impl Validate for WhichDefault {}

/// Retrieve the model that answers when a request names none.
///
/// Returns the first of these models that is available to the caller: `user_model_id`, the user's preference, the tenant's default, the
/// installation's default.
#[utoipa::path(get, path = "/api/chat/default-model", params(WhichDefault))]
async fn get_default_model(
    auth: Auth<Any>,
    app: Data<App>,
    Query(which): Query<WhichDefault>,
) -> Api<Json<DefaultModelResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    let found = app.store.read(move |reader| {
        let terms = ModelChoices::read(reader, caller.tenant, caller.user)?;
        let (model, source) = chosen(&terms, &models, which.user_model_id.as_deref());
        let id = model.id.clone();
        let model = LLMModelResponse::from_info(model, &id, &terms.favourites);
        Api::Ok(DefaultModelResponse { model, source })
    });
    found.await.map(Json)
}

/// Returns the model that answers this caller when a request names none, and who chose it.
pub fn choose(
    reader: &Reader,
    caller: &Caller,
    models: &Models,
    requested: Option<String>,
) -> Api<(ModelInfo, DefaultModelSource)> {
    let terms = ModelChoices::read(reader, caller.tenant, caller.user)?;
    Ok(chosen(&terms, models, requested.as_deref()))
}

fn chosen(terms: &ModelChoices, models: &Models, requested: Option<&str>) -> (ModelInfo, DefaultModelSource) {
    match requested.and_then(|id| terms.find(models, id)) {
        Some(model) => (model.info.clone(), DefaultModelSource::Request),
        None => {
            let (model, whose) = terms.default(models);
            (model.info.clone(), whose.into())
        }
    }
}

operations!(get_default_model);
