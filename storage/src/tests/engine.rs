use super::{Memory, copy, engine_at, everything, put, small};

use crate::engine::{Batch, Direction, Engine, EngineOptions, KeyRange, LogEngine};
use crate::error::Error;
use bytes::Bytes;
use proptest::prelude::*;
use std::path::Path;

#[test]
fn refused_batch_leaves_nothing_and_does_not_affect_its_neighbours() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_at(dir.path());
    let mut refused = put("b", b"2");
    refused.expect("nowhere", Some("x".into()));
    refused.put("c", "never");
    let mut on_first = put("d", b"4");
    // This batch sees the writes of earlier batches in the same group.
    on_first.expect("a", Some("1".into()));
    on_first.expect("b", None);
    let verdicts = engine.commit(&[put("a", b"1"), refused, on_first, put("e", b"5")]);
    assert!(matches!(verdicts[..], [Ok(()), Err(Error::Conflict), Ok(()), Ok(())]), "{verdicts:?}");
    let keys: Vec<_> = everything(&engine).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a", "d", "e"]);
}

#[test]
fn last_write_of_a_key_in_a_batch_applies() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_at(dir.path());
    let mut batch = put("a", b"1");
    batch.delete("a");
    batch.put("b", "1");
    batch.put("b", "2");
    assert!(engine.commit(&[batch])[0].is_ok());
    assert_eq!(everything(&engine), [("b".into(), "2".into())]);
}

#[test]
fn get_never_returns_an_outdated_value_of_a_frequently_read_key() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_at(dir.path());
    for at in 0..20 {
        let value = vec![at; 100];
        assert!(engine.commit(&[put("often", &value)])[0].is_ok());
        // From the memtable, then from the index, then from the cache of recent values.
        for _ in 0..2 {
            (0..3).for_each(|_| assert_eq!(engine.get(b"often").unwrap().unwrap(), value));
            engine.settle_for_test();
        }
        let mut gone = Batch::new();
        gone.delete("often");
        assert!(engine.commit(&[gone])[0].is_ok());
        for _ in 0..2 {
            (0..3).for_each(|_| assert_eq!(engine.get(b"often").unwrap(), None));
            engine.settle_for_test();
        }
    }
}

#[test]
fn concurrent_readers_never_see_a_value_older_than_a_previous_one() {
    let dir = tempfile::tempdir().unwrap();
    let engine = LogEngine::open(dir.path(), EngineOptions { memtable_bytes: 2_000, ..small() }).unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = 0;
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    let Some(value) = engine.get(b"counter").unwrap() else { continue };
                    let value = u64::from_be_bytes(value[..8].try_into().unwrap());
                    assert!(value >= last, "{value} after {last}");
                    last = value;
                }
            });
        }
        for at in 0_u64..3_000 {
            let mut batch = Batch::new();
            batch.put("counter", [at.to_be_bytes().as_slice(), &[0; 100]].concat());
            batch.put(format!("{}", at % 50), vec![0; 60]);
            assert!(engine.commit(&[batch])[0].is_ok());
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(engine.get(b"counter").unwrap().unwrap()[..8], 2_999_u64.to_be_bytes());
}

#[test]
fn committed_data_survives_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let long = vec![7; 100_000];
    for is_closed in [true, false] {
        let engine = engine_at(dir.path());
        for at in 0..200 {
            assert!(engine.commit(&[put(&format!("k{at:03}"), &at.to_string().into_bytes())])[0].is_ok());
        }
        assert!(engine.commit(&[put("long", &long)])[0].is_ok());
        if is_closed {
            drop(engine);
        } else {
            engine.abandon();
        }
        let engine = engine_at(dir.path());
        assert_eq!(everything(&engine).len(), 201);
        assert_eq!(engine.get(b"k150").unwrap().unwrap(), "150");
        assert_eq!(engine.get(b"long").unwrap().unwrap(), long);
        assert!(engine.commit(&[put("long", b"short")])[0].is_ok());
        engine.settle_for_test();
        assert_eq!(engine.get(b"long").unwrap().unwrap(), "short");
    }
}

#[test]
fn scan_sees_all_writes_of_a_batch_or_none() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_at(dir.path());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..300u32 {
                let mut batch = Batch::new();
                for key in 0..40u8 {
                    // Half of the values are too long for the index and for the memtable.
                    let mut value = round.to_be_bytes().to_vec();
                    value.resize(if key % 2 == 0 { 4 } else { 1_500 }, 0);
                    batch.put(vec![b'k', key], value);
                }
                assert!(engine.commit(&[batch])[0].is_ok());
            }
        });
        while !writer.is_finished() {
            let seen = everything(&engine);
            assert!(seen.iter().all(|(_, value)| value[..4] == seen[0].1[..4]), "a torn batch");
        }
    });
}

fn options(power_safe: bool, boot: &str) -> EngineOptions {
    EngineOptions { power_safe, boot: Some(boot.to_owned()), ..small() }
}

#[test]
fn index_is_rebuilt_after_a_power_loss_and_if_missing_or_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let mut model = Vec::new();
    for (round, boot) in ["a", "a", "b", "b", "b", "b"].into_iter().enumerate() {
        let engine = LogEngine::open(dir.path(), options(true, boot)).unwrap();
        assert_eq!(everything(&engine), model, "round {round}");
        assert_eq!(engine.power_loss(), None, "each commit was durable");
        for at in 0..60u8 {
            let (key, value) =
                (format!("k{:03}", at.wrapping_mul(7).wrapping_add(round as u8)), vec![at; 2_000]);
            assert!(engine.commit(&[put(&key, &value)])[0].is_ok());
        }
        let mut gone = Batch::new();
        gone.delete("k007");
        assert!(engine.commit(&[gone])[0].is_ok());
        model = everything(&engine);
        engine.abandon();
        let index = dir.path().join("index");
        match round {
            // An example of what a power loss may leave of sled's files.
            1 => std::fs::write(index.join("db"), "not what was written").unwrap(),
            2 => std::fs::remove_dir_all(&index).unwrap(),
            3 => std::fs::write(index.join("conf"), "damaged").unwrap(),
            // An index of the previous version, whose note had seven numbers.
            4 => {
                let note = [KeyRange::BEYOND, KeyRange::BEYOND, b'n'];
                let before = sled::open(&index).unwrap().insert(note, vec![0; 56]).unwrap();
                assert_eq!(before.map(|note| note.len()), Some(64));
            }
            _ => {}
        }
    }
    assert_eq!(everything(&LogEngine::open(dir.path(), options(true, "b")).unwrap()), model);
}

#[test]
fn an_index_of_another_log_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (dir.path().join("1"), dir.path().join("2"));
    for (at, value) in [(&one, b"1"), (&other, b"2")] {
        let engine = engine_at(at);
        for key in ["a", "b", "c"] {
            assert!(engine.commit(&[put(key, &[value.as_slice(); 50].concat())])[0].is_ok());
        }
    }
    std::fs::remove_dir_all(one.join("index")).unwrap();
    copy(&other.join("index"), &one.join("index"));
    assert_eq!(everything(&engine_at(&one)).iter().map(|(_, value)| value[0]).collect::<Vec<_>>(), b"111");
}

#[test]
fn a_power_loss_between_commits_that_were_not_durable_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let engine = LogEngine::open(dir.path(), options(false, "a")).unwrap();
    for at in 0..20u8 {
        assert!(engine.commit(&[put(&format!("k{at:02}"), &[at; 300])])[0].is_ok());
    }
    engine.abandon();
    // One of the unsynced records did not reach the disk, but later ones did.
    let log = dir.path().join("log/0000000001.log");
    let mut content = std::fs::read(&log).unwrap();
    let at = content.windows(3).position(|bytes| bytes == b"k12").unwrap();
    content[at..at + 200].fill(0);
    std::fs::write(&log, &content).unwrap();
    // Without a power loss, that is damage.
    assert!(matches!(LogEngine::open(dir.path(), options(false, "a")), Err(Error::Corrupt(_))));
    let engine = LogEngine::open(dir.path(), options(false, "b")).unwrap();
    let loss = engine.power_loss().unwrap().clone();
    assert_eq!((loss.last_commit, loss.set_aside), (12, 7));
    assert_eq!(everything(&engine).len(), 12);
    let files = LogEngine::set_aside(dir.path(), &small());
    assert_eq!(files.len(), 1, "{files:?}");
    // New commits continue after the existing ones, and nothing that was set aside reappears.
    for at in 50..55u8 {
        assert!(engine.commit(&[put(&format!("k{at:02}"), &[at; 300])])[0].is_ok());
    }
    engine.abandon();
    let engine = LogEngine::open(dir.path(), options(false, "b")).unwrap();
    assert_eq!(everything(&engine).len(), 17);
    assert_eq!(engine.power_loss().unwrap(), &loss, "it is reported until the folder is closed");
    drop(engine);
    // After a proper shutdown nothing is missing, whatever happens to the machine.
    let engine = LogEngine::open(dir.path(), options(false, "c")).unwrap();
    assert_eq!(engine.power_loss(), None);
    assert_eq!(everything(&engine).len(), 17);
}

fn event_key(run: u8, seq: u8) -> Vec<u8> {
    [b"jl".as_slice(), &[run; 32], &[seq]].concat()
}

#[test]
fn entries_of_many_blocks_are_found_over_checkpoints() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_at(dir.path());
    for seq in 0..200u8 {
        let mut batch = Batch::new();
        batch.put(event_key(seq % 2, seq), vec![seq; if seq % 3 == 0 { 20 } else { 100 }]);
        assert!(engine.commit(&[batch])[0].is_ok());
        if seq == 150 {
            engine.settle_for_test();
        }
    }
    engine.settle_for_test();
    assert_eq!(everything(&engine).len(), 200);
    assert_eq!(engine.get(&event_key(1, 151)).unwrap().unwrap(), vec![151; 100]);
    assert_eq!(engine.get(&event_key(1, 150)).unwrap(), None);
    let range = KeyRange { start: event_key(1, 100), end: event_key(1, 104) };
    let found = engine.scan(range, Direction::Reverse, 9).unwrap();
    assert_eq!(found.iter().map(|(key, _)| key[34]).collect::<Vec<_>>(), [103, 101]);
    // Deleting and overwriting within a block leaves the other entries unchanged.
    let mut batch = Batch::new();
    batch.delete(event_key(1, 3));
    batch.put(event_key(1, 5), "other");
    (0..200).for_each(|seq| batch.delete(event_key(0, seq)));
    assert!(engine.commit(&[batch])[0].is_ok());
    engine.settle_for_test();
    assert_eq!(everything(&engine).len(), 99);
    assert_eq!(engine.get(&event_key(1, 5)).unwrap().unwrap(), "other");
    let live: usize = everything(&engine).iter().map(|(key, value)| key.len() + value.len()).sum();
    let (_, counted) = engine.bytes();
    assert!((live as u64..live as u64 + 99 * 8).contains(&counted), "{counted} of {live}");
}

/// The writes of a batch, and a key that is expected either to have its current value or to be absent.
type Writes = (Vec<Write>, Option<(u8, bool)>);

#[derive(Clone, Debug)]
enum Act {
    Settle,
    /// The commits so far do not reach the index before the next `Settle`.
    Hold,
    Clean,
    /// The process is killed.
    Kill,
    /// The machine is reset, so the index is not trusted.
    Reset,
    Commit(Vec<Writes>),
    Scan(u8, u8, bool, usize),
}

#[derive(Clone, Debug)]
enum Write {
    Put(u8, usize),
    Delete(u8),
}

fn key_of(key: u8) -> Vec<u8> {
    match key {
        0..12 => vec![b'k', b'k', key],
        12..24 => event_key(1, key),
        _ => event_key(2, key),
    }
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    // Lengths on both sides of the limits for values in the index and in the memtable.
    let len = prop_oneof![0usize..40, 62usize..67, 1022usize..1027, 20_000usize..50_000];
    // Keys below 12 belong to one table; the others belong to two runs in another table.
    let write = prop_oneof![
        (0u8..36, len).prop_map(|(key, len)| Write::Put(key, len)),
        (0u8..36).prop_map(Write::Delete)
    ];
    let expect = proptest::option::weighted(0.3, (0u8..36, any::<bool>()));
    let batch = (proptest::collection::vec(write, 0..5), expect);
    let act = prop_oneof![
        6 => proptest::collection::vec(batch, 1..5).prop_map(Act::Commit),
        2 => Just(Act::Settle),
        2 => Just(Act::Hold),
        2 => Just(Act::Clean),
        1 => Just(Act::Kill),
        1 => Just(Act::Reset),
        2 => (0u8..37, 0u8..37, any::<bool>(), 0usize..40).prop_map(|(a, b, up, limit)| Act::Scan(a, b, up, limit)),
    ];
    proptest::collection::vec(act, 1..30)
}

fn reopen(dir: &Path, boot: u32) -> LogEngine {
    // Only `Settle`, `Hold` and `Clean` transfer anything to the index.
    let options = EngineOptions { memtable_bytes: 1 << 30, ..options(true, &boot.to_string()) };
    LogEngine::open(dir, options).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn engine_behaves_like_a_map(acts in acts()) {
        let dir = tempfile::tempdir().unwrap();
        let (mut boot, model) = (0, Memory::default());
        let mut real = reopen(dir.path(), boot);
        let mut fill = 0u8;
        for act in acts {
            match act {
                Act::Settle => real.settle_for_test(),
                Act::Hold => drop(real.block_apply()),
                Act::Clean => {
                    real.settle_for_test();
                    real.clean().unwrap();
                }
                Act::Kill | Act::Reset => {
                    real.abandon();
                    boot += u32::from(matches!(act, Act::Reset));
                    real = reopen(dir.path(), boot);
                }
                Act::Commit(batches) => {
                    let mut group = Vec::new();
                    for (writes, expect) in batches {
                        let mut batch = Batch::new();
                        if let Some((key, there)) = expect {
                            let value = model.get(&key_of(key)).unwrap().filter(|_| there);
                            batch.expect(key_of(key), value);
                        }
                        for write in writes {
                            fill = fill.wrapping_add(1);
                            match write {
                                Write::Put(key, len) => batch.put(key_of(key), vec![fill; len]),
                                Write::Delete(key) => batch.delete(key_of(key)),
                            }
                        }
                        group.push(batch);
                    }
                    let (ours, theirs) = (real.commit(&group), model.commit(&group));
                    prop_assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
                }
                Act::Scan(from, to, up, limit) => {
                    let range = KeyRange { start: key_of(from), end: key_of(to) };
                    let direction = if up { Direction::Forward } else { Direction::Reverse };
                    prop_assert_eq!(
                        real.scan(range.clone(), direction, limit).unwrap(),
                        model.scan(range, direction, limit).unwrap()
                    );
                }
            }
            for key in 0..36 {
                prop_assert_eq!(real.get(&key_of(key)).unwrap(), model.get(&key_of(key)).unwrap());
            }
        }
        drop(real);
        let real = reopen(dir.path(), boot);
        prop_assert_eq!(everything(&real), everything(&model));
        prop_assert_eq!(real.verify().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn scan_that_waits_for_the_disk_blocks_no_commit_and_is_consistent() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_at(dir.path());
    assert!(engine.commit(&[put("a", b"1"), put("b", b"1")])[0].is_ok());
    std::thread::scope(|scope| {
        let held = engine.hold_scans();
        let scan = scope.spawn(|| everything(&engine));
        while engine.scans_waiting() == 0 {
            std::thread::yield_now();
        }
        let (sender, receiver) = std::sync::mpsc::channel();
        let committing = &engine;
        scope.spawn(move || {
            let verdicts = committing.commit(&[put("a", b"2"), put("c", b"2")]);
            sender.send(verdicts[0].is_ok()).unwrap();
        });
        // This would time out if the commit waited for the scan, which waits for the gate.
        assert_eq!(receiver.recv_timeout(std::time::Duration::from_secs(30)), Ok(true));
        drop(held);
        assert_eq!(scan.join().unwrap(), [("a".into(), "1".into()), ("b".into(), "1".into())]);
    });
    // A scan is repeated if writes that it had not copied reach the index while it runs.
    std::thread::scope(|scope| {
        let held = engine.hold_scans();
        let scan = scope.spawn(|| everything(&engine));
        while engine.scans_waiting() == 0 {
            std::thread::yield_now();
        }
        assert!(engine.commit(&[put("a", b"3"), put("b", b"3")])[0].is_ok());
        engine.settle_for_test();
        drop(held);
        let seen: Vec<_> = scan.join().unwrap().into_iter().map(|(_, value)| value).collect();
        assert_eq!(seen, ["3", "3", "2"]);
    });
}

#[test]
fn chunk_is_bounded_by_bytes_as_well_as_keys() {
    let dir = tempfile::tempdir().unwrap();
    let engine = LogEngine::open(dir.path(), EngineOptions { memtable_bytes: 1 << 30, ..small() }).unwrap();
    for at in 0..100u8 {
        assert!(engine.commit(&[put(&format!("k{at:03}"), &[at; 10_000])])[0].is_ok());
        if at == 50 {
            engine.settle_for_test();
        }
    }
    // Many deletions in memory. A part of the range may consist of deletions only.
    for at in 10..90u8 {
        let mut batch = Batch::new();
        batch.delete(format!("k{at:03}"));
        assert!(engine.commit(&[batch])[0].is_ok());
    }
    for direction in [Direction::Forward, Direction::Reverse] {
        let (mut rest, mut found, mut parts) = (Some(KeyRange::all()), Vec::new(), 0);
        while let Some(range) = rest {
            let chunk = engine.chunk(range, direction, 512, 45_000).unwrap();
            assert!(chunk.pairs.len() <= 5, "{}", chunk.pairs.len());
            found.extend(chunk.pairs);
            rest = chunk.rest;
            parts += 1;
        }
        assert!(parts >= 4, "{parts}");
        assert_eq!(found, engine.scan(KeyRange::all(), direction, usize::MAX).unwrap());
        // Few keys at a time, with fewer writes copied from memory than there are deletions.
        let (mut rest, mut found) = (Some(KeyRange::all()), Vec::<(Bytes, Bytes)>::new());
        while let Some(range) = rest {
            let chunk = engine.chunk(range, direction, 3, usize::MAX).unwrap();
            found.extend(chunk.pairs);
            rest = chunk.rest;
        }
        assert_eq!(found.len(), 20);
    }
}
