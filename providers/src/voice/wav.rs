//! Writes WAV files: a header with the exact length, and a trailer with the text.

use super::RATE;

/// Bytes per sample: 16 bits, one channel.
pub(super) const SAMPLE: u32 = 2;
const MADE_BY: &str = "Understudy builtin/voice, synthesised by rules";

/// Returns the header before the samples.
pub(super) fn head(samples: u32, tail: &[u8]) -> Vec<u8> {
    let data = samples.saturating_mul(SAMPLE);
    let mut head = Vec::with_capacity(44);
    head.extend_from_slice(b"RIFF");
    head.extend_from_slice(&data.saturating_add(36 + tail.len() as u32).to_le_bytes());
    head.extend_from_slice(b"WAVEfmt ");
    head.extend_from_slice(&16u32.to_le_bytes());
    // PCM, one channel.
    head.extend_from_slice(&[1, 0, 1, 0]);
    head.extend_from_slice(&RATE.to_le_bytes());
    head.extend_from_slice(&(RATE * SAMPLE).to_le_bytes());
    head.extend_from_slice(&[SAMPLE as u8, 0, 16, 0]);
    head.extend_from_slice(b"data");
    head.extend_from_slice(&data.to_le_bytes());
    head
}

/// Returns the trailer after the samples: an INFO list whose comment is the text.
pub(super) fn tail(words: &str) -> Vec<u8> {
    let mut remarks = b"INFO".to_vec();
    for (name, text) in [(b"ISFT", MADE_BY), (b"ICMT", words)] {
        // Strings end with a zero byte, and chunks have an even length.
        let mut text: Vec<u8> = text.bytes().filter(|byte| *byte != 0).chain([0]).collect();
        remarks.extend_from_slice(name);
        remarks.extend_from_slice(&(text.len() as u32).to_le_bytes());
        text.resize(text.len().next_multiple_of(2), 0);
        remarks.extend_from_slice(&text);
    }
    let mut tail = b"LIST".to_vec();
    tail.extend_from_slice(&(remarks.len() as u32).to_le_bytes());
    tail.extend_from_slice(&remarks);
    tail
}
