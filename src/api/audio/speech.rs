//! Speech synthesis.

use crate::http::ErrorResponse;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use assist::media;
use futures::future::LocalBoxFuture;
use providers::Keys;
use providers::media::speech::{AudioFormat, SpeechModel, SpeechRequest};
use serde::{Deserialize, Serialize};
use std::future::ready;
use storage::authority::Feature;
use utoipa::ToSchema;

use crate::App;
use crate::api::client::Client;
use crate::http::scopes::MediaUse;
use crate::http::validation::{Mode, schema};
use crate::http::{
    Api, Argument, Auth, Caller, Faults, Json, OptionalJson, Refusal, Validate, operations, read_query,
    streaming,
};

/// A speech request.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
pub struct GenerateSpeechBody {
    /// Text to speak.
    #[schema(min_length = 1, max_length = 4096)]
    pub input: String,
    /// Id of the model. Defaults to the tenant's default model.
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// One of the model's voices. Defaults to the model's default voice.
    #[schema(min_length = 1, max_length = 64)]
    pub voice: Option<String>,
    /// One of the model's formats. Defaults to the model's default format.
    pub response_format: Option<AudioFormat>,
    /// Speed of the speech; 1 is the normal speed of the voice.
    #[schema(minimum = 0.25, maximum = 4, default = 1.0)]
    pub speed: Option<f64>,
    /// Instructions on how to speak the text, for models that support them.
    #[schema(max_length = 4096)]
    pub instructions: Option<String>,
}

impl Validate for GenerateSpeechBody {
    fn validate(&self, faults: &mut Faults) {
        if self.input.trim().is_empty() {
            faults.add(["input"], "contains no words", "too_short");
        }
    }
}

/// A [`GenerateSpeechBody`], taken from the body, or from the query of a GET request without a body.
struct SpeechInput(GenerateSpeechBody);

impl Argument for SpeechInput {}

impl FromRequest for SpeechInput {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let length = request.headers().get(CONTENT_LENGTH).is_some_and(|length| length != "0");
        let has_body = length || request.headers().contains_key(TRANSFER_ENCODING);
        if request.method() == Method::GET && !has_body && !request.query_string().is_empty() {
            let schema = schema::of_body::<GenerateSpeechBody>;
            let query =
                read_query(request.query_string(), Mode::Query, schema).map(Self).map_err(ErrorResponse);
            return Box::pin(ready(query));
        }
        if request.method() == Method::GET {
            // If there is no input at all, the faults of an empty body name the required fields.
            let body = OptionalJson::<GenerateSpeechBody>::from_request(request, payload);
            return Box::pin(async move { body.await.map(|OptionalJson(body)| Self(body)) });
        }
        let body = Json::<GenerateSpeechBody>::from_request(request, payload);
        Box::pin(async move { body.await.map(|Json(body)| Self(body)) })
    }
}

/// Convert text to speech.
///
/// The audio is streamed while it is generated. Formats and voices depend on the model: see `GET /api/audio/speech/models`. The built-in
/// voice is synthesised by rules for English; its formats are `wav` and `pcm` (24,000 samples per second, 16 bits, little-endian, one
/// channel). Once audio has been sent, all characters of the text are billed; a failure before that is free.
#[utoipa::path(post, path = "/api/audio/speech",
    request_body = GenerateSpeechBody,
    responses((status = 200, description = "The audio, streamed while it is generated.", content(
        (Vec<u8> = "audio/mpeg"), (Vec<u8> = "audio/ogg"), (Vec<u8> = "audio/aac"), (Vec<u8> = "audio/flac"),
        (Vec<u8> = "audio/wav"), (Vec<u8> = "audio/pcm")))))]
async fn generate_audio(
    auth: Auth<MediaUse>,
    app: Data<App>,
    SpeechInput(body): SpeechInput,
) -> Api<HttpResponse> {
    speak(&app, &auth, body, Client::Own).await
}

/// Convert text to speech, for players that support only GET.
///
/// Works like the POST request. The fields of the body may be query parameters instead, for example `?input=Hello&voice=ada`.
#[utoipa::path(get, path = "/api/audio/speech",
    request_body = GenerateSpeechBody,
    responses((status = 200, description = "The audio, streamed while it is generated.", content(
        (Vec<u8> = "audio/mpeg"), (Vec<u8> = "audio/ogg"), (Vec<u8> = "audio/aac"), (Vec<u8> = "audio/flac"),
        (Vec<u8> = "audio/wav"), (Vec<u8> = "audio/pcm")))))]
async fn get_audio(
    auth: Auth<MediaUse>,
    app: Data<App>,
    SpeechInput(body): SpeechInput,
) -> Api<HttpResponse> {
    speak(&app, &auth, body, Client::Own).await
}

/// Converts text to speech and streams the audio, for both kinds of clients.
pub async fn speak(
    app: &App,
    caller: &Caller,
    body: GenerateSpeechBody,
    client: Client,
) -> Api<HttpResponse> {
    // Operations of the OpenAI-compatible API belong to another area, which does not check this feature.
    caller.require_feature(Feature::Audio)?;
    let chosen =
        media::choose::<dyn SpeechModel>(&app.run_context, caller.into(), body.model.as_deref()).await?;
    let offered = chosen.offered.clone();
    let format = fitting(&*offered.model, &offered.info.id, &body)?;
    let request = SpeechRequest {
        model: String::new(),
        text: body.input,
        voice: body.voice,
        format,
        speed: body.speed.unwrap_or(1.0),
        instructions: body.instructions.filter(|text| !text.trim().is_empty()),
        keys: Keys::default(),
    };
    let spoken = media::speak(&app.store, chosen, request).await;
    let sound = spoken.map_err(|why| client.media_refusal(why, &offered.info, "input"))?;
    Ok(streaming(HttpResponse::Ok().content_type(format.media_type())).streaming(sound))
}

/// Checks the voice, and returns the format. Responds with 422 if the model does not support one of them.
fn fitting(model: &dyn SpeechModel, id: &str, body: &GenerateSpeechBody) -> Api<AudioFormat> {
    let (formats, voices) = (model.formats(), model.voices());
    let mut faults = Faults::new("body");
    let format = body.response_format.or(formats.first().copied()).unwrap_or_default();
    if !formats.contains(&format) {
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        faults.add(["response_format"], format!("{id} supports {}", names.join(", ")), "unsupported");
    }
    if let Some(voice) = &body.voice
        && !voices.is_empty()
        && !voices.contains(&voice.as_str())
    {
        faults.add(["voice"], format!("{id} has the voices {}", voices.join(", ")), "unsupported");
    }
    match faults.is_empty() {
        true => Ok(format),
        false => Err(Refusal::faulty(faults.into_vec())),
    }
}

operations!(generate_audio, get_audio as "generate_audio.get");
