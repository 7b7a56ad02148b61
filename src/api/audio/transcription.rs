//! Transcription of audio.

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
use super::received::{ReceivedAudio, fault};
use crate::App;
use crate::api::client::Client;
use crate::http::scopes::MediaUse;
use crate::http::{Api, Auth, Caller, Multipart, MultipartForm, UploadedFile, Validate, operations};

/// Format of a transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptFormat {
    /// The text with all other known data, as JSON.
    #[default]
    Json,
    /// The text alone.
    Text,
    /// SubRip captions.
    Srt,
    /// WebVTT captions.
    Vtt,
    /// The text with its segments, as in the OpenAI API.
    VerboseJson,
}

/// A transcription request.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct GenerateAudioTranscriptionForm {
    /// Audio file, at most 25 MiB.
    #[serde(rename = "file")]
    #[schema(value_type = String, format = Binary, required = true)]
    _file: Option<()>,
    /// Id of the model. Defaults to the tenant's default model.
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// Spoken language, as an ISO 639-1 code, for example `en`. If omitted, the model detects it.
    #[schema(max_length = 16)]
    pub language: Option<String>,
    /// Text that helps the model to recognise words: names, or the preceding sentence.
    #[schema(max_length = 4000)]
    pub prompt: Option<String>,
    /// Format of the response. Defaults to `json`.
    pub response_format: Option<TranscriptFormat>,
    /// Sampling temperature of the model.
    #[schema(minimum = 0, maximum = 1)]
    pub temperature: Option<f64>,
}

impl MultipartForm for GenerateAudioTranscriptionForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

impl Validate for GenerateAudioTranscriptionForm {}

/// A transcript.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TranscriptionResponse {
    pub text: String,
    /// Id of the model that transcribed the audio.
    pub model: String,
    /// Spoken language, if the model reports it.
    pub language: Option<String>,
    /// Duration of the audio, in seconds.
    pub duration: f64,
    /// Whether the duration is estimated from the size of the file, because neither the model nor the file specifies it.
    pub duration_estimated: bool,
    /// The segments with their times. Empty if the model reports no times.
    pub segments: Vec<TranscriptSegment>,
    /// Cost of the transcription, in billionths of a dollar.
    pub cost_nanos: u64,
}

/// A segment of speech.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TranscriptSegment {
    /// Number of the segment, from 0.
    pub id: usize,
    /// Start of the segment, in seconds.
    pub start: f64,
    /// End of the segment, in seconds.
    pub end: f64,
    /// Words that were spoken in this segment.
    pub text: String,
}

/// Transcribe audio.
///
/// `response_format` selects the format: `json` (the default, with segments if the model reports them), `text`, `srt`, `vtt`, or
/// `verbose_json` as in the OpenAI API. If the model reports no times, the whole transcript is a single caption. The audio type is detected
/// from the bytes, not from the file name. The built-in model accepts WAV and recognises no words: it detects where there is speech, and
/// takes the words from the comment in the file, which a WAV file of the built-in voice contains. Billed by the duration of the audio.
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

/// Transcribes audio, for both kinds of clients.
pub async fn transcribe(
    app: &App,
    caller: &Caller,
    form: GenerateAudioTranscriptionForm,
    files: &[UploadedFile],
    client: Client,
) -> Api<HttpResponse> {
    caller.require_feature(Feature::Audio)?;
    let sound = ReceivedAudio::read(files).await?;
    let named = form.model.as_deref().filter(|model| !model.is_empty());
    let chosen = media::choose::<dyn TranscriptionModel>(&app.run_context, caller.into(), named).await?;
    let info = chosen.offered.info.clone();
    let hears = chosen.offered.model.hears();
    if !hears.is_empty() && !hears.contains(&sound.media_type) {
        let hears = hears.join(", ");
        return Err(fault(format!("is {}; {} accepts {hears}", sound.media_type, info.id), "unsupported"));
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
                // Also includes the fields of `json`, so that one schema describes both formats.
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

/// Returns a transcript in the verbose format of the OpenAI API. Unknown values are set to those that OpenAI reports for clearly understood
/// speech.
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
