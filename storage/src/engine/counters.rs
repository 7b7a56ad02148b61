//! Counters that many writers add to. If transactions read a counter and wrote it back, all of them would conflict. An
//! addition only contains the increment, and the committer, which runs alone, computes the sum.

use bytes::Bytes;

/// Bytes of an encoded counter.
const WIDTH: usize = 8;

/// Encodes numbers: big-endian, one after the other.
pub fn encode(numbers: &[u64]) -> Bytes {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<_>>().into()
}

/// Decodes the numbers in a stored value. Missing numbers are zero, so that a number can be added to the end of a row
/// that older versions wrote.
pub fn decode<const N: usize>(stored: &[u8]) -> [u64; N] {
    std::array::from_fn(|at| number(stored, at))
}

/// Adds each number of `by` to the number at the same position in the stored value, saturating at the maximum.
pub(crate) fn add(stored: Option<&[u8]>, by: &[u8]) -> Bytes {
    let stored = stored.unwrap_or_default();
    let count = stored.len().max(by.len()) / WIDTH;
    let sums: Vec<u64> = (0..count).map(|at| number(stored, at).saturating_add(number(by, at))).collect();
    encode(&sums)
}

/// The greater of the stored value and another value, compared bytewise.
pub(crate) fn greater(stored: Option<&[u8]>, other: &Bytes) -> Bytes {
    match stored {
        Some(stored) if *stored > other[..] => Bytes::copy_from_slice(stored),
        _ => other.clone(),
    }
}

/// Whether the differences of the pairs `[added, removed, added, removed]` are at most `most`.
pub(crate) fn is_at_most(stored: &[u8], most: [u64; 2]) -> bool {
    let [first, first_gone, second, second_gone] = decode::<4>(stored);
    first.saturating_sub(first_gone) <= most[0] && second.saturating_sub(second_gone) <= most[1]
}

/// All numbers of a stored value, without trailing zeros.
pub(crate) fn all(stored: &[u8]) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..stored.len() / WIDTH).map(|at| number(stored, at)).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}

fn number(value: &[u8], at: usize) -> u64 {
    let bytes = value.get(at * WIDTH..(at + 1) * WIDTH).and_then(|bytes| bytes.try_into().ok());
    bytes.map(u64::from_be_bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn add_does_not_depend_on_the_order(mut all: Vec<[u64; 3]>) {
            let sum = |all: &[[u64; 3]]| {
                let begin = encode(&[0; 3]);
                all.iter().fold(begin, |sum, by| add(Some(&sum), &encode(by)))
            };
            let forward = sum(&all);
            all.reverse();
            prop_assert_eq!(&sum(&all), &forward);
            let plain = |at: usize| all.iter().fold(0u64, |sum, by| sum.saturating_add(by[at]));
            prop_assert_eq!(decode::<3>(&forward), [plain(0), plain(1), plain(2)]);
        }

        #[test]
        fn add_accepts_any_stored_value(stored: Option<Vec<u8>>, by: Vec<u64>) {
            let sum = add(stored.as_deref(), &encode(&by));
            prop_assert!(sum.len() >= by.len() * WIDTH);
        }
    }

    #[test]
    fn greater_returns_the_larger_value() {
        let [less, more] = [Bytes::from_static(b"ab"), Bytes::from_static(b"b")];
        assert_eq!(greater(None, &less), less);
        assert_eq!(greater(Some(&less), &more), more);
        assert_eq!(greater(Some(&more), &less), more);
        assert_eq!(all(&encode(&[1, 0, 2, 0, 0])), [1, 0, 2]);
    }

    #[test]
    fn add_extends_a_row_by_further_counters() {
        let older = encode(&[1, 2]);
        assert_eq!(decode::<3>(&add(Some(&older), &encode(&[10, 20, 30]))), [11, 22, 30]);
        assert_eq!(decode::<2>(&add(None, &encode(&[5]))), [5, 0]);
    }
}
