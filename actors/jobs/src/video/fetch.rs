//! Downloads the file of a video to disk, and stores it as a blob.

use futures::TryStreamExt;
use providers::ProviderError;
use providers::media::video::VideoContent;
use runs::RunOutcome;
use storage::records::VideoResult;
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt;

use super::video_run::{VideoRun, failed};

/// The result of a download.
pub(super) enum FetchResult {
    /// The file is complete and stored.
    Whole(VideoResult),
    /// The download failed, but may succeed later.
    Broken(ProviderError),
    /// The file is not available, or cannot be stored.
    Unfit(RunOutcome),
}

pub(super) async fn fetch(video_run: &VideoRun<'_>, remote: &str) -> FetchResult {
    let content = match video_run.way.model.content(remote, &video_run.keys).await {
        Ok(content) => content,
        Err(why) if why.retryable() => return FetchResult::Broken(why),
        Err(why) => return FetchResult::Unfit(failed(&why)),
    };
    let Some(media_type) = media_type(&content.media_type) else {
        let message = format!("the provider sent {:?} in place of a video", content.media_type);
        return FetchResult::Unfit(RunOutcome::failed("upstream_protocol", message));
    };
    match receive(video_run, content).await {
        Ok(file) => store(video_run, file, media_type).await,
        Err(fetched) => fetched,
    }
}

/// Returns the media type to store for a file, or `None` if it is not a video.
fn media_type(header: &str) -> Option<String> {
    match header {
        "" | "application/octet-stream" | "binary/octet-stream" => Some("video/mp4".to_owned()),
        header if header.starts_with("video/") && header.len() <= 100 => Some(header.to_owned()),
        _ => None,
    }
}

async fn receive(video_run: &VideoRun<'_>, content: VideoContent) -> Result<NamedTempFile, FetchResult> {
    let dir = video_run.work.store.dir().join("uploads");
    let created = tasks::blocking(move || {
        std::fs::create_dir_all(&dir)?;
        NamedTempFile::new_in(&dir)
    });
    let file = created.await.map_err(std::io::Error::other).and_then(|created| created).map_err(unkept)?;
    let mut to = tokio::fs::File::from_std(file.reopen().map_err(unkept)?);
    let (mut bytes, mut size, largest) = (content.bytes, 0, video_run.config.largest);
    while let Some(piece) = bytes.try_next().await.map_err(|why| match why.retryable() {
        true => FetchResult::Broken(why),
        false => FetchResult::Unfit(failed(&why)),
    })? {
        size += piece.len() as u64;
        if size > largest {
            let message = format!("the video has more than {} MiB", largest >> 20);
            return Err(FetchResult::Unfit(RunOutcome::failed("result_too_large", message)));
        }
        to.write_all(&piece).await.map_err(unkept)?;
    }
    to.flush().await.map_err(unkept)?;
    match size {
        0 => Err(FetchResult::Unfit(RunOutcome::failed(
            "upstream_protocol",
            "the provider sent an empty video",
        ))),
        _ => Ok(file),
    }
}

async fn store(video_run: &VideoRun<'_>, file: NamedTempFile, media_type: String) -> FetchResult {
    let work = video_run.work;
    match work.store.blobs().put_file(work.tenant, file.path()).await {
        Ok((blob_id, size)) => FetchResult::Whole(VideoResult { blob_id, media_type, size }),
        Err(why) => {
            tracing::error!(job = %work.run.id, %why, "a video could not be stored");
            FetchResult::Unfit(RunOutcome::failed("internal", "the video could not be stored"))
        }
    }
}

fn unkept(why: std::io::Error) -> FetchResult {
    tracing::error!(%why, "a video could not be written to disk");
    FetchResult::Unfit(RunOutcome::failed("internal", "the video could not be stored"))
}
