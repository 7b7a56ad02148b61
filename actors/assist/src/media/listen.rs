use providers::media::duration;
use providers::media::transcription::{Transcript, TranscriptionModel, TranscriptionRequest};
use storage::Store;

use super::SelectedModel;
use super::bill::Bill;
use crate::ask::NoAnswer;

/// What was heard, and what it took.
#[derive(Clone, Debug)]
pub struct Transcription {
    /// What was said.
    pub transcript: Transcript,
    /// How long the sound is, in milliseconds.
    pub ms: u64,
    /// Whether neither the provider nor the file states the duration, so that it is estimated from the size.
    pub estimated: bool,
    /// What it cost, in billionths of a dollar.
    pub cost_nanos: u64,
}

/// Has a sound written down. Dropping the future ends the call.
///
/// # Errors
/// Whatever kept the model from understanding; that costs nothing.
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
