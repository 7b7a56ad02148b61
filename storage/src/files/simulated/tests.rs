//! The semantics of the simulated disk: what survives which interruption, and how operations fail.

use super::super::{FileSystem, RandomAccessFile, SystemFiles, read, replace};
use super::{Failure, Fault, Observer, Operation, Random, SimulatedDisk};
use parking_lot::Mutex;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const DIR: &str = "/d";
const SECTOR: usize = 512;

/// A disk with a durable directory.
fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    disk.create_dir(Path::new(DIR)).unwrap();
    disk.sync_dir(Path::new("/")).unwrap();
    disk
}

fn path(name: &str) -> PathBuf {
    Path::new(DIR).join(name)
}

/// A file with a durable name and durable content.
fn durable(disk: &SimulatedDisk, name: &str, content: &[u8]) -> Arc<dyn RandomAccessFile> {
    let file = disk.create(&path(name)).unwrap();
    file.write_at(content, 0).unwrap();
    file.sync().unwrap();
    disk.sync_dir(Path::new(DIR)).unwrap();
    file
}

fn content(disk: &SimulatedDisk, name: &str) -> Option<Vec<u8>> {
    match read(disk, &path(name)) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        other => Some(other.unwrap()),
    }
}

/// The distinct outcomes of many power losses.
fn outcomes<T: Ord>(disk: &SimulatedDisk, look: impl Fn(&SimulatedDisk) -> T) -> BTreeSet<T> {
    let mut random = Random::new(7);
    (0..400).map(|_| look(&disk.lose_power(&mut random))).collect()
}

#[test]
fn synced_content_survives_and_other_content_may() {
    let disk = disk();
    let file = durable(&disk, "a", b"first");
    assert_eq!(outcomes(&disk, |disk| content(disk, "a")), BTreeSet::from([Some(b"first".to_vec())]));
    let disk = disk.kill(&mut Random::new(0));
    assert_eq!(file.len().unwrap_err().raw_os_error(), Some(5));
    let file = disk.open(&path("a")).unwrap();
    file.write_at(b"other", 0).unwrap();
    let both = BTreeSet::from([Some(b"first".to_vec()), Some(b"other".to_vec())]);
    assert_eq!(outcomes(&disk, |disk| content(disk, "a")), both);
}

#[test]
fn length_survives_independently_of_content() {
    let disk = disk();
    let file = durable(&disk, "a", &[1; SECTOR]);
    file.write_at(&[2; SECTOR], SECTOR as u64).unwrap();
    let seen = outcomes(&disk, |disk| content(disk, "a").unwrap());
    let zeros = [[1; SECTOR], [0; SECTOR]].concat();
    let whole = [[1; SECTOR], [2; SECTOR]].concat();
    assert!(seen.contains(&[1; SECTOR][..]) && seen.contains(&zeros) && seen.contains(&whole));
    assert!(
        seen.iter().any(|content| content.len() > SECTOR && ![0, 2].contains(&content[SECTOR])),
        "no stale block"
    );
    assert!(seen.iter().all(|content| content[..SECTOR] == [1; SECTOR]));
}

#[test]
fn sectors_survive_independently_in_write_order() {
    let disk = disk();
    let file = durable(&disk, "a", &[0; 8 * SECTOR]);
    file.write_at(&[1; 8 * SECTOR], 0).unwrap();
    // In the same sector: this write does not survive without the earlier write to the sector.
    file.write_at(&[2; SECTOR / 2], 0).unwrap();
    let seen = outcomes(&disk, |disk| content(disk, "a").unwrap());
    let torn = |content: &Vec<u8>| content[7 * SECTOR] != content[6 * SECTOR];
    assert!(seen.iter().any(torn), "no write was torn");
    for content in &seen {
        let (half, rest) = content.split_at(SECTOR / 2);
        let first = &rest[..SECTOR / 2];
        assert!(matches!((half[0], first[0]), (0, 0) | (1, 1) | (2, 1)), "{} {}", half[0], first[0]);
        let sectors = [half, first].into_iter().chain(rest[SECTOR / 2..].chunks(SECTOR));
        assert!(sectors.into_iter().all(|part| part.iter().all(|byte| *byte == part[0])));
    }
    file.sync().unwrap_err();
}

#[test]
fn a_truncation_survives_or_not() {
    let disk = disk();
    durable(&disk, "a", &[1; 3 * SECTOR]).set_len(100).unwrap();
    let seen = outcomes(&disk, |disk| content(disk, "a").unwrap());
    assert_eq!(seen, BTreeSet::from([vec![1; 100], vec![1; 3 * SECTOR]]));
    let disk = disk.kill(&mut Random::new(0));
    disk.open(&path("a")).unwrap().sync().unwrap();
    assert_eq!(outcomes(&disk, |disk| content(disk, "a").unwrap()), BTreeSet::from([vec![1; 100]]));
}

#[test]
fn names_are_durable_once_their_directory_is_synced() {
    let disk = disk();
    let file = disk.create(&path("a")).unwrap();
    file.write_at(b"x", 0).unwrap();
    file.sync().unwrap();
    let seen = outcomes(&disk, |disk| content(disk, "a"));
    assert_eq!(
        seen,
        BTreeSet::from([None, Some(b"x".to_vec())]),
        "a sync of the file says nothing of its name"
    );
    let disk = disk.kill(&mut Random::new(0));
    disk.sync_dir(Path::new(DIR)).unwrap();
    assert_eq!(outcomes(&disk, |disk| content(disk, "a")).len(), 1);
    let disk = disk.kill(&mut Random::new(0));
    disk.remove(&path("a")).unwrap();
    let seen = outcomes(&disk, |disk| content(disk, "a"));
    assert_eq!(seen, BTreeSet::from([None, Some(b"x".to_vec())]), "a removal is pending, too");
}

#[test]
fn directory_without_a_durable_name_is_lost_with_its_content() {
    let disk = SimulatedDisk::new(1);
    disk.create_dir(Path::new("/a/b")).unwrap();
    let file = disk.create(Path::new("/a/b/c")).unwrap();
    file.sync().unwrap();
    disk.sync_dir(Path::new("/a/b")).unwrap();
    disk.sync_dir(Path::new("/a")).unwrap();
    let there = |disk: &SimulatedDisk| disk.open(Path::new("/a/b/c")).is_ok();
    assert_eq!(outcomes(&disk, there), BTreeSet::from([false, true]));
    let disk = disk.kill(&mut Random::new(0));
    disk.sync_dir(Path::new("/")).unwrap();
    assert_eq!(outcomes(&disk, there), BTreeSet::from([true]));
}

#[test]
fn rename_survives_completely_or_not_at_all() {
    let disk = disk();
    durable(&disk, "old", b"1");
    durable(&disk, "new", b"2");
    disk.rename(&path("new"), &path("old")).unwrap();
    let look = |disk: &SimulatedDisk| (content(disk, "old").unwrap(), content(disk, "new"));
    let expected = BTreeSet::from([(b"1".to_vec(), Some(b"2".to_vec())), (b"2".to_vec(), None)]);
    assert_eq!(outcomes(&disk, look), expected);
    let disk = disk.kill(&mut Random::new(0));
    disk.sync_dir(Path::new(DIR)).unwrap();
    assert_eq!(outcomes(&disk, look), BTreeSet::from([(b"2".to_vec(), None)]));
}

#[test]
fn a_file_has_one_name_whichever_changes_survive() {
    let disk = disk();
    for name in ["b", "c"] {
        disk.create_dir(&path(name)).unwrap();
    }
    disk.sync_dir(Path::new(DIR)).unwrap();
    disk.create(&path("a")).unwrap().sync().unwrap();
    disk.rename(&path("a"), &path("b/x")).unwrap();
    disk.rename(&path("b/x"), &path("c/y")).unwrap();
    let names = ["a", "b/x", "c/y"];
    let seen = outcomes(&disk, |disk| names.map(|name| content(disk, name).is_some()));
    assert!(seen.iter().all(|there| there.iter().filter(|there| **there).count() <= 1), "{seen:?}");
    assert_eq!(seen.len(), 4, "{seen:?}");
    let disk = disk.kill(&mut Random::new(0));
    disk.sync_dir(&path("b")).unwrap();
    let seen = outcomes(&disk, |disk| names.map(|name| content(disk, name).is_some()));
    assert_eq!(seen, BTreeSet::from([[false, false, true]]));
}

#[test]
fn a_replaced_file_is_old_or_new_at_every_operation() {
    let (old, new) = (vec![1; 3000], vec![2; 5000]);
    for operations in 0..8 {
        let disk = disk();
        durable(&disk, "a", &old);
        disk.stop_after(operations);
        let replaced = replace(&disk, &path("a"), &new).is_ok();
        assert_eq!(replaced, operations >= 5);
        let seen = outcomes(&disk, |disk| content(disk, "a").unwrap());
        assert!(seen.is_subset(&BTreeSet::from([old.clone(), new.clone()])));
        assert_eq!(seen == BTreeSet::from([new.clone()]), replaced);
    }
}

#[test]
fn a_failed_sync_leaves_content_that_later_syncs_do_not_write() {
    let disk = disk();
    let file = durable(&disk, "a", &[1; 2 * SECTOR]);
    let mut seen = BTreeSet::new();
    for _ in 0..60 {
        file.write_at(&[2; SECTOR], SECTOR as u64).unwrap();
        disk.inject(Fault { on: Some(Operation::Sync), after: 0, times: 1, failure: Failure::Io });
        assert_eq!(file.sync().unwrap_err().raw_os_error(), Some(5));
        file.sync().unwrap();
        let image = SimulatedDisk::of(disk.0.lock().state.clone(), 0, 0).lose_power(&mut Random::new(0));
        let content = content(&image, "a").unwrap();
        assert_eq!(content[..SECTOR], [1; SECTOR]);
        seen.insert(content[SECTOR]);
        file.write_at(&[1; SECTOR], SECTOR as u64).unwrap();
        file.sync().unwrap();
    }
    assert_eq!(seen, BTreeSet::from([1, 2]), "it is lost, or it is not");
}

#[test]
fn each_kind_of_operation_can_fail_and_changes_nothing_then() {
    let disk = disk();
    let file = durable(&disk, "a", b"x");
    let fail = |on, failure| disk.inject(Fault { on: Some(on), after: 0, times: 1, failure });
    let kinds =
        [Operation::SetLen, Operation::SyncDir, Operation::Create, Operation::Rename, Operation::Remove];
    for failure in [Failure::Io, Failure::NoSpace] {
        kinds.iter().for_each(|on| fail(*on, failure));
        let errors = [
            file.set_len(0).unwrap_err(),
            disk.sync_dir(Path::new(DIR)).unwrap_err(),
            disk.create(&path("b")).unwrap_err(),
            disk.rename(&path("a"), &path("b")).unwrap_err(),
            disk.remove(&path("a")).unwrap_err(),
        ];
        let code = if failure == Failure::Io { 5 } else { 28 };
        assert!(errors.iter().all(|error| error.raw_os_error() == Some(code)));
        assert_eq!(content(&disk, "a").unwrap(), b"x");
        assert_eq!(disk.names(Path::new(DIR)).unwrap(), ["a"]);
    }
    // The second of these writes fails after any part of it.
    disk.inject(Fault { on: Some(Operation::Write), after: 1, times: 1, failure: Failure::Io });
    file.write_at(b"y", 0).unwrap();
    file.write_at(&[1; 20_000], 0).unwrap_err();
    file.write_at(b"z", 0).unwrap();
    assert!(disk.last_operations().contains("bytes: 20000 } FAILED"));
}

#[test]
fn full_disk_writes_a_part_and_works_again_once_there_is_space() {
    let disk = disk();
    let file = durable(&disk, "a", &[1; 4096]);
    disk.set_capacity(Some(3 * 4096));
    let other = disk.create(&path("b")).unwrap();
    assert_eq!(other.write_at(&[2; 10_000], 0).unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!((other.len().unwrap(), disk.space()), (8192, 3 * 4096));
    // Allocated pages can be overwritten, and a hole needs no space.
    other.write_at(&[3; 8192], 0).unwrap();
    other.set_len(1 << 20).unwrap();
    disk.remove(&path("a")).unwrap();
    other.write_at(b"x", 10_000).unwrap_err();
    // An open file takes up its space until it is closed.
    drop(file);
    other.write_at(b"x", 10_000).unwrap();
    assert_eq!(disk.space(), 3 * 4096);
}

#[test]
fn kill_loses_no_written_data() {
    let disk = disk();
    let file = disk.create(&path("a")).unwrap();
    file.write_at(b"x", 0).unwrap();
    let next = disk.kill(&mut Random::new(3));
    assert_eq!(content(&next, "a").unwrap(), b"x");
    assert!(disk.open(&path("a")).is_err() && disk.create(&path("b")).is_err(), "its machine goes on");
    // It is still not durable.
    let seen = outcomes(&next, |disk| content(disk, "a"));
    assert!(seen.is_superset(&BTreeSet::from([None, Some(b"x".to_vec())])), "{seen:?}");
}

#[test]
fn the_disk_stops_after_a_number_of_operations() {
    let mut parts = BTreeSet::new();
    for seed in 0..20 {
        let disk = SimulatedDisk::new(seed);
        disk.stop_after(1);
        let file = disk.create(Path::new("/a")).unwrap();
        file.write_at(&[1; 3 * 4096], 0).unwrap_err();
        assert!(file.len().is_err() && file.sync().is_err() && disk.names(Path::new("/")).is_err());
        let next = disk.kill(&mut Random::new(seed));
        parts.insert(next.open(Path::new("/a")).unwrap().len().unwrap());
    }
    assert_eq!(parts, BTreeSet::from([0, 4096, 8192, 12288]), "a write is interrupted between pages");
}

struct Watch {
    numbers: Arc<Mutex<Vec<u64>>>,
    seen: Arc<Mutex<BTreeSet<Option<usize>>>>,
}

impl Observer for Watch {
    fn wants(&mut self, number: u64) -> bool {
        self.numbers.lock().push(number);
        number == 4
    }

    fn within(&mut self, _number: u64, disk: &SimulatedDisk) {
        let mut random = Random::new(1);
        let mut seen = self.seen.lock();
        for _ in 0..30 {
            seen.insert(content(&disk.kill(&mut random), "a").map(|content| content.len()));
            seen.extend(content(&disk.lose_power(&mut random), "a").map(|_| None));
        }
    }
}

#[test]
fn an_observer_sees_the_disk_within_an_operation() {
    let disk = disk();
    let (numbers, seen) = (Arc::default(), Arc::default());
    disk.observe(Watch { numbers: Arc::clone(&numbers), seen: Arc::clone(&seen) });
    let file = disk.create(&path("a")).unwrap();
    file.write_at(&[1; 2 * 4096], 0).unwrap();
    file.sync().unwrap();
    assert_eq!(*numbers.lock(), [3, 4, 5]);
    assert_eq!(*seen.lock(), BTreeSet::from([None, Some(0), Some(4096), Some(8192)]));
    // The observer saw copies, so this disk is unchanged.
    assert_eq!(content(&disk, "a").unwrap(), [1; 2 * 4096]);
}

#[derive(Clone, Debug)]
enum Step {
    Create(u8),
    Write(u8, u64, Vec<u8>),
    SetLen(u8, u64),
    Sync(u8),
    Rename(u8, u8),
    Remove(u8),
    CreateDir(u8),
    RemoveDir(u8),
    SyncDir(u8),
}

/// Names in the root directory and in two others, which may or may not exist.
fn name(at: u8) -> &'static str {
    ["a", "b", "c/a", "c/b", "d/a", "c", "d"][at as usize]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at = || 0u8..7;
    let bytes = proptest::collection::vec(any::<u8>(), 0..1500);
    let step = prop_oneof![
        3 => at().prop_map(Step::Create),
        4 => (at(), 0u64..5000, bytes).prop_map(|(at, offset, bytes)| Step::Write(at, offset, bytes)),
        1 => (at(), 0u64..6000).prop_map(|(at, len)| Step::SetLen(at, len)),
        2 => at().prop_map(Step::Sync),
        3 => (at(), at()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => at().prop_map(Step::Remove),
        2 => (5u8..7).prop_map(Step::CreateDir),
        1 => (5u8..7).prop_map(Step::RemoveDir),
        1 => (4u8..7).prop_map(Step::SyncDir),
    ];
    proptest::collection::vec(step, 1..60)
}

fn take(files: &dyn FileSystem, root: &Path, step: &Step) -> bool {
    let at = |at: &u8| root.join(name(*at));
    let done = match step {
        Step::Create(file) => files.create(&at(file)).map(drop),
        Step::Write(file, offset, bytes) => {
            files.open(&at(file)).and_then(|file| file.write_at(bytes, *offset))
        }
        Step::SetLen(file, len) => files.open(&at(file)).and_then(|file| file.set_len(*len)),
        Step::Sync(file) => files.open(&at(file)).and_then(|file| file.sync()),
        Step::Rename(from, to) => files.rename(&at(from), &at(to)),
        Step::Remove(file) => files.remove(&at(file)),
        Step::CreateDir(dir) => files.create_dir(&at(dir)),
        Step::RemoveDir(dir) => files.remove_dir(&at(dir)),
        Step::SyncDir(4) => files.sync_dir(root),
        Step::SyncDir(dir) => files.names(&at(dir)).and_then(|_| files.sync_dir(&at(dir))),
    };
    done.is_ok()
}

fn take_all(disk: &SimulatedDisk, steps: &[Step]) {
    for step in steps {
        take(disk, Path::new("/"), step);
    }
}

/// Every name with its content; directories have none.
fn everything(files: &dyn FileSystem, root: &Path) -> Vec<(&'static str, Option<Vec<u8>>)> {
    let there = |at: u8| {
        let path = root.join(name(at));
        match files.open(&path) {
            Ok(_) => Some((name(at), Some(read(files, &path).unwrap()))),
            Err(_) => files.names(&path).ok().map(|_| (name(at), None)),
        }
    };
    (0..7).filter_map(there).collect()
}

fn sync_everything(disk: &SimulatedDisk) {
    let root = Path::new("/");
    for (name, content) in everything(disk, root) {
        match content {
            Some(_) => disk.open(&root.join(name)).unwrap().sync().unwrap(),
            None => disk.sync_dir(&root.join(name)).unwrap(),
        }
    }
    disk.sync_dir(root).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn simulated_disk_behaves_like_the_system_files(steps in steps()) {
        let dir = tempfile::tempdir().unwrap();
        let disk = SimulatedDisk::new(0);
        for step in &steps {
            let expected = take(&SystemFiles, dir.path(), step);
            prop_assert_eq!(take(&disk, Path::new("/"), step), expected, "{:?}", step);
        }
        prop_assert_eq!(everything(&disk, Path::new("/")), everything(&SystemFiles, dir.path()));
    }

    #[test]
    fn synced_data_survives(before in steps(), after in steps(), seed: u64) {
        let root = Path::new("/");
        let disk = SimulatedDisk::new(seed);
        take_all(&disk, &before);
        sync_everything(&disk);
        let synced = everything(&disk, root);
        let mut random = Random::new(seed);
        prop_assert_eq!(&everything(&disk.lose_power(&mut random), root), &synced);
        // Data that survived once survives again, and can be used.
        let disk = disk.kill(&mut random);
        take_all(&disk, &after);
        let disk = disk.lose_power(&mut random);
        let survived = everything(&disk, root);
        prop_assert_eq!(&everything(&disk.lose_power(&mut random), root), &survived);
        let disk = disk.kill(&mut random);
        take_all(&disk, &before);
        sync_everything(&disk);
        let synced = everything(&disk, root);
        prop_assert_eq!(everything(&disk.lose_power(&mut random), root), synced);
    }
}
