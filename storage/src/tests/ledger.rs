//! The ledger matches the usage records, for any query and in any time zone.

use super::usage::{record, sum, user};
use super::{HERE, THERE, store};
use crate::accounting::book;
use crate::calendar::Zone;
use crate::engine::Batch;
use crate::migrations::MIGRATIONS;
use crate::records::UsageRecord;
use crate::records::ledger::{self, Entry, quarter, quarter_from};
use crate::records::usage::Spend;
use crate::{Error, Store, StoreOptions, TenantId, Timestamp};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use uuid::Uuid;

fn ever() -> Range<Timestamp> {
    Timestamp::from_millis(0)..Timestamp::from_millis(i64::MAX / 2)
}

fn all(store: &Store, tenant: TenantId, span: &Range<Timestamp>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let read = |reader: &crate::Reader| {
        ledger::of_all(reader, tenant, span, |entry| {
            entries.push(entry);
            Ok::<_, Error>(())
        })
    };
    store.read_now(read).unwrap();
    entries
}

fn total<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Spend {
    entries.into_iter().fold(Spend::default(), |sum, entry| sum.plus(entry.spend))
}

/// The properties of a record that an entry can be queried by.
type Heading = (Uuid, Timestamp, Option<Uuid>, bool, String, String);

/// Checks that the entries match the records: the sums are correct, and the entries are in order.
pub(super) fn holds(store: &Store, tenant: TenantId, records: &[UsageRecord]) {
    let heading = |record: &UsageRecord| -> Heading {
        let (kind, model) = (record.kind.clone(), record.model.clone());
        (record.user, quarter(record.ts), record.assistant_id, record.billable, kind, model)
    };
    let mut expected = BTreeMap::<Heading, Spend>::new();
    for record in records {
        let sum = expected.entry(heading(record)).or_default();
        *sum = sum.plus(Spend::from_record(record));
    }
    let entries = all(store, tenant, &ever()).into_iter().map(|entry| {
        let Entry { user, quarter, assistant_id, billable, kind, model, spend } = entry;
        ((user, quarter, assistant_id, billable, kind, model), spend)
    });
    assert_eq!(entries.collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
}

/// Checks that the entries of a span, queried user by user, are those of all users, and that they match the records.
fn cut(store: &Store, records: &[UsageRecord], from: Timestamp, to: Timestamp) -> Spend {
    let span = quarter_from(from)..quarter_from(to);
    let users: BTreeSet<_> = records.iter().map(|record| record.user).collect();
    let own = |user| {
        let read = |reader: &crate::Reader| {
            ledger::of_user(reader, HERE, user, &span).collect::<Result<Vec<_>, Error>>()
        };
        store.read_now(read).unwrap()
    };
    let entries = all(store, HERE, &span);
    assert_eq!(entries, users.into_iter().flat_map(own).collect::<Vec<_>>());
    assert_eq!(total(&entries), sum(records.iter().filter(|record| span.contains(&record.ts))));
    total(&entries)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// In any zone, days add up to months, and months to the total; adjacent spans add up to the whole.
    #[test]
    fn days_and_months_of_any_zone_add_up(
        zone in 0..chrono_tz::TZ_VARIANTS.len(),
        seeds in proptest::collection::vec((any::<u64>(), 1_700_000_000_000i64..1_710_000_000_000), 1..40),
        cuts in proptest::collection::vec(1_700_000_000_000i64..1_710_000_000_000, 0..5),
    ) {
        let (_dir, store) = store();
        let records: Vec<_> = seeds
            .into_iter()
            .map(|(seed, ts)| UsageRecord { ts: Timestamp::from_millis(ts), ..record(seed) })
            .collect();
        let booked = records.clone();
        store.run_blocking(move |tx| booked.iter().try_for_each(|one| book(tx, HERE, one.clone()))).unwrap();
        holds(&store, HERE, &records);

        let zone = Zone::parse(chrono_tz::TZ_VARIANTS[zone].name()).unwrap();
        let whole = sum(records.iter());
        let days: BTreeSet<_> = records.iter().map(|record| zone.day(record.ts)).collect();
        let of_day = |day| {
            let span = zone.span(day);
            let spend = cut(&store, &records, span.start, span.end);
            // The zone's calendar agrees.
            assert_eq!(spend, sum(records.iter().filter(|record| zone.day(record.ts) == day)));
            spend
        };
        let by_day: BTreeMap<_, _> = days.into_iter().map(|day| (day, of_day(day))).collect();
        prop_assert_eq!(by_day.values().fold(Spend::default(), |sum, one| sum.plus(*one)), whole);
        let mut by_month = BTreeMap::<_, Spend>::new();
        for (day, spend) in by_day {
            let month = by_month.entry(crate::calendar::first(day)).or_default();
            *month = month.plus(spend);
        }
        for (month, spend) in by_month {
            let span = zone.month_span(month);
            prop_assert_eq!(cut(&store, &records, span.start, span.end), spend);
        }

        let mut cuts: Vec<_> = cuts.into_iter().map(Timestamp::from_millis).collect();
        cuts.extend([ever().start, Timestamp::from_millis(2_000_000_000_000)]);
        cuts.sort();
        let parts = cuts.windows(2).map(|pair| cut(&store, &records, pair[0], pair[1]));
        prop_assert_eq!(parts.fold(Spend::default(), Spend::plus), whole);
    }
}

#[test]
fn ledger_separates_billable_usage_and_retains_quantities() {
    let (_dir, store) = store();
    let records: Vec<_> = (0..60).map(record).collect();
    for one in &records {
        store.run_blocking(|tx| book(tx, HERE, one.clone())).unwrap();
    }
    let entries = all(&store, HERE, &ever());
    let billable = total(entries.iter().filter(|entry| entry.billable));
    assert_eq!(billable.cost_nanos, total(&entries).billable_nanos);
    assert_eq!(billable, sum(records.iter().filter(|one| one.billable)));
    assert_eq!(total(&entries).quantity, records.iter().map(|one| one.quantity).sum::<u64>());
    for number in 0..4 {
        let ever = store.read_now(|reader| Spend::ever(reader, HERE, user(number))).unwrap();
        assert_eq!(ever, sum(records.iter().filter(|one| one.user == user(number))));
    }
    let first = |only| store.read_now(|reader| ledger::first(reader, HERE, user(1), only)).unwrap();
    let own = || records.iter().filter(|one| one.user == user(1));
    assert_eq!(first(false).map(|entry| entry.quarter), own().map(|one| quarter(one.ts)).min());
    let paid = own().filter(|one| one.billable).map(|one| quarter(one.ts)).min();
    assert_eq!(first(true).map(|entry| entry.quarter), paid);
}

#[test]
fn ledger_lists_users_in_order_and_separates_tenants() {
    let (_dir, store) = store();
    // Including the lowest and the highest possible id.
    let ids = [Uuid::from_u128(0), Uuid::from_u128(1), user(3), Uuid::from_u128(u128::MAX)];
    for user in ids {
        store.run_blocking(|tx| book(tx, HERE, UsageRecord { user, ..record(1) })).unwrap();
    }
    store.run_blocking(|tx| book(tx, THERE, record(2))).unwrap();
    let users = |tenant| all(&store, tenant, &ever()).into_iter().map(|entry| entry.user).collect::<Vec<_>>();
    assert_eq!(users(HERE), ids);
    assert_eq!(users(THERE), [record(2).user]);
    assert!(users(TenantId(Uuid::from_u128(u128::MAX))).is_empty());
}

/// Data of the previous format: sums of seven numbers, and no ledger.
#[test]
fn migration_builds_the_ledger_from_the_previous_format() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_with(StoreOptions::new(dir.path()), None, &MIGRATIONS[..1]).unwrap();
    let records: Vec<_> = (0..80).map(record).collect();
    for one in &records {
        store.run_blocking(|tx| book(tx, HERE, one.clone())).unwrap();
    }
    let scan = |table: &[u8; 2]| {
        let range = crate::engine::KeyRange::prefix(table);
        store.inner.engine.scan(range, Default::default(), 10_000).unwrap()
    };
    let mut batch = Batch::new();
    scan(b"lg").into_iter().for_each(|(key, _)| batch.delete(key));
    scan(b"sp").into_iter().for_each(|(key, sum)| batch.put(key, sum.slice(..56)));
    store.commit_blocking(batch).unwrap();
    drop(store);
    let store = Store::open_with(StoreOptions::new(dir.path()), None, MIGRATIONS).unwrap();
    holds(&store, HERE, &records);
    assert_eq!(super::doctor::look(&store, false).problems, []);
}
