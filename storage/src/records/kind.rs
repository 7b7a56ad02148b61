//! Kinds of records without their types, for code that processes all of them.
//!
//! Code that is generic over the record would be compiled for each of the more than sixty kinds.

use crate::blobs::BlobId;
use crate::error::Result;
use crate::keys::{self, HEAD, RecordKey};
use crate::reader::entries;
use crate::record::{Growth, Owner, Record, Row};

/// Computes something from the key and the value of a row.
pub(crate) type OfRow<T> = fn(&[u8], &[u8]) -> Result<T>;

/// The keys in one index that a row should have.
pub(crate) type Entries = Vec<Vec<u8>>;

/// A kind of record.
pub(crate) struct Kind {
    /// The first two bytes of the record's keys.
    pub table: [u8; 2],
    /// Name of the record in error messages.
    pub name: &'static str,
    /// The indexes, in the order of the lists that [`entries`](Self::entries) returns.
    pub indexes: Vec<KindIndex>,
    /// What bounds the number of rows: the class of the bound, and the setting or rule.
    pub bound: (&'static str, &'static str),
    /// The keys in each index that a row should have.
    pub entries: OfRow<Vec<Entries>>,
    /// The blobs that a row references, if rows of this kind have blobs.
    pub blobs: Option<OfRow<Vec<BlobId>>>,
    /// The owner that a row is charged to and the bytes of the files that it references, if the kind
    /// is metered.
    pub charge: Option<OfRow<(Owner, u64)>>,
}

/// An index of a kind of record.
pub(crate) struct KindIndex {
    /// The first two bytes of the index's keys.
    pub table: [u8; 2],
    /// Name of the index in error messages.
    pub name: &'static str,
    /// Whether a value identifies at most one row.
    pub unique: bool,
}

impl Kind {
    pub(super) fn of<T: Record>() -> Self {
        let indexes = T::INDEXES.iter();
        let is_metered = matches!(T::GROWTH, Growth::Metered { .. });
        Self {
            table: T::TABLE,
            name: T::NAME,
            indexes: indexes
                .map(|index| KindIndex { table: index.table, name: index.name, unique: index.unique })
                .collect(),
            bound: match T::GROWTH {
                Growth::Metered { also, .. } => ("metered", also),
                Growth::Counted(by) => ("counted", by),
                Growth::OnePer(by) => ("one per", by),
                Growth::Expires(by) => ("expires", by),
                Growth::Server(by) => ("server", by),
            },
            entries: entries_of::<T>,
            blobs: T::BLOBS.map(|_| blobs_of::<T> as OfRow<Vec<BlobId>>),
            charge: is_metered.then_some(charge_of::<T>),
        }
    }
}

fn row<T: Record>(key: &[u8], value: &[u8]) -> Result<Row<T>> {
    Row::decode(T::Id::decode(key.get(HEAD..).unwrap_or_default())?, value)
}

fn entries_of<T: Record>(key: &[u8], value: &[u8]) -> Result<Vec<Entries>> {
    let (tenant, row) = (keys::tenant(key)?, row::<T>(key, value)?);
    Ok(T::INDEXES.iter().map(|index| entries(index, tenant, &row).collect()).collect())
}

fn blobs_of<T: Record>(key: &[u8], value: &[u8]) -> Result<Vec<BlobId>> {
    let row = row::<T>(key, value)?;
    Ok(T::BLOBS.map(|blobs| blobs(&row.body)).unwrap_or_default())
}

fn charge_of<T: Record>(key: &[u8], value: &[u8]) -> Result<(Owner, u64)> {
    let row = row::<T>(key, value)?;
    Ok(match T::GROWTH {
        Growth::Metered { owner, files, .. } => (owner(&row.id, &row.body), files(&row.body)),
        _ => (Owner::Tenant, 0),
    })
}
