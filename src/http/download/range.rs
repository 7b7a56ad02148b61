//! The part of a file that a request asks for (RFC 9110, section 14).

use std::ops::Range;

/// The part of a file to respond with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// A non-empty range of bytes.
    Bytes(Range<u64>),
    /// Nothing, because the requested range begins after the end.
    Beyond,
}

/// Parses a `Range` header for a file of `size` bytes. If the header does not parse, uses another unit or asks for
/// several parts, the response is the whole file, as the standard allows.
pub fn part(header: Option<&str>, size: u64) -> Part {
    let Some(range) = header.and_then(|header| header.trim().strip_prefix("bytes=")) else {
        return Part::Whole;
    };
    let Some((first, last)) = range.split_once('-') else { return Part::Whole };
    let (first, last) = (first.trim(), last.trim());
    if ![first, last].iter().all(|text| text.bytes().all(|byte| byte.is_ascii_digit())) {
        return Part::Whole;
    }
    // Numbers that exceed 64 bits are after the end of any file.
    let number = |text: &str| text.parse::<u64>().unwrap_or(u64::MAX);
    let bytes = match (first, last) {
        ("", "") => return Part::Whole,
        ("", suffix) => size.saturating_sub(number(suffix))..size,
        (first, "") => number(first)..size,
        (first, last) if number(last) < number(first) => return Part::Whole,
        (first, last) => number(first)..number(last).saturating_add(1).min(size),
    };
    if bytes.start >= bytes.end { Part::Beyond } else { Part::Bytes(bytes) }
}
