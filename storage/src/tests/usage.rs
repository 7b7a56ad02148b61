//! Usage sums are consistent, whichever way they are queried.

use super::doctor::{harm, look};
use super::{HERE, THERE, store};
use crate::accounting::book;
use crate::engine::counters;
use crate::migrations::MIGRATIONS;
use crate::records::usage::{Span, Spend};
use crate::records::{Budget, Measure, Usage, UsageRecord};
use crate::{Error, Scan, Store, StoreOptions, TenantId, Timestamp, new_id};
use proptest::prelude::*;
use std::collections::BTreeSet;
use uuid::Uuid;

const DAY: i64 = 86_400_000;

pub(super) fn user(number: u128) -> Uuid {
    Uuid::from_u128(100 + number)
}

/// A made-up record that is always the same for a number.
pub(super) fn record(number: u64) -> UsageRecord {
    let small = |bits: u32, below: u64| (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> bits) % below;
    UsageRecord {
        // Around the turn of a year.
        ts: Timestamp::from_millis(1_798_761_600_000 + (small(3, 12) as i64 - 6) * DAY / 2),
        user: user(u128::from(small(7, 3))),
        assistant_id: (small(31, 3) == 0).then(|| user(50)),
        model: ["a/b", "a/b/c", "c"][small(5, 3) as usize].into(),
        kind: ["chat", "embedding"][small(13, 2) as usize].into(),
        quantity: small(19, 50),
        usage: Usage {
            input_tokens: small(11, 1_000),
            output_tokens: small(17, 100),
            cached_tokens: small(11, 1_000) / 2,
            reasoning_tokens: small(17, 100) / 3,
        },
        cost_nanos: small(23, 1_000_000) as i64,
        billable: small(29, 4) > 0,
        ..UsageRecord::default()
    }
}

pub(super) fn sum<'a>(records: impl Iterator<Item = &'a UsageRecord>) -> Spend {
    records.fold(Spend::default(), |sum, record| sum.plus(Spend::from_record(record)))
}

/// Checks that every sum matches its records: by user and for all users, by day and by month.
fn holds(store: &Store, tenant: TenantId) {
    let read = |reader: &crate::Reader| reader.scan::<UsageRecord>(tenant, Scan::table());
    let records: Vec<_> = store.read_now(read).unwrap().items.into_iter().map(|row| row.body).collect();
    for span in [Span::Day, Span::Month] {
        let begins: BTreeSet<_> = records.iter().map(|record| span.begin(record.ts)).collect();
        for begin in begins {
            let within = || records.iter().filter(|record| span.begin(record.ts) == begin);
            let spend_of =
                |who| store.read_now(|reader| Spend::read(reader, tenant, who, span, begin)).unwrap();
            assert_eq!(spend_of(None), sum(within()));
            let users = store.read_now(|reader| Spend::of_users(reader, tenant, span, begin)).unwrap();
            assert_eq!(users.iter().fold(Spend::default(), |all, (_, one)| all.plus(*one)), spend_of(None));
            for (user, spend) in users {
                assert_eq!(spend, sum(within().filter(|record| record.user == user)));
                assert_eq!(spend, spend_of(Some(user)));
            }
        }
    }
    super::ledger::holds(store, tenant, &records);
    assert_eq!(look(store, false).problems, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn records_and_sums_agree_under_concurrent_bookings() {
    let (_dir, store) = store();
    let tasks = (0..32u64).map(|task| {
        let store = store.clone();
        tokio::spawn(async move {
            for number in 0..25 {
                let tenant = if number % 5 == 0 { THERE } else { HERE };
                let record = record(task * 1_000 + number);
                let booked: Result<_, Error> = store.run(move |tx| book(tx, tenant, record.clone())).await;
                booked.unwrap();
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    holds(&store, HERE);
    holds(&store, THERE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_bookings_for_one_user_do_not_conflict() {
    let (_dir, store) = store();
    let prepared: Vec<_> = (0..50).map(|_| store.prepare(|tx| book(tx, HERE, record(1))).unwrap()).collect();
    for ((), batch, _rings) in prepared {
        store.commit(batch).await.unwrap();
    }
    let spent = store.read_now(|reader| Spend::read(reader, HERE, None, Span::Day, record(1).ts)).unwrap();
    assert_eq!(spent.requests, 50);
    holds(&store, HERE);
}

#[test]
fn refused_transactions_are_not_counted() {
    let (_dir, store) = store();
    let refused = store.run_blocking(|tx| {
        book(tx, HERE, record(1))?;
        Err::<(), _>(Error::Invalid("no".into()))
    });
    assert!(refused.is_err());
    // A batch that conflicts leaves nothing behind, although others of its group are committed.
    let id = new_id();
    let both = |tx: &mut crate::Tx| {
        tx.insert(HERE, id, Budget::default())?;
        book(tx, HERE, record(1))
    };
    let (_, first, _rings) = store.prepare(both).unwrap();
    let (_, second, _rings) = store.prepare(both).unwrap();
    store.commit_blocking(first).unwrap();
    assert!(matches!(store.commit_blocking(second), Err(Error::Conflict)));
    let spent = store.read_now(|reader| Spend::read(reader, HERE, None, Span::Month, record(1).ts)).unwrap();
    assert_eq!(spent.requests, 1);
    holds(&store, HERE);
}

#[test]
fn sums_survive_the_log_and_closing() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Store::open_with(StoreOptions::new(dir.path()), None, MIGRATIONS).unwrap();
    for round in 0..3 {
        let store = open();
        for number in 0..20 {
            store.run_blocking(|tx| book(tx, HERE, record(round * 100 + number))).unwrap();
        }
        holds(&store, HERE);
    }
    holds(&open(), HERE);
}

#[test]
fn migration_sums_up_older_data() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_with(StoreOptions::new(dir.path()), None, &[]).unwrap();
    for number in 0..200 {
        let tenant = if number % 3 == 0 { THERE } else { HERE };
        store.run_blocking(|tx| tx.insert(tenant, new_id(), record(number))).unwrap();
    }
    assert!(!look(&store, false).problems.is_empty());
    drop(store);
    let store = Store::open_with(StoreOptions::new(dir.path()), None, MIGRATIONS).unwrap();
    holds(&store, HERE);
    holds(&store, THERE);
    store.run_blocking(|tx| book(tx, HERE, record(7))).unwrap();
    holds(&store, HERE);
}

#[test]
fn doctor_recounts_usage() {
    let (_dir, store) = store();
    for number in 0..30 {
        store.run_blocking(|tx| book(tx, HERE, record(number))).unwrap();
    }
    let scan = |table| {
        let range = crate::engine::KeyRange::prefix(table);
        store.inner.engine.scan(range, Default::default(), 1_000).unwrap()
    };
    let (sums, entries) = (scan(b"sp"), scan(b"lg"));
    harm(&store, |batch| {
        batch.put(sums[0].0.clone(), counters::encode(&[1, 2, 3]));
        batch.delete(sums[1].0.clone());
        batch.put(entries[0].0.clone(), counters::encode(&[1, 2, 3]));
        batch.delete(entries[1].0.clone());
        // An entry without any record.
        batch.put([&entries[2].0[..], b"x\0\0"].concat(), counters::encode(&[1; 8]));
    });
    assert_eq!(look(&store, false).problems.len(), 5);
    assert!(look(&store, true).is_sound());
    holds(&store, HERE);
}

proptest! {
    #[test]
    fn budget_is_exhausted_exactly_when_spending_reaches_it(
        costs in proptest::collection::vec(0u32..1_000, 0..12),
        limit in 0u64..6_000,
    ) {
        let (_dir, store) = store();
        let at = record(1).ts;
        let budget = Budget { cost_nanos_day: Some(limit), ..Budget::default() };
        let mut spent = 0;
        for cost in costs {
            let exhausted = |who| store.read_now(|reader| budget.exhausted(reader, HERE, who, at)).unwrap();
            prop_assert_eq!(exhausted(Some(user(1))).is_some(), spent >= limit);
            prop_assert_eq!(exhausted(None).is_some(), spent >= limit);
            prop_assert_eq!(exhausted(Some(user(2))).is_some(), limit == 0);
            let booked = UsageRecord { ts: at, user: user(1), cost_nanos: i64::from(cost), ..Default::default() };
            store.run_blocking(|tx| book(tx, HERE, booked.clone())).unwrap();
            spent += u64::from(cost);
        }
    }
}

#[test]
fn budgets_restart_with_their_day_and_month() {
    let (_dir, store) = store();
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let (last, next) = (at("2026-11-30T23:59:59.999Z"), at("2026-12-01T00:00:00Z"));
    let usage = Usage { input_tokens: 40, output_tokens: 2, ..Usage::default() };
    let used = UsageRecord { ts: last, user: user(1), cost_nanos: 9, usage, ..UsageRecord::default() };
    store.run_blocking(|tx| book(tx, HERE, used.clone())).unwrap();
    let exhausted = |budget: Budget, at| {
        let found = store.read_now(|reader| budget.exhausted(reader, HERE, Some(user(1)), at)).unwrap();
        found.map(|found| (found.measure, found.span, found.spent, found.renews_at))
    };
    let month = Budget { cost_nanos_month: Some(9), ..Budget::default() };
    assert_eq!(exhausted(month, last), Some((Measure::Cost, Span::Month, 9, next)));
    assert_eq!(exhausted(month, next), None);
    let tokens = Budget { tokens_day: Some(42), cost_nanos_day: Some(10), ..Budget::default() };
    assert_eq!(exhausted(tokens, last), Some((Measure::Tokens, Span::Day, 42, next)));
    assert_eq!(exhausted(tokens, next), None);
    // If several budgets are exhausted, the monthly one is reported, because it lasts longer.
    let both = Budget { cost_nanos_month: Some(1), ..tokens };
    assert_eq!(exhausted(both, last).map(|found| found.1), Some(Span::Month));
}
