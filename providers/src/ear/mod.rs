//! `builtin/ear`: detects speech in a WAV file without a key and without a network.
//!
//! It does not recognize words. It detects by loudness when there is speech. The text comes from the comment of the
//! file, which a WAV file of `builtin/voice` contains; for any other file the transcript contains `[speech]` for each
//! stretch, or `[silence]` if there is no speech.

mod spread;

#[cfg(test)]
mod tests;

use std::ops::Range;

use async_trait::async_trait;

use crate::chat::ProviderError;
use crate::media::MediaHandle;
use crate::media::transcription::{Segment, Transcript, TranscriptionModel, TranscriptionRequest};
use crate::media::wav::Wav;

/// The model's name at the provider `builtin`.
pub const NAME: &str = "ear";
/// The transcript of speech without known text, and of audio without speech.
const SPEECH: &str = "[speech]";
const SILENCE: &str = "[silence]";
/// Loudness measurements per second.
const LOOKS: u32 = 50;
/// Minimum length of a pause and of speech, in measurements; shorter pauses are part of speech, and shorter sounds
/// are ignored.
const PAUSE: usize = 8;
const NOISE: usize = 4;
/// Minimum loudness of speech: relative to the loudest parts, and absolute.
const QUIETER: f32 = 0.06;
const MIN_VOLUME: f32 = 0.004;

/// The model `builtin/ear`.
pub struct Ear;

/// Returns the model for the registry.
#[must_use]
pub fn offered() -> MediaHandle<dyn TranscriptionModel> {
    let mut offered: MediaHandle<dyn TranscriptionModel> =
        MediaHandle::new("builtin", NAME, std::sync::Arc::new(Ear));
    offered.info.name = "Ear".to_owned();
    offered.info.info_tags.extend(["built-in", "no-recognition", "wav-only"].map(str::to_owned));
    offered
}

#[async_trait]
impl TranscriptionModel for Ear {
    fn hears(&self) -> &[&'static str] {
        &["audio/wav"]
    }

    async fn transcribe(&self, request: TranscriptionRequest) -> Result<Transcript, ProviderError> {
        // Takes half a second for the largest file.
        let transcribed = tasks::blocking(move || transcribe(&request.audio)).await;
        let transcribed =
            transcribed.map_err(|why| ProviderError::protocol(format!("builtin/ear failed: {why}")))?;
        transcribed.map_err(|why| ProviderError::refused(format!("builtin/ear cannot read this: {why}")))
    }
}

fn transcribe(file: &[u8]) -> Result<Transcript, &'static str> {
    let wav = Wav::read(file)?;
    let seconds = wav.frames() as f64 / f64::from(wav.rate);
    let looks = wav.loudness((wav.rate / LOOKS).max(1) as usize);
    let step = f64::from((wav.rate / LOOKS).max(1)) / f64::from(wav.rate);
    let stretches = stretches(&looks);
    let texts = match wav.comment {
        Some(words) if !stretches.is_empty() => {
            spread::spread(words, &stretches.iter().map(ExactSizeIterator::len).collect::<Vec<_>>())
        }
        _ => vec![SPEECH.to_owned(); stretches.len()],
    };
    let segment = |(stretch, text): (&Range<usize>, String)| Segment {
        start_s: stretch.start as f64 * step,
        end_s: (stretch.end as f64 * step).min(seconds),
        text,
    };
    let mut segments: Vec<Segment> = stretches.iter().zip(texts).map(segment).collect();
    if segments.is_empty() {
        segments.push(Segment { start_s: 0.0, end_s: seconds, text: SILENCE.to_owned() });
    }
    segments.retain(|segment| !segment.text.is_empty());
    let texts: Vec<&str> = segments.iter().map(|segment| segment.text.as_str()).collect();
    let text = texts.join(" ");
    Ok(Transcript { text, language: None, duration_s: Some(seconds), segments, usage: None })
}

/// Returns the stretches of speech, in measurements.
fn stretches(looks: &[f32]) -> Vec<Range<usize>> {
    let mut sorted: Vec<f32> = looks.to_vec();
    sorted.sort_by(f32::total_cmp);
    let loud = sorted.get(sorted.len() * 19 / 20).copied().unwrap_or_default();
    let least = (loud * QUIETER).max(MIN_VOLUME);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in looks.iter().enumerate().filter(|(_, look)| **look >= least) {
        match found.last_mut() {
            Some(last) if at - last.end < PAUSE => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found.retain(|stretch| stretch.len() >= NOISE);
    found
}
