//! Video generation: the `/videos` endpoints. A job is created and polled, and its video is downloaded.

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::json;

use crate::chat::{Keys, ProviderError};
use crate::media::video::{
    RemoteJob, RemoteState, VideoContent, VideoLimits, VideoModel, VideoRequest, VideoSource,
};
use crate::upstream::{Ask, Form, Host, Line};

/// Maximum size in bytes of a job's description.
const MAX_DESCRIPTION_BYTES: usize = 1 << 20;
/// The idempotency header; servers that do not support it ignore it.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The documented sizes and durations of the `sora-2...` models.
const SORA_SIZES: [(u32, u32); 4] = [(1280, 720), (720, 1280), (1792, 1024), (1024, 1792)];
const SORA_SECONDS: [u32; 3] = [4, 8, 12];

/// Returns the video model of a server with this id.
pub(crate) fn video(host: &Arc<Host>, id: &str) -> Arc<dyn VideoModel> {
    let sora = id.starts_with("sora-2");
    let sizes = match id.contains("pro") {
        true => SORA_SIZES.to_vec(),
        false => SORA_SIZES[..2].to_vec(),
    };
    let limits = VideoLimits {
        sizes: if sora { sizes } else { Vec::new() },
        seconds: if sora { SORA_SECONDS.to_vec() } else { Vec::new() },
        usual_seconds: SORA_SECONDS[0],
        remix: true,
        extend: true,
    };
    Arc::new(OpenAiVideo { host: host.clone(), limits })
}

struct OpenAiVideo {
    host: Arc<Host>,
    limits: VideoLimits,
}

#[async_trait]
impl VideoModel for OpenAiVideo {
    fn limits(&self) -> VideoLimits {
        self.limits.clone()
    }

    async fn submit(&self, request: VideoRequest) -> Result<RemoteJob, ProviderError> {
        let line = self.host.line(&request.keys)?;
        let (model, seconds) = (request.model.as_str(), request.seconds.to_string());
        let ask = match &request.source {
            None => {
                let (width, height) = request.size;
                let form = Form::new()
                    .text("model", model)
                    .text("prompt", &request.prompt)
                    .text("seconds", &seconds)
                    .text("size", &format!("{width}x{height}"));
                Ask::form(line.url("videos"), model, form)
            }
            Some(VideoSource::Remix(source)) => {
                let url = line.url(&format!("videos/{}/remix", escaped(source)));
                Ask::json(url, model, json!({"prompt": request.prompt}).to_string())
            }
            Some(VideoSource::Extend(source)) => {
                let body = json!({"video": {"id": source}, "prompt": request.prompt, "seconds": seconds});
                Ask::json(line.url("videos/extensions"), model, body.to_string())
            }
        };
        // Every request is billed, so it is not retried.
        let mut ask = ask.once();
        if let Ok(key) = HeaderValue::try_from(&request.key) {
            ask = ask.header(KEY, key);
        }
        remote_job(&line, ask).await
    }

    async fn status(&self, job: &str, keys: &Keys) -> Result<RemoteJob, ProviderError> {
        let line = self.host.line(keys)?;
        let url = line.url(&format!("videos/{}", escaped(job)));
        remote_job(&line, Ask::get(url)).await
    }

    async fn submitted(&self, _: &str, _: &Keys) -> Result<Option<RemoteJob>, ProviderError> {
        // The API lists jobs, but does not store a caller's key with them.
        let name = &self.host.name;
        Err(ProviderError::refused(format!("{name} cannot tell which request a video came from")))
    }

    async fn content(&self, job: &str, keys: &Keys) -> Result<VideoContent, ProviderError> {
        let line = self.host.line(keys)?;
        let url = line.url(&format!("videos/{}/content", escaped(job)));
        let reply = line.ask(Ask::get(url)).await?;
        if reply.kind.contains("json") {
            let body = reply.whole(MAX_DESCRIPTION_BYTES).await?;
            return Err(line.cleaned(line.reported(&body)));
        }
        let media_type = reply.kind.split(';').next().unwrap_or_default().trim().to_owned();
        Ok(VideoContent { media_type, bytes: Box::pin(reply.pieces()) })
    }

    async fn delete(&self, job: &str, keys: &Keys) -> Result<(), ProviderError> {
        let line = self.host.line(keys)?;
        let url = line.url(&format!("videos/{}", escaped(job)));
        line.ask(Ask::delete(url).once()).await.map(drop)
    }
}

/// Sends a request and parses the job in the response.
async fn remote_job(line: &Line, ask: Ask) -> Result<RemoteJob, ProviderError> {
    let body = line.ask(ask).await?.whole(MAX_DESCRIPTION_BYTES).await?;
    let read: Result<Video, _> = serde_json::from_slice(&body);
    let video = match read {
        Ok(video) if !video.id.is_empty() => video,
        _ => return Err(line.cleaned(line.rubbish(&body))),
    };
    let state = match video.status.as_str() {
        "queued" | "pending" => RemoteState::Queued,
        "completed" | "succeeded" => RemoteState::Completed,
        "failed" | "cancelled" | "canceled" | "expired" => failed(line, video.error, &video.status),
        _ => {
            let percent = video.progress.unwrap_or_default().clamp(0.0, 100.0) as u8;
            RemoteState::InProgress { percent }
        }
    };
    Ok(RemoteJob { id: video.id, state })
}

fn failed(line: &Line, fault: Option<Fault>, status: &str) -> RemoteState {
    let fault = fault.unwrap_or_default();
    let message = fault.message.filter(|message| !message.is_empty());
    let message = message.unwrap_or_else(|| format!("the video is {status}"));
    let message = line.cleaned(ProviderError::refused(format!("{}: {message}", line.name()))).message;
    RemoteState::Failed { code: fault.code.unwrap_or_else(|| "video_failed".to_owned()), message }
}

/// Escapes a name as a single path segment.
fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => escaped.push(char::from(byte)),
            b'.' if name != "." && name != ".." => escaped.push('.'),
            _ => drop(write!(escaped, "%{byte:02X}")),
        }
    }
    escaped
}

#[derive(Deserialize)]
struct Video {
    #[serde(default)]
    id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    progress: Option<f64>,
    #[serde(default)]
    error: Option<Fault>,
}

#[derive(Default, Deserialize)]
struct Fault {
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    message: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn escaped_returns_one_path_segment() {
        assert_eq!(escaped("video_1-a.b"), "video_1-a.b");
        assert_eq!(escaped("a/b?c=1"), "a%2Fb%3Fc%3D1");
        assert_eq!(escaped(".."), "%2E%2E");
    }
}
