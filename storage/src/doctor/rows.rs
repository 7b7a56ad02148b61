//! Rows and their index entries.

use super::{Doctor, place_of};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys::{self, HEAD, RecordKey};
use crate::record::{Record, Row};
use crate::records::{Entries, Kind, Message, Run, kinds};
use bytes::Bytes;

/// Decodes a row with its tenant from its key and value.
pub(super) fn row_of<T: Record>(key: &[u8], value: &[u8]) -> Result<(TenantId, Row<T>)> {
    let tenant = keys::tenant(key)?;
    Ok((tenant, Row::decode(T::Id::decode(&key[HEAD..])?, value)?))
}

impl Doctor<'_> {
    pub(super) fn rows(&mut self) -> Result<()> {
        for kind in kinds() {
            self.rows_of_kind(&kind)?;
        }
        Ok(())
    }

    fn rows_of_kind(&mut self, kind: &Kind) -> Result<()> {
        self.begin(kind.name);
        for pair in self.table(kind.table) {
            let (key, value) = pair?;
            self.checked();
            match (kind.entries)(&key, &value) {
                Ok(entries) => self.entries_of_row(kind, &key, entries)?,
                Err(error) => {
                    self.report_problem(place_of(kind.name, &key), format!("it cannot be read: {error}"))
                }
            }
        }
        self.commit()?;
        for at in 0..kind.indexes.len() {
            self.rows_of_entries(kind, at)?;
        }
        self.commit()
    }

    /// Checks that each index entry of the row exists and refers to it.
    fn entries_of_row(&mut self, kind: &Kind, key: &[u8], entries: Vec<Entries>) -> Result<()> {
        let id = &key[HEAD..];
        for (at, (index, entries)) in kind.indexes.iter().zip(entries).enumerate() {
            for entry in entries {
                let found = self.reader.raw_get(&entry)?;
                if found.as_deref() == Some(id) {
                    continue;
                }
                let place = place_of(kind.name, key);
                if let (true, Some(other)) = (index.unique, &found)
                    && self.claims(kind, at, &entry, other)?
                {
                    let what = format!("another row has the same {}, which should be unique", index.name);
                    self.report_problem(place, what);
                    continue;
                }
                let what = format!("its entry in the index {} is missing or wrong", index.name);
                self.repair_entry(place, what, "entry written", |batch| batch.put(entry, id.to_vec()))?;
            }
        }
        Ok(())
    }

    /// Whether the row with this encoded id exists and has this entry in the index at `at`.
    fn claims(&self, kind: &Kind, at: usize, entry: &[u8], id: &[u8]) -> Result<bool> {
        let key = [&keys::head(kind.table, keys::tenant(entry)?)[..], id].concat();
        let Some(value) = self.reader.raw_get(&key)? else { return Ok(false) };
        match (kind.entries)(&key, &value) {
            Ok(entries) => Ok(entries[at].iter().any(|own| own == entry)),
            // An unreadable row is reported by the check of rows; its entries are left unchanged.
            Err(Error::Corrupt(_)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn rows_of_entries(&mut self, kind: &Kind, at: usize) -> Result<()> {
        let index = &kind.indexes[at];
        for pair in self.table(index.table) {
            let (entry, id): (Bytes, Bytes) = pair?;
            self.checked();
            if !self.claims(kind, at, &entry, &id)? {
                let place = place_of(&format!("index {} of {}, entry", index.name, kind.name), &entry);
                self.repair_entry(place, "it does not match any row", "entry deleted", |batch| {
                    batch.delete(entry)
                })?;
            }
        }
        Ok(())
    }

    /// Checks that each message has a conversation, and that it is marked as being written only while its run is live.
    pub(super) fn messages(&mut self) -> Result<()> {
        use crate::records::{Conversation, MessageStatus};
        self.begin("conversations");
        for pair in self.table(Message::TABLE) {
            let (key, value) = pair?;
            let Ok((tenant, mut row)) = row_of::<Message>(&key, &value) else { continue };
            self.checked();
            let place = place_of(Message::NAME, &key);
            let home = keys::record_key(Conversation::TABLE, tenant, &row.id.0);
            if self.reader.raw_get(&home)?.is_none() {
                self.repair_entry(place, "its conversation does not exist", "message deleted", |batch| {
                    batch.delete(key)
                })?;
                continue;
            }
            let writer = match row.run_id {
                Some(run) => self.reader.get::<Run>(tenant, &run).ok().flatten(),
                None => None,
            };
            let is_written = writer.is_some_and(|run| !run.state.is_terminal());
            if row.status == MessageStatus::Streaming && !is_written {
                row.status = MessageStatus::Interrupted;
                let value = row.next()?;
                let what = "it is marked as being written, but no run is writing it";
                self.repair_entry(place, what, "marked as interrupted", |batch| batch.put(key, value))?;
            }
        }
        self.commit()
    }
}
