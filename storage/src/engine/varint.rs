//! Variable-length integers: seven bits per byte, low bits first, with the top bit set on all bytes except the last.

/// Appends a number.
pub(super) fn write(buffer: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        buffer.push(number as u8 | 0x80);
        number >>= 7;
    }
    buffer.push(number as u8);
}

/// Decodes a number from the beginning of `bytes`; `None` if there is no valid 64-bit number.
pub(super) fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7F);
        number |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn varint_round_trips(numbers: Vec<u64>) {
            let mut buffer = Vec::new();
            numbers.iter().for_each(|number| write(&mut buffer, *number));
            let mut rest = &buffer[..];
            for number in numbers {
                prop_assert_eq!(read(&mut rest), Some(number));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn reading_an_arbitrary_varint_does_not_panic(bytes: Vec<u8>) {
            let _ = read(&mut &bytes[..]);
        }
    }
}
