//! Scans over tables and indexes, in pages.

use crate::engine::{Direction, KeyRange, after_prefix};
use crate::error::{Error, Result};
use crate::keys::{HEAD, RecordKey};
use crate::record::Record;
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use std::fmt;

/// Selects rows: which ones, in which order, and how many.
#[derive(Clone, Debug)]
pub struct Scan {
    pub(crate) index: Option<&'static str>,
    pub(crate) prefix: Vec<u8>,
    pub(crate) from: Option<Vec<u8>>,
    pub(crate) after: Option<Cursor>,
    pub(crate) direction: Direction,
    pub(crate) limit: usize,
    pub(crate) bytes: usize,
    pub(crate) allows_phantoms: bool,
}

impl Scan {
    fn new(index: Option<&'static str>) -> Self {
        Self {
            index,
            prefix: Vec::new(),
            from: None,
            after: None,
            direction: Direction::Forward,
            limit: usize::MAX,
            bytes: usize::MAX,
            allows_phantoms: false,
        }
    }

    /// Selects all rows of the table, ordered by id.
    pub fn table() -> Self {
        Self::new(None)
    }

    /// Selects the rows of an index, ordered by index value and then by id.
    pub fn index(name: &'static str) -> Self {
        Self::new(Some(name))
    }

    /// Selects only ids, or index values, that begin with these bytes.
    pub fn prefix(mut self, prefix: impl Into<Vec<u8>>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets where to begin within the prefix. Forward, this is the lowest value (inclusive); in reverse, it is the
    /// highest value, including all values that begin with it.
    pub fn from(mut self, bound: impl Into<Vec<u8>>) -> Self {
        self.from = Some(bound.into());
        self
    }

    /// Continues after the last row of an earlier page of the same scan.
    pub fn after(mut self, cursor: impl Into<Option<Cursor>>) -> Self {
        self.after = cursor.into();
        self
    }

    /// Returns the rows in descending order.
    pub fn reverse(mut self) -> Self {
        self.direction = Direction::Reverse;
        self
    }

    /// Limits the number of rows (at least one). Without a limit, all rows are returned.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit.max(1);
        self
    }

    /// Ends the page once the stored sizes of its rows add up to this many bytes, even below the limit. A page has at
    /// least one row.
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Within a transaction, rows that others add to the scanned range before the commit are not a conflict. For
    /// repeated work that picks up the new rows the next time, on ranges with many writers. Never use it to enforce a
    /// limit or a rule on the rows that a scan finds.
    pub fn allow_phantoms(mut self) -> Self {
        self.allows_phantoms = true;
        self
    }

    /// The range of keys to read, given the head (table and tenant) of the keys.
    pub(crate) fn range(&self, head: &[u8]) -> Result<KeyRange> {
        let whole = [head, &self.prefix].concat();
        let mut range = KeyRange::prefix(&whole);
        if let Some(bound) = &self.from {
            let bound = [whole.as_slice(), bound].concat();
            match self.direction {
                Direction::Forward => range.start = bound,
                Direction::Reverse => range.end = after_prefix(&bound),
            }
        }
        if let Some(Cursor { table, rest }) = &self.after {
            if table[..] != head[..2] {
                return Err(Error::Invalid("the cursor belongs to another list".into()));
            }
            let mut key = [&head[..HEAD], rest].concat();
            match self.direction {
                Direction::Forward => {
                    key.push(0);
                    range.start = range.start.max(key);
                }
                Direction::Reverse => range.end = range.end.min(key),
            }
        }
        Ok(range)
    }
}

/// A part of a list, and the cursor of the next part.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows of the page, in key order.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Converts each item of the page.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next }
    }
}

/// A position in a list, opaque to clients. Its text form contains only characters that need no escaping in a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    table: [u8; 2],
    rest: Vec<u8>,
}

impl Cursor {
    pub(crate) fn at(key: &[u8]) -> Self {
        Self { table: [key[0], key[1]], rest: key[HEAD..].to_vec() }
    }

    /// The position after the row with this id, in table order.
    pub fn after_row<T: Record>(id: &T::Id) -> Self {
        let mut rest = Vec::with_capacity(32);
        id.encode(&mut rest);
        Self { table: T::TABLE, rest }
    }

    /// A position that two rows determine, in a list that is not a scan.
    pub fn after_pair<T: Record>(first: &T::Id, second: &T::Id) -> Self {
        let mut rest = Vec::with_capacity(64);
        first.encode(&mut rest);
        second.encode(&mut rest);
        Self { table: T::TABLE, rest }
    }

    /// The rows of a cursor that [`after_pair`](Self::after_pair) made, for ids of a fixed length. `Err(Invalid)` if it
    /// belongs to another list.
    pub fn pair<T: Record>(&self) -> Result<(T::Id, T::Id)> {
        let other = |_| Error::Invalid("the cursor belongs to another list".into());
        let table = if self.table == T::TABLE { &self.rest[..] } else { &[] };
        let (first, second) = table.split_at(table.len() / 2);
        Ok((T::Id::decode(first).map_err(other)?, T::Id::decode(second).map_err(other)?))
    }

    /// Parses the text form of a cursor. `Err(Invalid)` if it is not one.
    pub fn parse(text: &str) -> Result<Self> {
        let bytes = HEXLOWER_PERMISSIVE
            .decode(text.as_bytes())
            .ok()
            .filter(|bytes| bytes.len() >= 2 && bytes.len() <= 1024);
        let bytes = bytes.ok_or_else(|| Error::Invalid("not a cursor".into()))?;
        Ok(Self { table: [bytes[0], bytes[1]], rest: bytes[2..].to_vec() })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&[&self.table[..], &self.rest].concat()))
    }
}
