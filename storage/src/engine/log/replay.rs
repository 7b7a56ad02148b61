//! Reading the log from a position to its end.

use super::record::Record;
use super::segment::{BEGIN, RecordReader, Segment};
use super::{Place, Position, Segments};
use crate::error::Result;
use std::sync::Arc;

/// Reads records in order of their numbers, across segments.
#[derive(Debug)]
pub(in crate::engine) struct Replay {
    segments: Arc<Segments>,
    segment: u32,
    next: u64,
    reader: Option<RecordReader>,
}

/// The end of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct End {
    /// The position after the last record that follows its predecessors without a gap.
    pub position: Position,
    /// Records after this position that do not follow without a gap.
    pub gap: Option<Gap>,
}

/// A gap in the log: a record that cannot be read although there are later ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Gap {
    /// How many later records can be read.
    pub readable: u64,
    /// The number of the last of them.
    pub last: u64,
}

impl Replay {
    /// Begins at a position. If its segment is missing, the log ends there.
    pub fn new(segments: &Arc<Segments>, from: Position) -> Self {
        let reader = segments.get(from.segment).map(|segment| segment.records(from.offset));
        Self { segments: segments.clone(), segment: from.segment, next: from.next, reader }
    }

    /// Returns the next record and its location; `None` if no record follows.
    pub fn next(&mut self) -> Result<Option<(Place, Record)>> {
        while let Some(reader) = &mut self.reader {
            let at = reader.at();
            match reader.next()? {
                Some((_, record)) if record.number == self.next => {
                    self.next += 1;
                    return Ok(Some((Place { segment: self.segment, offset: at as u32 }, record)));
                }
                found => {
                    // `end` reads it again.
                    if let Some((_, record)) = found {
                        reader.back(record.len());
                    }
                    let following = self.segments.get(self.segment + 1);
                    let Some(segment) = following.filter(|segment| segment.first == self.next) else { break };
                    reader.segment().set_end(at);
                    self.segment += 1;
                    self.reader = Some(segment.records(BEGIN));
                }
            }
        }
        Ok(None)
    }

    /// Returns where the log ends, once [`next`](Self::next) has returned `None`. Searches for records after that
    /// position.
    pub fn end(mut self) -> Result<End> {
        let offset = self.reader.as_ref().map_or(BEGIN, RecordReader::at);
        let position = Position { segment: self.segment, offset, next: self.next };
        let (mut readable, mut last) = (0, 0);
        let mut count = |reader: &mut RecordReader| -> Result<()> {
            while reader.seek(self.next)? {
                match reader.next()? {
                    // A second record with the number of the missing one, at another location, does not belong to the
                    // log.
                    Some((_, record)) if record.number > self.next => {
                        readable += 1;
                        last = last.max(record.number);
                    }
                    Some(_) => {}
                    None => reader.skip(1),
                }
            }
            Ok(())
        };
        if let Some(reader) = &mut self.reader {
            reader.skip(1);
            count(reader)?;
        }
        let later = |segment: &Arc<Segment>| segment.number > position.segment;
        for segment in self.segments.list().into_iter().filter(later) {
            count(&mut segment.records(BEGIN))?;
        }
        Ok(End { position, gap: (readable > 0).then_some(Gap { readable, last }) })
    }
}
