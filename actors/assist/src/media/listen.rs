use providers::media::duration;
use providers::media::transcription::{Transcript, TranscriptionModel, TranscriptionRequest};
use storage::Store;

use super::SelectedModel;
use super::bill::Bill;
use crate::ask::NoAnswer;

/// A transcript, and the usage of creating it.
#[derive(Clone, Debug)]
pub struct Transcription {
    /// Text that was spoken, with its timing.
    pub transcript: Transcript,
    /// Duration of the audio in milliseconds.
    pub ms: u64,
    /// Whether neither the provider nor the file states the duration, so that it is estimated from the size.
    pub estimated: bool,
    /// Cost in billionths of a dollar.
    pub cost_nanos: u64,
}

/// Transcribes audio. Dropping the future ends the call.
///
/// # Errors
/// The error that prevented the transcript. Nothing is billed then.
pub async fn listen(
    store: &Store,
    chosen: SelectedModel<dyn TranscriptionModel>,
    request: TranscriptionRequest,
) -> Result<Transcription, NoAnswer> {
    let SelectedModel { requester, offered, keys } = chosen;
    let audio = request.audio.clone();
    let request = TranscriptionRequest { model: offered.upstream_id.clone(), keys, ..request };
    let transcript = offered.model.transcribe(request).await?;
    let reported = transcript.duration_s.map(|seconds| (seconds * 1_000.0).ceil() as u64);
    let known = reported.or_else(|| duration::measure(&audio));
    let ms = known.unwrap_or_else(|| duration::estimate(audio.len() as u64));
    let estimated = known.is_none();
    let bill =
        Bill { requester, model: offered.info.clone(), quantity: ms, estimated, tokens: transcript.usage };
    let cost_nanos = bill.book(store).await?;
    Ok(Transcription { transcript, ms, estimated, cost_nanos })
}
