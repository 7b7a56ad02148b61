use std::io::Cursor;

use futures::StreamExt;

use super::*;
use crate::chat::{Keys, ProviderErrorKind};

fn request(text: &str) -> SpeechRequest {
    SpeechRequest {
        model: NAME.to_owned(),
        text: text.to_owned(),
        voice: None,
        format: AudioFormat::Wav,
        speed: 1.0,
        instructions: None,
        keys: Keys::default(),
    }
}

async fn pieces(request: SpeechRequest) -> Vec<Bytes> {
    let stream = Voice.speak(request).await.expect("it speaks");
    stream.map(|piece| piece.expect("sound")).collect().await
}

async fn spoken(request: SpeechRequest) -> Vec<u8> {
    pieces(request).await.concat()
}

fn samples(wav: &[u8]) -> Vec<i16> {
    let mut reader = hound::WavReader::new(Cursor::new(wav)).expect("a WAV");
    let spec = reader.spec();
    assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (1, RATE, 16));
    reader.samples::<i16>().map(|sample| sample.expect("a sample")).collect()
}

const TEXT: &str = "Hello, I am a voice made of rules. What would you like to hear? It is 21.5 degrees.";

#[tokio::test]
async fn speak_returns_a_valid_and_deterministic_wav() {
    let wav = spoken(request(TEXT)).await;
    assert_eq!(u32::from_le_bytes(wav[4..8].try_into().unwrap()) as usize, wav.len() - 8);
    let heard = samples(&wav);
    let seconds = heard.len() as f64 / f64::from(RATE);
    assert!((4.0..12.0).contains(&seconds), "{seconds} s");
    assert_eq!(spoken(request(TEXT)).await, wav);
    let pcm = spoken(SpeechRequest { format: AudioFormat::Pcm, ..request(TEXT) }).await;
    assert_eq!(pcm, wav[44..44 + pcm.len()]);
    assert_eq!(pcm.len(), heard.len() * 2);
    assert!(wav.windows(TEXT.len()).any(|part| part == TEXT.as_bytes()), "the words are in it");
}

#[tokio::test]
async fn speak_output_has_a_suitable_level() {
    for voice in VOICES {
        let voice = Some(voice.to_owned());
        let heard = samples(&spoken(SpeechRequest { voice, ..request(TEXT) }).await);
        let peak = heard.iter().map(|sample| sample.unsigned_abs()).max().unwrap();
        let power: f64 = heard.iter().map(|sample| f64::from(*sample).powi(2)).sum();
        let mean = (power / heard.len() as f64).sqrt();
        assert!((8_000..32_700).contains(&peak), "peak {peak}");
        assert!((800.0..8_000.0).contains(&mean), "mean {mean}");
    }
}

#[tokio::test]
async fn speak_streams_chunks() {
    let pieces = pieces(request(&TEXT.repeat(4))).await;
    assert!(pieces.len() > 50);
    assert!(pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= PORTION * 2));
}

#[tokio::test]
async fn speak_at_double_speed_takes_half_the_time() {
    let one = samples(&spoken(request(TEXT)).await).len() as f64;
    for speed in [0.25, 0.5, 2.0, 4.0] {
        let other = samples(&spoken(SpeechRequest { speed, ..request(TEXT) }).await).len() as f64;
        assert!((other * speed / one - 1.0).abs() < 0.001, "{speed}: {other} of {one}");
    }
}

#[tokio::test]
async fn speak_voices_differ_and_unknown_ones_are_rejected() {
    let mut heard = Vec::new();
    for voice in VOICES {
        heard.push(spoken(SpeechRequest { voice: Some(voice.to_owned()), ..request(TEXT) }).await);
    }
    heard.sort();
    heard.dedup();
    assert_eq!(heard.len(), VOICES.len());
    for request in [
        SpeechRequest { voice: Some("no-such-voice".to_owned()), ..request(TEXT) },
        SpeechRequest { format: AudioFormat::Mp3, ..request(TEXT) },
    ] {
        let refused = Voice.speak(request).await.err().expect("an error");
        assert_eq!(refused.kind, ProviderErrorKind::Refused);
    }
}

/// Measures the loudness of a frequency band: Goertzel filters, averaged over the band.
fn loudness(samples: &[i16], band: std::ops::Range<u32>) -> f64 {
    let power = |hertz: u32| {
        let turn = 2.0 * (std::f64::consts::TAU * f64::from(hertz) / f64::from(RATE)).cos();
        let (one, two) = samples
            .iter()
            .fold((0.0, 0.0), |(one, two), sample| (f64::from(*sample) + turn * one - two, one));
        one * one + two * two - turn * one * two
    };
    let steps = band.step_by(50).map(power).collect::<Vec<_>>();
    steps.iter().sum::<f64>() / steps.len() as f64
}

#[tokio::test]
async fn speak_vowels_and_sibilants_have_the_expected_spectrum() {
    let say = async |text: &str| {
        let voice = Some("ben".to_owned());
        samples(&spoken(SpeechRequest { voice, ..request(text) }).await)
    };
    let (see, saw, us) = (say("ee").await, say("aw").await, say("ssss").await);
    // The vowel of "see" has little energy between its first and second resonance, and the vowel of "saw" has much.
    let middle = |samples: &[i16]| loudness(samples, 700..1_100) / loudness(samples, 200..400);
    assert!(middle(&saw) > 8.0 * middle(&see), "{} {}", middle(&saw), middle(&see));
    let front = |samples: &[i16]| loudness(samples, 2_000..2_500) / loudness(samples, 700..1_100);
    assert!(front(&see) > 8.0 * front(&saw), "{} {}", front(&see), front(&saw));
    let high = |samples: &[i16]| loudness(samples, 5_000..7_000) / loudness(samples, 500..2_500);
    assert!(high(&us) > 8.0 * high(&see), "{} {}", high(&us), high(&see));
}

#[tokio::test]
async fn speak_accepts_unreadable_text() {
    for text in ["潮の満ち引き", "Привет", "👍👍", "…", "x\u{0}y", "9999999999999999", "ééé"]
    {
        let wav = spoken(request(text)).await;
        assert!(samples(&wav).len() > 1_000, "{text:?}");
    }
    let babble = samples(&spoken(request("潮の満ち引き")).await);
    assert!(babble.iter().any(|sample| sample.unsigned_abs() > 4_000));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
    #[test]
    fn speak_wav_length_matches_its_header_for_any_text(text in ".{1,60}", speed in 0.25f64..4.0) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let wav = runtime.block_on(spoken(SpeechRequest { speed, ..request(&text) }));
        let declared = u32::from_le_bytes(wav[40..44].try_into().unwrap()) as usize / 2;
        proptest::prop_assert_eq!(samples(&wav).len(), declared);
    }
}

#[tokio::test]
async fn speak_rejects_too_long_texts() {
    for (text, speed) in [("7".repeat(4_096), 1.0), (TEXT.repeat(45), 0.25)] {
        let refused = Voice.speak(SpeechRequest { speed, ..request(&text) }).await.err().expect("a refusal");
        assert_eq!(refused.kind, ProviderErrorKind::Refused);
        assert!(refused.message.contains("it speaks 600 s at once at most"), "{refused}");
    }
    // The longest allowed text fits at normal speed.
    let text: String = TEXT.chars().cycle().take(4_096).collect();
    assert!(Voice.speak(request(&text)).await.is_ok());
}
