//! Rows and their index entries.

use super::{Doctor, place_of};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys::{self, HEAD, RecordKey};
use crate::reader::entries;
use crate::record::{Index, Record, Row};
use crate::records::{Message, Run, Visit, each};
use bytes::Bytes;

impl Visit for Doctor<'_> {
    type Error = Error;

    fn visit<T: Record>(&mut self) -> Result<()> {
        self.begin(T::NAME);
        for pair in self.table(T::TABLE) {
            let (key, value) = pair?;
            self.checked();
            match row_of::<T>(&key, &value) {
                Ok((tenant, row)) => self.entries_of_row(tenant, &row)?,
                Err(error) => {
                    self.report_problem(place_of(T::NAME, &key), format!("it cannot be read: {error}"))
                }
            }
        }
        self.commit()?;
        for index in T::INDEXES {
            self.rows_of_entries(index)?;
        }
        self.commit()
    }
}

/// The row of a key and its tenant.
pub(super) fn row_of<T: Record>(key: &[u8], value: &[u8]) -> Result<(TenantId, Row<T>)> {
    let tenant = keys::tenant(key)?;
    Ok((tenant, Row::decode(T::Id::decode(&key[HEAD..])?, value)?))
}

impl Doctor<'_> {
    pub(super) fn rows(&mut self) -> Result<()> {
        each(self)
    }

    /// Each entry that the row should have is there and leads to it.
    fn entries_of_row<T: Record>(&mut self, tenant: TenantId, row: &Row<T>) -> Result<()> {
        let mut id = Vec::new();
        row.id.encode(&mut id);
        for index in T::INDEXES {
            for entry in entries(index, tenant, row) {
                let found = self.reader.raw_get(&entry)?;
                if found.as_deref() == Some(&id[..]) {
                    continue;
                }
                let place = place_of(T::NAME, &keys::record_key(T::TABLE, tenant, &row.id));
                if let (true, Some(other)) = (index.unique, &found)
                    && self.claims(index, tenant, &entry, other)?
                {
                    let what = format!("another row has the same {}, which should be unique", index.name);
                    self.report_problem(place, what);
                    continue;
                }
                let what = format!("its entry in the index {} is missing or wrong", index.name);
                self.mend(place, what, "entry written", |batch| batch.put(entry, id.clone()))?;
            }
        }
        Ok(())
    }

    /// Whether the row with these key bytes is there and has this index entry.
    fn claims<T: Record>(&self, index: &Index<T>, tenant: TenantId, entry: &[u8], id: &[u8]) -> Result<bool> {
        let Ok(id) = T::Id::decode(id) else { return Ok(false) };
        match self.reader.get::<T>(tenant, &id) {
            Ok(Some(row)) => Ok(entries(index, tenant, &row).any(|own| own == entry)),
            Ok(None) => Ok(false),
            // An unreadable row is told of where it stands; its entries are left as they are.
            Err(Error::Corrupt(_)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn rows_of_entries<T: Record>(&mut self, index: &Index<T>) -> Result<()> {
        for pair in self.table(index.table) {
            let (entry, id): (Bytes, Bytes) = pair?;
            self.checked();
            if !self.claims(index, keys::tenant(&entry)?, &entry, &id)? {
                let place = place_of(&format!("index {} of {}, entry", index.name, T::NAME), &entry);
                self.mend(place, "it does not match any row", "entry deleted", |batch| batch.delete(entry))?;
            }
        }
        Ok(())
    }

    /// Each message has its conversation, and is being written only while its run lives.
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
                self.mend(place, "its conversation does not exist", "message deleted", |batch| {
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
                self.mend(place, what, "marked as interrupted", |batch| batch.put(key, value))?;
            }
        }
        self.commit()
    }
}
