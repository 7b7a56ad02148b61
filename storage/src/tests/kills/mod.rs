//! Processes that are killed at every file operation of an upgrade, a backup or a restore.
//!
//! From one operation on, [`StoppingFiles`] makes all operations fail without effect. The disk then contains what a
//! killed process leaves behind, except for the files of sled, which are closed instead of being abandoned. Some of the
//! processes are therefore really killed.
//!
//! `UNDERSTUDY_SEED` determines the random choices.

pub(super) mod backup;
pub(super) mod conversion;
pub(super) mod upgrade;

use crate::files::stopping::{Operation, Stop, StoppingFiles};
use crate::migrations::Migration;
use crate::{Store, StoreOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// Number of concurrent attempts. They spend more time waiting for the disk than computing.
const AT_A_TIME: usize = 4;

/// Calls `attempt` with a stop before every operation and a stop within every write, until it no longer reaches a stop.
/// `attempt` returns whether the operation at which it stopped can be torn. Returns the number of stops.
pub(super) fn at_every_operation(attempt: impl Fn(Stop) -> Option<bool> + Sync) -> u64 {
    at_every_operation_in(AT_A_TIME, attempt)
}

fn at_every_operation_in(threads: usize, attempt: impl Fn(Stop) -> Option<bool> + Sync) -> u64 {
    let (next, stops) = (AtomicU64::new(0), AtomicU64::new(0));
    let attempts = || {
        loop {
            let after = next.fetch_add(1, Ordering::Relaxed);
            let Some(can_be_torn) = attempt(Stop::after(after)) else { return };
            stops.fetch_add(1 + u64::from(can_be_torn), Ordering::Relaxed);
            if can_be_torn {
                attempt(Stop::within(after));
            }
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(attempts))));
    stops.into_inner()
}

/// Opens a store in a process that is killed at `stop`. Returns the operation at which it was killed.
fn open_until(stop: Stop, dir: &Path, migrations: &'static [Migration]) -> Option<Operation> {
    let files = StoppingFiles::new(stop);
    let opened = Store::open_on(Arc::new(files.clone()), StoreOptions::new(dir), None, migrations);
    let stopped = files.stopped_at();
    assert!(opened.is_ok() || stopped.is_some(), "{:?}", opened.err());
    stopped
}

pub(super) fn seed() -> u64 {
    let given = std::env::var("UNDERSTUDY_SEED").ok().and_then(|text| text.parse().ok());
    let seed = given.unwrap_or_else(|| Uuid::new_v4().as_u128() as u64 % 1_000_000);
    println!("UNDERSTUDY_SEED={seed} repeats this");
    seed
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
