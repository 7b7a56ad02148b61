//! Speech synthesis and transcription for OpenAI clients with the base URL `/api/chat/partner_compatible/v1`.

use actix_web::HttpResponse;
use actix_web::web::Data;
use providers::media::speech::AudioFormat;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::speech::{GenerateSpeechBody, speak};
use super::transcription::{GenerateAudioTranscriptionForm, TranscriptFormat, transcribe};
use crate::App;
use crate::api::client::Client;
use crate::http::scopes::MediaUse;
use crate::http::{Api, Auth, Faults, Json, Multipart, MultipartForm, Validate, operations};

/// A speech request in the format of the OpenAI API.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CreateSpeechRequest {
    /// Text to speak.
    #[schema(min_length = 1, max_length = 4096)]
    pub input: String,
    /// Id of the model. If omitted or `default`, the tenant's default model is used.
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// Name of the voice, or `{"id": ...}`.
    #[schema(value_type = Option<String>)]
    pub voice: Option<Value>,
    /// Audio format. Defaults to the default format of the model.
    pub response_format: Option<AudioFormat>,
    /// Speed of the speech, from 0.25 to 4.
    #[schema(minimum = 0.25, maximum = 4)]
    pub speed: Option<f64>,
    /// Instructions on how to speak the text.
    #[schema(max_length = 4096)]
    pub instructions: Option<String>,
    /// Only `audio` is supported; events are not sent.
    pub stream_format: Option<String>,
}

impl CreateSpeechRequest {
    fn voice(&self) -> Result<Option<String>, &'static str> {
        match &self.voice {
            None => Ok(None),
            Some(Value::String(name)) => Ok(Some(name.clone())),
            Some(voice) => voice["id"].as_str().map(|id| Some(id.to_owned())).ok_or("is not a voice"),
        }
    }

    fn plain(&self) -> GenerateSpeechBody {
        GenerateSpeechBody {
            input: self.input.clone(),
            model: chosen(self.model.clone()),
            voice: self.voice().unwrap_or_default(),
            response_format: self.response_format,
            speed: self.speed,
            instructions: self.instructions.clone(),
        }
    }
}

impl Validate for CreateSpeechRequest {
    fn validate(&self, faults: &mut Faults) {
        self.plain().validate(faults);
        match self.voice() {
            // The schema limits the length of a name, but not of a name inside an object.
            Ok(voice) => voice.iter().for_each(|voice| faults.length("voice", voice, 1..=64)),
            Err(msg) => faults.add(["voice"], msg, "malformed"),
        }
        if self.stream_format.as_deref().is_some_and(|format| format != "audio") {
            faults.add(["stream_format"], "only `audio` is supported", "unsupported");
        }
    }
}

/// A transcription request in the format of the OpenAI API.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateTranscriptionRequest {
    /// Audio file, at most 25 MiB.
    #[serde(rename = "file")]
    #[schema(value_type = String, format = Binary, required = true)]
    _file: Option<()>,
    /// Id of the model. If omitted or `default`, the tenant's default model is used.
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// Spoken language, as an ISO 639-1 code.
    #[schema(max_length = 16)]
    pub language: Option<String>,
    /// Text that helps the model to recognise words.
    #[schema(max_length = 4000)]
    pub prompt: Option<String>,
    /// Format of the response. Defaults to `json`.
    pub response_format: Option<TranscriptFormat>,
    /// Sampling temperature of the model, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub temperature: Option<f64>,
    /// Granularity of the timestamps. Only `segment` is supported.
    #[serde(rename = "timestamp_granularities[]")]
    pub granularities: Vec<String>,
    /// Only `false` is supported; transcripts are sent as a whole.
    pub stream: Option<bool>,
    /// Accepted and ignored: the provider decides how to split the audio.
    pub chunking_strategy: Option<String>,
    /// Accepted and ignored: only the text is available.
    #[serde(rename = "include[]")]
    pub include: Vec<String>,
}

impl MultipartForm for CreateTranscriptionRequest {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

impl CreateTranscriptionRequest {
    fn plain(&self) -> GenerateAudioTranscriptionForm {
        let mut form = GenerateAudioTranscriptionForm::default();
        form.model = chosen(self.model.clone());
        form.language.clone_from(&self.language);
        form.prompt.clone_from(&self.prompt);
        (form.response_format, form.temperature) = (self.response_format, self.temperature);
        form
    }
}

impl Validate for CreateTranscriptionRequest {
    fn validate(&self, faults: &mut Faults) {
        if self.granularities.iter().any(|of| of != "segment") {
            faults.add(["timestamp_granularities[]"], "only `segment` is supported", "unsupported");
        }
        if self.stream == Some(true) {
            faults.add(["stream"], "streaming of transcripts is not supported", "unsupported");
        }
    }
}

/// Returns the model that a client chose. The OpenAI API requires a model, so `default` stands for no choice.
fn chosen(model: Option<String>) -> Option<String> {
    model.filter(|model| !matches!(model.trim(), "" | "default"))
}

/// Convert text to speech, as in the OpenAI API.
///
/// Works like `POST /api/audio/speech`. Errors have the form `{"error": {...}}`.
#[utoipa::path(post, path = "/api/chat/partner_compatible/audio/speech",
    request_body = CreateSpeechRequest,
    responses((status = 200, description = "The audio, streamed while it is generated.", content(
        (Vec<u8> = "audio/mpeg"), (Vec<u8> = "audio/ogg"), (Vec<u8> = "audio/aac"), (Vec<u8> = "audio/flac"),
        (Vec<u8> = "audio/wav"), (Vec<u8> = "audio/pcm")))))]
async fn create_speech(
    auth: Auth<MediaUse>,
    app: Data<App>,
    Json(body): Json<CreateSpeechRequest>,
) -> Api<HttpResponse> {
    speak(&app, &auth, body.plain(), Client::Partner).await
}

/// Transcribe audio, as in the OpenAI API.
///
/// Works like `POST /api/audio/transcription`, except that `json` contains only the text and the usage. Errors have the form `{"error":
/// {...}}`.
#[utoipa::path(post, path = "/api/chat/partner_compatible/audio/transcriptions",
    request_body(content = CreateTranscriptionRequest, content_type = "multipart/form-data"),
    responses((status = 200, description = "The transcript.", content(
        (Object = "application/json"), (String = "text/plain"), (String = "application/x-subrip"),
        (String = "text/vtt")))))]
async fn create_transcription(
    auth: Auth<MediaUse>,
    app: Data<App>,
    Multipart { fields, files }: Multipart<CreateTranscriptionRequest>,
) -> Api<HttpResponse> {
    transcribe(&app, &auth, fields.plain(), &files, Client::Partner).await
}

operations!(create_speech with v1, create_transcription with v1);
