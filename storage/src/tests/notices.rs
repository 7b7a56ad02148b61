//! Notifications and their queues: the counts match the rows after any sequence of operations.

use super::{HERE, store};
use crate::notices::{self, DeliveryOutcome, NewEndpoint};
use crate::records::{
    Delivery, DeliveryQueue, EndpointKind, Membership, Notice, NoticeBox, NotificationEndpoint,
};
use crate::{Error, Scan, Store, TenantId, Timestamp, new_id};
use proptest::prelude::*;
use std::time::Duration;
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

/// A member of the tenant.
fn member(store: &Store) -> Uuid {
    let user = new_id();
    store.run_blocking(|tx| tx.insert(SYSTEM, (user, HERE.0), Membership::default())).unwrap();
    user
}

fn endpoint(store: &Store, user: Uuid, at: usize) -> Uuid {
    let endpoint = NotificationEndpoint {
        user,
        kind: EndpointKind::Webhook,
        address: format!("https://example.org/{at}"),
        ..NotificationEndpoint::default()
    };
    let new = NewEndpoint { endpoint, secret: Some(vec![1]) };
    let registered = store.run_blocking(|tx| notices::register(tx, HERE, new.clone()));
    registered.map(|(row, _)| row.id).unwrap()
}

fn insert_notice(store: &Store, user: Uuid, title: &str) {
    let notice = Notice { user, title: title.to_owned(), ..Notice::default() };
    store.run_blocking(|tx| notices::notify(tx, HERE, notice.clone())).unwrap();
}

/// The next queued delivery of an endpoint, regardless of its due time.
fn next(store: &Store, endpoint: Uuid) -> Option<crate::Row<Delivery>> {
    let late = Timestamp::now() + Duration::from_secs(1 << 30);
    store.read_now(|reader| notices::next_delivery(reader, HERE, endpoint, late)).unwrap()
}

fn settle(store: &Store, tried: &crate::Row<Delivery>, verdict: &DeliveryOutcome) {
    store.run_blocking(|tx| notices::settle(tx, HERE, tried, verdict)).unwrap();
}

fn failed(again: bool, oldest: Timestamp) -> DeliveryOutcome {
    let now = Timestamp::now();
    DeliveryOutcome::Failed { error: "no".to_owned(), again: again.then_some(now), pause_until: now, oldest }
}

/// Checks that all counts match the rows.
fn examine(store: &Store, user: Uuid) {
    store
        .read_now(|reader| {
            let rows = reader.scan::<Notice>(HERE, Scan::table())?.items;
            let unread = rows.iter().filter(|row| row.read_at.is_none()).count() as u64;
            let stored = reader.get::<NoticeBox>(HERE, &user)?.map(|row| row.body).unwrap_or_default();
            assert_eq!((stored.listed, stored.unread), (rows.len() as u64, unread));
            let endpoints = reader.scan::<NotificationEndpoint>(HERE, Scan::table())?.items;
            let deliveries = reader.scan::<Delivery>(HERE, Scan::table())?.items;
            let queues = reader.scan::<DeliveryQueue>(SYSTEM, Scan::table())?.items;
            let waiting = |id: Uuid| deliveries.iter().filter(|row| row.id.0 == id).count();
            for row in &endpoints {
                let queue = queues.iter().find(|queue| queue.id == row.id);
                assert_eq!(queue.map_or(0, |queue| queue.waiting as usize), waiting(row.id));
                assert_eq!(queue.is_some(), waiting(row.id) > 0, "a queue stands for what waits");
            }
            let known = |id: Uuid| endpoints.iter().any(|row| row.id == id);
            assert!(queues.iter().all(|queue| known(queue.id)), "what is dropped leaves nothing");
            assert!(deliveries.iter().all(|row| known(row.id.0)));
            Ok::<_, Error>(())
        })
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn counts_match_the_rows(steps in prop::collection::vec((0_u8..9, 0_usize..3), 1..60)) {
        let (_dir, store) = store();
        let user = member(&store);
        let long_ago = Timestamp::from_millis(0);
        for (step, at) in steps {
            let endpoints = store.read_now(|reader| notices::endpoints_of(reader, HERE, user)).unwrap();
            let chosen = endpoints.get(at).map(|row| row.id);
            let waiting = chosen.and_then(|id| next(&store, id));
            match (step, waiting) {
                (0, _) => drop(endpoint(&store, user, at)),
                (1, _) if chosen.is_some() => store
                    .run_blocking(|tx| notices::drop_endpoint(tx, HERE, chosen.unwrap_or_default()))
                    .unwrap(),
                (2, Some(tried)) => settle(&store, &tried, &DeliveryOutcome::Delivered),
                (3, Some(tried)) => settle(&store, &tried, &failed(true, long_ago)),
                (4, Some(tried)) => settle(&store, &tried, &failed(false, long_ago)),
                // All queued deliveries are too old.
                (5, Some(tried)) => {
                    settle(&store, &tried, &failed(true, Timestamp::now() + Duration::from_secs(60)));
                }
                (6, Some(tried)) => {
                    settle(&store, &tried, &DeliveryOutcome::Delivered);
                    settle(&store, &tried, &DeliveryOutcome::Delivered);
                }
                (7, _) => drop(store.run_blocking(|tx| notices::mark_all_read(tx, HERE, user)).unwrap()),
                _ => insert_notice(&store, user, "x"),
            }
            examine(&store, user);
        }
        store.run_blocking(|tx| notices::forget(tx, HERE, user)).unwrap();
        examine(&store, user);
    }
}

#[test]
fn notices_added_during_delivery_stay_queued() {
    let (_dir, store) = store();
    let user = member(&store);
    let endpoint = endpoint(&store, user, 0);
    let tellers: Vec<_> = (0..4)
        .map(|teller| {
            let store = store.clone();
            std::thread::spawn(move || {
                (0..25).for_each(|at| insert_notice(&store, user, &format!("{teller}.{at}")))
            })
        })
        .collect();
    let mut sent = Vec::new();
    while sent.len() < 100 {
        // A queue that was lost in between would never be visited again.
        match store.read_now(|reader| reader.get::<DeliveryQueue>(SYSTEM, &endpoint)).unwrap() {
            Some(_) => {
                if let Some(tried) = next(&store, endpoint) {
                    settle(&store, &tried, &DeliveryOutcome::Delivered);
                    sent.push(tried.notice.title.clone());
                }
            }
            None => std::thread::yield_now(),
        }
    }
    tellers.into_iter().for_each(|teller| teller.join().expect("a teller"));
    sent.sort();
    sent.dedup();
    assert_eq!(sent.len(), 100, "each once");
    examine(&store, user);
    let notice_counts = store.read_now(|reader| notices::notice_counts(reader, HERE, user)).unwrap();
    assert_eq!((notice_counts.seq, notice_counts.listed, notice_counts.unread), (100, 100, 100));
}

#[test]
fn queue_is_bounded_and_discards_the_oldest_deliveries() {
    let (_dir, store) = store();
    let user = member(&store);
    let endpoint = endpoint(&store, user, 0);
    let most = notices::MAX_WAITING as usize;
    store
        .run_blocking(|tx| {
            (0..most + 3).try_for_each(|at| {
                let title = at.to_string();
                notices::notify(tx, HERE, Notice { user, title, ..Notice::default() }).map(drop)
            })
        })
        .unwrap();
    examine(&store, user);
    assert_eq!(next(&store, endpoint).unwrap().notice.title, "3", "the oldest are given up");
    let row = store.read_now(|reader| reader.require::<NotificationEndpoint>(HERE, &endpoint)).unwrap();
    assert_eq!(row.given_up, 3);
}

#[test]
fn tell_retains_only_the_newest_notices() {
    let (_dir, store) = store();
    let user = member(&store);
    let tell = |from: u64, upto: u64| {
        store
            .run_blocking(|tx| {
                (from..upto).try_for_each(|at| {
                    let title = at.to_string();
                    notices::notify(tx, HERE, Notice { user, title, ..Notice::default() }).map(drop)
                })
            })
            .unwrap();
    };
    let stored = || store.read_now(|reader| reader.scan::<Notice>(HERE, Scan::table())).unwrap().items;
    tell(0, notices::MAX_KEPT + 5);
    assert_eq!(stored().first().unwrap().title, "5");
    // The user removes a notice in the middle, so that the next one takes its place.
    let middle = stored()[100].id;
    assert!(store.run_blocking(|tx| notices::remove(tx, HERE, user, middle)).unwrap());
    for at in notices::MAX_KEPT + 5..notices::MAX_KEPT + 10 {
        tell(at, at + 1);
    }
    let rows = stored();
    assert_eq!((rows.len() as u64, rows[0].title.as_str()), (notices::MAX_KEPT, "9"));
    examine(&store, user);
    // The search for the oldest notice starts after the last deleted one. From the beginning, it would pass the keys of
    // all deleted notices.
    let trimmed = store.read_now(|reader| reader.require::<NoticeBox>(HERE, &user)).unwrap().trimmed;
    assert!(trimmed.is_some_and(|trimmed| trimmed < rows[0].id));
    store.run_blocking(|tx| notices::forget(tx, HERE, user)).unwrap();
    assert_eq!(store.read_now(|reader| reader.get::<NoticeBox>(HERE, &user)).unwrap(), None);
}

#[test]
fn outdated_returns_old_notices_in_order() {
    let (_dir, store) = store();
    let user = member(&store);
    ["a", "b", "c"].iter().for_each(|title| insert_notice(&store, user, title));
    let now = Timestamp::now();
    let old =
        |at: Timestamp, limit| store.read_now(|reader| notices::outdated(reader, HERE, at, limit)).unwrap();
    assert_eq!(old(now, 10), []);
    assert_eq!(old(now + notices::KEPT_FOR - Duration::from_secs(60), 10), []);
    let later = now + notices::KEPT_FOR + Duration::from_secs(60);
    assert_eq!((old(later, 10).len(), old(later, 2).len()), (3, 2));
    let (whose, first) = old(later, 1)[0];
    assert!(store.run_blocking(|tx| notices::remove(tx, HERE, whose, first)).unwrap());
    assert!(!store.run_blocking(|tx| notices::remove(tx, HERE, whose, first)).unwrap());
    assert_eq!(old(later, 10).len(), 2);
    examine(&store, user);
}
