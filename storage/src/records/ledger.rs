//! The ledger: usage by user, quarter hour, assistant, kind and model.
//!
//! Days and months are those of a tenant's time zone, and a tenant may change its time zone. Every time zone
//! differs from UTC by a multiple of fifteen minutes, so the days of every zone consist of whole quarter hours,
//! and nothing has to be recounted. The user comes first in the key: a report about one user reads only that
//! user's entries, and a report about all users seeks from user to user.
//!
//! The commit that stores a usage record also adds to its entry, like to the [sums](super::usage) that budgets
//! read.

use super::UsageRecord;
use super::usage::Spend;
use crate::engine::{Direction, KeyRange, after_prefix, counters};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys::{self, HEAD, IndexKey};
use crate::reader::{Reader, Walk};
use crate::tables::LEDGER;
use crate::time::Timestamp;
use std::ops::Range;
use uuid::Uuid;

/// Length of a quarter hour.
pub const QUARTER_MS: i64 = 15 * 60 * 1_000;

/// Number of entries in the first read of a walk.
const CHUNK: usize = 32;

/// Usage of one user in one quarter hour, of one model, for one purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The user whose budget is charged.
    pub user: Uuid,
    /// Start of the quarter hour.
    pub quarter: Timestamp,
    /// The assistant, if one was used.
    pub assistant_id: Option<Uuid>,
    /// Whether the usage is billable.
    pub billable: bool,
    /// Purpose of the usage, for example `chat`.
    pub kind: String,
    /// Full id of the model.
    pub model: String,
    /// Tokens and cost.
    pub spend: Spend,
}

/// Returns the start of the quarter hour that contains `at`.
pub fn quarter(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.as_millis().div_euclid(QUARTER_MS) * QUARTER_MS)
}

/// Returns the start of the first quarter hour that begins at or after `at`. Both ends of a requested span are
/// rounded in this way: two adjacent spans count nothing twice, and a span that ends now includes the most recent
/// usage.
pub fn quarter_from(at: Timestamp) -> Timestamp {
    let late = at.as_millis().saturating_add(QUARTER_MS - 1);
    quarter(Timestamp::from_millis(late))
}

/// Returns the key of the entry in which a record counts.
pub(super) fn key(tenant: TenantId, record: &UsageRecord) -> Vec<u8> {
    let mut key = user_key(tenant, record.user);
    key.extend_from_slice(&quarter(record.ts).sortable());
    key.extend_from_slice(record.assistant_id.unwrap_or_default().as_bytes());
    key.push(u8::from(record.billable));
    key.extend(IndexKey::new().text(&record.kind).text(&record.model).done());
    key
}

fn user_key(tenant: TenantId, user: Uuid) -> Vec<u8> {
    let mut key = keys::head(LEDGER, tenant);
    key.extend_from_slice(user.as_bytes());
    key
}

fn moment_key(tenant: TenantId, user: Uuid, at: Timestamp) -> Vec<u8> {
    [user_key(tenant, user).as_slice(), &at.sortable()].concat()
}

fn read(key: &[u8], stored: &[u8]) -> Result<Entry> {
    let damaged = || Error::Corrupt("an entry of the ledger with a key of the wrong format".into());
    let rest = key.get(HEAD..).ok_or_else(damaged)?;
    let (user, rest) = rest.split_first_chunk::<16>().ok_or_else(damaged)?;
    let (at, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
    let (assistant, rest) = rest.split_first_chunk::<16>().ok_or_else(damaged)?;
    let (billable, rest) = rest.split_first().ok_or_else(damaged)?;
    let (kind, rest) = text(rest).ok_or_else(damaged)?;
    let (model, _) = text(rest).filter(|(_, rest)| rest.is_empty()).ok_or_else(damaged)?;
    let assistant = Uuid::from_bytes(*assistant);
    Ok(Entry {
        user: Uuid::from_bytes(*user),
        quarter: Timestamp::from_millis((u64::from_be_bytes(*at) ^ (1 << 63)) as i64),
        assistant_id: (!assistant.is_nil()).then_some(assistant),
        billable: *billable != 0,
        kind,
        model,
        spend: Spend::from(counters::decode(stored)),
    })
}

/// Reads a text as written by [`IndexKey::text`]. Returns the text and the remaining bytes.
pub(super) fn text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (mut text, mut rest) = (Vec::new(), bytes);
    loop {
        rest = match rest {
            [0, 0, rest @ ..] => return Some((String::from_utf8(text).ok()?, rest)),
            [0, 0xFF, rest @ ..] => {
                text.push(0);
                rest
            }
            [byte, rest @ ..] if *byte != 0 => {
                text.push(*byte);
                rest
            }
            _ => return None,
        };
    }
}

/// Returns the usage of a user in a span of quarter hours, in chronological order.
pub fn of_user<'a>(
    reader: &'a Reader,
    tenant: TenantId,
    user: Uuid,
    span: &Range<Timestamp>,
) -> impl Iterator<Item = Result<Entry>> + use<'a> {
    let range = KeyRange {
        start: moment_key(tenant, user, span.start),
        end: moment_key(tenant, user, span.end.max(span.start)),
    };
    entries(reader.walk(range, Direction::Forward, CHUNK))
}

fn entries(walk: Walk<'_>) -> impl Iterator<Item = Result<Entry>> + '_ {
    walk.map(|found| found.and_then(|(key, stored)| read(&key, &stored)))
}

/// Returns the first user after `after` who has any usage.
pub fn next_user(reader: &Reader, tenant: TenantId, after: Option<Uuid>) -> Result<Option<Uuid>> {
    let head = keys::head(LEDGER, tenant);
    let start = after.map_or_else(|| head.clone(), |user| after_prefix(&user_key(tenant, user)));
    let range = KeyRange { start, end: after_prefix(&head) };
    match reader.walk(range, Direction::Forward, 1).next().transpose()? {
        Some((key, stored)) => Ok(Some(read(&key, &stored)?.user)),
        None => Ok(None),
    }
}

/// Calls `each` with every entry of all users in a span of quarter hours: user by user, in chronological order
/// for each user.
///
/// # Errors
/// Returns an error if the store or `each` fails.
pub fn of_all<E: From<Error>>(
    reader: &Reader,
    tenant: TenantId,
    span: &Range<Timestamp>,
    mut each: impl FnMut(Entry) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut last = None;
    while let Some(user) = next_user(reader, tenant, last)? {
        for entry in of_user(reader, tenant, user, span) {
            each(entry?)?;
        }
        last = Some(user);
    }
    Ok(())
}

/// Returns the first entry of a user or, with `only_billable`, the first billable one.
pub fn first(reader: &Reader, tenant: TenantId, user: Uuid, only_billable: bool) -> Result<Option<Entry>> {
    let all = entries(reader.walk(KeyRange::prefix(&user_key(tenant, user)), Direction::Forward, 1));
    for entry in all {
        let entry = entry?;
        if entry.billable || !only_billable {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// Returns the last entry of a user.
pub(super) fn last(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Option<Entry>> {
    entries(reader.walk(KeyRange::prefix(&user_key(tenant, user)), Direction::Reverse, 1)).next().transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn read_restores_the_parts_of_a_key(
            user: u128, assistant: Option<u128>, at in -1i64 << 50..1 << 50, billable: bool, kind: String, model: String,
        ) {
            let assistant_id = assistant.map(Uuid::from_u128).filter(|id| !id.is_nil());
            let (user, ts) = (Uuid::from_u128(user), Timestamp::from_millis(at));
            let record = UsageRecord {
                user, assistant_id, ts, billable, kind: kind.clone(), model: model.clone(), ..UsageRecord::default()
            };
            let spend = Spend::from_record(&record);
            let key = key(TenantId(Uuid::from_u128(7)), &record);
            let entry = read(&key, &counters::encode(&spend.numbers())).unwrap();
            prop_assert!(entry.quarter <= ts && ts.as_millis() - entry.quarter.as_millis() < QUARTER_MS);
            let quarter = entry.quarter;
            prop_assert_eq!(entry, Entry { user, quarter, assistant_id, billable, kind, model, spend });
        }

        #[test]
        fn read_does_not_panic_on_malformed_keys(bytes: Vec<u8>) {
            let _ = read(&bytes, &[]);
        }

        /// Spans that are adjacent before rounding are adjacent afterwards.
        #[test]
        fn quarter_from_preserves_the_order(one in 0i64..1 << 45, two in 0i64..1 << 45) {
            let cut = |at| quarter_from(Timestamp::from_millis(at));
            prop_assert!(cut(one.min(two)) <= cut(one.max(two)));
            prop_assert!(cut(one).as_millis() >= one && cut(one).as_millis() - one < QUARTER_MS);
            prop_assert_eq!(cut(cut(one).as_millis()), cut(one));
        }
    }
}
