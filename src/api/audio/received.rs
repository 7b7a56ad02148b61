//! Uploaded audio files.

use bytes::Bytes;
use providers::media::duration;

use crate::http::{Api, Code, Refusal, UploadedFile};

/// Maximum size of a file, in bytes.
pub const MAX_BYTES: u64 = 25 << 20;

/// An audio file. Its type is detected from its bytes and does not depend on what the caller declares.
pub struct ReceivedAudio {
    pub filename: String,
    pub media_type: &'static str,
    pub bytes: Bytes,
}

impl ReceivedAudio {
    /// Reads the file of the field `file`. Responds with 413 if the file is too large, and with 422 if it is not audio or if there is not
    /// exactly one file.
    pub async fn read(files: &[UploadedFile]) -> Api<Self> {
        let [file] = files else {
            return Err(fault("exactly one file is required", "missing"));
        };
        if file.size > MAX_BYTES {
            return Err(Refusal::new(Code::TooLarge)
                .detail(format!("an audio file may have at most {MAX_BYTES} bytes")));
        }
        let bytes = tokio::fs::read(file.path()).await;
        let bytes = bytes.map_err(|why| Refusal::new(Code::Internal).because(why))?;
        let media_type =
            media_type(&bytes).ok_or_else(|| fault("is not in a supported audio format", "wrong_type"))?;
        Ok(Self { filename: file.filename.clone(), media_type, bytes: bytes.into() })
    }
}

/// Detects the audio type of a file. For a video, only the audio track is used.
pub fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let kind = infer::get(bytes).map(|kind| kind.mime_type());
    Some(match kind {
        Some("audio/x-wav") => "audio/wav",
        Some("audio/x-flac") => "audio/flac",
        Some("audio/m4a") => "audio/mp4",
        // Opus comes in an Ogg container, and providers know it by that name.
        Some("audio/opus") => "audio/ogg",
        Some("video/webm") => "audio/webm",
        Some(known @ ("audio/mpeg" | "audio/ogg" | "audio/aac" | "audio/amr" | "video/mp4")) => known,
        Some("video/quicktime" | "video/x-m4v") => "video/mp4",
        // Not every MP3 file begins with a marker, but every one consists of frames.
        None if bytes.first() == Some(&0xFF) && duration::measure(bytes).is_some() => "audio/mpeg",
        _ => return None,
    })
}

/// Returns an error with a fault of the file.
pub fn fault(msg: impl Into<String>, kind: &'static str) -> Refusal {
    Refusal::invalid("body", ["file"], msg, kind)
}
