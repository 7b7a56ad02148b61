//! Records: the types of stored rows with their keys and indexes.

mod growth;
mod stored_form;

pub use growth::{Container, Growth, Owner};
pub use stored_form::StoredForm;
pub(crate) use stored_form::{DefaultMembers, stored_as_json};

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

/// A type of stored object. The tenant is part of the key, not of the body.
pub trait Record: StoredForm + Serialize + Clone + Send + Sync + 'static {
    /// Identifies a record of this type within its tenant.
    type Id: RecordKey;
    /// The first two bytes of its keys; listed in [`records::TABLES`](crate::records::TABLES).
    const TABLE: [u8; 2];
    /// Its name in errors, for example `conversation`.
    const NAME: &'static str;
    /// The bound on the number of rows or on their bytes.
    const GROWTH: Growth<Self>;
    /// Its indexes, which [`Tx`](crate::Tx) maintains.
    const INDEXES: &'static [Index<Self>] = &[];
    /// The blobs that a row needs, if rows of this type need any. Blobs that no row needs are deleted by a sweep.
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = None;

    /// Whether rows of this type are written only by functions of their own, which keep other rows consistent with them.
    /// [`Tx::insert`](crate::Tx::insert), `update`, `replace` and `delete` then do not compile.
    const HAS_OWN_WRITES: bool = false;

    /// Whether rows of this type determine rights, so that cached rights have to be evaluated again after a write: see
    /// [`Store::rights_epoch`](crate::Store::rights_epoch).
    const DECIDES: bool = false;

    /// Whether a write of a row changes any caller's rights, given the body before (`None` for an insert) and after
    /// (`None` for a delete). Only called if [`DECIDES`](Self::DECIDES) is set. Types that are also written for reasons
    /// unrelated to rights override this.
    fn changes_rights(_before: Option<&Self>, _after: Option<&Self>) -> bool {
        Self::DECIDES
    }

    /// The conversation, or other topic, whose listeners are notified when this row is written or deleted.
    fn notifies(_id: &Self::Id, _body: &Self) -> Option<Uuid> {
        None
    }
}

/// A secondary index of a record type.
pub struct Index<T: Record> {
    /// The first two bytes of its keys.
    pub table: [u8; 2],
    /// Its name, which scans and `Taken` errors use.
    pub name: &'static str,
    /// Whether the values must be unique within a tenant.
    pub unique: bool,
    /// The values under which a row is found: none, one or many. Scans return rows in the byte order of these values.
    /// Components of variable length must be self-delimiting, see [`IndexKey`](crate::IndexKey).
    pub keys: fn(&Row<T>) -> Vec<Vec<u8>>,
}

/// A stored record with its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<T: Record> {
    /// The row's id.
    pub id: T::Id,
    /// Number of writes, from 1.
    pub version: u64,
    /// Time of the insertion.
    pub created_at: Timestamp,
    /// Time of the last write; never goes backwards.
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

/// The fields that responses show for every record, in addition to its body.
#[derive(ToSchema)]
#[allow(dead_code)]
struct RowHead {
    id: String,
    /// Number of times the object was written, starting at 1.
    version: u64,
    /// Time at which the object was created.
    created_at: Timestamp,
    /// Time at which the object was last changed.
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

/// The metadata of a row, without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowMeta<Id> {
    /// The row's id.
    pub id: Id,
    /// Number of writes, from 1.
    pub version: u64,
    /// Time of the insertion.
    pub created_at: Timestamp,
    /// Time of the last write.
    pub updated_at: Timestamp,
    /// Length of its stored form in bytes.
    pub size: usize,
}

/// Length in bytes of a value as JSON, computed without storing the text.
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
    // Counting cannot fail. A value that cannot be serialized counts up to the point of the error.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// The first byte of a stored row, which identifies the layout of the rest.
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

/// Decodes only the part before the body.
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
    /// Encodes the stored form: layout, version, times (big-endian), JSON.
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

    /// Encodes the stored form at the next version, for writes outside a transaction.
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
