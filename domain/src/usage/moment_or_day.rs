//! Start and end of periods in queries.

use chrono::NaiveDate;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use storage::Timestamp;
use storage::calendar::{self, Zone};

/// A moment, or a whole day in the tenant's time zone.
#[derive(Clone, Copy, Debug)]
pub enum MomentOrDay {
    Moment(Timestamp),
    Day(NaiveDate),
}

impl<'de> Deserialize<'de> for MomentOrDay {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let moment = || text.parse().map(Self::Moment).ok();
        let read = calendar::parse_day(&text).map(Self::Day).or_else(moment);
        read.ok_or_else(|| {
            D::Error::custom(
                "is neither a timestamp such as `2026-11-22T10:00:00Z` nor a date such as `2026-11-22`",
            )
        })
    }
}

impl MomentOrDay {
    /// Returns the moment, if it is one. Dates that are too far away do not parse.
    pub fn moment(self) -> Option<Timestamp> {
        match self {
            Self::Moment(moment) => Some(moment),
            Self::Day(_) => None,
        }
    }

    /// Returns the start of a span that begins with this moment or day.
    pub fn begin(self, zone: Zone) -> Timestamp {
        match self {
            Self::Moment(moment) => moment,
            Self::Day(day) => zone.begin(day),
        }
    }

    /// Returns the end of a span that ends with this moment or day.
    pub fn end(self, zone: Zone) -> Timestamp {
        match self {
            Self::Moment(moment) => moment,
            Self::Day(day) => zone.span(day).end,
        }
    }
}
