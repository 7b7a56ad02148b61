//! Encodes images as H.264, constrained baseline profile, with only two macroblock types: raw samples (`I_PCM`) and
//! unchanged (`P_Skip`). A macroblock has 16 by 16 pixels. Static areas take almost no space, so a still background
//! with a few moving objects stays small.

use super::bits::Bits;

/// Pixels per side of a macroblock.
pub(super) const BLOCK: usize = 16;
/// Level 4, whose maximum frame rate and size far exceed those of any clip.
const LEVEL: u8 = 40;
/// Number of bits of the frame number.
const FRAME_NUM_BITS: u32 = 8;
/// The macroblock type `I_PCM` in I slices and in P slices.
const PCM_IN_I: u32 = 25;
const PCM_IN_P: u32 = 30;

/// A colour: luma, blue and red difference, all in the limited (broadcast) range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Yuv(pub u8, pub u8, pub u8);

/// An image of palette indices, row by row; its sides are multiples of a macroblock.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<u8>,
}

impl Picture {
    /// Creates an image with space for this many visible pixels.
    pub(super) fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.next_multiple_of(BLOCK), height.next_multiple_of(BLOCK));
        Self { width, height, pixels: vec![0; width * height] }
    }

    /// Returns the rows of a macroblock.
    fn rows(&self, column: usize, row: usize) -> impl Iterator<Item = &[u8]> {
        let first = row * BLOCK * self.width + column * BLOCK;
        (0..BLOCK).map(move |line| &self.pixels[first + line * self.width..][..BLOCK])
    }
}

/// Encodes a sequence of images of one size and palette.
pub(super) struct Encoder {
    palette: Vec<Yuv>,
    before: Option<Picture>,
    /// Number of predicted frames since the last keyframe.
    number: u32,
    keys: u32,
}

impl Encoder {
    /// `palette` contains a colour for each pixel value.
    pub(super) fn new(palette: Vec<Yuv>) -> Self {
        Self { palette, before: None, number: 0, keys: 0 }
    }

    /// Encodes the next image as one NAL unit (without its length). A keyframe can be decoded without earlier frames;
    /// the first frame is always one.
    pub(super) fn encode(&mut self, picture: &Picture, key: bool) -> Vec<u8> {
        let before = self.before.take().filter(|_| !key);
        let unit = match &before {
            Some(before) => self.predicted(before, picture),
            None => self.key(picture),
        };
        self.before = Some(picture.clone());
        unit
    }

    fn key(&mut self, picture: &Picture) -> Vec<u8> {
        self.number = 0;
        let mut bits = Bits::default();
        bits.golomb(0); // first macroblock
        bits.golomb(7); // all slices are I slices
        bits.golomb(0); // picture parameter set
        bits.put(FRAME_NUM_BITS, 0);
        // Consecutive keyframes need different ids.
        bits.golomb(self.keys % 2);
        bits.put(2, 0); // no_output_of_prior_pics_flag and long_term_reference_flag are off
        tail_of_header(&mut bits);
        for row in 0..picture.height / BLOCK {
            for column in 0..picture.width / BLOCK {
                bits.golomb(PCM_IN_I);
                self.samples(&mut bits, picture, column, row);
            }
        }
        self.keys += 1;
        unit(0x65, bits)
    }

    fn predicted(&mut self, before: &Picture, picture: &Picture) -> Vec<u8> {
        self.number += 1;
        let mut bits = Bits::default();
        bits.golomb(0);
        bits.golomb(5); // all slices are P slices
        bits.golomb(0);
        bits.put(FRAME_NUM_BITS, self.number % (1 << FRAME_NUM_BITS));
        bits.put(3, 0); // default number and order of references, default marking
        tail_of_header(&mut bits);
        let mut skipped = 0;
        for row in 0..picture.height / BLOCK {
            for column in 0..picture.width / BLOCK {
                if before.rows(column, row).eq(picture.rows(column, row)) {
                    skipped += 1;
                    continue;
                }
                bits.golomb(std::mem::take(&mut skipped));
                bits.golomb(PCM_IN_P);
                self.samples(&mut bits, picture, column, row);
            }
        }
        if skipped > 0 {
            bits.golomb(skipped);
        }
        unit(0x41, bits)
    }

    /// Writes the samples of a macroblock: luma, then both colour differences at half the resolution.
    fn samples(&self, bits: &mut Bits, picture: &Picture, column: usize, row: usize) {
        let colour = |pixel: u8| self.palette.get(usize::from(pixel)).copied().unwrap_or_default();
        let mut luma = Vec::with_capacity(BLOCK * BLOCK);
        let (mut blue, mut red) = ([0u16; 64], [0u16; 64]);
        for (line, pixels) in picture.rows(column, row).enumerate() {
            for (at, pixel) in pixels.iter().enumerate() {
                let Yuv(y, u, v) = colour(*pixel);
                luma.push(y);
                let quarter = line / 2 * 8 + at / 2;
                blue[quarter] += u16::from(u);
                red[quarter] += u16::from(v);
            }
        }
        bits.align();
        bits.bytes(luma);
        // The mean of four samples fits into a byte.
        bits.bytes(blue.into_iter().chain(red).map(|sum| (sum / 4) as u8));
    }
}

/// Writes the end of a slice header: default quantiser, deblocking disabled.
fn tail_of_header(bits: &mut Bits) {
    bits.golomb(0);
    bits.golomb(1);
}

/// Returns the sequence parameter set: visible size and frame rate.
pub(super) fn sequence(width: usize, height: usize, rate: u32) -> Vec<u8> {
    let (columns, rows) = (width.div_ceil(BLOCK), height.div_ceil(BLOCK));
    let (right, below) = (columns * BLOCK - width, rows * BLOCK - height);
    let mut bits = Bits::default();
    bits.put(8, 66); // baseline profile
    bits.put(8, 0b1100_0000); // constrained
    bits.put(8, u32::from(LEVEL));
    bits.golomb(0); // id
    bits.golomb(FRAME_NUM_BITS - 4);
    bits.golomb(2); // output order equals decoding order
    bits.golomb(1); // one reference frame
    bits.put(1, 0);
    bits.golomb(columns as u32 - 1);
    bits.golomb(rows as u32 - 1);
    bits.put(2, 0b11); // frames only, no fields
    bits.put(1, u32::from(right + below > 0));
    if right + below > 0 {
        // In units of two pixels.
        for cut in [0, right / 2, 0, below / 2] {
            bits.golomb(cut as u32);
        }
    }
    bits.put(1, 1); // VUI parameters follow
    bits.put(2, 0);
    bits.put(1, 1); // video signal type
    bits.put(3, 5);
    bits.put(1, 0); // limited range
    bits.put(1, 1);
    (0..3).for_each(|_| bits.put(8, 1)); // BT.709
    bits.put(1, 0);
    bits.put(1, 1); // timing information
    bits.put(32, 1);
    bits.put(32, rate * 2);
    bits.put(1, 1); // fixed frame rate
    bits.put(3, 0);
    bits.put(1, 1); // bitstream restrictions
    bits.put(1, 1);
    for limit in [0, 0, 4, 4, 0, 1] {
        bits.golomb(limit);
    }
    unit(0x67, bits)
}

/// Returns the picture parameter set.
pub(super) fn parameters() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.golomb(0); // id
    bits.golomb(0); // id of the sequence parameter set
    bits.put(2, 0); // CAVLC entropy coding
    (0..3).for_each(|_| bits.golomb(0)); // one slice group, one reference
    bits.put(3, 0); // no weighted prediction
    (0..3).for_each(|_| bits.golomb(0)); // default quantisers
    bits.put(3, 0b100); // slice headers control deblocking
    unit(0x68, bits)
}

/// Returns a NAL unit: its type, and its bytes with emulation prevention (a 3 is inserted wherever the bytes would
/// look like a start code).
fn unit(kind: u8, bits: Bits) -> Vec<u8> {
    let bytes = bits.done();
    let mut unit = Vec::with_capacity(bytes.len() + 16);
    unit.push(kind);
    let mut zeros = 0;
    for byte in bytes {
        if zeros == 2 && byte <= 3 {
            unit.push(3);
            zeros = 0;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        unit.push(byte);
    }
    unit
}
