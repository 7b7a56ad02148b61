//! The journal of a run: its events in order, its epoch and its terminal record.
//!
//! Each append writes one key: `[table][tenant][run][seq of its first event, big-endian]`. The value contains the events in
//! the encoding of [`entry`].

pub(crate) mod entry;

use crate::engine::{Batch, Direction, KeyRange, Packed};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys;
use crate::reader::Reader;
use crate::records::RunBlob;
use crate::scan::Scan;
use crate::store::Store;
use crate::tables::{EPOCH, JOURNAL, TERMINAL};
use crate::tx::Tx;
use bytes::Bytes;
use std::fmt;
use std::ops::Deref;
use uuid::Uuid;

/// Size of the JSON in bytes above which an append is split into several entries, so that reading from the middle of a long append
/// does not fetch all of it.
const ENTRY_BYTES: usize = 7 << 10;

/// In a database of version 1, entries with the same table, tenant and run share blocks.
pub(crate) const PACKED: &[Packed] = &[Packed { table: JOURNAL, shared: keys::HEAD + 16 }];

/// The type of an event, such as `text.delta`: at most 255 bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Kind(Bytes);

impl Kind {
    fn read(bytes: Bytes) -> Result<Self> {
        std::str::from_utf8(&bytes).map_err(|_| entry::damaged("an event kind that is not valid UTF-8"))?;
        Ok(Self(bytes))
    }
}

impl Deref for Kind {
    type Target = str;
    fn deref(&self) -> &str {
        // Validated when the kind was created.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl From<&'static str> for Kind {
    fn from(kind: &'static str) -> Self {
        Self(Bytes::from_static(kind.as_bytes()))
    }
}

impl From<String> for Kind {
    fn from(kind: String) -> Self {
        Self(kind.into())
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// One event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEvent {
    /// Its position in the journal, from 1 without gaps.
    pub seq: u64,
    /// The event's type.
    pub kind: Kind,
    /// The complete canonical event object.
    pub json: Bytes,
}

fn entry_key(head: &[u8], seq: u64) -> Vec<u8> {
    [head, &seq.to_be_bytes()].concat()
}

/// Appends events to a journal. Their `seq` values continue from the end of the journal without a gap. The caller must
/// be the only writer of the journal, which [`expect_epoch`] ensures.
pub fn append(batch: &mut Batch, tenant: TenantId, run: Uuid, events: &[JournalEvent]) {
    let head = keys::of_id(JOURNAL, tenant, &run);
    let mut rest = events;
    while let Some(first) = rest.first() {
        let (mut count, mut size) = (0, 0);
        while let Some(event) = rest.get(count)
            && (count == 0 || size + event.json.len() <= ENTRY_BYTES)
        {
            size += event.json.len();
            count += 1;
        }
        let (entry, others) = rest.split_at(count);
        batch.put(entry_key(&head, first.seq), entry::encode(run, entry));
        rest = others;
    }
}

/// Sets the epoch of a run.
pub fn set_epoch(batch: &mut Batch, tenant: TenantId, run: Uuid, epoch: u32) {
    batch.put(keys::of_id(EPOCH, tenant, &run), epoch.to_be_bytes().to_vec());
}

/// Makes the batch conditional on this epoch of the run, so that late writes of an older epoch are refused.
pub fn expect_epoch(batch: &mut Batch, tenant: TenantId, run: Uuid, epoch: u32) {
    batch.expect(keys::of_id(EPOCH, tenant, &run), Some(epoch.to_be_bytes().to_vec().into()));
}

/// Sets the terminal record of a run. The batch is refused if there already is one.
pub fn put_terminal(batch: &mut Batch, tenant: TenantId, run: Uuid, json: Bytes) {
    let key = Bytes::from(keys::of_id(TERMINAL, tenant, &run));
    batch.expect(key.clone(), None);
    batch.put(key, json);
}

impl Reader {
    /// Returns the events after `after`, in order: as many as fit in approximately `max_bytes`, but at least one if
    /// there is any.
    pub fn journal_read(
        &self,
        tenant: TenantId,
        run: Uuid,
        after: u64,
        max_bytes: usize,
    ) -> Result<Vec<JournalEvent>> {
        let head = keys::of_id(JOURNAL, tenant, &run);
        let mut range = KeyRange::prefix(&head);
        // The entry that contains event `after + 1` may have begun before it.
        let before = KeyRange { start: range.start.clone(), end: entry_key(&head, after.saturating_add(2)) };
        if let Some(entry) = self.walk(before, Direction::Reverse, 1).next() {
            range.start = entry?.0.to_vec();
        }
        let (mut events, mut bytes) = (Vec::new(), 0);
        let chunk = (max_bytes / ENTRY_BYTES).clamp(1, 64) + 1;
        for entry in self.walk(range, Direction::Forward, chunk) {
            let (key, value) = entry?;
            for event in entry::decode(&key, value)? {
                if event.seq <= after {
                    continue;
                }
                if bytes > 0 && bytes + event.json.len() > max_bytes {
                    return Ok(events);
                }
                bytes += event.json.len();
                events.push(event);
            }
        }
        Ok(events)
    }

    /// The `seq` of the last event; 0 if there is none.
    pub fn journal_end(&self, tenant: TenantId, run: Uuid) -> Result<u64> {
        let range = KeyRange::prefix(&keys::of_id(JOURNAL, tenant, &run));
        let Some(entry) = self.walk(range, Direction::Reverse, 1).next() else { return Ok(0) };
        let (key, value) = entry?;
        let events = entry::decode(&key, value)?;
        events.last().map(|event| event.seq).ok_or_else(|| entry::damaged("no event"))
    }

    /// The epoch of a run; `None` if it was never set.
    pub fn journal_epoch(&self, tenant: TenantId, run: Uuid) -> Result<Option<u32>> {
        let value = self.raw_get(&keys::of_id(EPOCH, tenant, &run))?;
        let epoch = value.map(|value| value[..].try_into().map(u32::from_be_bytes));
        epoch.transpose().map_err(|_| Error::Corrupt("an epoch of the wrong length".into()))
    }

    /// The terminal record of a run.
    pub fn terminal(&self, tenant: TenantId, run: Uuid) -> Result<Option<Bytes>> {
        self.raw_get(&keys::of_id(TERMINAL, tenant, &run))
    }
}

impl Store {
    /// [`Reader::journal_read`] on the calling thread.
    pub fn journal_read(
        &self,
        tenant: TenantId,
        run: Uuid,
        after: u64,
        max_bytes: usize,
    ) -> Result<Vec<JournalEvent>> {
        self.read_now(|reader| reader.journal_read(tenant, run, after, max_bytes))
    }

    /// [`Reader::journal_end`] on the calling thread.
    pub fn journal_end(&self, tenant: TenantId, run: Uuid) -> Result<u64> {
        self.read_now(|reader| reader.journal_end(tenant, run))
    }

    /// [`Reader::journal_epoch`] on the calling thread.
    pub fn journal_epoch(&self, tenant: TenantId, run: Uuid) -> Result<Option<u32>> {
        self.read_now(|reader| reader.journal_epoch(tenant, run))
    }

    /// [`Reader::terminal`] on the calling thread.
    pub fn terminal(&self, tenant: TenantId, run: Uuid) -> Result<Option<Bytes>> {
        self.read_now(|reader| reader.terminal(tenant, run))
    }
}

impl Tx {
    /// Deletes the events of a run and its references to blobs, and retains its epoch and terminal record. Called when
    /// the time during which clients can attach to the run has ended.
    pub fn drop_journal(&mut self, tenant: TenantId, run: Uuid) -> Result<()> {
        let range = KeyRange::prefix(&keys::of_id(JOURNAL, tenant, &run));
        let found: Result<Vec<_>> = self.walk(range, Direction::Forward, 64).collect();
        for (key, _) in found? {
            self.raw_delete(key);
        }
        for row in self.scan::<RunBlob>(tenant, Scan::table().prefix(run.as_bytes().to_vec()))?.items {
            self.delete::<RunBlob>(tenant, &row.id)?;
        }
        Ok(())
    }

    /// Deletes all data of a run that is not a row: events, epoch and terminal record.
    pub fn drop_run(&mut self, tenant: TenantId, run: Uuid) -> Result<()> {
        self.drop_journal(tenant, run)?;
        self.raw_delete(keys::of_id(EPOCH, tenant, &run));
        self.raw_delete(keys::of_id(TERMINAL, tenant, &run));
        Ok(())
    }
}
