//! Requests of the video operations.

use jobs::video::{VideoSource, VideoStart};
use runs::RequestKey;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::credentials::sha256_hex;
use crate::http::{Api, Caller, Fault, Faults, Refusal, Validate};

/// The side length of a video, in pixels.
const SIDE: std::ops::RangeInclusive<u32> = 16..=8_192;

/// A request for a video.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct VideoGenerationBody {
    /// A description of the video. For a remix, what to change; for an extension, how the video continues.
    #[schema(min_length = 1, max_length = 8000)]
    pub prompt: Option<String>,
    /// The id of the model, as in `/api/video/models`. Defaults to the model of the source, or to the default
    /// model.
    pub model: Option<String>,
    /// The width and height in pixels, for example `640x360`. The list of models contains the supported sizes.
    /// A video that is made from another one has the same size.
    pub size: Option<String>,
    /// The length in seconds; for an extension, the additional length. A remix is as long as its source.
    #[schema(minimum = 1, maximum = 600)]
    pub seconds: Option<u32>,
    /// The job whose video to remix or extend. It must be one of the caller's own completed jobs.
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

/// Parses a size such as `640x360`.
pub fn size_of(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| {
        let plain = !text.is_empty() && text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse().ok()).flatten().filter(|side| SIDE.contains(side))
    };
    Some((side(width)?, side(height)?))
}

/// The operation that creates a video.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Make {
    /// Generates a video from a prompt.
    Generate,
    /// Changes an existing video.
    Remix,
    /// Continues an existing video.
    Extend,
}

impl VideoGenerationBody {
    /// The job to start.
    ///
    /// # Errors
    /// 422 for fields that are missing or belong to another operation; 404 for a source that is not a valid id.
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
    /// Returns only models that have all of these tags.
    pub tags: Vec<String>,
}

impl Validate for ListVideoModels {}

/// The expected model of the job.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ModelQuery {
    /// The model of the job. Returns 404 if the job has a different model.
    pub model: Option<String>,
}

impl Validate for ModelQuery {}
