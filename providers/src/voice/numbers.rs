//! Spells out numbers as words.

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const THOUSANDS: [&str; 4] = ["", "thousand", "million", "billion"];
/// Maximum number of digits of a number that is read as a whole; longer numbers, and those with a leading zero, are
/// read digit by digit.
const MAX_DIGITS: usize = 12;

/// Returns the name of a digit.
pub(super) fn digit(digit: char) -> &'static str {
    digit.to_digit(10).map_or("", |digit| ONES[digit as usize])
}

/// Spells out a number given in decimal digits.
pub(super) fn words(digits: &str) -> Vec<&'static str> {
    let by_digit = digits.len() > MAX_DIGITS || (digits.len() > 1 && digits.starts_with('0'));
    let number: u64 = match digits.parse() {
        Ok(number) if !by_digit => number,
        _ => return digits.chars().map(digit).collect(),
    };
    if number == 0 {
        return vec![ONES[0]];
    }
    let mut words = Vec::new();
    for (power, name) in THOUSANDS.iter().enumerate().rev() {
        let group = number / 1_000u64.pow(power as u32) % 1_000;
        if group > 0 {
            below_thousand(group as usize, &mut words);
            words.extend((power > 0).then_some(*name));
        }
    }
    words
}

fn below_thousand(number: usize, to: &mut Vec<&'static str>) {
    if number >= 100 {
        to.extend([ONES[number / 100], "hundred"]);
    }
    match number % 100 {
        0 => {}
        rest @ 1..=19 => to.push(ONES[rest]),
        rest => {
            to.push(TENS[rest / 10]);
            to.extend((rest % 10 > 0).then(|| ONES[rest % 10]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_spells_out_numbers() {
        for (digits, expected) in [
            ("0", "zero"),
            ("13", "thirteen"),
            ("80", "eighty"),
            ("101", "one hundred one"),
            ("2026", "two thousand twenty six"),
            ("1000000", "one million"),
            (
                "999999999999",
                "nine hundred ninety nine billion nine hundred ninety nine million \
                nine hundred ninety nine thousand nine hundred ninety nine",
            ),
            ("01", "zero one"),
            ("1234567890123", "one two three four five six seven eight nine zero one two three"),
        ] {
            assert_eq!(words(digits).join(" "), expected.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
}
