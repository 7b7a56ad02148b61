//! Exact parsing of decimal amounts.

/// Maximum number of significant digits.
const DIGITS: usize = 30;

/// Parses a number as written in JSON, TOML or CSV, multiplies it by `times` and by ten to the power of `power`, and
/// rounds it up to an integer. Also returns whether it was rounded. Binary fractions are never involved.
///
/// # Errors
/// Returns an error if the text is not a number, is negative, or is too large.
pub(super) fn scaled(text: &str, power: i32, times: u64) -> Result<(u64, bool), &'static str> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err("is negative");
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().map_err(|_| "is no number")?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("is no number");
    }
    let significant = digits.trim_end_matches('0');
    let zeros = (digits.len() - significant.len()) as i32;
    if significant.is_empty() {
        return Ok((0, false));
    }
    if significant.trim_start_matches('0').len() > DIGITS || !(-60..=60).contains(&exponent) {
        return Err("has too many digits");
    }
    let value = significant.parse::<u128>().ok().and_then(|value| value.checked_mul(u128::from(times)));
    let value = value.ok_or("has too many digits")?;
    let shift = exponent + zeros + power - fraction.len() as i32;
    let ten = |power: i32| 10_u128.checked_pow(power.unsigned_abs());
    let (nanos, rounded) = match ten(shift) {
        Some(ten) if shift >= 0 => (value.checked_mul(ten).ok_or("is too dear")?, false),
        Some(ten) => (value.div_ceil(ten), value % ten != 0),
        None if shift >= 0 => return Err("is too dear"),
        // Smaller than the smallest unit, by any amount.
        None => (1, true),
    };
    Ok((u64::try_from(nanos).map_err(|_| "is too dear")?, rounded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scaled_converts_dollars_per_token_to_nanos() {
        let nanos = |text| scaled(text, 9, 1);
        for (text, expected) in [
            ("1.5e-07", 150),
            ("1.5E-7", 150),
            ("0.00000015", 150),
            ("7.5e-08", 75),
            ("1e-9", 1),
            ("0", 0),
            ("0.0", 0),
            ("0e5", 0),
            ("2e-06", 2_000),
            ("+1.0", 1_000_000_000),
            ("  3 ", 3_000_000_000),
            ("000.000000001000", 1),
            ("100000000e-17", 1),
        ] {
            assert_eq!(nanos(text), Ok((expected, false)), "{text}");
        }
    }

    #[test]
    fn scaled_rounds_up_and_reports_it() {
        assert_eq!(scaled("3.75e-08", 9, 1), Ok((38, true)));
        assert_eq!(scaled("1e-60", 9, 1), Ok((1, true)));
        assert_eq!(scaled("0.0375", 3, 1), Ok((38, true)));
        // Sixty seconds make a minute before anything is rounded.
        assert_eq!(scaled("0.0001", 9, 60), Ok((6_000_000, false)));
        assert_eq!(scaled("1.0000000001", 9, 60), Ok((60_000_000_006, false)));
    }

    #[test]
    fn scaled_rejects_other_texts() {
        for text in ["", ".", "e5", "1e", "1.2.3", "1,5", "NaN", "inf", "0x10", "1_000", "1e+", "½"] {
            assert_eq!(scaled(text, 9, 1), Err("is no number"), "{text}");
        }
        assert_eq!(scaled("-1", 9, 1), Err("is negative"));
        assert_eq!(scaled("1e40", 9, 1), Err("is too dear"));
        assert_eq!(scaled("1e11", 9, 1), Err("is too dear"));
        assert_eq!(scaled("1e999999999999", 9, 1), Err("is no number"));
        assert_eq!(scaled(&"9".repeat(40), 9, 1), Err("has too many digits"));
    }

    proptest! {
        #[test]
        fn scaled_reads_back_every_number_of_nanos(nanos in 0u64..1 << 50, places in 0usize..15) {
            let text = format!("{nanos}e-{places}");
            prop_assert_eq!(scaled(&text, places as i32, 1), Ok((nanos, false)));
            let padded = format!("{nanos:0>width$}", width = places + 1);
            let (whole, fraction) = padded.split_at(padded.len() - places);
            prop_assert_eq!(scaled(&format!("{whole}.{fraction}"), places as i32, 1), Ok((nanos, false)));
        }

        #[test]
        fn scaled_does_not_panic(text: String, power in -20i32..20, times: u64) {
            let _ = scaled(&text, power, times);
        }
    }
}
