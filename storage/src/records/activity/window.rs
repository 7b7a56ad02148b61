//! Queries of activity in a span of time.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use uuid::Uuid;

use super::keys::{self, DAY_MS, Heading, OfUser};
use super::{Activity, ActivityContext};
use crate::engine::{Direction, KeyRange, after_prefix, counters};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::records::usage::Span;
use crate::tables::{ACTIVITY_DAYS, ACTIVITY_LAST, ACTIVITY_USERS};
use crate::time::Timestamp;

/// Number of entries in the first read of a walk.
const CHUNK: usize = 128;

/// Activity under one heading, such as an assistant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActivityCount {
    /// Sum over the window.
    pub activity: Activity,
    /// Number of distinct users with any activity.
    pub users: u64,
}

/// A view of the activity of one tenant in a span of whole quarter hours.
pub struct Window<'a> {
    reader: &'a Reader,
    tenant: TenantId,
    /// The days (UTC) that lie entirely within the span. They are consecutive; the range can be
    /// empty.
    days: Range<Timestamp>,
    /// Activity at both ends of the span, outside the whole days, by quarter hour.
    edges: Vec<(ActivityContext, Activity)>,
}

impl<'a> Window<'a> {
    /// Opens a span. A span that ends before it begins is empty.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn open(reader: &'a Reader, tenant: TenantId, span: &Range<Timestamp>) -> Result<Self> {
        let midnight = |at: i64| Timestamp::from_millis(at.div_euclid(DAY_MS) * DAY_MS);
        let first = midnight(span.start.as_millis().saturating_add(DAY_MS - 1));
        let last = midnight(span.end.as_millis());
        let (days, edges) = match first < last {
            true => (first..last, vec![span.start..first, last..span.end]),
            false => (first..first, vec![span.clone()]),
        };
        let mut window = Self { reader, tenant, days, edges: Vec::new() };
        for edge in edges {
            window.read_edge(&edge)?;
        }
        Ok(window)
    }

    fn read_edge(&mut self, edge: &Range<Timestamp>) -> Result<()> {
        let range = KeyRange {
            start: keys::entries_from(self.tenant, edge.start),
            end: keys::entries_from(self.tenant, edge.end.max(edge.start)),
        };
        for found in self.reader.walk(range, Direction::Forward, CHUNK) {
            let (key, stored) = found?;
            self.edges.push(keys::read(&key, &stored)?);
        }
        Ok(())
    }

    /// Returns the activity under each heading. Headings without activity are omitted.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn by<H: Heading>(&self) -> Result<BTreeMap<H, Activity>> {
        let mut sums = BTreeMap::<H, Activity>::new();
        let range = self.days_of::<H>();
        for found in self.reader.walk(range, Direction::Forward, CHUNK) {
            let (key, stored) = found?;
            let (_, rest) = behind::<H>(&key).and_then(keys::moment).ok_or_else(damaged)?;
            let (heading, _) = H::read(rest).ok_or_else(damaged)?;
            add(&mut sums, heading, Activity::decode(&stored));
        }
        for (context, activity) in &self.edges {
            add(&mut sums, H::from_context(context), *activity);
        }
        Ok(sums)
    }

    /// Returns the activity under each heading with the number of distinct users.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn with_users<H: Heading>(&self) -> Result<BTreeMap<H, ActivityCount>> {
        let mut users = BTreeMap::<H, HashSet<Uuid>>::new();
        self.users_in::<H>(&|month| keys::from::<H>(ACTIVITY_USERS, self.tenant, month), &mut users)?;
        for (context, _) in &self.edges {
            users.entry(H::from_context(context)).or_default().insert(context.user);
        }
        let sums = self.by::<H>()?.into_iter().map(|(heading, activity)| {
            let users = users.get(&heading).map_or(0, |users| users.len() as u64);
            (heading, ActivityCount { activity, users })
        });
        Ok(sums.collect())
    }

    /// Returns the activity under one heading. Reads only the days and the users of this heading.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn count<H: Heading>(&self, heading: &H) -> Result<ActivityCount> {
        let (mut activity, mut users) = (Activity::default(), BTreeMap::new());
        let mut day = self.days.start;
        while day < self.days.end {
            let key = keys::at(ACTIVITY_DAYS, self.tenant, day, heading);
            if let Some(stored) = self.reader.engine.get(&key)? {
                activity = activity.plus(Activity::decode(&stored));
            }
            day = Timestamp::from_millis(day.as_millis() + DAY_MS);
        }
        self.users_in::<H>(&|month| keys::at(ACTIVITY_USERS, self.tenant, month, heading), &mut users)?;
        let mut users = users.remove(heading).unwrap_or_default();
        for (context, more) in self.edges.iter().filter(|(context, _)| H::from_context(context) == *heading) {
            activity = activity.plus(*more);
            users.insert(context.user);
        }
        Ok(ActivityCount { activity, users: users.len() as u64 })
    }

    /// Returns all users with any activity in the span.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn users(&self) -> Result<BTreeSet<Uuid>> {
        Ok(self.by::<OfUser>()?.into_keys().map(|OfUser(user)| user).collect())
    }

    fn days_of<H: Heading>(&self) -> KeyRange {
        let from = |at| keys::from::<H>(ACTIVITY_DAYS, self.tenant, at);
        KeyRange { start: from(self.days.start), end: from(self.days.end) }
    }

    /// Collects the users of the whole days, month by month. `of_month` returns the key prefix of a
    /// month.
    fn users_in<H: Heading>(
        &self,
        of_month: &dyn Fn(Timestamp) -> Vec<u8>,
        users: &mut BTreeMap<H, HashSet<Uuid>>,
    ) -> Result<()> {
        let mut month = Span::Month.begin(self.days.start);
        while month < self.days.end {
            let next = Span::Month.end(month);
            let first = day_in(month, self.days.start.max(month));
            let last = day_in(month, self.days.end.min(next));
            let range = KeyRange::prefix(&of_month(month));
            for found in self.reader.walk(range, Direction::Forward, CHUNK) {
                let (key, stored) = found?;
                let days = counters::all(&stored);
                if days.iter().take(last).skip(first).all(|deeds| *deeds == 0) {
                    continue;
                }
                let (_, rest) = behind::<H>(&key).and_then(keys::moment).ok_or_else(damaged)?;
                let (heading, rest) = H::read(rest).ok_or_else(damaged)?;
                let (OfUser(user), _) = OfUser::read(rest).ok_or_else(damaged)?;
                users.entry(heading).or_default().insert(user);
            }
            month = next;
        }
        Ok(())
    }
}

/// Returns the number of days from the first of a month to a moment.
fn day_in(month: Timestamp, at: Timestamp) -> usize {
    usize::try_from((at.as_millis() - month.as_millis()) / DAY_MS).unwrap_or_default()
}

fn add<H: Heading>(sums: &mut BTreeMap<H, Activity>, heading: H, activity: Activity) {
    let sum = sums.entry(heading).or_default();
    *sum = sum.plus(activity);
}

/// Returns the part of a key after the letter of the heading.
fn behind<H: Heading>(key: &[u8]) -> Option<&[u8]> {
    let (tag, rest) = key.get(crate::keys::HEAD..)?.split_first()?;
    (*tag == H::TAG).then_some(rest)
}

fn damaged() -> Error {
    Error::Corrupt("a sum of activity with a key of the wrong format".into())
}

/// Returns the time of the last activity under each heading, over all time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn last_busy<H: Heading>(reader: &Reader, tenant: TenantId) -> Result<BTreeMap<H, Timestamp>> {
    let head = keys::head::<H>(ACTIVITY_LAST, tenant);
    let range = KeyRange { end: after_prefix(&head), start: head };
    let mut last = BTreeMap::new();
    for found in reader.walk(range, Direction::Forward, CHUNK) {
        let (key, stored) = found?;
        let (heading, _) = behind::<H>(&key).and_then(H::read).ok_or_else(damaged)?;
        let (at, _) = keys::moment(&stored).ok_or_else(damaged)?;
        last.insert(heading, at);
    }
    Ok(last)
}
