//! Sound that was uploaded.

use bytes::Bytes;
use providers::media::duration;

use crate::http::{Api, Code, Refusal, UploadedFile};

/// Largest file, in bytes.
pub const LARGEST: u64 = 25 << 20;

/// A sound, and what it is by its own bytes, whatever the caller says.
pub struct Received {
    pub filename: String,
    pub media_type: &'static str,
    pub bytes: Bytes,
}

impl Received {
    /// What came in the field `file`. 413 for a file that is too large, 422 for one that is no sound, and
    /// unless there is exactly one.
    pub async fn read(files: &[UploadedFile]) -> Api<Self> {
        let [file] = files else {
            return Err(fault("exactly one file is required", "missing"));
        };
        if file.size > LARGEST {
            return Err(Refusal::new(Code::TooLarge)
                .detail(format!("an audio file may have at most {LARGEST} bytes")));
        }
        let bytes = tokio::fs::read(file.path()).await;
        let bytes = bytes.map_err(|why| Refusal::new(Code::Internal).because(why))?;
        let media_type =
            media_type(&bytes).ok_or_else(|| fault("is not in a supported audio format", "wrong_type"))?;
        Ok(Self { filename: file.filename.clone(), media_type, bytes: bytes.into() })
    }
}

/// What a sound is. Of films, it is their sound that is heard.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let kind = infer::get(bytes).map(|kind| kind.mime_type());
    Some(match kind {
        Some("audio/x-wav") => "audio/wav",
        Some("audio/x-flac") => "audio/flac",
        Some("audio/m4a") => "audio/mp4",
        // Opus comes in Ogg, and by that name providers know it.
        Some("audio/opus") => "audio/ogg",
        Some("video/webm") => "audio/webm",
        Some(known @ ("audio/mpeg" | "audio/ogg" | "audio/aac" | "audio/amr" | "video/mp4")) => known,
        Some("video/quicktime" | "video/x-m4v") => "video/mp4",
        // Not every MP3 begins with a mark, but each has frames.
        None if bytes.first() == Some(&0xFF) && duration::measure(bytes).is_some() => "audio/mpeg",
        _ => return None,
    })
}

/// A fault of the file.
pub fn fault(msg: impl Into<String>, kind: &'static str) -> Refusal {
    Refusal::invalid("body", ["file"], msg, kind)
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn a_sound_is_known_by_its_bytes() {
        let webm = b"\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\xF7\x81\x01\x42\x82\x84webm";
        let opus = [&b"OggS\0\x02"[..], &[0; 20], &b"\x01\x13OpusHead"[..]].concat();
        let mut frame = vec![0xFF, 0xE3, 0x84, 0xC4];
        frame.resize(384, 0);
        for (bytes, expected) in [
            (&b"RIFF\0\0\0\0WAVEfmt "[..], Some("audio/wav")),
            (b"fLaC\0\0\0\x22", Some("audio/flac")),
            (b"OggS\0\x02", Some("audio/ogg")),
            (&opus, Some("audio/ogg")),
            (b"ID3\x04\0\0\0\0\0\0", Some("audio/mpeg")),
            (webm, Some("audio/webm")),
            (b"\x89PNG\r\n\x1a\n", None),
            (b"hello", None),
            (b"\xFF\xFF\xFF\xFF", None),
        ] {
            // Such files are longer than their marks.
            let mut file = bytes.to_vec();
            file.resize(300, 0);
            assert_eq!(media_type(&file), expected, "{bytes:?}");
        }
        assert_eq!(media_type(b""), None);
        assert_eq!(media_type(&frame.repeat(9)), Some("audio/mpeg"), "without a mark that is known");
    }
}
