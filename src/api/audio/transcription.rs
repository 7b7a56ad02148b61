//! Texts from speech.

use actix_web::web::Data;
use actix_web::{HttpResponse, HttpResponseBuilder};
use assist::media::{self, Transcription};
use providers::Keys;
use providers::media::transcription::{TranscriptionModel, TranscriptionRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::authority::Feature;
use utoipa::ToSchema;

use super::captions;
use super::received::{Received, fault};
use crate::App;
use crate::api::client::Client;
use crate::http::scopes::MediaUse;
use crate::http::{Api, Auth, Caller, Multipart, MultipartForm, UploadedFile, Validate, operations};

/// The form of a transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptFormat {
    /// The text with what else is known, as JSON.
    #[default]
    Json,
    /// The text alone.
    Text,
    /// SubRip captions.
    Srt,
    /// WebVTT captions.
    Vtt,
    /// The text with its segments, as the OpenAI interface has them.
    VerboseJson,
}

/// Speech that is to be written down.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct GenerateAudioTranscriptionForm {
    /// The sound, at most 25 MiB.
    #[serde(rename = "file")]
    #[schema(value_type = String, format = Binary, required = true)]
    _file: Option<()>,
    /// The model; by default the tenant's default model.
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// The language that is spoken, as ISO 639-1 has it, for example `en`; else the model finds out.
    #[schema(max_length = 16)]
    pub language: Option<String>,
    /// Words that help to understand: names, the sentence that goes before.
    #[schema(max_length = 4000)]
    pub prompt: Option<String>,
    /// The form of the answer; `json` unless it says.
    pub response_format: Option<TranscriptFormat>,
    /// How freely the model may guess.
    #[schema(minimum = 0, maximum = 1)]
    pub temperature: Option<f64>,
}

impl MultipartForm for GenerateAudioTranscriptionForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

impl Validate for GenerateAudioTranscriptionForm {}

/// The content.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TranscriptionResponse {
    pub text: String,
    /// The model that heard it.
    pub model: String,
    /// The language that was spoken, where the model tells.
    pub language: Option<String>,
    /// How long the sound is, in seconds.
    pub duration: f64,
    /// Whether neither the model nor the file tells that, so that it is a guess by the file's size.
    pub duration_estimated: bool,
    /// When what was said; empty where the model tells no times.
    pub segments: Vec<TranscriptSegment>,
    /// What it cost, in billionths of a dollar.
    pub cost_nanos: u64,
}

/// A stretch of speech.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TranscriptSegment {
    /// Its number, from 0.
    pub id: usize,
    /// Where it begins, in seconds.
    pub start: f64,
    /// Where it ends, in seconds.
    pub end: f64,
    /// The content.
    pub text: String,
}

/// Write down what is said in a sound.
///
/// `response_format` tells the form: `json` (the default, with the segments where the model tells them), `text`,
/// `srt`, `vtt`, or `verbose_json` as the OpenAI interface has it. Captions of a model that tells no times are one
/// caption, as long as the sound. What kind of sound it is, its bytes tell, not its name. The built-in model hears
/// WAV and recognises no words: it tells where there is speech, and takes the words from the file's own comment,
/// which a WAV of the built-in voice has. Billed by the length of the sound.
#[utoipa::path(post, path = "/api/audio/transcription",
    request_body(content = GenerateAudioTranscriptionForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "The transcript.", content(
        (TranscriptionResponse = "application/json"), (String = "text/plain"), (String = "application/x-subrip"),
        (String = "text/vtt")))))]
async fn generate_audio_transcription(
    auth: Auth<MediaUse>,
    app: Data<App>,
    Multipart { fields, files }: Multipart<GenerateAudioTranscriptionForm>,
) -> Api<HttpResponse> {
    transcribe(&app, &auth, fields, &files, Client::Own).await
}

/// Writes down what is said, for whichever client.
pub async fn transcribe(
    app: &App,
    caller: &Caller,
    form: GenerateAudioTranscriptionForm,
    files: &[UploadedFile],
    client: Client,
) -> Api<HttpResponse> {
    caller.require_feature(Feature::Audio)?;
    let sound = Received::read(files).await?;
    let named = form.model.as_deref().filter(|model| !model.is_empty());
    let chosen = media::choose::<dyn TranscriptionModel>(&app.run_context, caller.into(), named).await?;
    let info = chosen.offered.info.clone();
    let hears = chosen.offered.model.hears();
    if !hears.is_empty() && !hears.contains(&sound.media_type) {
        let hears = hears.join(", ");
        return Err(fault(format!("is {}, and {} hears {hears}", sound.media_type, info.id), "unsupported"));
    }
    let format = form.response_format.unwrap_or_default();
    let plain = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let request = TranscriptionRequest {
        model: String::new(),
        filename: sound.filename,
        media_type: sound.media_type.to_owned(),
        audio: sound.bytes,
        language: plain(form.language),
        prompt: plain(form.prompt),
        temperature: form.temperature,
        segments: format.tells_times(client),
        keys: Keys::default(),
    };
    let heard = media::listen(&app.store, chosen, request).await;
    let heard = heard.map_err(|why| client.media_refusal(why, &info, "file"))?;
    Ok(format.answer(heard, info.id, client))
}

impl TranscriptFormat {
    fn tells_times(self, client: Client) -> bool {
        match self {
            Self::Text => false,
            Self::Json => client == Client::Own,
            Self::Srt | Self::Vtt | Self::VerboseJson => true,
        }
    }

    fn answer(self, heard: Transcription, model: String, client: Client) -> HttpResponse {
        let text = |media_type: &str, text: String| {
            HttpResponseBuilder::new(actix_web::http::StatusCode::OK).content_type(media_type).body(text)
        };
        match (self, client) {
            (Self::Text, _) => text("text/plain; charset=utf-8", format!("{}\n", heard.transcript.text)),
            (Self::Srt, _) => {
                text("application/x-subrip; charset=utf-8", captions::srt(&captions::segments(&heard)))
            }
            (Self::Vtt, _) => text("text/vtt; charset=utf-8", captions::vtt(&captions::segments(&heard))),
            (Self::VerboseJson, Client::Partner) => HttpResponse::Ok().json(verbose(&heard)),
            (Self::VerboseJson, Client::Own) => {
                // All that `json` tells, too, so that one schema describes both.
                let mut response = verbose(&heard);
                response["model"] = model.into();
                response["duration_estimated"] = heard.estimated.into();
                response["cost_nanos"] = heard.cost_nanos.into();
                HttpResponse::Ok().json(response)
            }
            (Self::Json, Client::Partner) => {
                HttpResponse::Ok().json(json!({"text": heard.transcript.text, "usage": usage(&heard)}))
            }
            (Self::Json, Client::Own) => {
                HttpResponse::Ok().json(TranscriptionResponse::from_transcription(heard, model))
            }
        }
    }
}

impl TranscriptionResponse {
    fn from_transcription(heard: Transcription, model: String) -> Self {
        let segment = |(id, segment): (usize, providers::media::transcription::Segment)| TranscriptSegment {
            id,
            start: segment.start_s,
            end: segment.end_s,
            text: segment.text,
        };
        Self {
            text: heard.transcript.text,
            model,
            language: heard.transcript.language,
            duration: heard.ms as f64 / 1_000.0,
            duration_estimated: heard.estimated,
            segments: heard.transcript.segments.into_iter().enumerate().map(segment).collect(),
            cost_nanos: heard.cost_nanos,
        }
    }
}

/// A segment in the form of the OpenAI interface. Values that are not known here are those which that interface gives for
/// speech that was understood well.
fn verbose(heard: &Transcription) -> Value {
    let segments = captions::segments(heard);
    let segment = |(id, segment): (usize, &providers::media::transcription::Segment)| {
        json!({
            "id": id, "seek": 0, "start": segment.start_s, "end": segment.end_s, "text": segment.text, "tokens": [],
            "temperature": 0.0, "avg_logprob": 0.0, "compression_ratio": 1.0, "no_speech_prob": 0.0,
        })
    };
    json!({
        "task": "transcribe",
        "language": heard.transcript.language.as_deref().unwrap_or_default(),
        "duration": heard.ms as f64 / 1_000.0,
        "text": heard.transcript.text,
        "segments": segments.iter().enumerate().map(segment).collect::<Vec<_>>(),
        "usage": usage(heard),
    })
}

fn usage(heard: &Transcription) -> Value {
    match &heard.transcript.usage {
        Some(used) => json!({
            "type": "tokens", "input_tokens": used.input_tokens, "output_tokens": used.output_tokens,
            "total_tokens": used.input_tokens.saturating_add(used.output_tokens),
        }),
        None => json!({"type": "duration", "seconds": heard.ms.div_ceil(1_000)}),
    }
}

operations!(generate_audio_transcription);
