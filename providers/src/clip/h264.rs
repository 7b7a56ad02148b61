//! Pictures as H.264, constrained baseline profile, with two of its means alone: a macroblock (16 by 16
//! pixels) whose samples stand there as they are (`I_PCM`), and one that is as it was (`P_Skip`). What does
//! not move costs next to nothing, so a still ground with a few moving things stays small.

use super::bits::Bits;

/// Pixels along a side of a macroblock.
pub(super) const BLOCK: usize = 16;
/// The highest picture rate and size of level 4, which is far more than any picture here has.
const LEVEL: u8 = 40;
/// Bits of a picture's number.
const FRAME_NUM_BITS: u32 = 8;
/// `I_PCM` among the types of an intra picture, and among those of a predicted one.
const PCM_IN_I: u32 = 25;
const PCM_IN_P: u32 = 30;

/// A colour: luma, blue and red difference, all within the limits of broadcast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Yuv(pub u8, pub u8, pub u8);

/// A picture of colours of a palette, row by row; its sides are whole macroblocks.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<u8>,
}

impl Picture {
    /// A picture in which so many visible pixels have room.
    pub(super) fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.next_multiple_of(BLOCK), height.next_multiple_of(BLOCK));
        Self { width, height, pixels: vec![0; width * height] }
    }

    /// The rows of a macroblock.
    fn rows(&self, column: usize, row: usize) -> impl Iterator<Item = &[u8]> {
        let first = row * BLOCK * self.width + column * BLOCK;
        (0..BLOCK).map(move |line| &self.pixels[first + line * self.width..][..BLOCK])
    }
}

/// Writes pictures of one size and palette, one after the other.
pub(super) struct Encoder {
    palette: Vec<Yuv>,
    before: Option<Picture>,
    /// Predicted pictures since the last key picture.
    number: u32,
    keys: u32,
}

impl Encoder {
    /// `palette` has a colour for each value that a pixel takes.
    pub(super) fn new(palette: Vec<Yuv>) -> Self {
        Self { palette, before: None, number: 0, keys: 0 }
    }

    /// The next picture, as one unit of the stream (without its length). A key picture can be shown without
    /// those before it; the first is always one.
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
        bits.golomb(0); // its first macroblock
        bits.golomb(7); // all of it intra
        bits.golomb(0); // picture parameter set
        bits.put(FRAME_NUM_BITS, 0);
        // Key pictures in a row have different numbers.
        bits.golomb(self.keys % 2);
        bits.put(2, 0); // earlier pictures go, and this one stays for the short term
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
        bits.golomb(5); // all of it predicted, or intra where it says so
        bits.golomb(0);
        bits.put(FRAME_NUM_BITS, self.number % (1 << FRAME_NUM_BITS));
        bits.put(3, 0); // as many references as usual, in their usual order, forgotten as usual
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

    /// A macroblock's samples: its luma, then both differences at half the size.
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
        // The mean of four is a byte again.
        bits.bytes(blue.into_iter().chain(red).map(|sum| (sum / 4) as u8));
    }
}

/// The end of every slice header: the usual quantiser, and no smoothing of edges.
fn tail_of_header(bits: &mut Bits) {
    bits.golomb(0);
    bits.golomb(1);
}

/// What all pictures have in common: their visible size, and how many come a second.
pub(super) fn sequence(width: usize, height: usize, rate: u32) -> Vec<u8> {
    let (columns, rows) = (width.div_ceil(BLOCK), height.div_ceil(BLOCK));
    let (right, below) = (columns * BLOCK - width, rows * BLOCK - height);
    let mut bits = Bits::default();
    bits.put(8, 66); // baseline,
    bits.put(8, 0b1100_0000); // constrained
    bits.put(8, u32::from(LEVEL));
    bits.golomb(0); // its number
    bits.golomb(FRAME_NUM_BITS - 4);
    bits.golomb(2); // shown in the order in which they come
    bits.golomb(1); // one reference
    bits.put(1, 0);
    bits.golomb(columns as u32 - 1);
    bits.golomb(rows as u32 - 1);
    bits.put(2, 0b11); // whole pictures, no fields
    bits.put(1, u32::from(right + below > 0));
    if right + below > 0 {
        // In steps of two pixels.
        for cut in [0, right / 2, 0, below / 2] {
            bits.golomb(cut as u32);
        }
    }
    bits.put(1, 1); // hints on how to show it follow
    bits.put(2, 0);
    bits.put(1, 1); // colours:
    bits.put(3, 5);
    bits.put(1, 0); // within the limits of broadcast,
    bits.put(1, 1);
    (0..3).for_each(|_| bits.put(8, 1)); // BT.709
    bits.put(1, 0);
    bits.put(1, 1); // time:
    bits.put(32, 1);
    bits.put(32, rate * 2);
    bits.put(1, 1); // at a fixed rate
    bits.put(3, 0);
    bits.put(1, 1); // limits:
    bits.put(1, 1);
    for limit in [0, 0, 4, 4, 0, 1] {
        bits.golomb(limit);
    }
    unit(0x67, bits)
}

/// The sequence and picture parameter sets.
pub(super) fn parameters() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.golomb(0); // its number
    bits.golomb(0); // the sequence
    bits.put(2, 0); // variable-length codes
    (0..3).for_each(|_| bits.golomb(0)); // one group of slices, one reference
    bits.put(3, 0); // no weights
    (0..3).for_each(|_| bits.golomb(0)); // quantisers as usual
    bits.put(3, 0b100); // slices say whether edges are smoothed
    unit(0x68, bits)
}

/// A unit of the stream: its kind, and its bytes with a 3 put in wherever they would look like the beginning
/// of another.
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
