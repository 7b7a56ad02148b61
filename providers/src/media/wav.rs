//! Parses WAV files. All values in the header are checked against the size of the file.

/// Maximum accepted number of samples per second.
const MAX_RATE: u32 = 384_000;
const MAX_CHANNELS: u16 = 64;
/// Format tags: integer samples, floating-point samples, and the extended header, which contains the actual tag.
const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENDED: u16 = 0xFFFE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Whole,
    Float,
}

/// The samples of a RIFF/WAVE file.
#[derive(Clone, Copy, Debug)]
pub struct Wav<'f> {
    /// Samples per second.
    pub rate: u32,
    channels: u16,
    /// Bytes per sample.
    width: u16,
    kind: Kind,
    data: &'f [u8],
    /// The comment in the INFO list.
    pub comment: Option<&'f str>,
}

impl<'f> Wav<'f> {
    /// Parses the headers and locates the samples and the comment.
    ///
    /// # Errors
    /// Returns a description of what is wrong with the file.
    pub fn read(file: &'f [u8]) -> Result<Self, &'static str> {
        let body = match (file.get(..4), file.get(8..12)) {
            (Some(b"RIFF"), Some(b"WAVE")) => &file[12..],
            _ => return Err("it is not a WAV file"),
        };
        let (mut format, mut data, mut comment) = (None, None, None);
        let mut rest = body;
        while let Some((name, content, after)) = chunk(rest) {
            match name {
                b"fmt " => format = Some(content),
                b"data" => data = data.or(Some(content)),
                b"LIST" => comment = comment.or_else(|| remark(content)),
                _ => {}
            }
            rest = after;
        }
        let format = format.ok_or("the WAV file does not state its sample format")?;
        let data = data.ok_or("the WAV has no samples")?;
        let mut wav = Self::parse(format).ok_or("the sample format of the WAV file is not supported")?;
        let frame = usize::from(wav.channels) * usize::from(wav.width);
        wav.data = &data[..data.len() / frame * frame];
        wav.comment = comment;
        Ok(wav)
    }

    fn parse(format: &[u8]) -> Option<Self> {
        let two = |at: usize| Some(u16::from_le_bytes(format.get(at..at + 2)?.try_into().ok()?));
        let rate = u32::from_le_bytes(format.get(4..8)?.try_into().ok()?);
        let tag = match two(0)? {
            EXTENDED => two(24)?,
            tag => tag,
        };
        let (channels, bits) = (two(2)?, two(14)?);
        let kind = match (tag, bits) {
            (PCM, 8 | 16 | 24 | 32) => Kind::Whole,
            (FLOAT, 32) => Kind::Float,
            _ => return None,
        };
        let sane = (1..=MAX_RATE).contains(&rate) && (1..=MAX_CHANNELS).contains(&channels);
        sane.then_some(Self { rate, channels, width: bits / 8, kind, data: &[], comment: None })
    }

    /// The number of samples of each channel.
    pub fn frames(&self) -> usize {
        self.data.len() / (usize::from(self.channels) * usize::from(self.width))
    }

    /// Length in milliseconds.
    pub fn ms(&self) -> u64 {
        self.frames() as u64 * 1_000 / u64::from(self.rate)
    }

    /// Number of bytes per second, over all channels.
    pub fn bytes_a_second(&self) -> u64 {
        u64::from(self.rate) * u64::from(self.channels) * u64::from(self.width)
    }

    /// The loudness (root mean square) of each stretch of `samples` samples, from 0 to 1, over all channels.
    pub fn loudness(&self, samples: usize) -> Vec<f32> {
        let width = usize::from(self.width);
        let stretch = samples.max(1) * usize::from(self.channels) * width;
        let mean = |part: &[u8]| {
            let power: f32 = part.chunks_exact(width).map(|sample| self.sample(sample).powi(2)).sum();
            (power * width as f32 / part.len() as f32).sqrt()
        };
        self.data.chunks(stretch).map(mean).collect()
    }

    /// Converts a sample to the range from -1 to 1.
    fn sample(&self, bytes: &[u8]) -> f32 {
        match (self.kind, bytes) {
            // Only 8-bit samples are unsigned.
            (_, [byte]) => (f32::from(*byte) - 128.0) / 128.0,
            (_, [low, high]) => f32::from(i16::from_le_bytes([*low, *high])) / 32_768.0,
            (_, [low, middle, high]) => {
                i32::from_le_bytes([0, *low, *middle, *high]) as f32 / 2_147_483_648.0
            }
            (Kind::Whole, [a, b, c, d]) => i32::from_le_bytes([*a, *b, *c, *d]) as f32 / 2_147_483_648.0,
            (Kind::Float, [a, b, c, d]) => {
                let sample = f32::from_le_bytes([*a, *b, *c, *d]);
                if sample.is_finite() { sample.clamp(-1.0, 1.0) } else { 0.0 }
            }
            _ => 0.0,
        }
    }
}

/// Splits off the first chunk: its name, its content, and the rest. A chunk whose stated length exceeds the file, as
/// written by programs that did not know the length, ends with the file.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (name, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?.min(rest.len());
    let (content, after) = rest.split_at(length);
    // Chunks are aligned to even offsets.
    let after = if length % 2 == 1 { after.get(1..).unwrap_or_default() } else { after };
    Some((name, content, after))
}

/// Returns the comment of an INFO list.
fn remark(list: &[u8]) -> Option<&str> {
    let mut rest = list.strip_prefix(b"INFO")?;
    while let Some((name, content, after)) = chunk(rest) {
        if name == b"ICMT" {
            let text = content.split(|byte| *byte == 0).next().unwrap_or_default();
            return std::str::from_utf8(text).ok().map(str::trim).filter(|text| !text.is_empty());
        }
        rest = after;
    }
    None
}
