//! The models that speak, and those that listen.

use actix_web::web::Data;
use providers::MediaInfo;
use providers::media::speech::{AudioFormat, SpeechModel};
use providers::media::transcription::TranscriptionModel;
use serde::Serialize;
use utoipa::ToSchema;

use super::received::LARGEST;
use crate::App;
use crate::http::scopes::Any;
use crate::http::{Api, Auth, Json, list_of, operations};

/// A model that speaks.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpeechModelResponse {
    /// The model. `unit_price_nanos` is the price of a million characters, in billionths of a dollar.
    #[serde(flatten)]
    pub model: MediaInfo,
    pub price_unit: &'static str,
    /// The formats that it speaks, its default one first.
    pub formats: Vec<AudioFormat>,
    /// Its voices, its default one first; empty if they are not known, so that any name is tried.
    pub voices: Vec<&'static str>,
}

/// A model that listens.
#[derive(Debug, Serialize, ToSchema)]
pub struct TranscriptionModelResponse {
    /// The model. `unit_price_nanos` is the price of a minute, in billionths of a dollar.
    #[serde(flatten)]
    pub model: MediaInfo,
    pub price_unit: &'static str,
    /// The only media types that it hears; empty where it takes whatever is sound.
    pub media_types: Vec<&'static str>,
    /// The largest file, in bytes.
    pub max_bytes: u64,
}

list_of! {
    /// Models that speak.
    pub SpeechModelResponseList of SpeechModelResponse
}

list_of! {
    /// Models that listen.
    pub TranscriptionModelResponseList of TranscriptionModelResponse
}

/// List the models that speak.
#[utoipa::path(get, path = "/api/audio/speech/models",
    responses((status = 200, description = "The models, with formats, voices and prices.",
        body = SpeechModelResponseList)))]
async fn get_speech_models(auth: Auth<Any>, app: Data<App>) -> Api<Json<SpeechModelResponseList>> {
    let offer = assist::offer::offer(&app.store, &app.models, auth.tenant, auth.user).await?;
    let shown = |model: MediaInfo| {
        let found = offer.media::<dyn SpeechModel>(Some(&model.id))?;
        let (formats, voices) = (found.model.formats().to_vec(), found.model.voices().to_vec());
        Some(SpeechModelResponse { price_unit: model.kind.unit(), model, formats, voices })
    };
    let items: Vec<_> = offer.list_media::<dyn SpeechModel>().into_iter().filter_map(shown).collect();
    let total = Some(items.len() as u64);
    Ok(Json(SpeechModelResponseList { items, total, next_cursor: None }))
}

/// List the models that listen.
#[utoipa::path(get, path = "/api/audio/transcription/models",
    responses((status = 200, description = "The models, with media types and prices.",
        body = TranscriptionModelResponseList)))]
async fn get_transcription_models(
    auth: Auth<Any>,
    app: Data<App>,
) -> Api<Json<TranscriptionModelResponseList>> {
    let offer = assist::offer::offer(&app.store, &app.models, auth.tenant, auth.user).await?;
    let shown = |model: MediaInfo| {
        let found = offer.media::<dyn TranscriptionModel>(Some(&model.id))?;
        let media_types = found.model.hears().to_vec();
        Some(TranscriptionModelResponse {
            price_unit: model.kind.unit(),
            model,
            media_types,
            max_bytes: LARGEST,
        })
    };
    let items: Vec<_> = offer.list_media::<dyn TranscriptionModel>().into_iter().filter_map(shown).collect();
    let total = Some(items.len() as u64);
    Ok(Json(TranscriptionModelResponseList { items, total, next_cursor: None }))
}

operations!(get_speech_models, get_transcription_models);
