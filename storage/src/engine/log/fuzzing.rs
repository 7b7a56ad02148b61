//! Segments with arbitrary content, for the fuzz target `wal` and for the tests that repeat it.

use super::record::HEADER;
use super::{Log, LogOptions, Position, Replay, Segment, Segments, checksum, lenient_keys, name_of};
use crate::engine::log::BEGIN;
use crate::error::Result;
use crate::files::SystemFiles;
use std::path::Path;
use std::sync::Arc;

const SALT: u64 = 7;

/// Builds a segment from a fuzz input. After an even byte, the input is the content as it is. After an odd byte,
/// [`sealed`] encodes it, so that the code after the checksums is reached.
pub fn segment_of(input: &[u8]) -> Vec<u8> {
    match input.split_first() {
        Some((kind, input)) if kind % 2 == 1 => sealed(input),
        Some((_, input)) => input.to_vec(),
        None => Vec::new(),
    }
}

/// Builds a segment whose header and records have valid checksums. `input` is a sequence of number, length, and that
/// many bytes of operations.
fn sealed(mut input: &[u8]) -> Vec<u8> {
    let mut content = Segment::header(1, 1, SALT);
    while let [number, len, rest @ ..] = input {
        let (ops, rest) = rest.split_at(rest.len().min(usize::from(*len)));
        let mut header = (ops.len() as u32).to_be_bytes().to_vec();
        header.extend(u64::from(*number).to_be_bytes());
        header.extend(checksum(SALT, &header).to_be_bytes());
        header.extend(checksum(SALT, ops).to_be_bytes());
        debug_assert_eq!(header.len(), HEADER);
        content.extend(header);
        content.extend(ops);
        input = rest;
    }
    content
}

/// Reads a log that consists of one segment with this content, in an existing directory, both like a start and like a
/// salvage.
///
/// # Panics
/// Panics if a record that is appended to an undamaged log is not found when the log is read again.
pub fn open(dir: &Path, content: &[u8]) {
    std::fs::write(dir.join(name_of(1)), content).expect("a temporary file is written");
    let read = || {
        let (segments, _) = Segments::open(Arc::new(SystemFiles), dir).ok()?;
        let segments = Arc::new(segments);
        let segment = segments.get(1)?;
        salvage(&segment).ok()?;
        let mut replay = Replay::new(&segments, Position { segment: 1, offset: BEGIN, next: segment.first });
        let mut count = 0;
        while let Some((_, record)) = replay.next().ok()? {
            record.ops().for_each(drop);
            count += 1;
        }
        Some((count, replay.end().ok()?, segments))
    };
    let Some((count, end, segments)) = read() else { return };
    // The next number must not overflow.
    if end.gap.is_some() || end.position.next > u64::MAX / 2 {
        return;
    }
    let options = LogOptions { power_safe: false, segment_bytes: u64::MAX };
    let mut log = Log::new(segments, options, end.position).expect("an undamaged log is continued");
    let write = [(&b"key"[..], Some(&b"value"[..]))];
    log.append(write.into_iter(), &mut Vec::new()).expect("a record is written");
    let (again, ..) = read().expect("a log that was read is read again");
    assert_eq!(again, count + 1);
}

/// Reads everything that can be read, skipping damage.
pub(super) fn salvage(segment: &Arc<Segment>) -> Result<()> {
    let mut reader = segment.records(BEGIN);
    while let Some((_, record)) = reader.next_readable()? {
        record.ops().for_each(drop);
        lenient_keys(&mut segment.records(reader.last_damage()))?;
    }
    lenient_keys(&mut segment.records(reader.last_damage())).map(drop)
}
