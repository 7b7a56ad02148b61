//! The stamps by which the provider's chunks are counted, and their ages taken, on any wire.

/// First byte of a stamp; stands nowhere else in an answer, so that counting it counts the
/// provider's chunks on any wire and however they were folded together.
pub const STAMP: u8 = b'~';
/// A stamp's digits: microseconds of the monotonic clock, in hexadecimal, modulo 2^40.
pub const STAMP_DIGITS: usize = 10;
/// What the provider says last before it stalls.
pub const MARK: &[u8] = b"|all said|";

/// Microseconds from a stamp's time until `now`; `None` when its digits are not all there.
pub fn age(digits: &[u8], now: u64) -> Option<u64> {
    let digits = digits.get(..STAMP_DIGITS)?;
    let sent = u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some(now.wrapping_sub(sent) & ((1 << 40) - 1))
}
