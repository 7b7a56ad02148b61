//! Bits, most significant first, as H.264 has them.

/// Writes an H.264 bit stream, most significant bit first.
#[derive(Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    /// Bits of the last byte that are taken; 0 when all are.
    taken: u32,
}

impl Bits {
    /// The lowest `count` bits of a number, at most 32.
    pub(super) fn put(&mut self, count: u32, value: u32) {
        for at in (0..count).rev() {
            if self.taken == 0 {
                self.bytes.push(0);
            }
            let bit = (value >> at & 1) as u8;
            if let Some(last) = self.bytes.last_mut() {
                *last |= bit << (7 - self.taken);
            }
            self.taken = (self.taken + 1) % 8;
        }
    }

    /// A number by Exp-Golomb: as many zeros as its length less one, then the number plus one.
    pub(super) fn golomb(&mut self, value: u32) {
        let coded = value + 1;
        let length = 32 - coded.leading_zeros();
        self.put(length - 1, 0);
        self.put(length, coded);
    }

    /// Zeros up to the next whole byte.
    pub(super) fn align(&mut self) {
        self.taken = 0;
    }

    /// Whole bytes; only where the writer is aligned.
    pub(super) fn bytes(&mut self, bytes: impl IntoIterator<Item = u8>) {
        debug_assert_eq!(self.taken, 0);
        self.bytes.extend(bytes);
    }

    /// What was written, after the bit that marks the end.
    pub(super) fn done(mut self) -> Vec<u8> {
        self.put(1, 1);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn small_numbers_take_few_bits() {
        let mut bits = Bits::default();
        for value in 0..4 {
            bits.golomb(value);
        }
        // 1, 010, 011, 00100, and the end.
        assert_eq!(bits.done(), [0b1010_0110, 0b0100_1000]);
    }
}
