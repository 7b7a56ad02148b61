//! Conversions of folders of version 1.0, migrations of rows, and restores, on a machine that loses power at any of
//! their file operations.

use super::super::kills::{at_every_operation, backup, conversion, seed, upgrade};
use crate::backup::{RestoreOptions, restore_on};
use crate::engine::boot_id;
use crate::files::mirrored::MirroredFiles;
use crate::files::simulated::Random;
use crate::files::stopping::Stop;
use crate::migrations::{MIGRATIONS, Migration};
use crate::{Store, StoreOptions};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Power losses at each operation.
const OUTCOMES: u64 = 6;
/// The folder as the machine finds it after a restart.
fn after_power_loss(files: &MirroredFiles, random: &mut Random) -> TempDir {
    let left = tempfile::tempdir().unwrap();
    files.lose_power(random, left.path()).unwrap();
    boot_again(left.path());
    left
}

/// Makes the databases in a folder see a different boot of the machine from the one in which they were used.
fn boot_again(dir: &Path) {
    let boot = boot_id().unwrap();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            boot_again(&path);
        } else if path.file_name().is_some_and(|name| name == "state") {
            let state = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, state.replace(&boot, "the boot before")).unwrap();
        }
    }
}

fn open_on(files: &MirroredFiles, dir: &Path, migrations: &'static [Migration]) -> bool {
    let opened = Store::open_on(Arc::new(files.clone()), StoreOptions::new(dir), None, migrations);
    let has_stopped = files.has_stopped();
    assert!(opened.is_ok() || has_stopped, "{:?}", opened.err());
    has_stopped
}

/// Starts on a copy of a folder, on a machine that stops at each of its operations, and checks the folder after each
/// power loss. Returns the number of operations at which it stopped.
fn at_every_start(
    before: &Path,
    migrations: &'static [Migration],
    check: impl Fn(&Path, &str) + Sync,
) -> u64 {
    let seed = seed();
    at_every_operation(|Stop { after, .. }| {
        let mut random = Random::new(seed ^ after);
        let parent = tempfile::tempdir().unwrap();
        super::super::copy(before, &parent.path().join("data"));
        let files = MirroredFiles::new(parent.path(), random.next(), after).unwrap();
        let has_stopped = open_on(&files, &parent.path().join("data"), migrations);
        for outcome in 0..OUTCOMES {
            let left = after_power_loss(&files, &mut random);
            check(&left.path().join("data"), &format!("stopped after {after}, outcome {outcome}"));
        }
        has_stopped.then_some(false)
    })
}

#[test]
fn conversion_with_power_losses_loses_nothing() {
    let whole = tempfile::tempdir().unwrap();
    let before = conversion::folder_of_version_1(whole.path());
    let stops =
        at_every_start(&before, MIGRATIONS, |dir, context| conversion::check_all(dir, &before, context));
    assert!(stops >= 80, "a conversion has {stops} operations");
}

#[test]
fn migration_with_power_losses_runs_once_after_a_backup() {
    let whole = tempfile::tempdir().unwrap();
    let before = upgrade::folder_of_format_1(whole.path());
    let stops = at_every_start(&before, upgrade::MIGRATIONS, upgrade::check_and_finish);
    assert!(stops >= 25, "a migration has {stops} operations");
}

#[test]
fn restore_is_refused_or_complete_after_a_power_loss() {
    let (dir, store) = backup::filled();
    let (expected, file) = (backup::all(&store), dir.path().join("backup"));
    crate::backup::backup(&store, &file, &mut |_| {}).unwrap();
    let seed = seed();
    let stops = at_every_operation(|Stop { after, .. }| {
        let mut random = Random::new(seed ^ after);
        let parent = tempfile::tempdir().unwrap();
        // The folder itself is created by the operating system, see `files`.
        let to = parent.path().join("to");
        std::fs::create_dir(&to).unwrap();
        let files = MirroredFiles::new(parent.path(), random.next(), after).unwrap();
        let options = RestoreOptions::default();
        let restored = restore_on(Arc::new(files.clone()), &file, &to, &options, &mut |_| {});
        let has_stopped = files.has_stopped();
        for outcome in 0..OUTCOMES {
            let left = after_power_loss(&files, &mut random);
            let context = format!("stopped after {after}, outcome {outcome}");
            let is_whole = backup::is_refused_or_whole(&left.path().join("to"), &expected, &context);
            assert!(is_whole || restored.is_err(), "{context}: a finished restore is lost");
        }
        assert_eq!(restored.is_err(), has_stopped, "stopped after {after}: {restored:?}");
        has_stopped.then_some(false)
    });
    assert!(stops >= 30, "a restore has {stops} operations");
}
