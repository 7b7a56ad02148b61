//! Accepts a video job: one transaction either adds the job and its run, or refuses the request.

use domain::{Code, Refusal};
use std::sync::Arc;

use assist::offer::ModelAccess;
use providers::media::video::{VideoLimits, VideoModel};
use providers::{MediaHandle, Models};
use runs::{RequestKey, Runs, StartError};
use serde::{Deserialize, Serialize};
use storage::records::{Recovery, Run, RunKind, RunState, VideoJob, VideoJobState, VideoOperation};
use storage::{Reader, Row, Scan, TenantId, Tx, journal};
use uuid::Uuid;

use super::Video;

/// The default size if the model declares none.
const DEFAULT_SIZE: (u32, u32) = (1280, 720);

/// A request to generate a video.
#[derive(Clone, Debug)]
pub struct VideoStart {
    pub tenant: TenantId,
    /// The user who makes the request.
    pub user: Uuid,
    /// The API token of the request, for the usage record.
    pub token_id: Option<Uuid>,
    /// Describes what the video shows.
    pub prompt: String,
    /// The model. Defaults to the model of the source, then to the default model.
    pub model: Option<String>,
    /// Width and height in pixels.
    pub size: Option<(u32, u32)>,
    /// Length of the video, or of the extension, in seconds.
    pub seconds: Option<u32>,
    /// The video that the new video is based on.
    pub source: Option<VideoSource>,
    /// The client's idempotency key. A repeated key within 24 hours returns the same job.
    pub idempotency_key: Option<RequestKey>,
    /// SHA-256 of the request, in hex. A key that was used for a different request is refused.
    pub request_sha256: String,
}

/// A completed video of the same user that a new video is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoSource {
    /// Generate a modified version of the video.
    Remix(Uuid),
    /// Generate a continuation of the video.
    Extend(Uuid),
}

/// Why a video job was refused. A refusal changes nothing.
#[derive(Debug, thiserror::Error)]
pub enum VideoStartError {
    /// The run was refused for a reason that applies to all runs.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The source video has not been completed, or its file is not available.
    #[error("the source is not completed")]
    SourceNotCompleted,
}

impl From<storage::Error> for VideoStartError {
    fn from(why: storage::Error) -> Self {
        Self::Start(why.into())
    }
}

/// The part of its request that a run stores.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredRequest {
    /// Number of seconds that are generated.
    pub seconds: u32,
    /// The cost at the price when the job was accepted.
    pub cost_nanos: u64,
}

/// The decision of the accepting transaction.
enum Accepted {
    New(Row<VideoJob>, Box<Row<Run>>),
    Before(Row<VideoJob>),
}

/// Accepts a video job and starts it. When this function returns, the job is durable.
///
/// # Errors
/// Returns the reason why the job was refused. A refusal changes nothing.
pub async fn start(runs: &Runs, mut start: VideoStart) -> Result<Row<VideoJob>, VideoStartError> {
    if runs.draining() {
        return Err(StartError::ShuttingDown.into());
    }
    if let Some(key) = &mut start.idempotency_key
        && let Some(run) = key.run(runs.store(), &start.request_sha256).await?
    {
        let (tenant, user) = (start.tenant, start.user);
        return runs.store().read(move |reader| job_of(reader, tenant, user, &run)).await;
    }
    runs.may_start(start.tenant, start.user)?;
    let handler = runs.handler::<Video>();
    let (models, most) = (handler.run_context.models.clone(), handler.config.jobs_per_user);
    let (own, tenant) = (runs.clone(), start.tenant);
    let accepted = async move {
        match own.store().run(move |tx| accept(tx, &models, most, &start)).await? {
            Accepted::New(job, run) => {
                own.launch(tenant, *run);
                Ok(job)
            }
            Accepted::Before(job) => Ok(job),
        }
    };
    runs.run_uninterrupted(accepted).await
}

fn accept(
    tx: &mut Tx,
    models: &Arc<Models>,
    most: usize,
    start: &VideoStart,
) -> Result<Accepted, VideoStartError> {
    let (tenant, user) = (start.tenant, start.user);
    if let Some(key) = &start.idempotency_key
        && let Some(run) = key.accepted(tx, &start.request_sha256)?
    {
        return job_of(tx, tenant, user, &run).map(Accepted::Before);
    }
    let in_work = Scan::index("in_work").prefix(user.as_bytes().to_vec()).limit(most.max(1));
    if tx.scan::<VideoJob>(tenant, in_work)?.items.len() >= most {
        return Err(StartError::TooMany.into());
    }
    let offer = ModelAccess::read(tx, models, tenant, user)?;
    let source = start.source.map(|source| completed(tx, tenant, user, source)).transpose()?;
    let model = model(&offer, start, source.as_ref())?;
    offer.within_budget().map_err(StartError::from)?;
    let job = job(&model, start, source)?;
    let request = StoredRequest {
        seconds: job.seconds,
        cost_nanos: model.info.cost_nanos(u64::from(job.seconds) * 1_000),
    };
    let id = Uuid::now_v7();
    let run = Run {
        kind: RunKind::Video,
        user,
        model: job.model.clone(),
        state: RunState::Queued,
        epoch: 1,
        recovery: Recovery::Continue,
        request: serde_json::to_value(request).map_err(|why| storage::Error::Invalid(why.to_string()))?,
        token_id: start.token_id,
        trace: tx.trace(),
        ..Run::default()
    };
    let job = tx.insert(tenant, (user, id), job)?;
    let run = tx.insert(tenant, id, run)?;
    journal::set_epoch(tx.batch(), tenant, id, 1);
    if let Some(key) = &start.idempotency_key {
        key.record_run(tx, &start.request_sha256, id)?;
    }
    Ok(Accepted::New(job, Box::new(run)))
}

/// Returns the job of a run that was accepted earlier.
fn job_of(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    run: &Row<Run>,
) -> Result<Row<VideoJob>, VideoStartError> {
    let job = reader.get::<VideoJob>(tenant, &(user, run.id)).map_err(StartError::Storage)?;
    Ok(job.ok_or(StartError::Expired)?)
}

/// Returns the source job. Returns an error unless it is completed.
fn completed(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    source: VideoSource,
) -> Result<Row<VideoJob>, VideoStartError> {
    let (VideoSource::Remix(id) | VideoSource::Extend(id)) = source;
    let found = tx.get::<VideoJob>(tenant, &(user, id))?.ok_or(StartError::NotFound("source video"))?;
    match found.state == VideoJobState::Completed && found.remote_id.is_some() {
        true => Ok(found),
        false => Err(VideoStartError::SourceNotCompleted),
    }
}

/// Selects the model. A job with a source must use the model of the source.
fn model(
    offer: &ModelAccess,
    start: &VideoStart,
    source: Option<&Row<VideoJob>>,
) -> Result<Arc<MediaHandle<dyn VideoModel>>, StartError> {
    let named = start.model.as_deref().or(source.map(|source| source.model.as_str()));
    let unknown = || {
        let model = named.unwrap_or("video").to_owned();
        StartError::UnknownModel { omission: providers::omission(&model), model }
    };
    let model = offer.media::<dyn VideoModel>(named).ok_or_else(unknown)?;
    match source.filter(|source| source.model != model.info.id) {
        Some(source) => {
            let msg = format!("only {:?}, which made the source, can use it", source.model);
            Err(StartError::Invalid { loc: "model", msg })
        }
        None => Ok(model),
    }
}

/// Builds the job, and checks it against the limits of the model.
fn job(
    model: &MediaHandle<dyn VideoModel>,
    start: &VideoStart,
    source: Option<Row<VideoJob>>,
) -> Result<VideoJob, StartError> {
    let limits = model.model.limits();
    let operation = match start.source {
        None => VideoOperation::Generate,
        Some(VideoSource::Remix(_)) => VideoOperation::Remix,
        Some(VideoSource::Extend(_)) => VideoOperation::Extend,
    };
    let able = match operation {
        VideoOperation::Generate => true,
        VideoOperation::Remix => limits.remix,
        VideoOperation::Extend => limits.extend,
    };
    if !able {
        let msg = format!("{} does not support this operation", model.info.id);
        return Err(StartError::Invalid { loc: "model", msg });
    }
    let source = source.as_ref();
    let (width, height) = size(&limits, start.size, source)?;
    let seconds = seconds(&limits, start.seconds, source.filter(|_| operation == VideoOperation::Remix))?;
    let before = source.filter(|_| operation == VideoOperation::Extend).map_or(0, |source| source.length);
    Ok(VideoJob {
        model: model.info.id.clone(),
        prompt: start.prompt.clone(),
        width,
        height,
        seconds,
        length: before + seconds,
        operation,
        source_job_id: source.map(|source| source.id.1),
        source_remote_id: source.and_then(|source| source.remote_id.clone()),
        ..VideoJob::default()
    })
}

fn size(
    limits: &VideoLimits,
    requested: Option<(u32, u32)>,
    source: Option<&Row<VideoJob>>,
) -> Result<(u32, u32), StartError> {
    let source_size = source.map(|source| (source.width, source.height));
    let usual = source_size.or(limits.sizes.first().copied()).unwrap_or(DEFAULT_SIZE);
    let size = requested.unwrap_or(usual);
    let msg = match source_size {
        Some((width, height)) if size != usual => format!("must be that of the source, {width}x{height}"),
        None if !limits.sizes.is_empty() && !limits.sizes.contains(&size) => {
            let sizes: Vec<_> = limits.sizes.iter().map(|(w, h)| format!("{w}x{h}")).collect();
            format!("must be one of {}", sizes.join(", "))
        }
        _ => return Ok(size),
    };
    Err(StartError::Invalid { loc: "size", msg })
}

/// Returns the number of seconds to generate. A remix has the length of the remixed video.
fn seconds(
    limits: &VideoLimits,
    requested: Option<u32>,
    remixed: Option<&Row<VideoJob>>,
) -> Result<u32, StartError> {
    let seconds = requested.or(remixed.map(|source| source.length)).unwrap_or(limits.usual_seconds);
    let msg = match remixed {
        Some(source) if seconds != source.length => {
            format!("must be those of the source, {}", source.length)
        }
        None if !limits.seconds.is_empty() && !limits.seconds.contains(&seconds) => {
            let all: Vec<_> = limits.seconds.iter().map(u32::to_string).collect();
            format!("must be one of {}", all.join(", "))
        }
        _ => return Ok(seconds),
    };
    Err(StartError::Invalid { loc: "seconds", msg })
}

impl From<VideoStartError> for Refusal {
    fn from(why: VideoStartError) -> Self {
        match why {
            VideoStartError::Start(why) => why.into(),
            VideoStartError::SourceNotCompleted => {
                Self::new(Code::NotReady).detail("the source video is not completed")
            }
        }
    }
}
