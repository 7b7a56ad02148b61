//! Keys under which activity is counted.

use uuid::Uuid;

use super::{Activity, ActivityContext};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys::{self, HEAD, IndexKey};
use crate::records::ledger::{quarter, text};
use crate::records::usage::Span;
use crate::tables::{ACTIVITY, ACTIVITY_DAYS, ACTIVITY_LAST, ACTIVITY_USERS};
use crate::time::Timestamp;

pub(super) const DAY_MS: i64 = 86_400_000;
/// Maximum number of days of a month, and the number of counters of an entry of users by month.
pub(super) const MONTH_DAYS: usize = 31;

/// The dimension by which activity is summed.
pub trait Heading: Clone + Ord + Sized {
    /// The letter that identifies the sums of this dimension in keys.
    const TAG: u8;
    /// Returns the value under which an activity counts.
    fn from_context(context: &ActivityContext) -> Self;
    /// Appends the value to a key in a prefix-free encoding.
    fn write(&self, to: &mut Vec<u8>);
    /// Reads a value. Returns it with the remaining bytes.
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])>;
}

/// Activity by assistant; `None` for activity without an assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfAssistant(pub Option<Uuid>);
/// Activity by the full id of the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfModel(pub String);
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfUser(pub Uuid);

impl Heading for OfAssistant {
    const TAG: u8 = b'a';
    fn from_context(context: &ActivityContext) -> Self {
        Self(context.assistant_id)
    }
    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.0.unwrap_or_default().as_bytes());
    }
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (id, rest) = bytes.split_first_chunk::<16>()?;
        let id = Uuid::from_bytes(*id);
        Some((Self((!id.is_nil()).then_some(id)), rest))
    }
}

impl Heading for OfModel {
    const TAG: u8 = b'm';
    fn from_context(context: &ActivityContext) -> Self {
        Self(context.model.clone())
    }
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(IndexKey::new().text(&self.0).done());
    }
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        text(bytes).map(|(model, rest)| (Self(model), rest))
    }
}

impl Heading for OfUser {
    const TAG: u8 = b'u';
    fn from_context(context: &ActivityContext) -> Self {
        Self(context.user)
    }
    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.0.as_bytes());
    }
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (id, rest) = bytes.split_first_chunk::<16>()?;
        Some((Self(Uuid::from_bytes(*id)), rest))
    }
}

/// Returns the prefix of all keys of a dimension in a table.
pub(super) fn head<H: Heading>(table: [u8; 2], tenant: TenantId) -> Vec<u8> {
    let mut key = keys::head(table, tenant);
    key.push(H::TAG);
    key
}

/// Returns the first key of a dimension from a moment on, in the tables that are in chronological order.
pub(super) fn from<H: Heading>(table: [u8; 2], tenant: TenantId, at: Timestamp) -> Vec<u8> {
    let mut key = head::<H>(table, tenant);
    key.extend_from_slice(&at.sortable());
    key
}

/// Returns the key of one value at a moment, in the tables that are in chronological order.
pub(super) fn at<H: Heading>(table: [u8; 2], tenant: TenantId, at: Timestamp, heading: &H) -> Vec<u8> {
    let mut key = from::<H>(table, tenant, at);
    heading.write(&mut key);
    key
}

/// Returns the key of the time of the last activity of a value.
pub(super) fn last<H: Heading>(tenant: TenantId, heading: &H) -> Vec<u8> {
    let mut key = head::<H>(ACTIVITY_LAST, tenant);
    heading.write(&mut key);
    key
}

/// Returns the first key of the entries of quarter hours from a moment on.
pub(super) fn entries_from(tenant: TenantId, at: Timestamp) -> Vec<u8> {
    let mut key = keys::head(ACTIVITY, tenant);
    key.extend_from_slice(&at.sortable());
    key
}

/// Returns the start of the day (UTC) that contains `at`.
pub(super) fn day(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.as_millis().div_euclid(DAY_MS) * DAY_MS)
}

/// Returns the day of the month of a moment, from 0.
pub(super) fn day_of_month(at: Timestamp) -> usize {
    let days = (day(at).as_millis() - Span::Month.begin(at).as_millis()) / DAY_MS;
    usize::try_from(days).unwrap_or_default().min(MONTH_DAYS - 1)
}

/// All keys under which an activity counts.
pub(crate) struct ActivityKeys {
    pub entry: Vec<u8>,
    pub days: [Vec<u8>; 3],
    /// Each with the day of the month.
    pub users: [(Vec<u8>, usize); 2],
    pub last: [Vec<u8>; 3],
}

impl ActivityKeys {
    pub fn new(tenant: TenantId, context: &ActivityContext) -> Self {
        let mut entry = entries_from(tenant, quarter(context.at));
        entry.extend_from_slice(context.user.as_bytes());
        OfAssistant::from_context(context).write(&mut entry);
        OfModel::from_context(context).write(&mut entry);
        let (assistant, model, user) = (
            OfAssistant::from_context(context),
            OfModel::from_context(context),
            OfUser::from_context(context),
        );
        let (day, month) = (day(context.at), Span::Month.begin(context.at));
        let by_user = |mut key: Vec<u8>| {
            key.extend_from_slice(context.user.as_bytes());
            (key, day_of_month(context.at))
        };
        Self {
            days: [
                at(ACTIVITY_DAYS, tenant, day, &assistant),
                at(ACTIVITY_DAYS, tenant, day, &model),
                at(ACTIVITY_DAYS, tenant, day, &user),
            ],
            users: [
                by_user(at(ACTIVITY_USERS, tenant, month, &assistant)),
                by_user(at(ACTIVITY_USERS, tenant, month, &model)),
            ],
            last: [last(tenant, &assistant), last(tenant, &model), last(tenant, &user)],
            entry,
        }
    }

    /// Returns the keys of the entries that sum all counters.
    pub fn sums(&self) -> impl Iterator<Item = Vec<u8>> {
        std::iter::once(self.entry.clone()).chain(self.days.clone())
    }
}

/// Reads an entry of a quarter hour: its context and its counters.
pub(crate) fn read(key: &[u8], stored: &[u8]) -> Result<(ActivityContext, Activity)> {
    let damaged = || Error::Corrupt("an entry of activity with a key of the wrong format".into());
    let rest = key.get(HEAD..).ok_or_else(damaged)?;
    let (at, rest) = moment(rest).ok_or_else(damaged)?;
    let (OfUser(user), rest) = OfUser::read(rest).ok_or_else(damaged)?;
    let (OfAssistant(assistant_id), rest) = OfAssistant::read(rest).ok_or_else(damaged)?;
    let (OfModel(model), _) = OfModel::read(rest).filter(|(_, rest)| rest.is_empty()).ok_or_else(damaged)?;
    Ok((ActivityContext { at, user, assistant_id, model }, Activity::decode(stored)))
}

/// Reads a moment as written by [`Timestamp::sortable`]. Returns it with the remaining bytes.
pub(super) fn moment(bytes: &[u8]) -> Option<(Timestamp, &[u8])> {
    let (at, rest) = bytes.split_first_chunk::<8>()?;
    Some((Timestamp::from_millis((u64::from_be_bytes(*at) ^ (1 << 63)) as i64), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn read_restores_the_parts_of_a_key(
            user: u128, assistant: Option<u128>, at in -1i64 << 50..1 << 50, model: String,
        ) {
            let assistant_id = assistant.map(Uuid::from_u128).filter(|id| !id.is_nil());
            let context = ActivityContext { at: Timestamp::from_millis(at), user: Uuid::from_u128(user), assistant_id, model };
            let keys = ActivityKeys::new(TenantId(Uuid::from_u128(7)), &context);
            let original = Activity { messages: 3, ..Activity::default() };
            let (read, activity) = read(&keys.entry, &original.encode()).unwrap();
            prop_assert_eq!(read, ActivityContext { at: quarter(context.at), ..context.clone() });
            prop_assert_eq!(activity, original);
            prop_assert!(day_of_month(context.at) < MONTH_DAYS);
            // A quarter hour lies within one day and one month, so sums of entries are sums of days.
            prop_assert_eq!(day(quarter(context.at)), day(context.at));
        }

        #[test]
        fn read_does_not_panic_on_malformed_keys(bytes: Vec<u8>) {
            let _ = read(&bytes, &[]);
        }
    }
}
