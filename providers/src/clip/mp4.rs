//! Writes MP4 files with the metadata before the frames, so that they can be played while downloading.

/// One frame of the track.
pub(super) struct Sample {
    /// The NAL units, each preceded by its length.
    pub(super) data: Vec<u8>,
    /// Whether the frame is a keyframe.
    pub(super) key: bool,
}

pub(super) struct Track<'a> {
    /// Visible size in pixels.
    pub(super) width: usize,
    pub(super) height: usize,
    /// Frames per second.
    pub(super) rate: u32,
    /// The sequence and picture parameter sets, as NAL units.
    pub(super) sequence: &'a [u8],
    pub(super) parameters: &'a [u8],
}

/// Returns a NAL unit preceded by its length, as stored in a sample.
pub(super) fn framed(unit: &[u8]) -> Vec<u8> {
    [&(unit.len() as u32).to_be_bytes(), unit].concat()
}

/// Returns the whole MP4 file.
pub(super) fn file(track: &Track<'_>, samples: Vec<Sample>) -> Vec<u8> {
    let brands = [b"isom".as_slice(), &512u32.to_be_bytes(), b"isom", b"iso2", b"avc1", b"mp41"].concat();
    let kind = atom(b"ftyp", &[&brands]);
    // The offset of the frames depends on the length of the metadata, which does not depend on the offset.
    let length = movie(track, &samples, 0).len();
    let begin = (kind.len() + length + 8) as u32;
    let mut all = [kind, movie(track, &samples, begin)].concat();
    let size: usize = samples.iter().map(|sample| sample.data.len()).sum();
    all.reserve_exact(size + 8);
    all.extend_from_slice(&(size as u32 + 8).to_be_bytes());
    all.extend_from_slice(b"mdat");
    for sample in samples {
        all.extend_from_slice(&sample.data);
    }
    all
}

fn atom(name: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    [&(body.len() as u32 + 8).to_be_bytes(), name.as_slice(), &body].concat()
}

/// Returns big-endian 32-bit words.
fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn movie(track: &Track<'_>, samples: &[Sample], begin: u32) -> Vec<u8> {
    let duration = samples.len() as u32;
    // Version 0, no timestamps; one clock tick per frame; normal speed and volume; identity matrix; next track id.
    let mut head = words(&[0, 0, 0, track.rate, duration, 0x0001_0000]);
    head.extend([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.extend(words(&UNTURNED));
    head.extend(words(&[0, 0, 0, 0, 0, 0, 2]));
    atom(b"moov", &[&atom(b"mvhd", &[&head]), &track_of(track, samples, begin)])
}

/// The identity matrix.
const UNTURNED: [u32; 9] = [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000];

fn track_of(track: &Track<'_>, samples: &[Sample], begin: u32) -> Vec<u8> {
    let duration = samples.len() as u32;
    // Enabled and part of the movie; track 1; no layer, no volume.
    let mut head = words(&[3, 0, 0, 1, 0, duration, 0, 0, 0, 0]);
    head.extend(words(&UNTURNED));
    head.extend(words(&[(track.width as u32) << 16, (track.height as u32) << 16]));
    // Unspecified language: `und`, five bits per letter.
    let media_head = words(&[0, 0, 0, track.rate, duration, 0x55C4_0000]);
    let handler = [words(&[0, 0]).as_slice(), b"vide", &words(&[0, 0, 0]), b"video\0"].concat();
    let here = atom(b"url ", &[&words(&[1])]);
    let data = atom(b"dinf", &[&atom(b"dref", &[&words(&[0, 1]), &here])]);
    let video = atom(b"vmhd", &[&words(&[1, 0, 0])]);
    let table = table(track, samples, begin);
    let information = atom(b"minf", &[&video, &data, &table]);
    let media = [atom(b"mdhd", &[&media_head]), atom(b"hdlr", &[&handler]), information].concat();
    atom(b"trak", &[&atom(b"tkhd", &[&head]), &atom(b"mdia", &[&media])])
}

/// Returns the sample table: position, duration and format of the frames.
fn table(track: &Track<'_>, samples: &[Sample], begin: u32) -> Vec<u8> {
    let count = samples.len() as u32;
    let keys = (1u32..).zip(samples).filter(|(_, sample)| sample.key).map(|(number, _)| number);
    let keys: Vec<u32> = keys.collect();
    let sizes: Vec<u32> = samples.iter().map(|sample| sample.data.len() as u32).collect();
    atom(
        b"stbl",
        &[
            &atom(b"stsd", &[&words(&[0, 1]), &entry(track)]),
            &atom(b"stts", &[&words(&[0, 1, count, 1])]),
            &atom(b"stss", &[&words(&[0, keys.len() as u32]), &words(&keys)]),
            // All frames are in one chunk.
            &atom(b"stsc", &[&words(&[0, 1, 1, count, 1])]),
            &atom(b"stsz", &[&words(&[0, 0, count]), &words(&sizes)]),
            &atom(b"stco", &[&words(&[0, 1, begin])]),
        ],
    )
}

fn entry(track: &Track<'_>) -> Vec<u8> {
    let size = [(track.width as u16).to_be_bytes(), (track.height as u16).to_be_bytes()].concat();
    let mut entry = words(&[0, 1, 0, 0, 0, 0]);
    entry.extend(size);
    // 72 dpi, one frame per sample, no compressor name, 24 bits, no colour table.
    entry.extend(words(&[0x0048_0000, 0x0048_0000, 0]));
    entry.extend([0, 1]);
    entry.extend([0; 32]);
    entry.extend([0, 24, 0xFF, 0xFF]);
    let (sequence, parameters) = (track.sequence, track.parameters);
    // Profile and level of the sequence parameter set; lengths of four bytes; one parameter set of each kind.
    let mut settings = vec![1, sequence[1], sequence[2], sequence[3], 0xFF, 0xE1];
    for (unit, before) in [(sequence, None), (parameters, Some(1))] {
        settings.extend(before);
        settings.extend((unit.len() as u16).to_be_bytes());
        settings.extend_from_slice(unit);
    }
    atom(b"avc1", &[&entry, &atom(b"avcC", &[&settings])])
}
