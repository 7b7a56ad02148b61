//! Repeatedly kills a writing process, and compares what it acknowledged with what is stored.

use super::{HERE, Thing, engine_at, store_on};
use crate::journal::{self, JournalEvent};
use crate::{Scan, Store, TenantId};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

const FOLDER: &str = "STORAGE_CRASH_FOLDER";
const WRITERS: u64 = 6;

fn open(dir: &Path) -> Store {
    store_on(Arc::new(engine_at(&dir.join("engine"))), dir)
}

fn run_of(writer: u64) -> Uuid {
    Uuid::from_u128(u128::from(writer) + 100)
}

/// Appends to a journal and, in the same batch, increments a row. Prints each number once it is committed. Some events
/// are large, so that there are pieces, checkpoints and new segments.
fn write(store: &Store, writer: u64) {
    let (run, id) = (run_of(writer), Uuid::from_u128(u128::from(writer)));
    let mut seq = store.journal_end(HERE, run).unwrap();
    loop {
        seq += 1;
        let size = if seq % 50 == writer { 60_000 } else { (seq * 37 % 400) as usize };
        let event = JournalEvent { seq, kind: "n".into(), json: vec![seq as u8; size].into() };
        store
            .run_blocking(|tx| {
                journal::append(tx.batch(), HERE, run, std::slice::from_ref(&event));
                let amount = seq as i64;
                match tx.get::<Thing>(HERE, &id)? {
                    None => {
                        tx.insert(HERE, id, Thing { name: writer.to_string(), amount, ..Thing::default() })
                    }
                    Some(mut row) => {
                        row.amount = amount;
                        row.tags = vec!["x".repeat(size)];
                        tx.update(HERE, row)
                    }
                }
            })
            .unwrap();
        // One call for the whole line, so that a kill does not cut a line in two.
        let line = format!("{writer} {seq}\n");
        std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
    }
}

/// Prints what a reader has seen, which must not be lost either.
fn watch(store: &Store) {
    loop {
        for writer in 0..WRITERS {
            let seen = store.journal_end(HERE, run_of(writer)).unwrap();
            let line = format!("{writer} {seen}\n");
            std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
        }
    }
}

#[test]
#[ignore = "the process that is killed"]
fn child() {
    let Some(dir) = std::env::var_os(FOLDER) else { return };
    let store = open(Path::new(&dir));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || write(store, writer));
        }
        scope.spawn(|| watch(&store));
    });
}

fn check(store: &Store, said: &HashMap<u64, u64>, round: u32) {
    for writer in 0..WRITERS {
        let (run, id) = (run_of(writer), Uuid::from_u128(u128::from(writer)));
        let end = store.journal_end(HERE, run).unwrap();
        let promised = said.get(&writer).copied().unwrap_or_default();
        assert!(end >= promised, "round {round}: writer {writer} said {promised}, and {end} is there");
        let row = store.read_now(|reader| reader.get::<Thing>(HERE, &id)).unwrap();
        let amount = row.as_ref().map_or(0, |row| row.amount);
        assert_eq!(amount, end as i64, "round {round}: half of a batch");
        let found = store.read_now(|reader| reader.scan::<Thing>(HERE, Scan::index("by_tag")));
        assert!(found.unwrap().items.len() <= WRITERS as usize);
        let events = store.journal_read(HERE, run, end.saturating_sub(300), usize::MAX).unwrap();
        assert!(
            events.iter().map(|event| event.seq).eq(end.saturating_sub(300) + 1..=end),
            "round {round}: a gap"
        );
        let sound = |event: &JournalEvent| event.json.iter().all(|byte| *byte == event.seq as u8);
        assert!(events.iter().all(sound), "round {round}: another content");
    }
    let other = store.read_now(|reader| reader.journal_end(TenantId::SYSTEM, run_of(0)));
    assert_eq!(other.unwrap(), 0);
}

#[test]
fn acknowledged_commits_survive_a_kill() {
    let rounds: u32 =
        std::env::var("STORAGE_CRASH_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let dir = tempfile::tempdir().unwrap();
    let mut said: HashMap<u64, u64> = HashMap::new();
    let mut round = 0u32;
    // A slow machine writes little in the short time, so it gets more and longer rounds.
    while round < rounds || said.values().sum::<u64>() <= u64::from(rounds) * 20 {
        assert!(round < rounds + 20, "too little was written: {said:?}");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::crash::child", "--ignored", "--nocapture"])
            .env(FOLDER, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let listener = std::thread::spawn(move || {
            let mut heard = HashMap::new();
            for line in output.lines().map_while(Result::ok) {
                let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
                if let [writer, seq] = numbers[..] {
                    let last = heard.entry(writer).or_insert(0);
                    *last = seq.max(*last);
                }
            }
            heard
        });
        // From the first milliseconds of the start to the middle of checkpoints.
        let more = u64::from((round + 1).saturating_sub(rounds)) * 1_000;
        std::thread::sleep(Duration::from_millis(30 + u64::from(round * 7919 % 23) * 25 + more));
        child.kill().unwrap();
        child.wait().unwrap();
        for (writer, seq) in listener.join().unwrap() {
            let last = said.entry(writer).or_insert(0);
            *last = seq.max(*last);
        }
        check(&open(dir.path()), &said, round);
        round += 1;
    }
}
