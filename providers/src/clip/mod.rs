//! The built-in video model: short clips that show the words of the prompt between moving shapes, rendered and
//! written as MP4 without a key and without a network. The clips are labelled as built-in.
//!
//! It behaves like a video provider: a job is submitted, polled, and reports its progress. The same prompt gives the
//! same clip. A job's id encodes everything needed to render its clip, so a job that was lost in a restart is
//! rendered again when it is polled, at no cost.

mod bits;
mod h264;
mod mp4;
mod recipe;
mod scene;
mod text;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::chat::{Keys, ProviderError};
use crate::media::MediaHandle;
use crate::media::video::{RemoteJob, RemoteState, VideoContent, VideoLimits, VideoModel, VideoRequest};
use recipe::Recipe;
use scene::{RATE, Scene};

/// The model's name after `builtin/`.
pub const NAME: &str = "clip";
/// Maximum number of clips that are rendered at once; further clips are queued.
const MAX_CONCURRENT: usize = 2;
/// Maximum number of clips in memory: queued, being rendered, or finished and not yet downloaded.
const MAX_KEPT: usize = 256;
/// Interval of keyframes in seconds.
const KEY_SECONDS: u32 = 4;
/// Size in bytes of a chunk of a download.
const PIECE: usize = 64 << 10;

/// Returns the model for the registry.
pub(crate) fn offered() -> MediaHandle<dyn VideoModel> {
    let model: Arc<dyn VideoModel> = Arc::new(Clip::default());
    let mut offered = MediaHandle::new("builtin", NAME, model);
    offered.info.name = "Clip".to_owned();
    offered.info.capability_tags.extend(["remix".to_owned(), "extend".to_owned()]);
    offered.info.info_tags.push("built-in".to_owned());
    offered
}

/// The model `builtin/clip`, with the clips that are being rendered.
pub struct Clip {
    jobs: Mutex<HashMap<String, Arc<Job>>>,
    places: Arc<Semaphore>,
}

/// A clip that is being rendered.
#[derive(Default)]
struct Job {
    begun: AtomicBool,
    drawn: AtomicU32,
    pictures: u32,
    /// Whether the clip is no longer needed.
    dropped: AtomicBool,
    file: Mutex<Option<Bytes>>,
}

impl Job {
    fn state(&self) -> RemoteState {
        if self.file.lock().is_some() {
            return RemoteState::Completed;
        }
        if !self.begun.load(Ordering::Acquire) {
            return RemoteState::Queued;
        }
        let percent = self.drawn.load(Ordering::Acquire) * 100 / self.pictures.max(1);
        RemoteState::InProgress { percent: percent.min(99) as u8 }
    }
}

impl Default for Clip {
    fn default() -> Self {
        Self { jobs: Mutex::default(), places: Arc::new(Semaphore::new(MAX_CONCURRENT)) }
    }
}

impl Clip {
    /// Returns the job for a recipe; starts it if it does not exist.
    fn ensure(&self, recipe: Recipe) -> Result<Arc<Job>, ProviderError> {
        let name = recipe.name();
        let mut jobs = self.jobs.lock();
        if let Some(job) = jobs.get(&name) {
            return Ok(job.clone());
        }
        if jobs.len() >= MAX_KEPT {
            // Finished clips can be rendered again.
            jobs.retain(|_, job| job.file.lock().is_none());
        }
        if jobs.len() >= MAX_KEPT {
            let kind = crate::chat::ProviderErrorKind::RateLimited { retry_after: None };
            return Err(ProviderError::new(kind, "builtin/clip: too many clips are being rendered"));
        }
        let scene = Scene::new(recipe);
        let job = Arc::new(Job { pictures: scene.pictures(), ..Job::default() });
        jobs.insert(name, job.clone());
        drop(jobs);
        let (work, places) = (job.clone(), self.places.clone());
        tasks::spawn(async move {
            // The semaphore is never closed.
            let Ok(_place) = places.acquire_owned().await else { return };
            let drawn = tasks::blocking(move || render(&scene, &work));
            if let Err(why) = drawn.await {
                tracing::error!(%why, "a clip could not be drawn");
            }
        });
        Ok(job)
    }
}

/// Renders a clip completely, unless it is no longer needed.
fn render(scene: &Scene, job: &Job) {
    job.begun.store(true, Ordering::Release);
    let file = write(scene, |number| {
        job.drawn.store(number, Ordering::Release);
        !job.dropped.load(Ordering::Acquire)
    });
    *job.file.lock() = file.map(Bytes::from);
}

/// Returns the clip as a file; `None` if `goes_on`, which receives the number of rendered frames, returns false.
fn write(scene: &Scene, goes_on: impl Fn(u32) -> bool) -> Option<Vec<u8>> {
    let size = scene.size();
    let (sequence, parameters) = (h264::sequence(size.0, size.1, RATE), h264::parameters());
    let mut encoder = h264::Encoder::new(scene.palette());
    let mut samples = Vec::with_capacity(scene.pictures() as usize);
    for number in 0..scene.pictures() {
        if !goes_on(number) {
            return None;
        }
        let key = number % (KEY_SECONDS * RATE) == 0;
        let unit = encoder.encode(&scene.draw(number), key);
        samples.push(mp4::Sample { data: mp4::framed(&unit), key });
    }
    let (sequence, parameters) = (&sequence, &parameters);
    let track = mp4::Track { width: size.0, height: size.1, rate: RATE, sequence, parameters };
    Some(mp4::file(&track, samples))
}

#[async_trait]
impl VideoModel for Clip {
    fn limits(&self) -> VideoLimits {
        VideoLimits {
            sizes: recipe::SIZES.to_vec(),
            seconds: (1..=recipe::MAX_SECONDS).collect(),
            usual_seconds: 4,
            remix: true,
            extend: true,
        }
    }

    async fn submit(&self, request: VideoRequest) -> Result<RemoteJob, ProviderError> {
        let recipe = Recipe::from_request(&request)?;
        let id = recipe.name();
        Ok(RemoteJob { state: self.ensure(recipe)?.state(), id })
    }

    async fn status(&self, job: &str, _: &Keys) -> Result<RemoteJob, ProviderError> {
        let state = self.ensure(Recipe::named(job)?)?.state();
        Ok(RemoteJob { id: job.to_owned(), state })
    }

    /// Always `None`: jobs are lost with the process, and rendering them again costs nothing.
    async fn submitted(&self, _: &str, _: &Keys) -> Result<Option<RemoteJob>, ProviderError> {
        Ok(None)
    }

    async fn content(&self, job: &str, _: &Keys) -> Result<VideoContent, ProviderError> {
        let clip = self.ensure(Recipe::named(job)?)?;
        let Some(file) = clip.file.lock().clone() else {
            return Err(ProviderError::new(
                crate::chat::ProviderErrorKind::Unavailable { retry_after: None },
                "builtin/clip: the clip is being rendered again",
            ));
        };
        self.jobs.lock().remove(job);
        let pieces = (0..file.len()).step_by(PIECE).map(move |from| {
            let to = (from + PIECE).min(file.len());
            Ok(file.slice(from..to))
        });
        let bytes = Box::pin(futures::stream::iter(pieces.collect::<Vec<_>>()));
        Ok(VideoContent { media_type: "video/mp4".to_owned(), bytes })
    }

    async fn delete(&self, job: &str, _: &Keys) -> Result<(), ProviderError> {
        if let Some(job) = self.jobs.lock().remove(job) {
            job.dropped.store(true, Ordering::Release);
        }
        Ok(())
    }
}
