//! Messages whose last change is not in the index for searches yet. Every transaction that changes a message notes it,
//! so that the index, which is written later and elsewhere, misses no change, whenever the process ends.

use crate::engine::{Direction, KeyRange};
use crate::error::Result;
use crate::ids::{TenantId, new_id};
use crate::keys::{self, HEAD, RecordKey};
use crate::reader::Reader;
use crate::tables::UNINDEXED;
use crate::tx::Tx;
use bytes::Bytes;
use uuid::Uuid;

/// A message that was changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnindexedMessage {
    /// The conversation and the message.
    pub id: (Uuid, Uuid),
    /// Different for each change.
    change: Bytes,
}

impl Tx {
    /// Notes a change of a message. Does not read, so that it never conflicts with other transactions.
    pub(crate) fn note_unindexed(&mut self, tenant: TenantId, id: &(Uuid, Uuid)) {
        self.raw_put(keys::record_key(UNINDEXED, tenant, id), new_id().as_bytes().to_vec());
    }

    /// Removes the notes of changes that the index contains. Notes of later changes stay.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub fn note_indexed(&mut self, tenant: TenantId, messages: &[UnindexedMessage]) -> Result<()> {
        for message in messages {
            let key = keys::record_key(UNINDEXED, tenant, &message.id);
            if self.raw_get(&key)?.as_ref() == Some(&message.change) {
                self.raw_delete(key);
            }
        }
        Ok(())
    }
}

impl Reader {
    /// Returns up to `limit` messages whose last change is not in the index.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub fn unindexed(&self, tenant: TenantId, limit: usize) -> Result<Vec<UnindexedMessage>> {
        let range = KeyRange::prefix(&keys::head(UNINDEXED, tenant));
        let entries = self.walk_untracked(range, Direction::Forward, limit).take(limit);
        let decode = |(key, change): (Bytes, Bytes)| {
            Ok(UnindexedMessage { id: RecordKey::decode(&key[HEAD..])?, change })
        };
        entries.map(|entry| entry.and_then(decode)).collect()
    }
}
