//! Journal entries that are read back from disk, and the events in them.

#![no_main]

use runs::StreamEvent;
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (key, value) = input.split_at(input.len().min(12));
    let Ok(events) = storage::fuzzing::journal_entry(key, Bytes::copy_from_slice(value)) else { return };
    for event in events {
        let Ok(read) = serde_json::from_slice::<StreamEvent>(&event.json) else { continue };
        let written = serde_json::to_vec(&read).expect("an event that was read can be written");
        let again: StreamEvent = serde_json::from_slice(&written).expect("an event that was written can be read");
        assert_eq!(read, again);
    }
});
