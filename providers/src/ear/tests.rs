use std::io::Cursor;

use bytes::Bytes;
use futures::StreamExt;

use super::*;
use crate::chat::{Keys, ProviderErrorKind};
use crate::media::speech::{AudioFormat, SpeechModel, SpeechRequest};
use crate::voice::Voice;

async fn heard(audio: impl Into<Bytes>) -> Result<Transcript, ProviderError> {
    let request = TranscriptionRequest {
        model: NAME.to_owned(),
        filename: "a.wav".to_owned(),
        media_type: "audio/wav".to_owned(),
        audio: audio.into(),
        language: None,
        prompt: None,
        temperature: None,
        segments: true,
        keys: Keys::default(),
    };
    Ear.transcribe(request).await
}

async fn spoken(text: &str, voice: &str, speed: f64) -> Vec<u8> {
    let request = SpeechRequest {
        model: "voice".to_owned(),
        text: text.to_owned(),
        voice: Some(voice.to_owned()),
        format: AudioFormat::Wav,
        speed,
        instructions: None,
        keys: Keys::default(),
    };
    let stream = Voice.speak(request).await.expect("it speaks");
    stream.map(|piece| piece.expect("sound")).collect::<Vec<_>>().await.concat()
}

fn written(spec: hound::WavSpec, seconds: f64, sample: impl Fn(f64) -> f64) -> Vec<u8> {
    let mut to = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut to, spec).unwrap();
    let highest = f64::from(2u32).powi(i32::from(spec.bits_per_sample) - 1) - 1.0;
    for at in 0..(seconds * f64::from(spec.sample_rate)) as u32 {
        let value = sample(f64::from(at) / f64::from(spec.sample_rate));
        for _ in 0..spec.channels {
            match spec.sample_format {
                hound::SampleFormat::Float => writer.write_sample(value as f32).unwrap(),
                hound::SampleFormat::Int => writer.write_sample((value * highest) as i32).unwrap(),
            }
        }
    }
    writer.finalize().unwrap();
    to.into_inner()
}

/// Checks the invariants of every transcript.
fn holds(transcript: &Transcript) {
    let duration = transcript.duration_s.expect("a duration");
    let mut reached = 0.0;
    for segment in &transcript.segments {
        assert!(segment.start_s >= reached && segment.end_s > segment.start_s, "{transcript:?}");
        reached = segment.end_s;
    }
    assert!(reached <= duration + 1e-9, "{transcript:?}");
    let texts: Vec<&str> = transcript.segments.iter().map(|segment| segment.text.as_str()).collect();
    assert_eq!(texts.join(" "), transcript.text);
}

#[tokio::test]
async fn transcribe_returns_the_text_of_the_voice() {
    let texts = [
        "Hello.",
        "The tide is high, and the harbour is full. When does it turn? At noon!",
        "one two three",
        "Größe 潮",
    ];
    for text in texts {
        for (voice, speed) in [("ada", 1.0), ("ben", 0.5), ("kit", 2.0), ("rook", 4.0)] {
            let transcript = heard(spoken(text, voice, speed).await).await.unwrap();
            holds(&transcript);
            assert_eq!(transcript.text, text, "{voice} {speed}");
        }
    }
    let transcript = heard(spoken(texts[1], "ada", 1.0).await).await.unwrap();
    let segments: Vec<&str> = transcript.segments.iter().map(|segment| segment.text.as_str()).collect();
    assert_eq!(segments, ["The tide is high,", "and the harbour is full.", "When does it turn?", "At noon!"]);
}

#[tokio::test]
async fn transcribe_finds_speech_in_every_wav_format() {
    let kinds = [(8_000, 1, 8), (16_000, 2, 16), (44_100, 1, 24), (48_000, 6, 32)];
    let int = kinds.map(|(rate, channels, bits)| (rate, channels, bits, hound::SampleFormat::Int));
    for (sample_rate, channels, bits_per_sample, sample_format) in
        int.into_iter().chain([(22_050, 1, 32, hound::SampleFormat::Float)])
    {
        let spec = hound::WavSpec { channels, sample_rate, bits_per_sample, sample_format };
        // A second of sound after half a second of near silence, and more sound later.
        let speaks = |at: f64| (0.5..1.5).contains(&at) || (2.5..3.0).contains(&at);
        let wave = |at: f64| (at * 220.0 * std::f64::consts::TAU).sin() * if speaks(at) { 0.5 } else { 0.0 };
        let transcript = heard(written(spec, 4.0, wave)).await.unwrap();
        holds(&transcript);
        assert_eq!(transcript.text, "[speech] [speech]", "{spec:?}");
        assert!((transcript.duration_s.unwrap() - 4.0).abs() < 0.01);
        for (found, expected) in transcript.segments.iter().zip([(0.5, 1.5), (2.5, 3.0)]) {
            assert!(
                (found.start_s - expected.0).abs() < 0.05 && (found.end_s - expected.1).abs() < 0.05,
                "{found:?}"
            );
        }
        let transcript = heard(written(spec, 1.0, |_| 0.0)).await.unwrap();
        assert_eq!(transcript.text, "[silence]");
        holds(&transcript);
    }
}

#[tokio::test]
async fn transcribe_rejects_other_files_and_accepts_truncated_ones() {
    for rubbish in
        [&b""[..], b"RIFF", b"ID3 hello", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0\0WAVEdata\xFF\xFF\xFF\xFFabc"]
    {
        let refused = heard(rubbish.to_vec()).await.unwrap_err();
        assert_eq!(refused.kind, ProviderErrorKind::Refused, "{refused}");
    }
    let wav = spoken("One, two, three.", "ben", 1.0).await;
    let cut = heard(wav[..wav.len() / 2].to_vec()).await.unwrap();
    holds(&cut);
    assert!(cut.text.starts_with("[speech]"), "the words were at its end: {cut:?}");
    // A program that streams a WAV file does not know its length.
    let mut endless = wav.clone();
    endless[4..8].fill(0xFF);
    endless[40..44].fill(0xFF);
    assert!(heard(endless).await.unwrap().duration_s.unwrap() > 1.0);
}

proptest::proptest! {
    #[test]
    fn transcribe_does_not_panic(mut bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300), sane in proptest::bool::ANY) {
        if sane && bytes.len() > 44 {
            bytes[..4].copy_from_slice(b"RIFF");
            bytes[8..20].copy_from_slice(b"WAVEfmt \x10\0\0\0");
            bytes[36..40].copy_from_slice(b"data");
            bytes[20..22].copy_from_slice(&[1, 0]);
            bytes[34..36].copy_from_slice(&[16, 0]);
        }
        if let Ok(transcript) = transcribe(&bytes) {
            proptest::prop_assert!(transcript.duration_s.is_some());
        }
    }
}
