//! Captions of a transcript, in the formats SubRip and WebVTT.

use std::fmt::Write;

use assist::media::Transcription;
use providers::media::transcription::Segment;

/// Returns the segments of a transcript. If the model reports no times, the whole audio is one segment.
pub fn segments(transcribed: &Transcription) -> Vec<Segment> {
    let transcript = &transcribed.transcript;
    if !transcript.segments.is_empty() || transcript.text.is_empty() {
        return transcript.segments.clone();
    }
    vec![Segment { start_s: 0.0, end_s: transcribed.ms as f64 / 1_000.0, text: transcript.text.clone() }]
}

/// Formats segments as SubRip captions.
pub fn srt(segments: &[Segment]) -> String {
    let mut srt = String::new();
    for (at, segment) in segments.iter().enumerate() {
        let (start, end) = (time(segment.start_s, ','), time(segment.end_s, ','));
        let _ = write!(srt, "{}\n{start} --> {end}\n{}\n\n", at + 1, plain(&segment.text));
    }
    srt
}

/// Formats segments as WebVTT captions.
pub fn vtt(segments: &[Segment]) -> String {
    let mut vtt = String::from("WEBVTT\n\n");
    for segment in segments {
        let (start, end) = (time(segment.start_s, '.'), time(segment.end_s, '.'));
        let text = plain(&segment.text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = write!(vtt, "{start} --> {end}\n{text}\n\n");
    }
    vtt
}

/// Removes empty lines, because an empty line would end the caption.
fn plain(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn time(seconds: f64, mark: char) -> String {
    let ms = (seconds * 1_000.0).round() as u64;
    let (s, ms) = (ms / 1_000, ms % 1_000);
    format!("{:02}:{:02}:{:02}{mark}{ms:03}", s / 3_600, s / 60 % 60, s % 60)
}
