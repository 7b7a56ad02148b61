//! Determines the duration of audio files, which transcription is billed by if the provider does not report it.
//!
//! Nothing is decoded. Files are not trusted: the duration is never shorter than the size of the file allows at the
//! highest rate of its format.

/// Bit rates of MPEG audio, version 1, layers 1 to 3, in kilobits per second.
const KILOBITS_1: [[u16; 16]; 3] = [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 0],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
];
/// Bit rates of versions 2 and 2.5; layers 2 and 3 share a table.
const KILOBITS_2: [[u16; 16]; 2] = [
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256, 0],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
];
/// Sample rates of MPEG audio, version 1, in hertz.
const MPEG_RATES: [u32; 3] = [44_100, 48_000, 32_000];
/// Assumed bytes per second of audio of unknown duration: 32 kbit/s, in the middle of common rates for speech (from 5
/// kbit/s for telephones to 128 kbit/s in browsers). The result is an estimate and marked as one in the bill.
const ESTIMATED_RATE: u64 = 4_000;
/// Maximum bytes per second of each format. FLAC: 192,000 samples of 24 bits in two channels.
const FLAC_RATE: u64 = 192_000 * 3 * 2;
/// Opus, Vorbis and AAC: 512 kbit/s.
const CODED_RATE: u64 = 64_000;
/// A video with its images: 20 Mbit/s.
const FILM_RATE: u64 = 2_500_000;
/// MP3: 320 kbit/s.
const MPEG_RATE: u64 = 40_000;
/// Size in bytes of the smallest WAV header, which contains no audio.
const WAV_HEAD: u64 = 44;

/// Returns the duration of a WAV, FLAC, Ogg, MP3 or MP4 file in milliseconds: the stated duration, or the duration of
/// its bytes at the highest rate of the format if that is longer. `None` if the file states no duration.
#[must_use]
pub fn measure(sound: &[u8]) -> Option<u64> {
    let bytes = sound.len() as u64;
    let (stated, bytes, rate) = match sound {
        [b'R', b'I', b'F', b'F', ..] => {
            let wav = super::wav::Wav::read(sound).ok()?;
            (Some(wav.ms()), bytes.saturating_sub(WAV_HEAD), wav.bytes_a_second())
        }
        [b'f', b'L', b'a', b'C', ..] => (flac(sound), bytes, FLAC_RATE),
        [b'O', b'g', b'g', b'S', ..] => (ogg(sound), bytes, CODED_RATE),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => (mp4(sound), bytes, mp4_rate(sound)),
        _ => (mpeg(sound), bytes, MPEG_RATE),
    };
    // More than a week: the stated duration is invalid.
    let stated = stated.filter(|ms| *ms < 7 * 86_400_000)?;
    Some(stated.max(bytes.saturating_mul(1_000) / rate.max(1)))
}

/// Estimates the duration in milliseconds of a file without a stated duration from its size.
#[must_use]
pub fn estimate(bytes: u64) -> u64 {
    bytes.saturating_mul(1_000).div_ceil(ESTIMATED_RATE)
}

fn be(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

fn le(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

fn ms(units: u64, rate: u64) -> Option<u64> {
    units.checked_mul(1_000)?.checked_div(rate).filter(|ms| *ms > 0)
}

/// Reads the number of samples in the header.
fn flac(sound: &[u8]) -> Option<u64> {
    let rate = be(sound, 18, 3)? >> 4;
    let samples = be(sound, 21, 5)? & 0xF_FFFF_FFFF;
    ms(samples, rate)
}

/// Reads the position in the last page.
fn ogg(sound: &[u8]) -> Option<u64> {
    let segments = *sound.get(26)? as usize;
    let head = sound.get(27 + segments..)?;
    let (rate, skipped) = match head {
        [b'O', b'p', b'u', b's', b'H', b'e', b'a', b'd', ..] => (48_000, le(head, 10, 2)?),
        [1, b'v', b'o', b'r', b'b', b'i', b's', ..] => (le(head, 12, 4)?, 0),
        _ => return None,
    };
    let last = memchr::memmem::rfind(sound, b"OggS")?;
    let end = le(sound, last + 6, 8).filter(|end| *end < u64::MAX / 2_000)?;
    ms(end.saturating_sub(skipped), rate)
}

/// Reads the duration in the movie header.
fn mp4(sound: &[u8]) -> Option<u64> {
    let movie = inner(sound, b"moov")?;
    let head = inner(movie, b"mvhd")?;
    match head.first()? {
        0 => ms(be(head, 16, 4)?, be(head, 12, 4)?),
        _ => ms(be(head, 24, 8)?, be(head, 20, 4)?),
    }
}

/// Returns the maximum rate: images take more bytes than audio.
fn mp4_rate(sound: &[u8]) -> u64 {
    let shows = |movie| memchr::memmem::find(movie, b"vide").is_some();
    if inner(sound, b"moov").is_some_and(shows) { FILM_RATE } else { CODED_RATE }
}

/// Returns the content of the first box of this name.
fn inner<'s>(mut boxes: &'s [u8], name: &[u8; 4]) -> Option<&'s [u8]> {
    loop {
        let (length, head) = match be(boxes, 0, 4)? {
            1 => (be(boxes, 8, 8)?, 16),
            0 => (boxes.len() as u64, 8),
            length => (length, 8),
        };
        let length = usize::try_from(length).ok().filter(|length| *length >= head)?.min(boxes.len());
        if boxes.get(4..8)? == name {
            return boxes.get(head..length);
        }
        boxes = &boxes[length..];
    }
}

/// Adds up the durations of all frames.
fn mpeg(sound: &[u8]) -> Option<u64> {
    let mut at = 0;
    if sound.starts_with(b"ID3") {
        let size = sound.get(6..10)?.iter().fold(0, |size, byte| size << 7 | usize::from(byte & 0x7F));
        at = 10 + size;
    }
    let (mut micros, mut lost) = (0u64, 0);
    while let Some(head) = sound.get(at..at + 4) {
        match frame(head) {
            Some((length, lasts)) => (at, micros, lost) = (at + length, micros + lasts, 0),
            // A few other bytes between two frames are skipped.
            None if lost < 4_096 => (at, lost) = (at + 1, lost + 1),
            None => break,
        }
    }
    Some(micros / 1_000).filter(|ms| *ms > 0)
}

/// Returns the length in bytes and the duration in microseconds of a frame.
fn frame(head: &[u8]) -> Option<(usize, u64)> {
    if head[0] != 0xFF || head[1] & 0xE0 != 0xE0 {
        return None;
    }
    let layer = match head[1] >> 1 & 3 {
        0 => return None,
        bits => 4 - usize::from(bits),
    };
    let halvings = match head[1] >> 3 & 3 {
        3 => 0,
        2 => 1,
        0 => 2,
        _ => return None,
    };
    let rate = MPEG_RATES.get(usize::from(head[2] >> 2 & 3))? >> halvings;
    let index = usize::from(head[2] >> 4);
    let kilobits = match halvings {
        0 => KILOBITS_1[layer - 1][index],
        _ => KILOBITS_2[usize::from(layer > 1)][index],
    };
    if kilobits == 0 {
        return None;
    }
    let samples: u32 = match (layer, halvings) {
        (1, _) => 384,
        (3, 1..) => 576,
        _ => 1_152,
    };
    let (bits, padding) = (u32::from(kilobits) * 1_000, u32::from(head[2] >> 1 & 1));
    let length = match layer {
        1 => (12 * bits / rate + padding) * 4,
        _ => samples / 8 * bits / rate + padding,
    };
    Some((length as usize, u64::from(samples) * 1_000_000 / u64::from(rate)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measure_reads_the_duration_of_each_format() {
        let mut flac = b"fLaC\x00\x00\x00\x22".to_vec();
        flac.extend([0; 10]);
        // 44,100 Hz, 2 channels, 16 bits, 88,200 samples.
        let packed = 44_100u64 << 44 | 1 << 41 | 15 << 36 | 88_200;
        flac.extend(packed.to_be_bytes());
        assert_eq!(measure(&flac), Some(2_000));

        let page = |end: u64, data: &[u8]| {
            let mut page = b"OggS\x00\x00".to_vec();
            page.extend(end.to_le_bytes());
            page.extend([0; 12]);
            page.extend([1, data.len() as u8]);
            page.extend(data);
            page
        };
        let head = b"OpusHead\x01\x01\x38\x01\x80\xBB\x00\x00\x00\x00\x00";
        assert_eq!(measure(&[page(0, head), page(48_000 + 312, b"x")].concat()), Some(1_000));

        let movie = |inner: &[u8]| {
            let mut all = b"\0\0\0\x0CftypM4A ".to_vec();
            all.extend((inner.len() as u32 + 16).to_be_bytes());
            all.extend(b"moov");
            all.extend((inner.len() as u32 + 8).to_be_bytes());
            all.extend(b"mvhd");
            all.extend(inner);
            all
        };
        let head = [&[0; 12][..], &1_000u32.to_be_bytes(), &61_500u32.to_be_bytes()].concat();
        assert_eq!(measure(&movie(&head)), Some(61_500));

        // 100 frames of 24 ms: version 1, layer 3, 128 kbit/s, 48,000 Hz, 384 bytes each.
        let mut frame = vec![0xFF, 0xFB, 0x94, 0];
        frame.resize(384, 0);
        let mp3 = [&b"ID3\x04\x00\x00\x00\x00\x00\x02hi"[..], &frame.repeat(100)].concat();
        assert_eq!(measure(&mp3), Some(2_400));
    }

    #[test]
    fn estimate_is_used_without_a_stated_duration() {
        assert_eq!(measure(b""), None);
        assert_eq!(measure(b"fLaC"), None);
        assert_eq!(measure(b"OggS"), None);
        assert_eq!(measure(b"\0\0\0\x01ftyp\0\0\0\0\0\0\0\0"), None);
        assert_eq!(measure(&[0xFF; 10_000]), None);
        assert_eq!(measure(&b"RIFF".repeat(10)), None);
        assert_eq!((estimate(0), estimate(4_000), estimate(4_001)), (0, 1_000, 1_001));
    }

    #[test]
    fn measure_does_not_trust_a_forged_header() {
        let long = |head: &[u8], rate: u64| {
            let mut sound = head.to_vec();
            sound.resize(60 * rate as usize, 0);
            sound
        };
        let mut flac = b"fLaC\x00\x00\x00\x22".to_vec();
        flac.extend([0; 10]);
        flac.extend((44_100u64 << 44 | 1 << 41 | 15 << 36 | 45).to_be_bytes());
        assert_eq!(measure(&flac), Some(1));
        assert_eq!(measure(&long(&flac, FLAC_RATE)), Some(60_000));

        let page = |end: u64| [&b"OggS\x00\x04"[..], &end.to_le_bytes(), &[0; 12], &[1, 19]].concat();
        let head = b"OpusHead\x01\x01\0\0\x80\xBB\x00\x00\x00\x00\x00";
        let opus = [&page(0)[..], head, &page(48)].concat();
        assert_eq!(measure(&opus), Some(1));
        assert_eq!(measure(&long(&opus, CODED_RATE)), Some(60_000));

        let mp4 = |more: &[u8]| {
            let times = [&[0; 12][..], &1_000u32.to_be_bytes(), &1u32.to_be_bytes()].concat();
            let boxes = [&[0, 0, 0, 28][..], b"mvhd", &times, more].concat();
            let length = (boxes.len() as u32 + 8).to_be_bytes();
            [&b"\0\0\0\x0CftypM4A "[..], &length, b"moov", &boxes].concat()
        };
        assert_eq!(measure(&mp4(b"")), Some(1));
        assert_eq!(measure(&long(&mp4(b""), CODED_RATE)), Some(60_000));
        let film = mp4(b"\0\0\0\x0Chdlrvide");
        assert_eq!(measure(&long(&film, CODED_RATE)), Some(1_536), "of a film, little is sound");

        // One frame, followed by data in which no further frame is found.
        let frame = [0xFF, 0xFB, 0x94, 0];
        assert_eq!(measure(&long(&frame, MPEG_RATE)), Some(60_000));

        let head = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1F\0\0\x80\x3E\0\0\x02\0\x10\0";
        let wav = [&head[..], b"data\x02\0\0\0\0\0"].concat();
        let mut wav = long(&wav, 16_000);
        assert_eq!(measure(&wav[..46]), Some(0));
        wav.extend([0; 44]);
        assert_eq!(measure(&wav), Some(60_000));
    }

    proptest::proptest! {
        #[test]
        fn measure_terminates_on_arbitrary_data(head in proptest::sample::select(vec!["RIFF", "fLaC", "OggS", "\0\0\0\u{8}ftyp", "ID3", "\u{7f}"]),
                        rest in proptest::collection::vec(proptest::num::u8::ANY, 0..600)) {
            let _ = measure(&[head.as_bytes(), &rest].concat());
        }
    }
}
