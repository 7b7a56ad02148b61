//! The list of chat models.

use actix_web::web::Data;
use providers::ModelInfo;
use serde::Deserialize;
use utoipa::IntoParams;

use super::view::{LLMModelResponse, LLMModelResponseList};
use crate::App;
use crate::http::scopes::Any;
use crate::http::{Api, Auth, Json, Query, Validate, operations};

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListModels {
    /// Only models with this capability.
    pub capability_tag: Option<String>,
    /// Only models with this info tag.
    pub info_tag: Option<String>,
}

impl Validate for ListModels {}

impl ListModels {
    fn selects(&self, model: &ModelInfo) -> bool {
        let has = |tags: &[String], tag: &Option<String>| {
            tag.as_ref().is_none_or(|tag| tags.iter().any(|other| other == tag))
        };
        has(&model.capability_tags, &self.capability_tag) && has(&model.info_tags, &self.info_tag)
    }
}

/// List the models that the caller may use.
#[utoipa::path(get, path = "/api/chat/models", params(ListModels))]
async fn get_models(
    auth: Auth<Any>,
    app: Data<App>,
    Query(query): Query<ListModels>,
) -> Api<Json<LLMModelResponseList>> {
    let offer = assist::offer::offer(&app.store, &app.models, auth.tenant, auth.user).await?;
    let (default, favourites) = (offer.default().info.id.clone(), &offer.terms().favourites);
    let selected = offer.models().into_iter().filter(|model| query.selects(model));
    let items: Vec<_> =
        selected.map(|model| LLMModelResponse::from_info(model, &default, favourites)).collect();
    let total = Some(items.len() as u64);
    Ok(Json(LLMModelResponseList { items, total, next_cursor: None }))
}

operations!(get_models with slash);
