//! Who may use a model.

use actix_web::web::Data;
use providers::media::image::ImageModel;
use providers::media::speech::SpeechModel;
use providers::media::transcription::TranscriptionModel;
use providers::media::video::VideoModel;
use providers::{Media, Models};
use serde::Serialize;
use serde_json::json;
use storage::records::{Audience, ModelRule, Tenant};
use storage::{Reader, Scan, TenantId, Tx};
use utoipa::ToSchema;

use super::audience::{self, AudienceResponse, audience_request};
use super::defaults::Defaults;
use super::{decide, note, tenant_of};
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Caller, Code, Json, Path, Refusal, operations};

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
    /// Whether it is used in this tenant where nobody chose; then it cannot be hidden.
    pub is_default: bool,
}

impl ModelVisibilityResponse {
    fn of(model_id: String, audience: Audience, is_default: bool) -> Self {
        Self { model_id, audience: audience.into(), is_default }
    }
}

/// Show whom a model is shown to.
///
/// Models of every kind: chat, embedding, speech, transcription, image, video.
#[utoipa::path(get, path = "/api/tenant-admin/models/{model_id:.*}/visibility",
    operation_id = "tenant-admin.get_model_visibility",
    params(("model_id" = String, Path, description = "The model's id. Its slash may stand as it is.")))]
async fn get_model_visibility(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Path(model): Path<String>,
) -> Api<Json<ModelVisibilityResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    app.store.read(move |reader| show(reader, &caller, &models, &model)).await.map(Json)
}

/// Say whom a model is shown to.
///
/// For all others it is not there from then on: it is not listed, and whoever asks it gets 404. What it
/// answers at that moment it answers to its end, and knowledge bases go on with the embedding model they were
/// made with. What the tenant uses where nobody chose cannot be hidden from anyone: 409.
#[utoipa::path(put, path = "/api/tenant-admin/models/{model_id:.*}/visibility",
    operation_id = "tenant-admin.update_model_visibility",
    params(("model_id" = String, Path, description = "The model's id. Its slash may stand as it is.")))]
async fn update_model_visibility(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(model): Path<String>,
    Json(new): Json<ModelVisibilityRequest>,
) -> Api<Json<ModelVisibilityResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    app.store.run(move |tx| set(tx, &caller, &models, &model, new.0.clone().into())).await.map(Json)
}

fn show(reader: &Reader, caller: &Caller, models: &Models, name: &str) -> Api<ModelVisibilityResponse> {
    let id = resolve(reader, caller, models, name)?;
    let tenant = reader.require::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)?;
    let audience = reader.get::<ModelRule>(caller.tenant, &id)?.map(|row| row.body.audience);
    let is_default = is_default(&tenant, models, &id);
    Ok(ModelVisibilityResponse::of(id, audience.unwrap_or_default(), is_default))
}

fn set(
    tx: &mut Tx,
    caller: &Caller,
    models: &Models,
    name: &str,
    audience: Audience,
) -> Api<ModelVisibilityResponse> {
    let id = resolve(tx, caller, models, name)?;
    audience::check(tx, caller.tenant, &audience)?;
    let mut tenant = tenant_of(tx, caller)?;
    let is_default = is_default(&tenant, models, &id);
    if is_default && audience != Audience::Everyone {
        return Err(Refusal::new(Code::IsDefault)
            .detail(format!("{id} is what is used where nobody chose; choose another default first")));
    }
    match (tx.get::<ModelRule>(caller.tenant, &id)?, &audience) {
        (Some(_), Audience::Everyone) => drop(tx.delete::<ModelRule>(caller.tenant, &id)?),
        (None, Audience::Everyone) => {}
        (Some(mut rule), audience) => {
            rule.audience = audience.clone();
            tx.update(caller.tenant, rule)?;
        }
        (None, audience) => {
            tx.insert(caller.tenant, id.clone(), ModelRule { audience: audience.clone() })?;
        }
    }
    let any = !tx.scan::<ModelRule>(caller.tenant, Scan::table().limit(1))?.items.is_empty();
    note(&mut tenant, |governed| governed.models = any);
    decide(tx, caller, tenant, "model.visibility", format!("model {id}"), json!(audience))?;
    Ok(ModelVisibilityResponse::of(id, audience, is_default))
}

fn is_default(tenant: &Tenant, models: &Models, id: &str) -> bool {
    id == Defaults::chat(tenant, models) || id == Defaults::embedding(tenant, models)
}

/// The full id of a model of any kind; of one that is gone by now, if there is a rule for it.
fn resolve(reader: &Reader, caller: &Caller, models: &Models, name: &str) -> Api<String> {
    let chat = models.find(name).map(|model| model.info.id.clone());
    let embedder = || models.find_embedder(name).map(|model| model.info.id.clone());
    let found = chat
        .or_else(embedder)
        .or_else(|| media::<dyn SpeechModel>(models, name))
        .or_else(|| media::<dyn TranscriptionModel>(models, name))
        .or_else(|| media::<dyn ImageModel>(models, name))
        .or_else(|| media::<dyn VideoModel>(models, name));
    if let Some(id) = found {
        return Ok(id);
    }
    let ruled = reader.get::<ModelRule>(caller.tenant, &name.to_owned())?;
    let gone = || Refusal::new(Code::ModelNotFound).detail(format!("there is no model {name:?}"));
    ruled.map(|row| row.id).ok_or_else(gone)
}

fn media<M: Media + ?Sized>(models: &Models, name: &str) -> Option<String> {
    models.find_media::<M>(name).map(|model| model.info.id.clone())
}

operations!(get_model_visibility, update_model_visibility);
