//! `builtin/voice`: text to speech without a key and without a network.
//!
//! A classic formant synthesizer: rules for English convert letters to sounds ([`letters`]), sounds are converted to
//! movements of the vocal tract ([`plan`]), and these to audio ([`synth`]). Nothing is learned or recorded. It sounds
//! like a machine, and other scripts become meaningless syllables. The same text in the same voice at the same speed
//! gives the same bytes. A WAV file contains its text in a comment, from which `builtin/ear` reads it.

mod letters;
mod numbers;
mod plan;
mod rules;
mod sounds;
mod synth;
mod text;
mod wav;
mod words;

#[cfg(test)]
mod tests;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream;

use crate::chat::ProviderError;
use crate::media::MediaHandle;
use crate::media::speech::{AudioFormat, AudioStream, SpeechModel, SpeechRequest};
use synth::Synth;

/// The model's name at the provider `builtin`.
pub const NAME: &str = "voice";
/// Samples per second.
const RATE: u32 = 24_000;
/// Samples per chunk: a fifth of a second.
const PORTION: usize = RATE as usize / 5;
/// Maximum length in samples: ten minutes.
const MAX_SAMPLES: u64 = 600 * RATE as u64;
/// The voices; the first one is the default.
const VOICES: [&str; 4] = ["ada", "ben", "kit", "rook"];

/// The parameters of a voice.
struct Tone {
    /// The average pitch in hertz.
    pitch: f32,
    /// The factor by which its resonances are higher than those of an adult man.
    scale: f32,
}

const TONES: [Tone; 4] = [
    Tone { pitch: 196.0, scale: 1.15 },
    Tone { pitch: 112.0, scale: 1.0 },
    Tone { pitch: 255.0, scale: 1.27 },
    Tone { pitch: 82.0, scale: 0.93 },
];

/// The model `builtin/voice`.
pub struct Voice;

/// Returns the model for the registry.
#[must_use]
pub fn offered() -> MediaHandle<dyn SpeechModel> {
    let mut offered: MediaHandle<dyn SpeechModel> =
        MediaHandle::new("builtin", NAME, std::sync::Arc::new(Voice));
    offered.info.name = "Voice".to_owned();
    offered.info.info_tags.extend(["built-in", "english", "synthesised"].map(str::to_owned));
    offered
}

#[async_trait]
impl SpeechModel for Voice {
    fn formats(&self) -> &[AudioFormat] {
        &[AudioFormat::Wav, AudioFormat::Pcm]
    }

    fn voices(&self) -> &[&'static str] {
        &VOICES
    }

    async fn speak(&self, request: SpeechRequest) -> Result<AudioStream, ProviderError> {
        let named = request.voice.as_deref().unwrap_or(VOICES[0]);
        let Some(at) = VOICES.iter().position(|voice| *voice == named) else {
            let text = format!("builtin/voice has no voice {named:?}, but {}", VOICES.join(", "));
            return Err(ProviderError::refused(text));
        };
        if !self.formats().contains(&request.format) {
            return Err(ProviderError::refused("builtin/voice speaks wav and pcm"));
        }
        let speaking = Speaking::new(&request.text, &TONES[at], request.speed, request.format)?;
        Ok(Box::pin(stream::iter(speaking.map(Ok))))
    }
}

/// A text that is being spoken in chunks. A chunk is synthesized on demand, in about a thousandth of its duration.
struct Speaking {
    head: Option<Vec<u8>>,
    synth: Synth,
    tail: Option<Vec<u8>>,
}

impl Speaking {
    /// Plans the whole text without synthesizing it.
    ///
    /// # Errors
    /// Returns an error if the speech would exceed the maximum length.
    fn new(text: &str, tone: &Tone, speed: f64, format: AudioFormat) -> Result<Self, ProviderError> {
        let speed = speed.clamp(0.25, 4.0);
        let pieces = plan::plan(text, tone, speed);
        let samples: u64 = pieces.iter().map(|piece| u64::from(piece.samples)).sum();
        if samples > MAX_SAMPLES {
            let (s, most) = (samples / u64::from(RATE), MAX_SAMPLES / u64::from(RATE));
            let text = format!("builtin/voice would speak for {s} s; it speaks {most} s at once at most");
            return Err(ProviderError::refused(text));
        }
        let tail = (format == AudioFormat::Wav).then(|| wav::tail(text));
        let head = tail.as_deref().map(|tail| wav::head(samples as u32, tail));
        Ok(Self { head, synth: Synth::new(pieces, tone, speed), tail })
    }
}

impl Iterator for Speaking {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if let Some(head) = self.head.take() {
            return Some(head.into());
        }
        let mut portion = Vec::with_capacity(PORTION * wav::SAMPLE as usize);
        while let Some(sample) = (portion.len() < portion.capacity()).then(|| self.synth.next()).flatten() {
            let sample = (sample * f32::from(i16::MAX)) as i16;
            portion.extend_from_slice(&sample.to_le_bytes());
        }
        if portion.is_empty() {
            return self.tail.take().map(Bytes::from);
        }
        Some(portion.into())
    }
}
