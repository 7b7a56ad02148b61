use super::{Memory, sled_at, sled_with};
use crate::engine::{Batch, Direction, Engine, KeyRange};
use crate::error::Error;
use bytes::Bytes;
use proptest::prelude::*;
use std::path::Path;

fn put(key: &str, value: &[u8]) -> Batch {
    let mut batch = Batch::new();
    batch.put(key.to_owned(), value.to_vec());
    batch
}

fn everything(engine: &dyn Engine) -> Vec<(Bytes, Bytes)> {
    engine.scan(KeyRange::all(), Direction::Forward, usize::MAX).unwrap()
}

#[test]
fn a_refused_batch_leaves_nothing_and_its_neighbours_alone() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_at(dir.path());
    let mut refused = put("b", b"2");
    refused.expect("nowhere", Some("x".into()));
    refused.put("c", "never");
    let mut on_first = put("d", b"4");
    // Sees what the batches before it in the same group have written.
    on_first.expect("a", Some("1".into()));
    on_first.expect("b", None);
    let verdicts = engine.commit(&[put("a", b"1"), refused, on_first, put("e", b"5")]);
    assert!(matches!(verdicts[..], [Ok(()), Err(Error::Conflict), Ok(()), Ok(())]), "{verdicts:?}");
    let keys: Vec<_> = everything(&engine).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a", "d", "e"]);
}

#[test]
fn the_last_write_of_a_key_in_a_batch_counts() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_at(dir.path());
    let mut batch = put("a", b"1");
    batch.delete("a");
    batch.put("b", "1");
    batch.put("b", "2");
    assert!(engine.commit(&[batch])[0].is_ok());
    assert_eq!(everything(&engine), [("b".into(), "2".into())]);
}

#[test]
fn committed_data_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let long = vec![7; 100_000];
    {
        let engine = sled_at(dir.path());
        for at in 0..200 {
            assert!(engine.commit(&[put(&format!("k{at:03}"), &at.to_string().into_bytes())])[0].is_ok());
        }
        assert!(engine.commit(&[put("long", &long)])[0].is_ok());
    }
    let engine = sled_at(dir.path());
    assert_eq!(everything(&engine).len(), 201);
    assert_eq!(engine.pieces(), 13);
    assert_eq!(engine.get(b"k150").unwrap().unwrap(), "150");
    assert_eq!(engine.get(b"long").unwrap().unwrap(), long);
    // The engine knows after reopening that this value has pieces to take away.
    assert!(engine.commit(&[put("long", b"short")])[0].is_ok());
    engine.settle();
    assert_eq!(engine.pieces(), 0);
}

#[test]
fn a_scan_sees_a_batch_wholly_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_at(dir.path());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..300u32 {
                let mut batch = Batch::new();
                for key in 0..40u8 {
                    batch.put(vec![b'k', key], round.to_be_bytes().to_vec());
                }
                assert!(engine.commit(&[batch])[0].is_ok());
            }
        });
        while !writer.is_finished() {
            let seen = everything(&engine);
            assert!(seen.iter().all(|(_, value)| value == &seen[0].1), "a torn batch");
        }
    });
}

#[test]
fn what_is_not_in_the_log_is_never_shown() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_at(dir.path());
    assert!(engine.commit(&[put("a", b"1")])[0].is_ok());
    engine.break_log();
    assert!(matches!(engine.commit(&[put("a", b"2"), put("b", b"2")])[..], [Err(Error::Engine(_)), Err(_)]));
    assert_eq!(everything(&engine), [("a".into(), "1".into())]);
    // The chores fail as well, and say so.
    assert!(matches!(engine.commit(&[])[..], [Err(_)]));
}

fn logs(dir: &Path) -> [Vec<u8>; 2] {
    ["log.0", "log.1"].map(|name| std::fs::read(dir.join(name)).unwrap())
}

fn put_logs(dir: &Path, logs: &[Vec<u8>; 2]) {
    std::fs::write(dir.join("log.0"), &logs[0]).unwrap();
    std::fs::write(dir.join("log.1"), &logs[1]).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn what_is_in_the_log_is_applied_again() {
    let dir = tempfile::tempdir().unwrap();
    let (at, nothing, everything_there) = (dir.path().join("1"), dir.path().join("2"), dir.path().join("3"));
    let long = vec![3; 30_000];
    let engine = sled_at(&at);
    assert!(engine.commit(&[put("kept", b"1"), put("long", &long)])[0].is_ok());
    // These are in the database, and the logs are past.
    engine.settle();
    copy(&at, &nothing);
    let mut batch = put("long", b"short now");
    batch.delete("kept");
    batch.put("new", long.clone());
    assert!(engine.commit(&[batch])[0].is_ok());
    let logs = logs(&at);
    drop(engine);
    copy(&at, &everything_there);
    // A crash after which the database has nothing of the last commit, and one after which it
    // has all of it.
    for crashed in [nothing, everything_there] {
        put_logs(&crashed, &logs);
        for _ in 0..2 {
            let engine = sled_at(&crashed);
            assert_eq!(engine.get(b"kept").unwrap(), None);
            assert_eq!(engine.get(b"long").unwrap().unwrap(), "short now");
            assert_eq!(engine.get(b"new").unwrap().unwrap(), long);
            assert_eq!(engine.pieces(), 4);
        }
    }
}

#[test]
fn a_log_of_the_past_is_not_applied() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_at(dir.path());
    assert!(engine.commit(&[put("a", b"1"), put("b", b"1")])[0].is_ok());
    let past = logs(dir.path());
    engine.settle();
    assert!(engine.commit(&[put("a", b"2")])[0].is_ok());
    drop(engine);
    // A power cut that the new marks and the new records did not outlive, but the database did.
    put_logs(dir.path(), &past);
    for value in ["2", "3"] {
        let engine = sled_at(dir.path());
        assert_eq!(engine.get(b"a").unwrap().unwrap(), value);
        assert!(engine.commit(&[put("a", b"3")])[0].is_ok());
    }
}

#[test]
fn both_logs_are_applied_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let (at, crashed) = (dir.path().join("1"), dir.path().join("2"));
    let engine = sled_at(&at);
    engine.settle();
    copy(&at, &crashed);
    for value in [b"1", b"2", b"3"] {
        assert!(engine.commit(&[put("a", value), put("only", value)])[0].is_ok());
        if value == b"2" {
            engine.settle();
        }
    }
    let mut delete = put("b", b"4");
    delete.delete("only");
    assert!(engine.commit(&[delete])[0].is_ok());
    put_logs(&crashed, &logs(&at));
    let engine = sled_at(&crashed);
    assert_eq!(everything(&engine), [("a".into(), "3".into()), ("b".into(), "4".into())]);
}

fn event_key(run: u8, seq: u8) -> Vec<u8> {
    [b"jl".as_slice(), &[run; 32], &[seq]].concat()
}

#[test]
fn entries_of_a_packed_table_share_stored_values() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_at(dir.path());
    for seq in 0..200u8 {
        let mut batch = Batch::new();
        batch.put(event_key(seq % 2, seq), vec![seq; 100]);
        assert!(engine.commit(&[batch])[0].is_ok());
        if seq == 150 {
            engine.settle();
        }
    }
    engine.settle();
    // 100 entries of about 110 bytes take two blocks; half of the last ones came later.
    assert_eq!(engine.stored(), 6);
    assert_eq!(everything(&engine).len(), 200);
    assert_eq!(engine.get(&event_key(1, 151)).unwrap().unwrap(), vec![151; 100]);
    assert_eq!(engine.get(&event_key(1, 150)).unwrap(), None);
    let range = KeyRange { start: event_key(1, 100), end: event_key(1, 104) };
    let found = engine.scan(range, Direction::Reverse, 9).unwrap();
    assert_eq!(found.iter().map(|(key, _)| key[34]).collect::<Vec<_>>(), [103, 101]);
    // Deleting and writing over within a block leaves the others.
    let mut batch = Batch::new();
    batch.delete(event_key(1, 3));
    batch.put(event_key(1, 5), "other");
    (0..200).for_each(|seq| batch.delete(event_key(0, seq)));
    assert!(engine.commit(&[batch])[0].is_ok());
    engine.settle();
    assert_eq!(everything(&engine).len(), 99);
    assert_eq!(engine.get(&event_key(1, 5)).unwrap().unwrap(), "other");
    assert_eq!(engine.stored(), 2, "the blocks were rewritten, and those of the other run are gone");
}

/// The writes of a batch, and a key that is expected as it is, or expected to be absent.
type Writes = (Vec<Write>, Option<(u8, bool)>);

#[derive(Clone, Debug)]
enum Act {
    Settle,
    /// What was committed so far stays on its way to the database until the next `Settle`.
    Hold,
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
    // Lengths on both sides of the bounds between whole values and pieces.
    let len = prop_oneof![0usize..40, 8190usize..8195, 16383usize..16386, 20_000usize..50_000];
    // Keys below 12 are of a plain table, the others of two runs in a packed one.
    let write = prop_oneof![
        (0u8..36, len).prop_map(|(key, len)| Write::Put(key, len)),
        (0u8..36).prop_map(Write::Delete)
    ];
    let expect = proptest::option::weighted(0.3, (0u8..36, any::<bool>()));
    let batch = (proptest::collection::vec(write, 0..5), expect);
    let act = prop_oneof![
        3 => proptest::collection::vec(batch, 1..5).prop_map(Act::Commit),
        1 => Just(Act::Settle),
        1 => Just(Act::Hold),
        1 => (0u8..37, 0u8..37, any::<bool>(), 0usize..40).prop_map(|(a, b, up, limit)| Act::Scan(a, b, up, limit)),
    ];
    proptest::collection::vec(act, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn sled_does_what_a_map_does(acts in acts()) {
        let dir = tempfile::tempdir().unwrap();
        // The log is so large that only `Settle` and `Hold` bring anything to the database.
        let (real, model) = (sled_with(dir.path(), 1 << 30), Memory::default());
        let mut fill = 0u8;
        let mut held = None;
        for act in acts {
            match act {
                Act::Settle => {
                    held = None;
                    real.settle();
                }
                Act::Hold => {
                    held = None;
                    held.replace(real.block_handover());
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
        // No piece outlives its value.
        drop(held);
        real.settle();
        let stored = |(key, value): &(Bytes, Bytes)| if key[0] == b'j' { value.len() + 7 } else { value.len() };
        let pieces: usize = everything(&model).iter().map(stored).filter(|len| *len > 8192)
            .map(|len| len.div_ceil(8192)).sum();
        prop_assert_eq!(real.pieces(), pieces);
        drop(real);
        let real = sled_at(dir.path());
        prop_assert_eq!(everything(&real), everything(&model));
    }
}

#[test]
fn scan_that_waits_for_the_disk_holds_up_no_commit_and_is_of_one_moment() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_at(dir.path());
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
        // It would never come if it waited for the scan, which waits for this.
        assert_eq!(receiver.recv_timeout(std::time::Duration::from_secs(30)), Ok(true));
        drop(held);
        assert_eq!(scan.join().unwrap(), [("a".into(), "1".into()), ("b".into(), "1".into())]);
    });
    // One during which what it had not copied reached the database is done again.
    std::thread::scope(|scope| {
        let held = engine.hold_scans();
        let scan = scope.spawn(|| everything(&engine));
        while engine.scans_waiting() == 0 {
            std::thread::yield_now();
        }
        assert!(engine.commit(&[put("a", b"3"), put("b", b"3")])[0].is_ok());
        engine.settle();
        drop(held);
        let seen: Vec<_> = scan.join().unwrap().into_iter().map(|(_, value)| value).collect();
        assert_eq!(seen, ["3", "3", "2"]);
    });
}

#[test]
fn chunk_is_bounded_by_bytes_as_well_as_keys() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_with(dir.path(), 1 << 30);
    for at in 0..100u8 {
        assert!(engine.commit(&[put(&format!("k{at:03}"), &[at; 10_000])])[0].is_ok());
        if at == 50 {
            engine.settle();
        }
    }
    // Many removals in memory, which a part of the range may consist of.
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
        // Few keys at once, with fewer copied from memory than there are removals.
        let (mut rest, mut found) = (Some(KeyRange::all()), Vec::new());
        while let Some(range) = rest {
            let chunk = engine.chunk(range, direction, 3, usize::MAX).unwrap();
            found.extend(chunk.pairs);
            rest = chunk.rest;
        }
        assert_eq!(found.len(), 20);
    }
}
