//! Committed events that were made durable together.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
pub use storage::journal::JournalEvent as Event;

use super::outline::outline;

/// Number of encodings that are cached with a chunk.
const WIRES: usize = 5;

/// Consecutive events that became durable in one commit, with their cached encodings: each encoding is produced once,
/// not once per reader.
#[derive(Debug)]
pub struct Chunk {
    /// At least one event, in order and without gaps.
    pub events: Vec<Event>,
    encoded: [OnceLock<Bytes>; WIRES],
    /// The same events for readers of the outline; `None` if no event differs.
    outlined: OnceLock<Option<Arc<Chunk>>>,
}

impl Chunk {
    /// Creates a chunk without any cached encoding.
    pub fn new(events: Vec<Event>) -> Self {
        Self { events, encoded: Default::default(), outlined: OnceLock::new() }
    }

    /// Merges consecutive chunks into one, with a single buffer for the JSON of all events.
    pub(super) fn merged(chunks: &[Arc<Chunk>]) -> Self {
        let events = || chunks.iter().flat_map(|chunk| &chunk.events);
        let mut json = Vec::with_capacity(chunks.iter().map(|chunk| chunk.json_bytes()).sum());
        events().for_each(|event| json.extend_from_slice(&event.json));
        let mut json = Bytes::from(json);
        let event = |event: &Event| Event { json: json.split_to(event.json.len()), ..event.clone() };
        Self::new(events().map(event).collect())
    }

    /// Returns the chunk in one encoding (`0..WIRES`). `encode` runs for the first reader that requests it.
    pub fn encoded(&self, wire: usize, encode: impl FnOnce(&[Event]) -> Bytes) -> Bytes {
        match self.encoded.get(wire) {
            Some(slot) => slot.get_or_init(|| encode(&self.events)).clone(),
            None => encode(&self.events),
        }
    }

    /// Returns the events as shown to readers who may use a workflow but not edit it. Computed for the first reader
    /// that requests them.
    pub fn outlined(self: &Arc<Self>) -> Arc<Self> {
        let outlined = self.outlined.get_or_init(|| {
            let outlined: Vec<_> = self.events.iter().map(outline).collect();
            let differs = outlined.iter().any(Option::is_some);
            let events = self.events.iter().zip(outlined);
            let events = events.map(|(event, outlined)| outlined.unwrap_or_else(|| event.clone()));
            differs.then(|| Arc::new(Self::new(events.collect())))
        });
        outlined.as_ref().unwrap_or(self).clone()
    }

    /// Sequence number of the first event.
    pub fn first_seq(&self) -> u64 {
        self.events.first().map_or(0, |event| event.seq)
    }

    /// Sequence number of the last event.
    pub fn last_seq(&self) -> u64 {
        self.events.last().map_or(0, |event| event.seq)
    }

    /// Approximate memory use of the chunk in bytes: its events, and the same amount again for one encoding.
    pub(crate) fn weight(&self) -> usize {
        const ENVELOPE: usize = 256;
        ENVELOPE + self.events.iter().map(|event| 2 * event.json.len() + 64).sum::<usize>()
    }

    /// Total size of the events' JSON in bytes.
    pub(super) fn json_bytes(&self) -> usize {
        self.events.iter().map(|event| event.json.len()).sum()
    }

    /// Returns the events after `seq` as a separate chunk.
    pub(crate) fn after(&self, seq: u64) -> Chunk {
        let from = self.events.partition_point(|event| event.seq <= seq);
        Chunk::new(self.events[from..].to_vec())
    }
}
