//! Amounts of money in responses.

/// Formats an amount in nano-dollars as a decimal number of dollars, without loss of precision.
pub fn dollars(nanos: impl Into<i128>) -> String {
    let nanos: i128 = nanos.into();
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    format!("{sign}{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::dollars;

    #[test]
    fn dollars_keeps_every_nano_dollar() {
        assert_eq!(dollars(0), "0.000000000");
        assert_eq!(dollars(1_250), "0.000001250");
        assert_eq!(dollars(12_000_000_001_i64), "12.000000001");
        assert_eq!(dollars(-1), "-0.000000001");
    }
}
