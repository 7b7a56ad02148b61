//! Reading rows.

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

/// Keys and values fetched from the engine at once.
const CHUNK: usize = 64;
/// Bytes of keys and values fetched from the engine at once, roughly at most.
const CHUNK_BYTES: usize = 1 << 20;
/// Rows in memory at once where rows are looked at one after the other.
const VISITED: usize = 16;

/// What a transaction has seen and written so far. A plain reader has none.
#[derive(Default)]
pub(crate) struct TxState {
    /// What each key held when it was first read: the preconditions of the commit.
    pub seen: HashMap<Bytes, Option<Bytes>>,
    /// What the transaction writes; `None` deletes.
    pub writes: BTreeMap<Bytes, Option<Bytes>>,
    /// The key ranges that were scanned, in which nothing may be created or deleted before the commit.
    pub ranges: Option<RangeReads>,
}

/// Reads rows. Each row is whole, and everything returned by [`Store::read`](crate::Store::read)
/// is durable; but rows read one after the other may be of different moments. What must fit
/// together belongs into [`Store::run`](crate::Store::run), which checks at the end that nothing
/// it read has changed.
pub struct Reader {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) own: Option<RefCell<TxState>>,
    /// Watches the ranges that a transaction scans.
    recent: Option<Arc<RecentWrites>>,
    /// Opens secrets, for those who may see any.
    pub(crate) secrets: Option<Arc<SecretsKey>>,
    /// How many rows there may be.
    pub(crate) counts: CountLimits,
}

impl Reader {
    /// For those who look at rows alone.
    pub(crate) fn new(engine: Arc<dyn Engine>) -> Self {
        Self { engine, own: None, recent: None, secrets: None, counts: CountLimits::default() }
    }

    /// Opens secrets, too.
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

    /// The value of a key, with the transaction's own writes in view.
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

    /// The value of a key as the transaction has it: what it writes, else what it read, also of what it
    /// deletes, else what is stored. Not a precondition of the commit.
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

    /// Walks over the keys of a range, with the transaction's own writes in view. As far as the walk goes, the
    /// transaction depends on which keys there are.
    pub(crate) fn walk(&self, range: KeyRange, direction: Direction, chunk: usize) -> Walk<'_> {
        if let (Some(own), Some(recent)) = (&self.own, &self.recent) {
            // Before the first read, so that no commit is missed.
            own.borrow_mut().ranges.get_or_insert_with(|| recent.open());
        }
        let guard = self.own.as_ref().map(|own| (own, range.clone()));
        let mut walk = self.walk_loosely(range, direction, chunk);
        walk.guard = guard;
        walk
    }

    /// [`walk`](Self::walk) where keys that others create or delete are no conflict.
    pub(crate) fn walk_loosely(&self, range: KeyRange, direction: Direction, chunk: usize) -> Walk<'_> {
        let mut own = Vec::new();
        if let Some(state) = &self.own
            && !range.is_empty()
        {
            let bounds = (range.start.as_slice(), range.end.as_slice());
            let bounds = (std::ops::Bound::Included(bounds.0), std::ops::Bound::Excluded(bounds.1));
            let writes = &state.borrow().writes;
            own = writes.range::<[u8], _>(bounds).map(|(key, value)| (key.clone(), value.clone())).collect();
            // Taken from the end, so the order is turned round.
            if direction == Direction::Forward {
                own.reverse();
            }
        }
        let (engine, ready, last) = (&*self.engine, Vec::new(), None);
        Walk { engine, range: Some(range), direction, chunk, ready, own, last, ended: false, guard: None }
    }

    /// The row with this id.
    pub fn get<T: Record>(&self, tenant: TenantId, id: &T::Id) -> Result<Option<Row<T>>> {
        let value = self.raw_get(&keys::record_key(T::TABLE, tenant, id))?;
        value.map(|value| Row::decode(id.clone(), &value)).transpose()
    }

    /// [`get`](Self::get) for rows that nearly every request reads: the row is decoded again only if it was written since the
    /// last call.
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

    /// The row with this id, or `Err(NotFound)`.
    pub fn require<T: Record>(&self, tenant: TenantId, id: &T::Id) -> Result<Row<T>> {
        self.get(tenant, id)?.ok_or(Error::NotFound(T::NAME))
    }

    /// The row that has this value of a unique index.
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

    /// A page of rows.
    pub fn scan<T: Record>(&self, tenant: TenantId, scan: Scan) -> Result<Page<Row<T>>> {
        let index = scan.index.map(index_of::<T>).transpose()?;
        let head = keys::head(index.map_or(T::TABLE, |index| index.table), tenant);
        let chunk = scan.limit.saturating_add(1).min(CHUNK);
        let mut page = Page { items: Vec::new(), next: None };
        let (mut last, mut bytes): (Option<Bytes>, usize) = (None, 0);
        for entry in self.walk_as_asked(&scan, &head, chunk)? {
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

    /// Calls `look` with one row of a scan after the other, until it returns false. Only a few rows are in
    /// memory at a time.
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

    /// The heads of all rows whose ids begin with `prefix`, in the order of the ids. Bodies are not decoded,
    /// and only a few are in memory at a time.
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

    /// A page of rows of which some may not be readable: each of those is told of in its place, and hides no other. For
    /// work that goes over all rows; see [`isolated`](crate::isolated).
    ///
    /// # Errors
    /// The engine failed.
    pub fn scan_each<T: Record>(&self, tenant: TenantId, scan: Scan) -> Result<Page<Result<Row<T>>>> {
        let index = scan.index.map(index_of::<T>).transpose()?;
        let head = keys::head(index.map_or(T::TABLE, |index| index.table), tenant);
        let chunk = scan.limit.saturating_add(1).min(CHUNK);
        let mut page = Page { items: Vec::new(), next: None };
        let mut last: Option<Bytes> = None;
        for entry in self.walk_as_asked(&scan, &head, chunk)? {
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

    /// All rows of a tenant that can be read; the others are passed over, each an [`isolated`](crate::isolated) failure
    /// of the task.
    ///
    /// # Errors
    /// The engine failed.
    pub fn scan_readable<T: Record>(
        &self,
        task: &'static str,
        tenant: TenantId,
        scan: Scan,
    ) -> Result<Vec<Row<T>>> {
        let rows = self.scan_each::<T>(tenant, scan)?.items.into_iter();
        Ok(rows.filter_map(|row| isolated(task, format_args!("tenant {}", tenant.0), row)).collect())
    }

    fn walk_as_asked(&self, scan: &Scan, head: &[u8], chunk: usize) -> Result<Walk<'_>> {
        let range = scan.range(head)?;
        Ok(match scan.allows_phantoms {
            true => self.walk_loosely(range, scan.direction, chunk),
            false => self.walk(range, scan.direction, chunk),
        })
    }

    /// How many rows a scan finds, without reading any. A transaction depends on the number, but not on the rows.
    pub fn count<T: Record>(&self, tenant: TenantId, scan: Scan) -> Result<u64> {
        let index = scan.index.map(index_of::<T>).transpose()?;
        let head = keys::head(index.map_or(T::TABLE, |index| index.table), tenant);
        let found = self.walk_as_asked(&scan, &head, CHUNK)?.take(scan.limit);
        found.map(|entry| entry.map(|_| 1)).sum()
    }

    /// Decodes a row found by a scan; from then on the transaction depends on it.
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

    /// The row behind an index entry, and its stored size. Between reading the two, the row may have been changed or
    /// deleted by someone else; then it is no longer found here.
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

/// The index of this name. Asking for one that the record does not declare is a mistake in the
/// program, told as `Err(Invalid)`.
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
    /// What is left to fetch; `None` when the engine has no more.
    range: Option<KeyRange>,
    direction: Direction,
    chunk: usize,
    /// Fetched and not yet handed out, the next one last.
    ready: Vec<(Bytes, Bytes)>,
    /// The transaction's writes in the range, the next one last.
    own: Vec<(Bytes, Option<Bytes>)>,
    /// The last key that was handed out.
    last: Option<Bytes>,
    /// Whether the end was reached.
    ended: bool,
    /// Where a transaction notes how far the walk went, and the whole range.
    guard: Option<(&'a RefCell<TxState>, KeyRange)>,
}

impl Drop for Walk<'_> {
    fn drop(&mut self) {
        let Some((own, mut range)) = self.guard.take() else { return };
        match (&self.last, self.direction) {
            _ if self.ended => {}
            // Nothing was looked at.
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
        // A part of a range may have no keys that are left.
        while let Some(range) = self.range.take_if(|_| self.ready.is_empty()) {
            if range.is_empty() {
                break;
            }
            let Chunk { pairs, rest } = self.engine.chunk(range, self.direction, self.chunk, CHUNK_BYTES)?;
            (self.ready, self.range) = (pairs, rest);
            self.ready.reverse();
            // A walk that goes on is likely to be long.
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
            // An error ends the transaction; what it depends on is then taken as the whole range.
            Ok(None) | Err(_) => self.ended = true,
        }
        step.transpose()
    }
}

impl TxState {
    /// The batch that commits what was written, on condition that what was read still holds.
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
