//! Transactions: they see their own writes and commit all of them or none.

use crate::change_notifications::{ChangeNotifications, ChangeNotifier};
use crate::engine::range_reads::RecentWrites;
use crate::engine::{Batch, Engine};
use crate::error::{Error, Result};
use crate::growth::Charges;
use crate::ids::TenantId;
use crate::keys::{self, RecordKey};
use crate::limits::{CountLimits, StoredLimits};
use crate::reader::{Reader, TxState, entries};
use crate::record::{Growth, Record, Row, decode_head};
use crate::records::usage::UsageMetrics;
use crate::secrets_key::SecretsKey;
use crate::time::Timestamp;
use bytes::Bytes;
use std::ops::Deref;
use std::sync::Arc;
use telemetry::trace::SpanContext;

/// A transaction. Reads (see [`Reader`], to which it derefs) see the transaction's own writes, and writes maintain the
/// indexes. The commit succeeds only if none of the data that was read has changed since. This includes the absence of
/// rows: a row that another transaction adds to a scanned or counted range is a conflict, so a limit on a number of
/// rows is also enforced under parallel requests. [`Scan::allow_phantoms`](crate::Scan::allow_phantoms) disables this
/// check.
pub struct Tx {
    reader: Reader,
    extra: Batch,
    notifications: ChangeNotifications,
    charges: Charges,
    pub(crate) secrets: Arc<SecretsKey>,
    /// The trace span that the transaction works for.
    pub(crate) origin: Option<SpanContext>,
}

impl Deref for Tx {
    type Target = Reader;
    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl Tx {
    pub(crate) fn new(
        engine: Arc<dyn Engine>,
        notifier: Arc<ChangeNotifier>,
        secrets: Arc<SecretsKey>,
        recent: Arc<RecentWrites>,
        counts: CountLimits,
    ) -> Self {
        Self {
            reader: Reader::tracking(engine, secrets.clone(), recent, counts),
            extra: Batch::new(),
            notifications: ChangeNotifications::new(notifier),
            charges: Charges::default(),
            secrets,
            origin: None,
        }
    }

    fn own_writes(&mut self) -> &mut TxState {
        self.reader.own.get_or_insert_default().get_mut()
    }

    pub(crate) fn raw_put(&mut self, key: impl Into<Bytes>, value: impl Into<Bytes>) {
        self.own_writes().writes.insert(key.into(), Some(value.into()));
    }

    pub(crate) fn raw_delete(&mut self, key: impl Into<Bytes>) {
        self.own_writes().writes.insert(key.into(), None);
    }

    /// Stores a new row, at version 1. `Err(Taken)` if the id or the value of a unique index is in use.
    ///
    /// This and the following functions do not compile for records that have functions of their own:
    ///
    /// ```
    /// fn insert(tx: &mut storage::Tx, id: uuid::Uuid) {
    ///     let _ = tx.insert(storage::TenantId(id), id, storage::records::Conversation::default());
    /// }
    /// # let _: fn(&mut storage::Tx, uuid::Uuid) = insert;
    /// ```
    /// ```compile_fail
    /// fn insert(tx: &mut storage::Tx, id: uuid::Uuid) {
    ///     let _ = tx.insert(storage::TenantId(id), (id, id), storage::records::Message::default());
    /// }
    /// # let _: fn(&mut storage::Tx, uuid::Uuid) = insert;
    /// ```
    pub fn insert<T: Record>(&mut self, tenant: TenantId, id: T::Id, body: T) -> Result<Row<T>> {
        const { assert!(!T::HAS_OWN_WRITES, "this record is inserted by a function of its own") };
        self.insert_row(tenant, id, body)
    }

    pub(crate) fn insert_row<T: Record>(&mut self, tenant: TenantId, id: T::Id, body: T) -> Result<Row<T>> {
        let key = keys::record_key(T::TABLE, tenant, &id);
        if self.raw_get(&key)?.is_some() {
            return Err(Error::Taken { record: T::NAME, index: "id" });
        }
        let now = Timestamp::now();
        let row = Row { id, version: 1, created_at: now, updated_at: now, body };
        self.keep_indexes(tenant, None, Some(&row))?;
        let value = row.encode()?;
        self.charges.note(tenant, None, Some((&row, &value)));
        self.raw_put(key, value);
        self.note_change(tenant, &row);
        self.notifications.rights |= T::changes_rights(None, Some(&row.body));
        Ok(row)
    }

    /// Stores a changed row at the next version, and returns the stored row. `Err(Stale)` unless `row.version` is the
    /// stored version, `Err(NotFound)` if the row does not exist, `Err(Taken)` as in [`insert`](Self::insert).
    pub fn update<T: Record>(&mut self, tenant: TenantId, row: Row<T>) -> Result<Row<T>> {
        const { assert!(!T::HAS_OWN_WRITES, "this record is changed by a function of its own") };
        self.update_row(tenant, row)
    }

    pub(crate) fn update_row<T: Record>(&mut self, tenant: TenantId, row: Row<T>) -> Result<Row<T>> {
        self.write_over(tenant, None, row)
    }

    /// Like [`update`](Self::update), for a row that this transaction has already read as `old`, so that the stored row
    /// is not decoded again.
    pub fn replace<T: Record>(&mut self, tenant: TenantId, old: &Row<T>, row: Row<T>) -> Result<Row<T>> {
        const { assert!(!T::HAS_OWN_WRITES, "this record is changed by a function of its own") };
        self.write_over(tenant, Some(old), row)
    }

    fn write_over<T: Record>(
        &mut self,
        tenant: TenantId,
        known: Option<&Row<T>>,
        mut row: Row<T>,
    ) -> Result<Row<T>> {
        let key = keys::record_key(T::TABLE, tenant, &row.id);
        let stored = self.raw_get(&key)?.ok_or(Error::NotFound(T::NAME))?;
        let head = decode_head(&stored)?;
        if head.version != row.version {
            return Err(Error::Stale(T::NAME));
        }
        row.version += 1;
        row.created_at = head.created_at;
        row.updated_at = Timestamp::now().max(head.updated_at);
        let value = row.encode()?;
        if !T::INDEXES.is_empty() || T::DECIDES || matches!(T::GROWTH, Growth::Metered { .. }) {
            let decoded = match known {
                Some(old) if old.id == row.id && old.version == head.version => None,
                _ => Some(Row::<T>::decode(row.id.clone(), &stored)?),
            };
            let Some(old) = decoded.as_ref().or(known) else { return Err(Error::NotFound(T::NAME)) };
            self.keep_indexes(tenant, Some(old), Some(&row))?;
            self.charges.note(tenant, Some((old, &stored)), Some((&row, &value)));
            self.notifications.rights |= T::changes_rights(Some(&old.body), Some(&row.body));
        }
        self.raw_put(key, value);
        self.note_change(tenant, &row);
        Ok(row)
    }

    /// Deletes a row with its index entries. Returns whether the row existed.
    pub fn delete<T: Record>(&mut self, tenant: TenantId, id: &T::Id) -> Result<bool> {
        const { assert!(!T::HAS_OWN_WRITES, "this record is deleted by a function of its own") };
        self.delete_row::<T>(tenant, id)
    }

    pub(crate) fn delete_row<T: Record>(&mut self, tenant: TenantId, id: &T::Id) -> Result<bool> {
        let key = keys::record_key(T::TABLE, tenant, id);
        let Some(stored) = self.raw_get(&key)? else { return Ok(false) };
        let row = Row::<T>::decode(id.clone(), &stored)?;
        self.keep_indexes(tenant, Some(&row), None)?;
        self.charges.note(tenant, Some((&row, &stored)), None);
        self.raw_delete(key);
        self.note_change(tenant, &row);
        self.notifications.rights |= T::changes_rights(Some(&row.body), None);
        Ok(true)
    }

    /// Further writes of the same commit: journal appends and additions to counters. Reads of this transaction do not
    /// see them.
    pub fn batch(&mut self) -> &mut Batch {
        &mut self.extra
    }

    /// Records a use of a model, which the metrics count once the commit is durable.
    pub(crate) fn counted_after_commit(&mut self, booked: UsageMetrics) {
        self.notifications.booked.push(booked);
    }

    /// The span that this transaction works for, as a W3C `traceparent`, for work that continues after the transaction.
    pub fn trace(&self) -> Option<String> {
        self.origin.map(|origin| origin.to_string())
    }

    /// Reports a change of rights that is caused by rows whose type does not decide on rights by itself: see
    /// [`Record::DECIDES`].
    pub fn change_rights(&mut self) {
        self.notifications.rights = true;
    }

    fn note_change<T: Record>(&mut self, tenant: TenantId, row: &Row<T>) {
        if let Some(conversation) = T::notifies(&row.id, &row.body) {
            self.notifications.add(tenant, conversation);
        }
    }

    fn keep_indexes<T: Record>(
        &mut self,
        tenant: TenantId,
        old: Option<&Row<T>>,
        new: Option<&Row<T>>,
    ) -> Result<()> {
        for index in T::INDEXES {
            let keys_of = |row: Option<&Row<T>>| -> Vec<_> {
                row.map(|row| entries(index, tenant, row).collect()).unwrap_or_default()
            };
            let (before, after) = (keys_of(old), keys_of(new));
            for key in before.iter().filter(|key| !after.contains(key)) {
                self.raw_delete(key.clone());
            }
            let Some(new) = new else { continue };
            for key in after.into_iter().filter(|key| !before.contains(key)) {
                if index.unique && self.raw_get(&key)?.is_some() {
                    return Err(Error::Taken { record: T::NAME, index: index.name });
                }
                let mut id = Vec::with_capacity(32);
                new.id.encode(&mut id);
                self.raw_put(key, id);
            }
        }
        Ok(())
    }

    /// Records that [`raw_delete`](Self::raw_delete) deletes a row of a metered type.
    pub(crate) fn note_deleted<T: Record>(&mut self, tenant: TenantId, row: &Row<T>, stored: &[u8]) {
        self.charges.note(tenant, Some((row, stored)), None);
    }

    /// Adds the written bytes to the counters of stored bytes. With `limits`, refuses a transaction that exceeds one.
    pub(crate) fn settle_charges(&mut self, limits: Option<StoredLimits>) -> Result<()> {
        std::mem::take(&mut self.charges).settle(&self.reader, limits, &mut self.extra)
    }

    pub(crate) fn finish(mut self) -> (Batch, ChangeNotifications) {
        let mut batch = std::mem::take(self.own_writes()).into_batch();
        batch.append(self.extra);
        (batch, self.notifications)
    }
}
