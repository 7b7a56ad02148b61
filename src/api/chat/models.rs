//! The list of chat models.

use actix_web::web::Data;
use assist::offer::Unavailability;
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
    /// Also models that the caller cannot use, with `unavailable_reason`, after the others. Of those that are hidden from the caller,
    /// administrators see all, and others those that are their default or among their favourites.
    pub include_unavailable: bool,
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
    let shown = |model| LLMModelResponse::from_info(model, &default, favourites);
    let mut items: Vec<_> = selected.map(shown).collect();
    if query.include_unavailable {
        let may_know = |model: &ModelInfo, why| {
            why != Unavailability::NotVisible || auth.is_admin() || offer.terms().names(&model.id)
        };
        let others = offer.unavailable_models().into_iter();
        let others = others.filter(|(model, why)| query.selects(model) && may_know(model, *why));
        items.extend(others.map(|(model, why)| shown(model).unavailable(why)));
    }
    let total = Some(items.len() as u64);
    Ok(Json(LLMModelResponseList { items, total, next_cursor: None }))
}

operations!(get_models with slash);
