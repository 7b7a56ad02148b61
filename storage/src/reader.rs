//! Reads of rows, by id and by scan.

use crate::decoded;
use crate::engine::range_reads::{RangeReads, RecentWrites};
use crate::engine::{Batch, Chunk, Direction, Engine, KeyRange};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::isolated::isolated;
use crate::keys::{self, HEAD, RecordKey};
use crate::limits::CountLimits;
use crate::record::{Head, Index, Record, Row, RowMeta, decode_head};
use crate::scan::{Cursor, Page, Scan};
use crate::secrets_key::SecretsKey;
use bytes::Bytes;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Number of keys and values fetched from the engine at a time.
const CHUNK: usize = 64;
/// Approximate limit on the bytes of keys and values fetched from the engine at a time.
const CHUNK_BYTES: usize = 1 << 20;
/// Rows held in memory at a time when rows are visited one after the other.
const VISITED: usize = 16;

/// The reads and writes of a transaction so far. A plain reader has none.
#[derive(Default)]
pub(crate) struct TxState {
    /// The value of each key when it was first read: the preconditions of the commit.
    pub seen: HashMap<Bytes, Option<Bytes>>,
    /// The writes of the transaction; `None` deletes the key.
    pub writes: BTreeMap<Bytes, Option<Bytes>>,
    /// The scanned key ranges, in which no key may be created or deleted before the commit.
    pub ranges: Option<RangeReads>,
}

/// Reads rows. Each row is consistent in itself, and everything returned by [`Store::read`](crate::Store::read) is
/// durable. However, rows read one after the other may be from different moments. Reads that must be consistent with
/// each other belong in [`Store::run`](crate::Store::run), which checks before the commit that none of them has
/// changed.
pub struct Reader {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) own: Option<RefCell<TxState>>,
    /// The recent writes that conflicts of scanned ranges are detected with. Only in transactions.
    recent: Option<Arc<RecentWrites>>,
    /// The key that decrypts secrets, for readers that may see them.
    pub(crate) secrets: Option<Arc<SecretsKey>>,
    /// The limits on numbers of rows.
    pub(crate) counts: CountLimits,
}

impl Reader {
    /// Creates a reader that cannot decrypt secrets.
    pub(crate) fn new(engine: Arc<dyn Engine>) -> Self {
        Self { engine, own: None, recent: None, secrets: None, counts: CountLimits::default() }
    }

    /// Creates a reader that can also decrypt secrets.
    pub(crate) fn with_secrets(
        engine: Arc<dyn Engine>,
        secrets: Arc<SecretsKey>,
        counts: CountLimits,
    ) -> Self {
        Self { engine, own: None, recent: None, secrets: Some(secrets), counts }
    }

    pub(crate) fn tracking(
        engine: Arc<dyn Engine>,
        secrets: Arc<SecretsKey>,
        recent: Arc<RecentWrites>,
        counts: CountLimits,
    ) -> Self {
        Self { engine, own: Some(RefCell::default()), recent: Some(recent), secrets: Some(secrets), counts }
    }

    /// The value of a key, including the transaction's own writes.
    pub(crate) fn raw_get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let Some(own) = &self.own else { return self.engine.get(key) };
        let mut own = own.borrow_mut();
        if let Some(written) = own.writes.get(key) {
            return Ok(written.clone());
        }
        if let Some(seen) = own.seen.get(key) {
            return Ok(seen.clone());
        }
        let value = self.engine.get(key)?;
        own.seen.insert(Bytes::copy_from_slice(key), value.clone());
        Ok(value)
    }

    /// The value of a key from the point of view of the transaction: the value it writes, otherwise the value it read
    /// (even if it deletes the key), otherwise the stored value. Does not become a precondition of the commit.
    pub(crate) fn peek(&self, key: &[u8]) -> Result<Option<Bytes>> {
        if let Some(own) = &self.own {
            let own = own.borrow();
            if let Some(value) =
                own.writes.get(key).cloned().flatten().or_else(|| own.seen.get(key).cloned().flatten())
            {
                return Ok(Some(value));
            }
        }
        self.engine.get(key)
    }

    /// Iterates over the keys of a range, including the transaction's own writes. The transaction depends on the set of
    /// keys in the part of the range that was iterated over.
    pub(crate) fn walk(&self, range: KeyRange, direction: Direction, chunk: usize) -> Walk<'_> {
        if let (Some(own), Some(recent)) = (&self.own, &self.recent) {
            // Before the first read, so that no concurrent commit is missed.
            own.borrow_mut().ranges.get_or_insert_with(|| recent.open());
        }
        let guard = self.own.as_ref().map(|own| (own, range.clone()));
        let mut walk = self.walk_untracked(range, direction, chunk);
        walk.guard = guard;
        walk
    }

    /// Like [`walk`](Self::walk), but keys that others create or delete in the range are not a conflict.
    pub(crate) fn walk_untracked(&self, range: KeyRange, direction: Direction, chunk: usize) -> Walk<'_> {
        let mut own = Vec::new();
        if let Some(state) = &self.own
            && !range.is_empty()
        {
            let bounds = (range.start.as_slice(), range.end.as_slice());
            let bounds = (std::ops::Bound::Included(bounds.0), std::ops::Bound::Excluded(bounds.1));
            let writes = &state.borrow().writes;
            own = writes.range::<[u8], _>(bounds).map(|(key, value)| (key.clone(), value.clone())).collect();
            // The entries are popped from the end, so the order is reversed.
            if direction == Direction::Forward {
                own.reverse();
            }
        }
        let (engine, ready, last) = (&*self.engine, Vec::new(), None);
        Walk { engine, range: Some(range), direction, chunk, ready, own, last, ended: false, guard: None }
    }

    /// Returns the row with this id, if it exists.
    pub fn get<T: Record>(&self, tenant: TenantId, id: &T::Id) -> Result<Option<Row<T>>> {
        let value = self.raw_get(&keys::record_key(T::TABLE, tenant, id))?;
        value.map(|value| Row::decode(id.clone(), &value)).transpose()
    }

    /// Like [`get`](Self::get), for rows that nearly every request reads: the row is decoded again only if it was
    /// written since the last call.
    pub fn get_shared<T: Record>(&self, tenant: TenantId, id: &T::Id) -> Result<Option<Arc<Row<T>>>> {
        let key = keys::record_key(T::TABLE, tenant, id);
        let Some(value) = self.raw_get(&key)? else { return Ok(None) };
        if let Some(row) = decoded::find(&key, &value) {
            return Ok(Some(row));
        }
        let row = Arc::new(Row::decode(id.clone(), &value)?);
        decoded::insert(key, value, &row);
        Ok(Some(row))
    }

    /// Returns the row with this id, or `Err(NotFound)`.
    pub fn require<T: Record>(&self, tenant: TenantId, id: &T::Id) -> Result<Row<T>> {
        self.get(tenant, id)?.ok_or(Error::NotFound(T::NAME))
    }

    /// Returns the row that has this value in a unique index.
    pub fn by_unique<T: Record>(
        &self,
        tenant: TenantId,
        index: &'static str,
        value: &[u8],
    ) -> Result<Option<Row<T>>> {
        let index = index_of::<T>(index)?;
        let key = [&keys::head(index.table, tenant), value].concat();
        match self.raw_get(&key)? {
            Some(id) => self.get(tenant, &T::Id::decode(&id)?),
            None => Ok(None),
        }
    }

    /// Returns one page of the rows that a scan selects.
    pub fn scan<T: Record>(&self, tenant: TenantId, scan: Scan) -> Result<Page<Row<T>>> {
        let index = scan.index.map(index_of::<T>).transpose()?;
        let head = keys::head(index.map_or(T::TABLE, |index| index.table), tenant);
        let chunk = scan.limit.saturating_add(1).min(CHUNK);
        let mut page = Page { items: Vec::new(), next: None };
        let (mut last, mut bytes): (Option<Bytes>, usize) = (None, 0);
        for entry in self.walk_for_scan(&scan, &head, chunk)? {
            let (key, value) = entry?;
            if page.items.len() == scan.limit || bytes >= scan.bytes {
                page.next = last.as_deref().map(Cursor::at);
                break;
            }
            let (row, size) = match index {
                None => {
                    let size = value.len();
                    (Some(self.seen_row::<T>(&key, value)?), size)
                }
                Some(index) => self.indexed_row(tenant, index, &key, &value)?,
            };
            if let Some(row) = row {
                bytes = bytes.saturating_add(size);
                page.items.push(row);
                last = Some(key);
            }
        }
        Ok(page)
    }

    /// Calls `look` for each row of a scan until it returns false. Only a few rows are in memory at a time.
    pub fn visit<T: Record>(
        &self,
        tenant: TenantId,
        scan: Scan,
        mut look: impl FnMut(Row<T>) -> bool,
    ) -> Result<()> {
        let mut part = scan.clone().limit(VISITED);
        loop {
            let Page { items, next } = self.scan::<T>(tenant, part)?;
            if !items.into_iter().all(&mut look) {
                return Ok(());
            }
            let Some(next) = next else { return Ok(()) };
            part = scan.clone().limit(VISITED).after(next);
        }
    }

    /// The heads of all rows whose ids begin with `prefix`, ordered by id. Bodies are not decoded, and only a few are
    /// in memory at a time.
    pub fn heads<T: Record>(&self, tenant: TenantId, prefix: &[u8]) -> Result<Vec<RowMeta<T::Id>>> {
        let mut range = KeyRange::prefix(&[keys::head(T::TABLE, tenant).as_slice(), prefix].concat());
        let mut heads = Vec::new();
        loop {
            let walk = self.walk(range.clone(), Direction::Forward, VISITED).take(VISITED);
            let found = walk.collect::<Result<Vec<_>>>()?;
            for (key, value) in &found {
                let Head { version, created_at, updated_at } = decode_head(value)?;
                let (id, size) = (T::Id::decode(&key[HEAD..])?, value.len());
                heads.push(RowMeta { id, version, created_at, updated_at, size });
            }
            match found.last() {
                Some((last, _)) if found.len() == VISITED => range.start = [&last[..], &[0]].concat(),
                _ => return Ok(heads),
            }
        }
    }

    /// Returns a page of rows, some of which may be unreadable. An unreadable row is returned as an error in its
    /// position and does not hide the others. For background work that processes all rows; see
    /// [`isolated`](crate::isolated).
    ///
    /// # Errors
    /// Returns an error if the engine fails.
    pub fn scan_each<T: Record>(&self, tenant: TenantId, scan: Scan) -> Result<Page<Result<Row<T>>>> {
        let index = scan.index.map(index_of::<T>).transpose()?;
        let head = keys::head(index.map_or(T::TABLE, |index| index.table), tenant);
        let chunk = scan.limit.saturating_add(1).min(CHUNK);
        let mut page = Page { items: Vec::new(), next: None };
        let mut last: Option<Bytes> = None;
        for entry in self.walk_for_scan(&scan, &head, chunk)? {
            let (key, value) = entry?;
            if page.items.len() == scan.limit {
                page.next = last.as_deref().map(Cursor::at);
                break;
            }
            let row = match index {
                None => self.seen_row::<T>(&key, value).map(Some),
                Some(index) => self.indexed_row(tenant, index, &key, &value).map(|(row, _)| row),
            };
            match row {
                Ok(None) => continue,
                Ok(Some(row)) => page.items.push(Ok(row)),
                Err(why @ Error::Corrupt(_)) => page.items.push(Err(why)),
                Err(why) => return Err(why),
            }
            last = Some(key);
        }
        Ok(page)
    }

    /// Returns all readable rows of a tenant. Each unreadable row is skipped and reported as an
    /// [`isolated`](crate::isolated) failure of the task.
    ///
    /// # Errors
    /// Returns an error if the engine fails.
    pub fn scan_readable<T: Record>(
        &self,
        task: &'static str,
        tenant: TenantId,
        scan: Scan,
    ) -> Result<Vec<Row<T>>> {
        let rows = self.scan_each::<T>(tenant, scan)?.items.into_iter();
        Ok(rows.filter_map(|row| isolated(task, format_args!("tenant {}", tenant.0), row)).collect())
    }

    fn walk_for_scan(&self, scan: &Scan, head: &[u8], chunk: usize) -> Result<Walk<'_>> {
        let range = scan.range(head)?;
        Ok(match scan.allows_phantoms {
            true => self.walk_untracked(range, scan.direction, chunk),
            false => self.walk(range, scan.direction, chunk),
        })
    }

    /// Counts the rows that a scan selects, without decoding any. A transaction depends on the number, but not on the
    /// content of the rows.
    pub fn count<T: Record>(&self, tenant: TenantId, scan: Scan) -> Result<u64> {
        let index = scan.index.map(index_of::<T>).transpose()?;
        let head = keys::head(index.map_or(T::TABLE, |index| index.table), tenant);
        let found = self.walk_for_scan(&scan, &head, CHUNK)?.take(scan.limit);
        found.map(|entry| entry.map(|_| 1)).sum()
    }

    /// Returns the ids of the rows that a scan of an index selects, without reading the rows.
    ///
    /// # Errors
    /// Returns an error if the engine fails.
    pub fn ids<T: Record>(&self, tenant: TenantId, scan: Scan) -> Result<Vec<T::Id>> {
        let index = scan.index.map(index_of::<T>).transpose()?;
        let head = keys::head(index.map_or(T::TABLE, |index| index.table), tenant);
        let found = self.walk_for_scan(&scan, &head, CHUNK)?.take(scan.limit);
        let id =
            |(key, value): (Bytes, Bytes)| T::Id::decode(if index.is_some() { &value } else { &key[HEAD..] });
        found.map(|entry| entry.and_then(id)).collect()
    }

    /// Decodes a row that a scan returned. The transaction depends on the row from then on.
    fn seen_row<T: Record>(&self, key: &Bytes, value: Bytes) -> Result<Row<T>> {
        let row = Row::decode(T::Id::decode(&key[HEAD..])?, &value)?;
        if let Some(own) = &self.own {
            let mut own = own.borrow_mut();
            if !own.writes.contains_key(key) {
                own.seen.entry(key.clone()).or_insert(Some(value));
            }
        }
        Ok(row)
    }

    /// Returns the row of an index entry, and its stored size. A concurrent transaction may change or delete the row
    /// between the two reads; in that case no row is returned.
    fn indexed_row<T: Record>(
        &self,
        tenant: TenantId,
        index: &Index<T>,
        key: &[u8],
        id: &[u8],
    ) -> Result<(Option<Row<T>>, usize)> {
        let id = T::Id::decode(id)?;
        let stored = self.raw_get(&keys::record_key(T::TABLE, tenant, &id))?;
        let size = stored.as_ref().map_or(0, Bytes::len);
        let row = stored.map(|stored| Row::decode(id, &stored)).transpose()?;
        Ok((row.filter(|row| entries(index, tenant, row).any(|entry| entry == key)), size))
    }
}

/// Returns the index with this name. A name that the record does not declare is a programming error and returns
/// `Err(Invalid)`.
pub(crate) fn index_of<T: Record>(name: &'static str) -> Result<&'static Index<T>> {
    let found = T::INDEXES.iter().find(|index| index.name == name);
    found.ok_or_else(|| Error::Invalid(format!("{} has no index {name}", T::NAME)))
}

/// The keys of a row's entries in one index.
pub(crate) fn entries<T: Record>(
    index: &Index<T>,
    tenant: TenantId,
    row: &Row<T>,
) -> impl Iterator<Item = Vec<u8>> {
    let mut id = Vec::new();
    if !index.unique {
        row.id.encode(&mut id);
    }
    let head = keys::head(index.table, tenant);
    (index.keys)(row).into_iter().map(move |value| [head.as_slice(), &value, &id].concat())
}

/// An iterator over keys and values of the engine, merged with a transaction's own writes.
pub(crate) struct Walk<'a> {
    engine: &'a dyn Engine,
    /// The part of the range that is still to be fetched; `None` once the engine has no more.
    range: Option<KeyRange>,
    direction: Direction,
    chunk: usize,
    /// Fetched entries that have not been returned yet, the next one last.
    ready: Vec<(Bytes, Bytes)>,
    /// The transaction's writes in the range that have not been returned yet, the next one last.
    own: Vec<(Bytes, Option<Bytes>)>,
    /// The last key that was returned.
    last: Option<Bytes>,
    /// Whether the iterator reached the end.
    ended: bool,
    /// The transaction state in which the visited part of the range is recorded, and the whole range.
    guard: Option<(&'a RefCell<TxState>, KeyRange)>,
}

impl Drop for Walk<'_> {
    fn drop(&mut self) {
        let Some((own, mut range)) = self.guard.take() else { return };
        match (&self.last, self.direction) {
            _ if self.ended => {}
            // Nothing was read.
            (None, _) => return,
            (Some(last), Direction::Forward) => {
                range.end = last.to_vec();
                range.end.push(0);
            }
            (Some(last), Direction::Reverse) => range.start = last.to_vec(),
        }
        if let Some(ranges) = &mut own.borrow_mut().ranges {
            ranges.push(range);
        }
    }
}

impl Walk<'_> {
    fn fill(&mut self) -> Result<()> {
        // A part of a range may be empty because all its keys were deleted.
        while let Some(range) = self.range.take_if(|_| self.ready.is_empty()) {
            if range.is_empty() {
                break;
            }
            let Chunk { pairs, rest } = self.engine.chunk(range, self.direction, self.chunk, CHUNK_BYTES)?;
            (self.ready, self.range) = (pairs, rest);
            self.ready.reverse();
            // A walk that needs another chunk is likely to be long.
            self.chunk = (self.chunk * 2).clamp(2, 512);
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<(Bytes, Bytes)>> {
        loop {
            self.fill()?;
            let own_first = match (self.ready.last(), self.own.last()) {
                (None, None) => return Ok(None),
                (Some(_), None) => false,
                (None, Some(_)) => true,
                (Some((stored, _)), Some((own, _))) => match self.direction {
                    Direction::Forward => own <= stored,
                    Direction::Reverse => own >= stored,
                },
            };
            if !own_first {
                return Ok(self.ready.pop());
            }
            let Some((key, value)) = self.own.pop() else { return Ok(None) };
            if self.ready.last().is_some_and(|(stored, _)| *stored == key) {
                self.ready.pop();
            }
            if let Some(value) = value {
                return Ok(Some((key, value)));
            }
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<(Bytes, Bytes)>;
    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        match &step {
            Ok(Some((key, _))) if self.guard.is_some() => self.last = Some(key.clone()),
            Ok(Some(_)) => {}
            // An error ends the transaction; it then depends on the whole range.
            Ok(None) | Err(_) => self.ended = true,
        }
        step.transpose()
    }
}

impl TxState {
    /// The batch that commits the writes on condition that the data that was read is unchanged.
    pub fn into_batch(self) -> Batch {
        let mut batch = Batch::new();
        batch.reads.extend(self.ranges.map(Arc::new));
        for (key, value) in self.seen {
            batch.expect(key, value);
        }
        for (key, value) in self.writes {
            match value {
                Some(value) => batch.put(key, value),
                None => batch.delete(key),
            }
        }
        batch
    }
}
