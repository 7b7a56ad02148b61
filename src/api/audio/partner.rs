//! The same for stock OpenAI clients, whose base address is `/api/chat/partner_compatible/v1`.

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

/// A request for speech, as the OpenAI interface has it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CreateSpeechRequest {
    /// The text.
    #[schema(min_length = 1, max_length = 4096)]
    pub input: String,
    /// The model. `default` and nothing at all leave the choice to the tenant.
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// A voice by its name, or as `{"id": ...}`.
    #[schema(value_type = Option<String>)]
    pub voice: Option<Value>,
    /// The format; the model's usual one, unless it says.
    pub response_format: Option<AudioFormat>,
    /// How fast, from 0.25 to 4.
    #[schema(minimum = 0.25, maximum = 4)]
    pub speed: Option<f64>,
    /// How it is to be said.
    #[schema(max_length = 4096)]
    pub instructions: Option<String>,
    /// `audio`: events are not sent.
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
            // The schema has a name, and no object with one.
            Ok(voice) => voice.iter().for_each(|voice| faults.length("voice", voice, 1..=64)),
            Err(msg) => faults.add(["voice"], msg, "malformed"),
        }
        if self.stream_format.as_deref().is_some_and(|format| format != "audio") {
            faults.add(["stream_format"], "only `audio` is supported", "unsupported");
        }
    }
}

/// A request for a transcript, as the OpenAI interface has it.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateTranscriptionRequest {
    /// The sound, at most 25 MiB.
    #[serde(rename = "file")]
    #[schema(value_type = String, format = Binary, required = true)]
    _file: Option<()>,
    /// The model. `default` and nothing at all leave the choice to the tenant.
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// The language that is spoken, as ISO 639-1 has it.
    #[schema(max_length = 16)]
    pub language: Option<String>,
    /// Words that help to understand.
    #[schema(max_length = 4000)]
    pub prompt: Option<String>,
    /// The form of the answer; `json` unless it says.
    pub response_format: Option<TranscriptFormat>,
    /// How freely the model may guess, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub temperature: Option<f64>,
    /// Of what the times are told: `segment`.
    #[serde(rename = "timestamp_granularities[]")]
    pub granularities: Vec<String>,
    /// `false`: transcripts come as a whole.
    pub stream: Option<bool>,
    /// Accepted and ignored: the provider decides how to split.
    pub chunking_strategy: Option<String>,
    /// Accepted and ignored: only the text is known.
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

/// The model that a client chose; it has to name one, so `default` chooses none.
fn chosen(model: Option<String>) -> Option<String> {
    model.filter(|model| !matches!(model.trim(), "" | "default"))
}

/// Speak a text, as the OpenAI interface does.
///
/// As `POST /api/audio/speech`. Errors are `{"error": {...}}`.
#[utoipa::path(post, path = "/api/chat/partner_compatible/audio/speech",
    request_body = CreateSpeechRequest,
    responses((status = 200, description = "The audio, sent while it is generated.", content(
        (Vec<u8> = "audio/mpeg"), (Vec<u8> = "audio/ogg"), (Vec<u8> = "audio/aac"), (Vec<u8> = "audio/flac"),
        (Vec<u8> = "audio/wav"), (Vec<u8> = "audio/pcm")))))]
async fn create_speech(
    auth: Auth<MediaUse>,
    app: Data<App>,
    Json(body): Json<CreateSpeechRequest>,
) -> Api<HttpResponse> {
    speak(&app, &auth, body.plain(), Client::Partner).await
}

/// Write down what is said, as the OpenAI interface does.
///
/// As `POST /api/audio/transcription`; `json` has the text and the usage alone. Errors are `{"error": {...}}`.
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
