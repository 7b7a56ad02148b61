//! The durable events that are still in memory.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Chunk, RunJournal};

/// Number of newest chunks that stay as they were committed, because followers are about to read them. Once there are
/// twice as many, the older half is merged.
const UNMERGED_CHUNKS: usize = 32;
/// Approximate maximum size of a merged chunk in bytes.
const MERGED_BYTES: usize = 32 * 1024;

pub(super) struct Tail {
    /// All chunks in order: first the merged ones, then (in `young`) those that are unchanged since their commit.
    merged: Chunks,
    young: Chunks,
    /// Events up to this sequence number are on disk only.
    before: u64,
    end: u64,
    bytes: usize,
}

/// Chunks with the number of their last event, so that a search does not access the chunks themselves.
type Chunks = VecDeque<(u64, Arc<Chunk>)>;

/// The result of a reader's lookup in the tail.
pub(super) enum Lookup {
    Chunk(Arc<Chunk>),
    OnDisk,
    Nothing,
}

impl Tail {
    pub fn starting_after(seq: u64) -> Self {
        Self { merged: VecDeque::new(), young: VecDeque::new(), before: seq, end: seq, bytes: 0 }
    }

    /// Adds a chunk. Returns the number of bytes that were freed: older chunks that were dropped, and savings from merging.
    pub fn push(&mut self, chunk: Arc<Chunk>, limit: usize) -> usize {
        self.end = chunk.last_seq();
        self.bytes += chunk.weight();
        let with_chunk = self.bytes;
        self.young.push_back((self.end, chunk));
        if self.young.len() >= 2 * UNMERGED_CHUNKS {
            self.merge();
        }
        while self.bytes > limit && self.merged.len() + self.young.len() > 1 {
            if let Some((last, old)) = self.merged.pop_front().or_else(|| self.young.pop_front()) {
                self.bytes -= old.weight();
                self.before = last;
            }
        }
        with_chunk - self.bytes
    }

    /// Merges the older half of the young chunks, so that a replay passes fewer chunks and they use less memory.
    fn merge(&mut self) {
        let mut small: Vec<Arc<Chunk>> = Vec::new();
        let mut bytes = 0;
        for (_, chunk) in self.young.drain(..UNMERGED_CHUNKS) {
            let size = chunk.json_bytes();
            if bytes + size > MERGED_BYTES {
                self.bytes -= close(&mut self.merged, &mut small);
                bytes = 0;
            }
            bytes += size;
            small.push(chunk);
        }
        self.bytes -= close(&mut self.merged, &mut small);
    }

    /// Drops all events; they are on disk. Returns the number of bytes freed.
    pub fn forget(&mut self) -> usize {
        (self.merged, self.young) = (VecDeque::new(), VecDeque::new());
        self.before = self.end;
        std::mem::take(&mut self.bytes)
    }

    /// Returns all chunks, if they contain every event up to `end`.
    fn whole(&self, end: u64) -> Option<Vec<Arc<Chunk>>> {
        let chunks = || self.merged.iter().chain(&self.young).map(|(_, chunk)| chunk.clone()).collect();
        (self.before == 0 && self.end >= end).then(chunks)
    }

    /// Returns the chunk that begins right after `seq`, or the rest of the chunk that contains `seq`.
    pub fn after(&self, seq: u64) -> Lookup {
        if seq >= self.end {
            return Lookup::Nothing;
        }
        if seq < self.before {
            return Lookup::OnDisk;
        }
        let is_merged = self.merged.back().is_some_and(|(last, _)| seq < *last);
        let chunks = if is_merged { &self.merged } else { &self.young };
        let at = chunks.partition_point(|(last, _)| *last <= seq);
        match chunks.get(at).map(|(_, chunk)| chunk) {
            Some(chunk) if chunk.first_seq() == seq + 1 => Lookup::Chunk(chunk.clone()),
            Some(chunk) => Lookup::Chunk(Arc::new(chunk.after(seq))),
            None => Lookup::Nothing,
        }
    }
}

impl RunJournal {
    /// Returns the journal's durable events, if those up to `end` are all in memory.
    pub(crate) fn in_memory(&self, end: u64) -> Option<Vec<Arc<Chunk>>> {
        self.tail.read().whole(end)
    }
}

/// Adds the collected chunks to the merged ones as a single chunk. Returns the number of bytes saved.
fn close(merged: &mut Chunks, small: &mut Vec<Arc<Chunk>>) -> usize {
    let before: usize = small.iter().map(|chunk| chunk.weight()).sum();
    let chunk = match small.as_slice() {
        [] => return 0,
        [only] => only.clone(),
        several => Arc::new(Chunk::merged(several)),
    };
    small.clear();
    let after = chunk.weight();
    merged.push_back((chunk.last_seq(), chunk));
    before - after
}

#[cfg(test)]
mod tests {
    use super::super::chunk::Event;
    use super::*;

    fn chunk(seqs: std::ops::Range<u64>, bytes: usize) -> Arc<Chunk> {
        let event = |seq| Event { seq, kind: "text.delta".into(), json: vec![b'x'; bytes].into() };
        Arc::new(Chunk::new(seqs.map(event).collect()))
    }

    fn read(tail: &Tail, mut after: u64) -> (Vec<u64>, usize) {
        let (mut seqs, mut chunks) = (Vec::new(), 0);
        while let Lookup::Chunk(chunk) = tail.after(after) {
            seqs.extend(chunk.events.iter().map(|event| event.seq));
            after = chunk.last_seq();
            chunks += 1;
        }
        (seqs, chunks)
    }

    #[test]
    fn after_finds_every_position_in_merged_and_young_chunks() {
        let mut tail = Tail::starting_after(7);
        let mut weight = 0;
        for seq in 8..=1_007 {
            let chunk = chunk(seq..seq + 1, 100);
            weight += chunk.weight();
            weight -= tail.push(chunk, usize::MAX);
            assert_eq!(weight, tail.bytes);
        }
        for after in 7..=1_007 {
            assert_eq!(read(&tail, after).0, (after + 1..=1_007).collect::<Vec<_>>());
        }
        assert!(read(&tail, 7).1 < 100);
        assert!(matches!(tail.after(6), Lookup::OnDisk));
        assert_eq!(tail.forget(), weight);
        assert!(matches!(tail.after(1_006), Lookup::OnDisk));
    }

    #[test]
    fn whole_requires_every_event() {
        let seqs = |chunks: Vec<Arc<Chunk>>| -> Vec<u64> {
            chunks.iter().flat_map(|chunk| chunk.events.iter().map(|event| event.seq)).collect()
        };
        let mut tail = Tail::starting_after(0);
        assert_eq!(tail.whole(0).map(seqs), Some(Vec::new()));
        assert!(tail.whole(1).is_none(), "it is not published yet");
        for seq in 1..=100 {
            tail.push(chunk(seq..seq + 1, 100), usize::MAX);
        }
        assert_eq!(tail.whole(90).map(seqs), Some((1..=100).collect()));
        assert!(tail.whole(101).is_none());
        tail.push(chunk(101..102, 100), 5_000);
        assert!(tail.whole(101).is_none(), "the first events were dropped");
        tail.forget();
        assert!(tail.whole(101).is_none());
        let mut tail = Tail::starting_after(7);
        tail.push(chunk(8..9, 100), usize::MAX);
        assert!(tail.whole(8).is_none(), "an earlier process wrote the first events");
    }

    #[test]
    fn push_limits_merged_chunks_and_the_whole_tail() {
        let mut tail = Tail::starting_after(0);
        for seq in 1..=500 {
            tail.push(chunk(seq..seq + 1, 10_000), 2_000_000);
            assert!(tail.bytes <= 2_000_000);
        }
        let longest = tail.merged.iter().map(|(_, chunk)| chunk.json_bytes()).max();
        assert_eq!(longest, Some(30_000));
        let (seqs, _) = read(&tail, tail.before);
        assert_eq!(seqs, (tail.before + 1..=500).collect::<Vec<_>>());
    }
}
