//! The stamps that are used to count the provider's chunks and to measure their ages, in every
//! encoding.

/// First byte of a stamp. It occurs nowhere else in a response, so that counting it counts the
/// provider's chunks in every encoding, however they were folded together.
pub const STAMP: u8 = b'~';
/// Number of digits of a stamp: microseconds of the monotonic clock, in hexadecimal, modulo 2^40.
pub const STAMP_DIGITS: usize = 10;
/// The last text that the provider sends before it stalls.
pub const MARK: &[u8] = b"|all said|";

/// Microseconds from a stamp's time until `now`; `None` if the digits are incomplete.
pub fn age(digits: &[u8], now: u64) -> Option<u64> {
    let digits = digits.get(..STAMP_DIGITS)?;
    let sent = u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some(now.wrapping_sub(sent) & ((1 << 40) - 1))
}
