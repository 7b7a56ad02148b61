use super::{Thing, sled_at};
use crate::StoreOptions;
use crate::engine::{Batch, Direction, Engine, KeyRange, SledEngine, SledOptions};
use crate::journal::PACKED;
use bytes::Bytes;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn options(compact_from: u64) -> SledOptions {
    SledOptions { cache_bytes: 8 << 20, power_safe: false, packed: PACKED, log_bytes: 64 << 10, compact_from }
}

fn everything(engine: &dyn Engine) -> Vec<(Bytes, Bytes)> {
    engine.scan(KeyRange::all(), Direction::Forward, usize::MAX).unwrap()
}

fn file(dir: &Path) -> u64 {
    std::fs::metadata(dir.join("db")).unwrap().len()
}

fn beside(dir: &Path, ending: &str) -> PathBuf {
    let name = dir.file_name().unwrap().to_str().unwrap();
    dir.with_file_name(format!("{name}{ending}"))
}

/// Much comes and goes, and little of it stays.
fn use_up(engine: &SledEngine, rounds: u8) {
    for round in 0..rounds {
        for gone in [false, true] {
            for at in 0..100u8 {
                let (mut batch, key) = (Batch::new(), vec![b'k', round, at]);
                match gone && at % 20 != 0 {
                    true => batch.delete(key),
                    false => batch.put(key, vec![at; 20_000]),
                }
                assert!(engine.commit(&[batch])[0].is_ok());
            }
        }
    }
    engine.settle();
}

#[test]
fn a_file_that_is_mostly_of_no_use_is_written_anew_when_it_is_opened() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    let engine = sled_at(&dir);
    use_up(&engine, 6);
    let (held, before) = (everything(&engine), file(&dir));
    assert_eq!(held.len(), 30);
    drop(engine);
    // Not where files of that size are left alone.
    drop(SledEngine::open(&dir, options(u64::MAX)).unwrap());
    assert!(file(&dir) >= before);
    let engine = SledEngine::open(&dir, options(1 << 20)).unwrap();
    let after = file(&dir);
    assert!(after * 4 < before, "{before} became {after}");
    assert_eq!(everything(&engine), held);
    let (said, counted) = engine.account();
    assert_eq!(said, counted);
    // It goes on, and what it has is there after a restart.
    use_up(&engine, 1);
    let held = everything(&engine);
    drop(engine);
    assert_eq!(everything(&SledEngine::open(&dir, options(1 << 20)).unwrap()), held);
    let beside: Vec<_> = std::fs::read_dir(parent.path()).unwrap().collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
}

#[test]
fn a_file_that_is_of_use_is_left_as_it_is() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    let engine = sled_at(&dir);
    for at in 0..200u8 {
        let mut batch = Batch::new();
        batch.put(vec![b'k', at], vec![at; 20_000]);
        assert!(engine.commit(&[batch])[0].is_ok());
    }
    drop(engine);
    let mark = dir.join("mark");
    std::fs::write(&mark, "").unwrap();
    drop(SledEngine::open(&dir, options(1)).unwrap());
    assert!(mark.exists());
}

#[test]
fn a_crash_while_it_is_written_anew_loses_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    let engine = sled_at(&dir);
    use_up(&engine, 1);
    let held = everything(&engine);
    drop(engine);
    let (new, old) = (beside(&dir, ".new"), beside(&dir, ".old"));
    let is_whole = || {
        assert_eq!(everything(&sled_at(&dir)), held);
        assert!(!new.exists() && !old.exists());
    };
    // While the other was written.
    std::fs::create_dir(&new).unwrap();
    std::fs::write(new.join("db"), "half of it").unwrap();
    is_whole();
    // Between the two renames, with a new one that may be whole or not.
    std::fs::rename(&dir, &old).unwrap();
    std::fs::create_dir(&new).unwrap();
    is_whole();
    // Before the old one was deleted, all or a part of it.
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("log.0"), "what was left").unwrap();
    is_whole();
}

#[test]
fn a_store_is_made_smaller_when_somebody_asks_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::Store::open(StoreOptions::new(dir.path())).unwrap();
    let tenant = super::HERE;
    let thing = |name: &str| Thing { name: name.to_owned(), ..Thing::default() };
    let id = crate::new_id();
    store.run_blocking::<_, crate::Error>(|tx| tx.insert(tenant, id, thing("kept")).map(drop)).unwrap();
    // Not while it is in use.
    assert!(crate::Store::compact(&StoreOptions::new(dir.path())).is_err());
    drop(store);
    let (before, after) = crate::Store::compact(&StoreOptions::new(dir.path())).unwrap();
    assert!(before > 0 && after > 0);
    let store = crate::Store::open(StoreOptions::new(dir.path())).unwrap();
    let found = store.read_now::<_, crate::Error>(|reader| reader.get::<Thing>(tenant, &id)).unwrap();
    assert_eq!(found.map(|row| row.body.name).as_deref(), Some("kept"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever is written and removed, short, long and in blocks: the account says what is in the database.
    #[test]
    fn the_account_is_right(writes in prop::collection::vec((0..24u8, prop::option::of(0..40_000usize)), 1..120)) {
        let dir = tempfile::tempdir().unwrap();
        let engine = sled_at(&dir.path().join("engine"));
        for (at, len) in writes {
            // Half of them are events of two journals, which are kept in blocks.
            let key = match at % 2 {
                0 => vec![b'k', at],
                _ => [&PACKED[0].table[..], &vec![at % 4; PACKED[0].shared - 2], &[at]].concat(),
            };
            let mut batch = Batch::new();
            match len {
                Some(len) => batch.put(key, vec![at; len]),
                None => batch.delete(key),
            }
            prop_assert!(engine.commit(&[batch])[0].is_ok());
        }
        engine.settle();
        let (said, counted) = engine.account();
        prop_assert_eq!(said, counted);
    }
}
