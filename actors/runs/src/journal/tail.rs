//! The durable events that are still in memory.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Chunk;

pub(super) struct Tail {
    /// Each with the number of its last event, so that a search does not touch the chunks themselves.
    chunks: VecDeque<(u64, Arc<Chunk>)>,
    /// Everything up to this is on disk only.
    before: u64,
    end: u64,
    bytes: usize,
}

/// What the tail has for a reader.
pub(super) enum Lookup {
    Chunk(Arc<Chunk>),
    OnDisk,
    Nothing,
}

impl Tail {
    pub fn starting_after(seq: u64) -> Self {
        Self { chunks: VecDeque::new(), before: seq, end: seq, bytes: 0 }
    }

    /// Adds a chunk. Returns how many bytes of older ones were dropped for it.
    pub fn push(&mut self, chunk: Arc<Chunk>, limit: usize) -> usize {
        let mut dropped = 0;
        self.end = chunk.last_seq();
        self.bytes += chunk.weight();
        self.chunks.push_back((self.end, chunk));
        while self.bytes > limit && self.chunks.len() > 1 {
            if let Some((last, old)) = self.chunks.pop_front() {
                self.bytes -= old.weight();
                dropped += old.weight();
                self.before = last;
            }
        }
        dropped
    }

    /// Drops everything; it is on disk. Returns how many bytes that were.
    pub fn forget(&mut self) -> usize {
        self.chunks = VecDeque::new();
        self.before = self.end;
        std::mem::take(&mut self.bytes)
    }

    /// The chunk that begins right after `seq`, or the rest of the one that holds it.
    pub fn after(&self, seq: u64) -> Lookup {
        if seq >= self.end {
            return Lookup::Nothing;
        }
        if seq < self.before {
            return Lookup::OnDisk;
        }
        let at = self.chunks.partition_point(|(last, _)| *last <= seq);
        match self.chunks.get(at).map(|(_, chunk)| chunk) {
            Some(chunk) if chunk.first_seq() == seq + 1 => Lookup::Chunk(chunk.clone()),
            Some(chunk) => Lookup::Chunk(Arc::new(chunk.after(seq))),
            None => Lookup::Nothing,
        }
    }
}
