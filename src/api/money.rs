//! Amounts of money in responses.

/// Formats an amount in nano-dollars as a decimal number of dollars, without loss of precision.
pub fn dollars(nanos: impl Into<i128>) -> String {
    let nanos: i128 = nanos.into();
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    format!("{sign}{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}
