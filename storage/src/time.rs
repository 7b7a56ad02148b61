//! Timestamps in milliseconds.

use chrono::{DateTime, Datelike, NaiveDate, Timelike, Utc};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

/// A timestamp in the years 0 to 9999: milliseconds since 1970-01-01T00:00:00Z. Formatted as RFC 3339 in UTC with three
/// decimals, for example `2026-01-02T03:04:05.678Z`. RFC 3339 has no other years, so every timestamp that is written can
/// be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Timestamp(i64);

/// A text is not a timestamp: it is not RFC 3339, or in UTC not in the years 0 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a valid timestamp; use RFC 3339, such as `2026-11-01T08:30:00Z`")]
pub struct InvalidTimestamp;

impl Timestamp {
    /// The earliest timestamp, 0000-01-01T00:00:00.000Z.
    pub const MIN: Self = Self(-62_167_219_200_000);
    /// The latest timestamp, 9999-12-31T23:59:59.999Z.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// The current time by the system clock.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_millis(since.as_millis() as i64)
    }

    /// The timestamp this many milliseconds after the epoch, or the nearest of [`MIN`](Self::MIN) and
    /// [`MAX`](Self::MAX).
    pub const fn from_millis(millis: i64) -> Self {
        if millis < Self::MIN.0 {
            Self::MIN
        } else if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Eight bytes whose byte order is the order of the timestamps, for index keys.
    pub const fn sortable(self) -> [u8; 8] {
        ((self.0 as u64) ^ (1 << 63)).to_be_bytes()
    }

    /// The time elapsed since `earlier`; zero if `earlier` is later than this.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0).max(0) as u64)
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, by: Duration) -> Self {
        Self::from_millis(self.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;
    fn sub(self, by: Duration) -> Self {
        Self::from_millis(self.0.saturating_sub(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.ascii()).unwrap_or_default())
    }
}

impl Timestamp {
    /// Formats the timestamp. Every row and every event contains timestamps, and the general formatting code showed up
    /// in profiles.
    pub(crate) fn ascii(self) -> [u8; 24] {
        let moment = DateTime::<Utc>::from_timestamp_millis(self.0).unwrap_or_default();
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let parts = [
            (0, 4, moment.year().unsigned_abs()),
            (5, 2, moment.month()),
            (8, 2, moment.day()),
            (11, 2, moment.hour()),
            (14, 2, moment.minute()),
            (17, 2, moment.second()),
            (20, 3, self.0.rem_euclid(1_000) as u32),
        ];
        for (at, digits, mut number) in parts {
            for digit in text[at..at + digits].iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        }
        text
    }

    /// Parses the output of [`ascii`](Self::ascii).
    pub(crate) fn from_ascii(text: &[u8]) -> Option<Self> {
        let text: &[u8; 24] = text.try_into().ok()?;
        let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (23, b'Z')];
        if marks.iter().any(|(at, mark)| text[*at] != *mark) {
            return None;
        }
        let number = |at: usize, digits: usize| {
            text[at..at + digits].iter().try_fold(0, |number, byte| {
                byte.is_ascii_digit().then(|| number * 10 + u32::from(*byte - b'0'))
            })
        };
        let date = NaiveDate::from_ymd_opt(number(0, 4)?.cast_signed(), number(5, 2)?, number(8, 2)?)?;
        let moment =
            date.and_hms_milli_opt(number(11, 2)?, number(14, 2)?, number(17, 2)?, number(20, 3)?)?;
        Some(Self(moment.and_utc().timestamp_millis()))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(moment) = Self::from_ascii(text.as_bytes()) {
            return Ok(moment);
        }
        let millis = DateTime::parse_from_rfc3339(text).map_err(|_| InvalidTimestamp)?.timestamp_millis();
        // An offset can move the years 0 and 9999 out of the range.
        Some(Self::from_millis(millis)).filter(|moment| moment.0 == millis).ok_or(InvalidTimestamp)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(std::str::from_utf8(&self.ascii()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("A time as RFC 3339, in UTC with milliseconds."))
            .into()
    }
}

impl ToSchema for Timestamp {}

#[cfg(test)]
mod tests {
    use super::{InvalidTimestamp, Timestamp};
    use chrono::{DateTime, SecondsFormat, Utc};
    use proptest::prelude::*;
    use std::time::Duration;

    proptest! {
        #[test]
        fn timestamps_are_formatted_and_parsed_like_chrono(millis in -62_167_219_200_000_i64..253_402_300_800_000) {
            let moment = DateTime::<Utc>::from_timestamp_millis(millis).expect("a moment");
            let text = moment.to_rfc3339_opts(SecondsFormat::Millis, true);
            prop_assert_eq!(Timestamp(millis).to_string(), text.clone());
            prop_assert_eq!(text.parse(), Ok(Timestamp(millis)));
        }

        #[test]
        fn timestamp_like_text_is_parsed_like_chrono(text in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9].[0-9]{3}([Zz+]|-[0-2][0-9]:00)") {
            let moment = DateTime::parse_from_rfc3339(&text).map(|moment| moment.timestamp_millis());
            let moment = moment.ok().filter(|millis| Timestamp(*millis) <= Timestamp::MAX);
            prop_assert_eq!(text.parse::<Timestamp>().ok().map(Timestamp::as_millis), moment);
        }

        #[test]
        fn timestamp_that_is_written_can_be_read(millis: i64, by: Duration) {
            let moment = Timestamp::from_millis(millis);
            for moment in [moment, moment + by, moment - by, Timestamp::MIN, Timestamp::MAX] {
                let text = serde_json::to_string(&moment).expect("JSON");
                prop_assert_eq!(serde_json::from_str::<Timestamp>(&text).expect("a timestamp"), moment);
            }
        }
    }

    #[test]
    fn years_that_rfc_3339_does_not_have_are_refused() {
        for text in ["9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01", "+10000-01-01T00:00:00Z"] {
            assert_eq!(text.parse::<Timestamp>(), Err(InvalidTimestamp), "{text}");
        }
        assert_eq!("9999-12-31T23:59:59.999+00:00".parse(), Ok(Timestamp::MAX));
        assert_eq!("0000-01-01T00:00:00-00:00".parse(), Ok(Timestamp::MIN));
    }
}
