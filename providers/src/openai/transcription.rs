//! Transcription: the `/audio/transcriptions` endpoint.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;

use crate::chat::{ProviderError, ProviderErrorKind, Usage};
use crate::media::transcription::{Segment, Transcript, TranscriptionModel, TranscriptionRequest};
use crate::upstream::{Ask, Form, Host, Line};

/// Maximum size of a transcript in bytes.
const MAX_BYTES: usize = 16 << 20;
/// Parts of model names that indicate models without timestamps.
const TIMELESS: [&str; 2] = ["gpt-", "-transcribe"];

/// Returns the transcription model of a server with this id.
pub(crate) fn transcription(host: &Arc<Host>, id: &str) -> Arc<dyn TranscriptionModel> {
    let timeless = TIMELESS.iter().any(|part| id.contains(part));
    Arc::new(OpenAiTranscription { host: host.clone(), timeless })
}

struct OpenAiTranscription {
    host: Arc<Host>,
    timeless: bool,
}

#[async_trait]
impl TranscriptionModel for OpenAiTranscription {
    async fn transcribe(&self, request: TranscriptionRequest) -> Result<Transcript, ProviderError> {
        let line = self.host.line(&request.keys)?;
        let times = request.segments && !self.timeless;
        match transcribe(&line, &request, times).await {
            // A server without support for timestamps is asked for the text only.
            Err(error) if times && dislikes_times(&error) => transcribe(&line, &request, false).await,
            heard => heard,
        }
    }
}

fn dislikes_times(error: &ProviderError) -> bool {
    let names = ["response_format", "verbose_json", "timestamp_granularities"];
    let refused = matches!(error.kind, ProviderErrorKind::Refused | ProviderErrorKind::Status(400..=499));
    refused && names.iter().any(|name| error.message.contains(name))
}

async fn transcribe(
    line: &Line,
    request: &TranscriptionRequest,
    times: bool,
) -> Result<Transcript, ProviderError> {
    let name = filename(&request.filename, &request.media_type);
    let mut form = Form::new().text("model", &request.model);
    if let Some(language) = &request.language {
        form = form.text("language", language);
    }
    if let Some(prompt) = &request.prompt {
        form = form.text("prompt", prompt);
    }
    if let Some(temperature) = request.temperature {
        form = form.text("temperature", &temperature.to_string());
    }
    form = form.text("response_format", if times { "verbose_json" } else { "json" });
    if times {
        form = form.text("timestamp_granularities[]", "segment");
    }
    let form = form.file("file", &name, &request.media_type, &request.audio);
    let reply = line.ask(Ask::form(line.url("audio/transcriptions"), &request.model, form)).await?;
    let whole = reply.whole(MAX_BYTES).await?;
    match serde_json::from_slice::<TranscriptionResponse>(&whole) {
        Ok(TranscriptionResponse { text: Some(text), rest }) => Ok(rest.with(text)),
        Ok(_) => Err(line.cleaned(line.reported(&whole))),
        Err(_) => Err(line.rubbish(&whole)),
    }
}

/// Returns a file name with the matching extension, from which servers determine the audio format.
fn filename(name: &str, media_type: &str) -> String {
    let end = match media_type {
        "audio/wav" => "wav",
        "audio/mpeg" => "mp3",
        "audio/flac" => "flac",
        "audio/ogg" => "ogg",
        "audio/mp4" => "m4a",
        "audio/webm" => "webm",
        "video/mp4" => "mp4",
        "audio/aac" => "aac",
        _ => return name.to_owned(),
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = if stem.is_empty() { "audio" } else { stem };
    format!("{stem}.{end}")
}

#[derive(Deserialize)]
struct TranscriptionResponse {
    text: Option<String>,
    #[serde(flatten)]
    rest: ResponseDetails,
}

#[derive(Deserialize)]
struct ResponseDetails {
    #[serde(default)]
    language: Option<String>,
    /// Some servers send it as a string.
    #[serde(default)]
    duration: Value,
    #[serde(default)]
    segments: Option<Vec<ResponseSegment>>,
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct ResponseSegment {
    #[serde(default)]
    start: f64,
    #[serde(default)]
    end: f64,
    #[serde(default)]
    text: String,
}

impl ResponseDetails {
    fn with(self, text: String) -> Transcript {
        let seconds = |value: &Value| {
            let seconds = value.as_f64().or_else(|| value.as_str()?.parse().ok());
            seconds.filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
        };
        let segment = |response: ResponseSegment| Segment {
            start_s: response.start.max(0.0),
            end_s: response.end.max(response.start).max(0.0),
            text: response.text.trim().to_owned(),
        };
        let count = |name: &str| self.usage[name].as_u64();
        let usage = count("input_tokens").zip(count("output_tokens"));
        Transcript {
            text: text.trim().to_owned(),
            duration_s: seconds(&self.duration).or_else(|| seconds(&self.usage["seconds"])),
            usage: usage.map(|(input_tokens, output_tokens)| Usage {
                input_tokens,
                output_tokens,
                ..Usage::default()
            }),
            language: self.language,
            segments: self.segments.unwrap_or_default().into_iter().map(segment).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcription_response_accepts_common_formats() {
        let read = |text: &str| {
            let response: TranscriptionResponse = serde_json::from_str(text).unwrap();
            response.rest.with(response.text.unwrap())
        };
        let response = read(
            r#"{"task":"transcribe","language":"english","duration":"2.5","text":" Hi there. ",
                "segments":[{"id":0,"start":0.0,"end":2.5,"text":" Hi there.","tokens":[1]}],"usage":{"type":"duration","seconds":3}}"#,
        );
        assert_eq!(
            (response.text.as_str(), response.duration_s, response.usage),
            ("Hi there.", Some(2.5), None)
        );
        assert_eq!(response.segments, [Segment { start_s: 0.0, end_s: 2.5, text: "Hi there.".to_owned() }]);
        let response = read(r#"{"text":"Hi","usage":{"type":"tokens","input_tokens":14,"output_tokens":3}}"#);
        let usage = response.usage.unwrap();
        assert_eq!((response.duration_s, usage.input_tokens, usage.output_tokens), (None, 14, 3));
        assert_eq!(read(r#"{"text":"Hi","usage":{"type":"duration","seconds":3}}"#).duration_s, Some(3.0));
    }

    #[test]
    fn filename_has_the_matching_extension() {
        assert_eq!(filename("blob", "audio/webm"), "blob.webm");
        assert_eq!(filename("a.b.wav", "audio/mpeg"), "a.b.mp3");
        assert_eq!(filename(".x", "audio/wav"), "audio.wav");
        assert_eq!(filename("x.amr", "audio/amr"), "x.amr");
    }
}
