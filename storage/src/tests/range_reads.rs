//! Transactions depend on what they did not find: limits on a number of rows are enforced, and refusals are based on a
//! single moment.

use super::{HERE, Memory, Thing, store, store_on};
use crate::engine::{Batch, Direction, Engine, KeyRange};
use crate::records::{
    ApiToken, FeatureRule, Group, GroupMember, Membership, Project, Role, Session, Team, Tenant, User,
};
use crate::{Error, Record, Result, Scan, Store, TenantId, Timestamp, Tx, new_id};
use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use uuid::Uuid;

fn thing(group: u8) -> Thing {
    Thing { name: new_id().to_string(), group, ..Thing::default() }
}

fn of_group(group: u8) -> Scan {
    Scan::index("by_group").prefix([group])
}

/// Adds a thing to a group unless it already has `most`.
fn add_within(tx: &mut Tx, group: u8, most: u64) -> Result<()> {
    if tx.count::<Thing>(HERE, of_group(group))? >= most {
        return Err(Error::Invalid("too many".into()));
    }
    tx.insert(HERE, new_id(), thing(group)).map(drop)
}

fn prepared(store: &Store, f: impl FnMut(&mut Tx) -> Result<()>) -> Batch {
    store.prepare(f).unwrap().1
}

#[tokio::test]
async fn a_count_conflicts_with_rows_that_others_add_or_delete() {
    let (_dir, store) = store();
    let first = prepared(&store, |tx| add_within(tx, 1, 1));
    let second = prepared(&store, |tx| add_within(tx, 1, 1));
    let elsewhere = prepared(&store, |tx| add_within(tx, 2, 1));
    store.commit(first).await.unwrap();
    assert!(matches!(store.commit(second).await, Err(Error::Conflict)));
    store.commit(elsewhere).await.unwrap();

    let found = store.read(|reader| reader.scan::<Thing>(HERE, of_group(1))).await.unwrap().items;
    let counted = |tx: &mut Tx| {
        tx.count::<Thing>(HERE, of_group(1))?;
        tx.insert(HERE, new_id(), thing(9)).map(drop)
    };
    let (before_change, id) = (prepared(&store, counted), found[0].id);
    let change = move |tx: &mut Tx| {
        let mut row = tx.require::<Thing>(HERE, &id)?;
        row.amount += 1;
        tx.update(HERE, row).map(drop)
    };
    store.run(change).await.unwrap();
    store.commit(before_change).await.unwrap();
    let before_deletion = prepared(&store, counted);
    store.run(move |tx| tx.delete::<Thing>(HERE, &id)).await.unwrap();
    assert!(matches!(store.commit(before_deletion).await, Err(Error::Conflict)));
}

#[tokio::test]
async fn batches_of_one_group_are_checked_against_each_other() {
    let (_dir, store) = store();
    let batches: Vec<_> = (0..50).map(|_| prepared(&store, |tx| add_within(tx, 1, 1))).collect();
    let verdicts: Vec<_> = batches.into_iter().map(|batch| store.commit_begin(batch).unwrap()).collect();
    let mut landed = 0;
    for verdict in verdicts {
        match verdict.await.unwrap() {
            Ok(()) => landed += 1,
            Err(Error::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(landed, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limit_on_a_number_of_rows_is_enforced_under_parallel_transactions() {
    let (_dir, store) = store();
    let tasks = (0..64).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.run(|tx| add_within(tx, 1, 10)).await })
    });
    let mut added = 0;
    for task in tasks.collect::<Vec<_>>() {
        match task.await.unwrap() {
            Ok(()) => added += 1,
            Err(Error::Invalid(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let there = store.read(|reader| reader.count::<Thing>(HERE, of_group(1))).await.unwrap();
    assert_eq!((added, there), (10, 10));
    // Nothing is remembered once all transactions have ended.
    until(|| store.inner.committer.recent().len() == (0, 0)).await;
}

#[tokio::test]
async fn page_depends_on_its_rows_but_not_on_later_ones() {
    let (_dir, store) = store();
    for group in [1, 2, 3] {
        store.run(move |tx| tx.insert(HERE, new_id(), thing(group))).await.unwrap();
    }
    let look = |scan: Scan| {
        prepared(&store, move |tx| {
            tx.scan::<Thing>(HERE, scan.clone())?;
            tx.insert(HERE, new_id(), thing(100)).map(drop)
        })
    };
    let first = look(Scan::index("by_group").limit(1));
    let last = look(Scan::index("by_group").reverse().limit(1));
    let all = look(Scan::index("by_group"));
    let loose = look(Scan::index("by_group").allow_phantoms());
    store.run(|tx| tx.insert(HERE, new_id(), thing(4))).await.unwrap();
    store.commit(first).await.unwrap();
    store.commit(loose).await.unwrap();
    assert!(matches!(store.commit(last).await, Err(Error::Conflict)));
    assert!(matches!(store.commit(all).await, Err(Error::Conflict)));
}

/// Commits an additional batch directly before a read of the index `by_group`, once.
#[derive(Default)]
struct Racing {
    memory: Memory,
    batch: Mutex<Option<Batch>>,
}

impl Engine for Racing {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.memory.get(key)
    }
    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        if range.start.starts_with(b"x2")
            && let Some(batch) = self.batch.lock().take()
        {
            self.memory.commit(&[batch]);
        }
        self.memory.scan(range, direction, limit)
    }
    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        self.memory.commit(group)
    }
}

#[tokio::test]
async fn prepare_retries_a_refusal_based_on_two_moments() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Arc::new(Racing::default());
    let store = store_on(engine.clone(), dir.path());
    let counter = new_id();
    store.run(move |tx| tx.insert(HERE, counter, thing(0))).await.unwrap();
    // A concurrent transaction adds a thing and counts it between the two reads below.
    let race = prepared(&store, |tx| {
        let mut row = tx.require::<Thing>(HERE, &counter)?;
        row.amount += 1;
        tx.update(HERE, row)?;
        tx.insert(HERE, new_id(), thing(1)).map(drop)
    });
    *engine.batch.lock() = Some(race);
    let mut runs = 0;
    let looked = store.prepare(|tx| {
        runs += 1;
        let counted = tx.require::<Thing>(HERE, &counter)?.amount;
        let there = tx.scan::<Thing>(HERE, of_group(1))?.items.len();
        if there as i64 != counted {
            return Err(Error::Taken { record: "thing", index: "id" });
        }
        Ok(there)
    });
    assert_eq!((looked.unwrap().0, runs), (1, 2));
    // A refusal that is based on a single moment is returned at once.
    let mut runs = 0;
    let refused = store.prepare(|tx| {
        runs += 1;
        tx.require::<Thing>(HERE, &counter)?;
        Err::<(), _>(Error::Invalid("no".into()))
    });
    assert!(matches!(refused, Err(Error::Invalid(_))));
    assert_eq!(runs, 1);
}

/// An engine whose commits become visible at once, but return only when released.
#[derive(Default)]
struct PausedEngine {
    memory: Memory,
    holds: AtomicBool,
    applied: AtomicUsize,
    released: Mutex<bool>,
    changed: Condvar,
}

impl Engine for PausedEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.memory.get(key)
    }
    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        self.memory.scan(range, direction, limit)
    }
    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        let verdicts = self.memory.commit(group);
        if self.holds.load(Ordering::SeqCst) {
            self.applied.fetch_add(1, Ordering::SeqCst);
            let mut released = self.released.lock();
            while !*released {
                self.changed.wait(&mut released);
            }
        }
        verdicts
    }
}

async fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Runs a change, drops its caller while the commit is in progress, and waits until rights count as changed.
async fn rings_without_its_caller(
    before: impl FnMut(&mut Tx) -> Result<()> + Send + 'static,
    change: impl FnMut(&mut Tx) -> Result<()> + Send + 'static,
) {
    let dir = tempfile::tempdir().unwrap();
    let engine = Arc::new(PausedEngine::default());
    let store = store_on(engine.clone(), dir.path());
    store.run(before).await.unwrap();
    engine.holds.store(true, Ordering::SeqCst);
    let epoch = store.rights_epoch();
    let caller = tokio::spawn({
        let store = store.clone();
        async move { store.run(change).await }
    });
    until(|| engine.applied.load(Ordering::SeqCst) == 1).await;
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    *engine.released.lock() = true;
    engine.changed.notify_all();
    until(|| store.rights_epoch() > epoch).await;
}

async fn deletion_rings<T: Record>(tenant: TenantId, id: T::Id, body: T) {
    assert!(T::DECIDES, "{} decides who may what", T::NAME);
    let (remaining_id, gone) = (id.clone(), id);
    rings_without_its_caller(
        move |tx| tx.insert(tenant, remaining_id.clone(), body.clone()).map(drop),
        move |tx| tx.delete::<T>(tenant, &gone).map(drop),
    )
    .await;
}

#[tokio::test]
async fn changes_of_rights_are_notified_although_their_caller_is_gone() {
    let (id, pair, system) = (new_id(), (new_id(), new_id()), TenantId::SYSTEM);
    deletion_rings(system, id, Session::default()).await;
    deletion_rings(system, id, ApiToken::default()).await;
    deletion_rings(system, id, User::default()).await;
    deletion_rings(system, id, Tenant::default()).await;
    let member = Membership { role: Role::User, ..Membership::default() };
    deletion_rings(system, pair, member).await;
    deletion_rings(HERE, id, Project::default()).await;
    deletion_rings(HERE, id, Group::default()).await;
    deletion_rings(HERE, id, Team::default()).await;
    deletion_rings(HERE, pair, GroupMember::default()).await;
    deletion_rings(HERE, "audio".to_owned(), FeatureRule::default()).await;
    // A transaction on other record types reports the change explicitly.
    rings_without_its_caller(
        |_| Ok(()),
        |tx| {
            tx.change_rights();
            tx.insert(HERE, new_id(), thing(1)).map(drop)
        },
    )
    .await;
}

/// Whether a change of one row counts as a change of rights.
async fn counts<T: Record<Id = Uuid>>(body: T, change: fn(&mut T)) -> bool {
    let (_dir, store) = store();
    let id = new_id();
    store.run(move |tx| tx.insert(TenantId::SYSTEM, id, body.clone())).await.unwrap();
    let epoch = store.rights_epoch();
    let update = move |tx: &mut Tx| {
        let mut row = tx.require::<T>(TenantId::SYSTEM, &id)?;
        change(&mut row.body);
        tx.update(TenantId::SYSTEM, row).map(drop)
    };
    store.run(update).await.unwrap();
    store.rights_epoch() > epoch
}

#[tokio::test]
async fn updates_change_rights_if_they_withdraw_any() {
    assert!(counts(Session::default(), |row| row.ended_at = Some(Timestamp::now())).await);
    assert!(counts(Session::default(), |row| row.tenant = new_id()).await);
    assert!(!counts(Session::default(), |row| row.refresh_sha256 = "next".into()).await);
    assert!(counts(ApiToken::default(), |row| row.revoked_at = Some(Timestamp::now())).await);
    assert!(counts(ApiToken::default(), |row| row.scopes = Some(Vec::new())).await);
    assert!(counts(ApiToken::default(), |row| row.expires_at = Some(Timestamp::now())).await);
    assert!(!counts(ApiToken::default(), |row| row.last_used_at = Some(Timestamp::now())).await);
    assert!(counts(User::default(), |row| row.disabled = true).await);
    assert!(counts(User::default(), |row| row.platform_admin = true).await);
    assert!(!counts(User::default(), |row| row.display_name = "Ada".into()).await);
    assert!(counts(Tenant::default(), |row| row.governed.groups = true).await);
    assert!(!counts(Tenant::default(), |row| row.name = "Acme".into()).await);
}
