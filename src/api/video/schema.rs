//! Requests of the video operations.

use jobs::video::{VideoSource, VideoStart};
use runs::RequestKey;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::credentials::sha256_hex;
use crate::http::{Api, Caller, Fault, Faults, Refusal, Validate};

/// Pixels along a side of a video.
const SIDE: std::ops::RangeInclusive<u32> = 16..=8_192;

/// A request for a video.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct VideoGenerationBody {
    /// What the video is to show; of a remix, what is to be different, of an extension, how it goes on.
    #[schema(min_length = 1, max_length = 8000)]
    pub prompt: Option<String>,
    /// The model, as in `/api/video/models`; by default that of the source, or the default model.
    pub model: Option<String>,
    /// Width and height in pixels, for example `640x360`. Models list the sizes they support; a video that is made
    /// from another one has the same size.
    pub size: Option<String>,
    /// The length in seconds; of an extension, how much longer. A remix is as long as its source.
    #[schema(minimum = 1, maximum = 600)]
    pub seconds: Option<u32>,
    /// The job whose video is changed (remix) or goes on (extend): a completed one of the caller's own.
    pub source_job_id: Option<String>,
}

impl Validate for VideoGenerationBody {
    fn validate(&self, faults: &mut Faults) {
        if self.prompt.as_deref().is_some_and(|prompt| !prompt.is_empty() && prompt.trim().is_empty()) {
            faults.add(["prompt"], "must not be blank", "too_short");
        }
        if self.size.as_deref().is_some_and(|size| size_of(size).is_none()) {
            let msg = format!("is not WIDTHxHEIGHT with sides of {} to {} pixels", SIDE.start(), SIDE.end());
            faults.add(["size"], msg, "malformed");
        }
    }
}

/// `640x360` as numbers.
fn size_of(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| {
        let plain = !text.is_empty() && text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse().ok()).flatten().filter(|side| SIDE.contains(side))
    };
    Some((side(width)?, side(height)?))
}

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Make {
    /// A video of a prompt.
    Generate,
    /// Another one of a video.
    Remix,
    /// More of a video.
    Extend,
}

impl VideoGenerationBody {
    /// The job to start.
    ///
    /// # Errors
    /// 422 for fields that are missing or belong to another operation; 404 for a source that is no id.
    pub fn start(self, make: Make, caller: &Caller, idempotency_key: Option<RequestKey>) -> Api<VideoStart> {
        let missing =
            |field, is_set: bool| (!is_set).then(|| Fault::new("body", [field], "is missing", "missing"));
        let takes_source = make != Make::Generate;
        let mut faults: Vec<Fault> = missing("prompt", self.prompt.is_some()).into_iter().collect();
        faults.extend(missing("source_job_id", !takes_source || self.source_job_id.is_some()));
        if !takes_source && self.source_job_id.is_some() {
            faults.push(Fault::new("body", ["source_job_id"], "belongs to remix and extend", "unexpected"));
        }
        if !faults.is_empty() {
            return Err(Refusal::faulty(faults));
        }
        let content = serde_json::json!([make, self]);
        let source = self.source_job_id.as_deref().map(|job| source(make, job)).transpose()?;
        Ok(VideoStart {
            tenant: caller.tenant,
            user: caller.user,
            token_id: caller.token_id,
            prompt: self.prompt.unwrap_or_default(),
            model: self.model,
            size: self.size.as_deref().and_then(size_of),
            seconds: self.seconds,
            source,
            idempotency_key,
            request_sha256: sha256_hex(content.to_string().as_bytes()),
        })
    }
}

fn source(make: Make, job: &str) -> Api<VideoSource> {
    let job: Uuid = job.parse().map_err(|_| Refusal::not_found("source video"))?;
    Ok(if make == Make::Remix { VideoSource::Remix(job) } else { VideoSource::Extend(job) })
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListVideoModels {
    /// Only those that have all of these tags.
    pub tags: Vec<String>,
}

impl Validate for ListVideoModels {}

/// The model of the job.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ModelQuery {
    /// The job's model; 404 for a job of another model.
    pub model: Option<String>,
}

impl Validate for ModelQuery {}

#[cfg(test)]
mod tests {
    use super::size_of;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!(size_of("640x360"), Some((640, 360)));
        for wrong in ["", "x", "640", "640x", "x360", "640x360x2", "+640x360", "640X360", "8x8", "99999x64"] {
            assert_eq!(size_of(wrong), None, "{wrong}");
        }
    }
}
