//! The position of a feed's reader.

use std::fmt;
use std::str::FromStr;

/// The position of a feed's reader: the `id` of its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The time of the latest change, in milliseconds since 1970.
    pub(super) millis: i64,
    /// The number of messages.
    pub(super) messages: u64,
    /// The sum of all versions. Every change except deletions increases it.
    pub(super) versions: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.millis, self.messages, self.versions)
    }
}

impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut pieces = text.splitn(3, '-').map(|piece| piece.parse().ok());
        let mut next = || pieces.next().flatten().ok_or(());
        let (millis, messages, versions) = (next()?, next()?, next()?);
        let millis = i64::try_from(millis).map_err(|_| ())?;
        Ok(Self { millis, messages, versions })
    }
}
