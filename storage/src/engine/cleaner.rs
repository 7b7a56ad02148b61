//! Removal of the oldest segment of the log, after its live values were appended again.

use super::index::Entry;
use super::log::{BEGIN, Place, full};
use super::shared::Shared;
use crate::error::Result;
use bytes::Bytes;
use parking_lot::Mutex;

/// Bytes of values that are appended in one record.
const MOVED: usize = 256 << 10;

/// The state of the cleaning of the log.
#[derive(Debug, Default)]
pub(super) struct Cleaning {
    pass: Mutex<Pass>,
    /// Locked while a segment is cleaned.
    running: Mutex<()>,
}

/// One pass over all segments.
#[derive(Debug, Default)]
struct Pass {
    /// The newest segment at the start of the pass.
    until: u32,
    /// Bytes of segments that were cleaned, and of values in them that were appended again.
    cleaned: u64,
    moved: u64,
    /// Size of the log in bytes below which it is not cleaned.
    floor: u64,
}

impl Cleaning {
    /// Records that a segment is going to be cleaned. A pass that found little garbage is not repeated before the log
    /// has grown, because the count of live bytes is not exact.
    fn begin(&self, oldest: u32, newest: u32, log_bytes: u64) {
        let mut pass = self.pass.lock();
        if oldest > pass.until {
            let was_in_vain = pass.cleaned > 0 && pass.moved > pass.cleaned / 10 * 8;
            let floor = if was_in_vain { log_bytes + log_bytes / 4 } else { 0 };
            *pass = Pass { until: newest, floor, ..Pass::default() };
        }
    }
}

/// A value of the segment that is being cleaned.
struct Candidate {
    key: Bytes,
    value: Bytes,
    place: Place,
}

impl Shared {
    /// Whether the log contains so much garbage that its oldest segment has to be cleaned.
    pub fn cleaning_is_due(&self) -> bool {
        let (bytes, live) = (self.segments.bytes(), self.index.live_bytes());
        bytes > live + live / 2 + self.options.garbage_bytes
            && bytes > self.cleaning.pass.lock().floor
            && self.cleanable().is_ok_and(|found| found.is_some())
    }

    /// The oldest segment, if no start would have to read it.
    fn cleanable(&self) -> Result<Option<u32>> {
        let covered = self.index.covered()?.map_or(0, |covered| covered.end.segment);
        Ok(self.segments.oldest().map(|oldest| oldest.number).filter(|oldest| *oldest < covered))
    }

    /// Cleans and removes the oldest segment. Returns whether it was removed. It is not removed if there is none to
    /// clean, or if `proceed` returned false.
    ///
    /// # Errors
    /// `Full` if there is no space for the live values; the segment is not removed. Returns other errors if the log fails.
    pub fn clean_oldest(&self, proceed: &dyn Fn() -> bool) -> Result<bool> {
        let _running = self.cleaning.running.lock();
        let Some(number) = self.cleanable()? else { return Ok(false) };
        let (Some(segment), Some(following)) = (self.segments.get(number), self.segments.get(number + 1))
        else {
            return Ok(false);
        };
        let newest = self.segments.list().last().map_or(number, |newest| newest.number);
        self.cleaning.begin(number, newest, self.segments.bytes());
        let (mut reader, mut next) = (segment.records(BEGIN), segment.first);
        let (mut live, mut bytes) = (Vec::new(), 0);
        while let Some((at, record)) = reader.next()?.filter(|(_, record)| record.number == next) {
            next += 1;
            if !proceed() {
                return Ok(false);
            }
            for op in record.ops() {
                let (key, Some((span, value))) = op? else { continue };
                let place = Place { segment: number, offset: at as u32 + span.offset };
                let candidate = Candidate { key, value, place };
                if self.is_live(&candidate)? {
                    bytes += candidate.key.len() + candidate.value.len();
                    live.push(candidate);
                }
            }
            if bytes >= MOVED {
                self.move_values(std::mem::take(&mut live))?;
                bytes = 0;
            }
        }
        if next != following.first {
            // Unreadable records may be live. The log is not cleaned any more, and `doctor` reports the damage.
            let path = self.segments.path(number);
            tracing::error!(file = %path.display(), record = next, "a record of the log is damaged; run `understudy doctor`");
            self.cleaning.pass.lock().floor = u64::MAX;
            return Ok(false);
        }
        self.move_values(live)?;
        if !self.options.power_safe {
            self.segments.sync()?;
        }
        {
            let mut state = self.state.lock();
            state.oldest = number + 1;
            state.write(&*self.options.files, &self.dir).map_err(full)?;
        }
        // A scan that holds the memory lock finishes before this.
        let memory = self.memory.write();
        self.segments.forget(number);
        drop(memory);
        self.segments.delete(number)?;
        self.cleaning.pass.lock().cleaned += segment.end();
        Ok(true)
    }

    fn is_live(&self, candidate: &Candidate) -> Result<bool> {
        let Candidate { key, value, place } = candidate;
        if let Some(found) = self.memory.read().get(key) {
            return Ok(found.as_ref().is_some_and(|found| found.place == *place));
        }
        Ok(match self.index.get(key)? {
            Some(Entry::At(found, _)) => found == *place,
            // If the same value is stored elsewhere, it is moved unnecessarily, which does no harm.
            Some(Entry::Inline(found)) => found == *value,
            None => false,
        })
    }

    /// Appends the values again that are still live.
    fn move_values(&self, candidates: Vec<Candidate>) -> Result<()> {
        if candidates.is_empty() {
            return Ok(());
        }
        let mut writer = self.writer.lock();
        let mut writes = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            // It may have been replaced since it was checked. From here on it cannot be.
            if self.is_live(&candidate)? {
                let copy = |bytes: &Bytes| Bytes::copy_from_slice(bytes);
                self.cleaning.pass.lock().moved += (candidate.key.len() + candidate.value.len()) as u64;
                writes.push((copy(&candidate.key), Some(copy(&candidate.value))));
            }
        }
        match writes.is_empty() {
            true => Ok(()),
            false => self.append(&mut writer, writes),
        }
    }
}
