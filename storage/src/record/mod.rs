//! Records: what is stored, under which key, with which indexes.

mod growth;

pub use growth::{Container, Growth, Owner};

use crate::blobs::BlobId;
use crate::error::{Error, Result};
use crate::keys::RecordKey;
use crate::time::Timestamp;
use bytes::Bytes;
use serde::{Serialize, Serializer};
use std::ops::{Deref, DerefMut};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AllOfBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

/// The stored form of a record's body. Its functions have no type parameters, so that they are compiled once, here, and not
/// again in every crate that reads or writes the record.
pub trait StoredForm: Sized {
    /// Reads a body.
    fn from_stored(bytes: &[u8]) -> serde_json::Result<Self>;
    /// Appends the body.
    fn write_stored(&self, to: &mut Vec<u8>) -> serde_json::Result<()>;
}

/// Implements [`StoredForm`] for a record: as JSON.
macro_rules! stored_as_json {
    ($record:ty) => {
        impl crate::record::StoredForm for $record {
            fn from_stored(bytes: &[u8]) -> serde_json::Result<Self> {
                serde_json::from_slice(bytes)
            }

            fn write_stored(&self, to: &mut Vec<u8>) -> serde_json::Result<()> {
                serde_json::to_writer(to, self)
            }
        }
    };
}
pub(crate) use stored_as_json;

/// A kind of thing that is stored. The tenant is not in the body but in the key.
pub trait Record: StoredForm + Serialize + Clone + Send + Sync + 'static {
    /// What tells one record of this kind from another within its tenant.
    type Id: RecordKey;
    /// The first two bytes of its keys; listed in [`records::TABLES`](crate::records::TABLES).
    const TABLE: [u8; 2];
    /// Its name in errors, for example `conversation`.
    const NAME: &'static str;
    /// What bounds how many rows, or how many bytes of them, there can be.
    const GROWTH: Growth<Self>;
    /// Its indexes, kept by [`Tx`](crate::Tx).
    const INDEXES: &'static [Index<Self>] = &[];
    /// The blobs that a row needs, if rows of this kind need any; those that no row needs are
    /// swept away.
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = None;

    /// Whether rows of this kind decide who may what, so that everyone who is known has to be looked up again
    /// once one is written: see [`Store::rights_epoch`](crate::Store::rights_epoch).
    const DECIDES: bool = false;

    /// Whether a write of a row changes anyone's rights, from what it was before (`None` for an insert) to what it is
    /// after (`None` for a delete). Asked only where [`DECIDES`](Self::DECIDES); kinds that are also written for
    /// reasons that have nothing to do with rights say which changes count.
    fn changes_rights(_before: Option<&Self>, _after: Option<&Self>) -> bool {
        Self::DECIDES
    }

    /// The conversation, or other topic, whose listeners are notified when this row is written or deleted.
    fn notifies(_id: &Self::Id, _body: &Self) -> Option<Uuid> {
        None
    }
}

/// A second way to find rows.
pub struct Index<T: Record> {
    /// The first two bytes of its keys.
    pub table: [u8; 2],
    /// Its name, which scans and `Taken` errors use.
    pub name: &'static str,
    /// Whether no two rows of a tenant may share a value.
    pub unique: bool,
    /// The values under which a row is found: none, one or many. Rows come in the order of these
    /// bytes; pieces of varying length must end themselves, see [`IndexKey`](crate::IndexKey).
    pub keys: fn(&Row<T>) -> Vec<Vec<u8>>,
}

/// A stored record with what the store knows about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<T: Record> {
    /// The row's id.
    pub id: T::Id,
    /// How often it was written, from 1.
    pub version: u64,
    /// Time of the insertion.
    pub created_at: Timestamp,
    /// When it was last written; never goes backwards.
    pub updated_at: Timestamp,
    /// The stored record.
    pub body: T,
}

impl<T: Record> Deref for Row<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.body
    }
}

impl<T: Record> DerefMut for Row<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.body
    }
}

#[derive(Serialize)]
struct RowView<'a, T> {
    id: String,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(flatten)]
    body: &'a T,
}

/// What an answer shows of every record, beside its body.
#[derive(ToSchema)]
#[allow(dead_code)]
struct RowHead {
    id: String,
    /// How often it was written, from 1.
    version: u64,
    /// When it was made.
    created_at: Timestamp,
    /// When it was last changed.
    updated_at: Timestamp,
}

impl<T: Record> Serialize for Row<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let shown = RowView {
            id: self.id.public(),
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
            body: &self.body,
        };
        shown.serialize(to)
    }
}

impl<T: Record + ToSchema> PartialSchema for Row<T> {
    fn schema() -> RefOr<Schema> {
        AllOfBuilder::new().item(RowHead::schema()).item(T::schema()).into()
    }
}

impl<T: Record + ToSchema> ToSchema for Row<T> {
    fn name() -> std::borrow::Cow<'static, str> {
        T::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::schemas(schemas);
    }
}

/// What the store knows about a row, without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowMeta<Id> {
    /// The row's id.
    pub id: Id,
    /// How often it was written, from 1.
    pub version: u64,
    /// Time of the insertion.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Bytes of its stored form.
    pub size: usize,
}

/// Bytes of a value as JSON, without keeping the text.
pub fn json_bytes(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting does not fail; a value that is no JSON counts as far as it is.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// The first byte of a stored row: how the rest is laid out.
const LAYOUT: u8 = 1;
/// Bytes before the JSON: layout, version, created, updated.
const ROW_HEAD: usize = 25;

/// The part of a stored row before its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub version: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Reads the part before the body only.
pub(crate) fn decode_head(value: &[u8]) -> Result<Head> {
    let number =
        |at: usize| value.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes);
    match (value.first(), number(1), number(9), number(17)) {
        (Some(&LAYOUT), Some(version), Some(created), Some(updated)) => Ok(Head {
            version,
            created_at: Timestamp::from_millis(created as i64),
            updated_at: Timestamp::from_millis(updated as i64),
        }),
        _ => Err(Error::Corrupt("a row without its header".into())),
    }
}

impl<T: Record> Row<T> {
    /// The stored form: layout, version, times (big-endian), JSON.
    pub(crate) fn encode(&self) -> Result<Bytes> {
        let mut value = Vec::with_capacity(256);
        value.push(LAYOUT);
        value.extend_from_slice(&self.version.to_be_bytes());
        value.extend_from_slice(&(self.created_at.as_millis() as u64).to_be_bytes());
        value.extend_from_slice(&(self.updated_at.as_millis() as u64).to_be_bytes());
        self.body
            .write_stored(&mut value)
            .map_err(|error| Error::Invalid(format!("{} cannot be stored: {error}", T::NAME)))?;
        Ok(value.into())
    }

    /// The stored form at the next version, for writes that are no transaction.
    pub(crate) fn next(&self) -> Result<Bytes> {
        Self { version: self.version + 1, ..self.clone() }.encode()
    }

    pub(crate) fn decode(id: T::Id, value: &[u8]) -> Result<Self> {
        let Head { version, created_at, updated_at } = decode_head(value)?;
        let body = T::from_stored(&value[ROW_HEAD..])
            .map_err(|error| Error::Corrupt(format!("{} {}: {error}", T::NAME, id.public())))?;
        Ok(Self { id, version, created_at, updated_at, body })
    }
}
