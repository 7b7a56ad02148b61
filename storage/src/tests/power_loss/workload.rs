//! The steps that an engine goes through.

use super::history::Contents;
use super::{Chore, Subject};
use crate::engine::{Batch, Engine, counters};
use crate::error::{Error, Result};
use crate::files::simulated::Random;
use crate::tests::Memory;
use bytes::Bytes;
use parking_lot::RwLock;

#[derive(Debug)]
pub(super) enum Step {
    Commit(Vec<Batch>),
    /// An empty group, which gives the engine time for its own chores.
    Idle,
    Chore(Chore),
    Reopen,
}

impl Step {
    pub(super) fn brief(&self) -> String {
        match self {
            Self::Commit(group) => {
                let sizes: Vec<_> = group.iter().map(|batch| (batch.ops.len(), batch.size())).collect();
                format!("a commit of batches of (writes, bytes) {sizes:?}")
            }
            other => format!("{other:?}"),
        }
    }
}

/// Draws steps that match the stored data.
pub(super) struct Workload<'a, S> {
    subject: &'a S,
    random: Random,
}

/// The expected result of a group.
pub(super) struct Expected {
    pub state: Contents,
    pub verdicts: Vec<Result<()>>,
}

impl Expected {
    pub(super) fn of(state: &Contents, group: &[Batch]) -> Self {
        let memory = Memory(RwLock::new(state.clone()));
        let verdicts = memory.commit(group);
        Self { state: memory.0.into_inner(), verdicts }
    }

    /// Whether an engine returns the same result for each batch.
    pub(super) fn has(&self, verdicts: &[Result<()>]) -> bool {
        let same = |one: &Result<()>, other: &Result<()>| {
            matches!((one, other), (Ok(()), Ok(())) | (Err(Error::Conflict), Err(Error::Conflict)))
        };
        self.verdicts.len() == verdicts.len()
            && self.verdicts.iter().zip(verdicts).all(|(one, other)| same(one, other))
    }
}

const JOURNALS: u64 = 4;
const KEYS: u64 = 30;

impl<'a, S: Subject> Workload<'a, S> {
    pub(super) fn new(subject: &'a S, seed: u64) -> Self {
        Self { subject, random: Random::new(seed) }
    }

    pub(super) fn next(&mut self, state: &Contents) -> Step {
        match self.random.below(20) {
            0 => Step::Idle,
            1 => Step::Chore(Chore::Checkpoint),
            2 => Step::Chore(Chore::Clean),
            3 => Step::Reopen,
            _ => Step::Commit(self.group(state)),
        }
    }

    pub(super) fn group(&mut self, state: &Contents) -> Vec<Batch> {
        let batches = [1, 1, 1, 2, 3, 5][self.random.below(6) as usize];
        (0..batches).map(|_| self.batch(state)).collect()
    }

    fn batch(&mut self, state: &Contents) -> Batch {
        let mut batch = Batch::new();
        for _ in 0..self.random.between(1, 5) {
            let key = self.key();
            match self.random.below(14) {
                0..=4 => batch.put(key, self.value()),
                5 | 6 => batch.delete(key),
                7 | 8 => batch.add(self.counter(), &[self.random.below(9), 0, self.random.below(3), 0]),
                9 => batch.raise("latest", self.random.next().to_be_bytes().to_vec()),
                10..=12 => self.append(state, &mut batch),
                _ => self.drop_journal(state, &mut batch),
            }
        }
        if self.random.once_in(5) {
            self.expect(state, &mut batch);
        }
        batch
    }

    /// Adds a precondition that is usually met by the data stored before the group.
    fn expect(&mut self, state: &Contents, batch: &mut Batch) {
        let key = self.key();
        match self.random.below(4) {
            0 => batch.expect_at_most(self.counter(), [self.random.below(200), 200]),
            1 => batch.expect(key, Some(Bytes::from_static(b"not this"))),
            _ => {
                let value = state.get(&key[..]).cloned();
                batch.expect(key, value);
            }
        }
    }

    fn key(&mut self) -> Vec<u8> {
        format!("k{:02}", self.random.below(KEYS)).into_bytes()
    }

    fn counter(&mut self) -> Vec<u8> {
        format!("c{}", self.random.below(3)).into_bytes()
    }

    /// Values from empty to 100 KB, most of them short, no two of them alike.
    fn value(&mut self) -> Vec<u8> {
        let len = match self.random.below(60) {
            0..=3 => 0,
            4..=9 => 512,
            10..=14 => self.random.between(1_000, 6_000),
            15 => self.random.between(30_000, 100_000),
            _ => self.random.between(1, 300),
        };
        self.random.bytes(len as usize)
    }

    /// Appends entries to a journal.
    fn append(&mut self, state: &Contents, batch: &mut Batch) {
        let prefix = self.journal();
        let last = |key: &Bytes| u64::from_be_bytes(key[prefix.len()..].try_into().unwrap_or_default());
        let stored = entries(state, &prefix).last().map_or(0, last);
        let in_batch =
            batch.ops.iter().map(|op| op.key()).filter(|key| key.starts_with(&prefix)).map(last).max();
        let from = stored.max(in_batch.unwrap_or_default());
        for seq in from + 1..=from + self.random.between(1, 4) {
            batch.put([&prefix[..], &seq.to_be_bytes()].concat(), self.value());
        }
    }

    /// Deletes all entries of a journal.
    fn drop_journal(&mut self, state: &Contents, batch: &mut Batch) {
        let prefix = self.journal();
        let all: Vec<_> = entries(state, &prefix).cloned().collect();
        all.into_iter().for_each(|key| batch.delete(key));
    }

    fn journal(&mut self) -> Vec<u8> {
        self.subject.journal(self.random.below(JOURNALS) as u8)
    }
}

fn entries<'a>(state: &'a Contents, prefix: &'a [u8]) -> impl Iterator<Item = &'a Bytes> {
    state
        .range(Bytes::copy_from_slice(prefix)..)
        .map(|(key, _)| key)
        .take_while(|key| key.starts_with(prefix))
}

#[test]
fn workload_produces_all_kinds_of_steps_and_results() {
    struct Nothing;
    impl Subject for Nothing {
        type Engine = Memory;
        fn open(&self, _: super::Opening<'_>) -> Result<Memory> {
            Ok(Memory::default())
        }
        fn maintain(&self, _: &Memory, _: Chore) -> Result<()> {
            Ok(())
        }
        fn lost(&self, _: &Memory) -> Option<String> {
            None
        }
    }
    let (mut workload, mut state) = (Workload::new(&Nothing, 5), Contents::new());
    let (mut conflicts, mut commits, mut dropped, mut long) = (0, 0, 0, 0);
    for _ in 0..600 {
        if let Step::Commit(group) = workload.next(&state) {
            let expected = Expected::of(&state, &group);
            commits += expected.verdicts.len();
            conflicts += expected.verdicts.iter().filter(|verdict| verdict.is_err()).count();
            let journals = |state: &Contents| entries(state, b"jr").count();
            dropped += usize::from(journals(&expected.state) + 5 < journals(&state));
            state = expected.state;
        }
        long += usize::from(state.values().any(|value| value.len() >= 30_000));
    }
    assert!(commits > 500 && conflicts > 20 && conflicts < commits / 5, "{conflicts} of {commits}");
    assert!(dropped > 10 && long > 10, "{dropped} {long}");
    assert_eq!(counters::all(&state[&b"c0"[..]]).len(), 3);
}
