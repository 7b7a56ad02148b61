//! Bit streams, most significant bit first, as in H.264.

/// Writes an H.264 bit stream, most significant bit first.
#[derive(Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    /// Number of bits of the last byte that are used; 0 if it is full.
    taken: u32,
}

impl Bits {
    /// Writes the lowest `count` bits of a number, at most 32.
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

    /// Writes a number in Exp-Golomb coding: the number plus one in binary, preceded by one zero fewer than it has
    /// bits.
    pub(super) fn golomb(&mut self, value: u32) {
        let coded = value + 1;
        let length = 32 - coded.leading_zeros();
        self.put(length - 1, 0);
        self.put(length, coded);
    }

    /// Pads with zeros to the next byte.
    pub(super) fn align(&mut self) {
        self.taken = 0;
    }

    /// Writes whole bytes; the stream must be aligned.
    pub(super) fn bytes(&mut self, bytes: impl IntoIterator<Item = u8>) {
        debug_assert_eq!(self.taken, 0);
        self.bytes.extend(bytes);
    }

    /// Writes the stop bit and returns the bytes.
    pub(super) fn done(mut self) -> Vec<u8> {
        self.put(1, 1);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn golomb_encodes_small_numbers() {
        let mut bits = Bits::default();
        for value in 0..4 {
            bits.golomb(value);
        }
        // 1, 010, 011, 00100, and the stop bit.
        assert_eq!(bits.done(), [0b1010_0110, 0b0100_1000]);
    }
}
