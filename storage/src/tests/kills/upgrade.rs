//! A start that migrates rows: a backup, then one commit for each migration.

use super::super::{HERE, Thing, copy, engine_at};
use super::{at_every_operation, names, open_until, seed};
use crate::backup::restore;
use crate::files::simulated::Random;
use crate::files::stopping::Stop;
use crate::migrations::{Migration, format_of, newest};
use crate::{Reader, Record, Scan, Store, StoreOptions, new_id};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AMOUNTS: [i64; 3] = [1, 2, 3];
/// Running a migration twice, or in another order, leads to different amounts.
pub(in crate::tests) const MIGRATIONS: &[Migration] = &[
    Migration { name: "double", work: |reader, batch| change(reader, batch, |amount| amount * 2) },
    Migration { name: "add one", work: |reader, batch| change(reader, batch, |amount| amount + 1) },
    Migration { name: "triple", work: |reader, batch| change(reader, batch, |amount| amount * 3) },
];

fn change(
    reader: &Reader,
    batch: &mut crate::Batch,
    change: impl Fn(i64) -> i64,
) -> Result<(), crate::Error> {
    for mut row in reader.scan::<Thing>(HERE, Scan::table())?.items {
        row.amount = change(row.amount);
        batch.put(crate::keys::record_key(Thing::TABLE, HERE, &row.id), row.encode()?);
    }
    Ok(())
}

/// The expected amounts in a format.
fn expected(format: u32) -> Vec<i64> {
    let steps: [fn(i64) -> i64; 3] = [|amount| amount * 2, |amount| amount + 1, |amount| amount * 3];
    let done = &steps[..format as usize - 1];
    AMOUNTS.iter().map(|amount| done.iter().fold(*amount, |amount, step| step(amount))).collect()
}

/// The format and the amounts of a folder, read without starting on it.
fn found(dir: &Path) -> (u32, Vec<i64>) {
    let parent = tempfile::tempdir().unwrap();
    copy(&dir.join("engine"), parent.path());
    let engine = Arc::new(engine_at(parent.path()));
    let format = format_of(&*engine).unwrap().unwrap();
    let rows = Reader::new(engine).scan::<Thing>(HERE, Scan::table()).unwrap().items;
    (format, rows.iter().map(|row| row.amount).collect())
}

/// The backups that have their final names.
fn backups(dir: &Path) -> Vec<PathBuf> {
    let mut names = names(&dir.join("backups"));
    names.retain(|name| name.ends_with(".tar.gz"));
    names.iter().map(|name| dir.join("backups").join(name)).collect()
}

/// Checks that every file with the name of a backup is complete and of the format in its name, and that no row was
/// changed without a backup of the first format. Returns the current format.
fn check(dir: &Path, context: &str) -> u32 {
    let (format, amounts) = found(dir);
    assert_eq!(amounts, expected(format), "{context}: format {format}");
    let mut formats = Vec::new();
    for backup in backups(dir) {
        let parent = tempfile::tempdir().unwrap();
        restore(&backup, parent.path(), &Default::default(), &mut |_| {})
            .unwrap_or_else(|error| panic!("{context}: {}: {error}", backup.display()));
        let (format, amounts) = found(parent.path());
        assert_eq!(amounts, expected(format), "{context}: a backup of format {format}");
        assert!(backup.file_name().unwrap().to_str().unwrap().starts_with(&format!("format-{format}-")));
        formats.push(format);
    }
    assert!(format == 1 || formats.contains(&1), "{context}: format {format} with backups of {formats:?}");
    format
}

/// Runs [`check`] now and again after the next start, which finishes the interrupted migration.
pub(in crate::tests) fn check_and_finish(dir: &Path, context: &str) {
    check(dir, context);
    drop(Store::open_with(StoreOptions::new(dir), None, MIGRATIONS).unwrap());
    assert_eq!(check(dir, context), newest(MIGRATIONS), "{context}");
    assert_eq!(names(&dir.join("backups")).len(), backups(dir).len(), "{context}: something unfinished");
}

/// A folder whose rows have the first format.
pub(in crate::tests) fn folder_of_format_1(dir: &Path) -> PathBuf {
    let folder = dir.join("before");
    let store = Store::open_with(StoreOptions::new(&folder), None, &[]).unwrap();
    for amount in AMOUNTS {
        let thing = Thing { name: amount.to_string(), amount, ..Thing::default() };
        store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone())).unwrap();
    }
    folder
}

#[test]
fn migration_killed_at_any_file_operation_runs_once_after_a_backup() {
    let seed = seed();
    let whole = tempfile::tempdir().unwrap();
    let before = folder_of_format_1(whole.path());
    let stops = at_every_operation(|stop| {
        let mut random = Random::new(seed ^ (stop.after * 2 + u64::from(stop.is_torn)));
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("data");
        copy(&before, &dir);
        let stopped = open_until(stop, &dir, MIGRATIONS);
        let mut context = format!("{stop:?}, at {stopped:?}");
        let came_to = check(&dir, &context);
        if random.coin() {
            let again = open_until(Stop::after(random.below(60)), &dir, MIGRATIONS);
            context = format!("{context}, then at {again:?}");
            assert!(check(&dir, &context) >= came_to, "{context}");
        }
        check_and_finish(&dir, &context);
        stopped.map(|stopped| stopped.can_be_torn())
    });
    assert!(stops >= 25, "a migration has {stops} operations");
}
