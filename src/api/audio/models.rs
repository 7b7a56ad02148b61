//! Lists of the speech models and the transcription models.

use actix_web::web::Data;
use providers::MediaInfo;
use providers::media::speech::{AudioFormat, SpeechModel};
use providers::media::transcription::TranscriptionModel;
use serde::Serialize;
use utoipa::ToSchema;

use super::received::MAX_BYTES;
use crate::App;
use crate::http::scopes::Any;
use crate::http::{Api, Auth, Json, list_of, operations};

/// A speech model.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpeechModelResponse {
    /// The model. `unit_price_nanos` is the price of a million characters, in billionths of a dollar.
    #[serde(flatten)]
    pub model: MediaInfo,
    pub price_unit: &'static str,
    /// Audio formats of the model, the default format first.
    pub formats: Vec<AudioFormat>,
    /// Voices of the model, the default voice first. Empty if they are not known; then any name is passed to the model.
    pub voices: Vec<&'static str>,
}

/// A transcription model.
#[derive(Debug, Serialize, ToSchema)]
pub struct TranscriptionModelResponse {
    /// The model. `unit_price_nanos` is the price of a minute, in billionths of a dollar.
    #[serde(flatten)]
    pub model: MediaInfo,
    pub price_unit: &'static str,
    /// Media types that the model accepts. Empty if it accepts every audio format.
    pub media_types: Vec<&'static str>,
    /// Maximum size of a file, in bytes.
    pub max_bytes: u64,
}

list_of! {
    /// The speech models that the caller may use.
    pub SpeechModelResponseList of SpeechModelResponse
}

list_of! {
    /// The transcription models that the caller may use.
    pub TranscriptionModelResponseList of TranscriptionModelResponse
}

/// List the speech models.
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

/// List the transcription models.
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
            max_bytes: MAX_BYTES,
        })
    };
    let items: Vec<_> = offer.list_media::<dyn TranscriptionModel>().into_iter().filter_map(shown).collect();
    let total = Some(items.len() as u64);
    Ok(Json(TranscriptionModelResponseList { items, total, next_cursor: None }))
}

operations!(get_speech_models, get_transcription_models);
