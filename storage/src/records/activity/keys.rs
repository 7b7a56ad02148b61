//! Where activity is counted.

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
/// Days that a month has at most, and numbers that tell of it.
pub(super) const MONTH_DAYS: usize = 31;

/// What activity is added up by.
pub trait Heading: Clone + Ord + Sized {
    /// The letter of its sums.
    const TAG: u8;
    /// What a deed counts under.
    fn from_context(context: &ActivityContext) -> Self;
    /// Appends it to a key, so that no other begins with it.
    fn write(&self, to: &mut Vec<u8>);
    /// Reads it, and what follows.
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])>;
}

/// By assistants; without one, by nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfAssistant(pub Option<Uuid>);
/// By full ids of models.
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

/// The beginning of the keys of one heading in a table.
pub(super) fn head<H: Heading>(table: [u8; 2], tenant: TenantId) -> Vec<u8> {
    let mut key = keys::head(table, tenant);
    key.push(H::TAG);
    key
}

/// The same from a moment on, in the tables that are in the order of time.
pub(super) fn from<H: Heading>(table: [u8; 2], tenant: TenantId, at: Timestamp) -> Vec<u8> {
    let mut key = head::<H>(table, tenant);
    key.extend_from_slice(&at.sortable());
    key
}

/// The key of one thing at a moment.
pub(super) fn at<H: Heading>(table: [u8; 2], tenant: TenantId, at: Timestamp, heading: &H) -> Vec<u8> {
    let mut key = from::<H>(table, tenant, at);
    heading.write(&mut key);
    key
}

/// The key of when something was last busy.
pub(super) fn last<H: Heading>(tenant: TenantId, heading: &H) -> Vec<u8> {
    let mut key = head::<H>(ACTIVITY_LAST, tenant);
    heading.write(&mut key);
    key
}

/// The entries of quarter hours from a moment on.
pub(super) fn entries_from(tenant: TenantId, at: Timestamp) -> Vec<u8> {
    let mut key = keys::head(ACTIVITY, tenant);
    key.extend_from_slice(&at.sortable());
    key
}

/// When the day (UTC) of a moment began.
pub(super) fn day(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.as_millis().div_euclid(DAY_MS) * DAY_MS)
}

/// Which day of its month a moment is of, from 0.
pub(super) fn day_of_month(at: Timestamp) -> usize {
    let days = (day(at).as_millis() - Span::Month.begin(at).as_millis()) / DAY_MS;
    usize::try_from(days).unwrap_or_default().min(MONTH_DAYS - 1)
}

/// Every key that a deed counts in.
pub(crate) struct ActivityKeys {
    pub entry: Vec<u8>,
    pub days: [Vec<u8>; 3],
    /// With the day of the month.
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

    /// Those that hold sums of all that is counted.
    pub fn sums(&self) -> impl Iterator<Item = Vec<u8>> {
        std::iter::once(self.entry.clone()).chain(self.days.clone())
    }
}

/// An entry of a quarter of an hour: of whom it tells, and what.
pub(crate) fn read(key: &[u8], stored: &[u8]) -> Result<(ActivityContext, Activity)> {
    let damaged = || Error::Corrupt("an entry of activity with a key of the wrong format".into());
    let rest = key.get(HEAD..).ok_or_else(damaged)?;
    let (at, rest) = moment(rest).ok_or_else(damaged)?;
    let (OfUser(user), rest) = OfUser::read(rest).ok_or_else(damaged)?;
    let (OfAssistant(assistant_id), rest) = OfAssistant::read(rest).ok_or_else(damaged)?;
    let (OfModel(model), _) = OfModel::read(rest).filter(|(_, rest)| rest.is_empty()).ok_or_else(damaged)?;
    Ok((ActivityContext { at, user, assistant_id, model }, Activity::decode(stored)))
}

/// A moment as [`Timestamp::sortable`] writes it, and what follows.
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
        fn a_key_tells_what_it_was_made_of(
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
            // A quarter of an hour is of one day and one month, so sums of entries are sums of days.
            prop_assert_eq!(day(quarter(context.at)), day(context.at));
        }

        #[test]
        fn what_is_no_key_is_told(bytes: Vec<u8>) {
            let _ = read(&bytes, &[]);
        }
    }
}
