//! Keys on disk, `[table 2][tenant 16][id]`, and the components of index values.

use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::time::Timestamp;
use std::fmt::Debug;
use uuid::Uuid;

/// Length in bytes of the table and the tenant before the id.
pub(crate) const HEAD: usize = 18;

/// The id of a record, with its encoding in keys and its public form.
pub trait RecordKey: Clone + Eq + Debug + Send + Sync + 'static {
    /// Appends the encoded id. The byte order of encoded ids is the key order.
    fn encode(&self, to: &mut Vec<u8>);
    /// Decodes an id. `Err(Corrupt)` if the bytes are malformed.
    fn decode(bytes: &[u8]) -> Result<Self>;
    /// The last component, which responses show as `id`.
    fn public(&self) -> String;
}

fn damaged() -> Error {
    Error::Corrupt("a key of the wrong format".into())
}

impl RecordKey for Uuid {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.as_bytes());
    }
    fn decode(bytes: &[u8]) -> Result<Self> {
        Uuid::from_slice(bytes).map_err(|_| damaged())
    }
    fn public(&self) -> String {
        self.to_string()
    }
}

impl RecordKey for (Uuid, Uuid) {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.0.as_bytes());
        to.extend_from_slice(self.1.as_bytes());
    }
    fn decode(bytes: &[u8]) -> Result<Self> {
        let (first, second) = bytes.split_at_checked(16).ok_or_else(damaged)?;
        Ok((Uuid::decode(first)?, Uuid::decode(second)?))
    }
    fn public(&self) -> String {
        self.1.to_string()
    }
}

impl RecordKey for String {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.as_bytes());
    }
    fn decode(bytes: &[u8]) -> Result<Self> {
        String::from_utf8(bytes.to_vec()).map_err(|_| damaged())
    }
    fn public(&self) -> String {
        self.clone()
    }
}

impl RecordKey for (Uuid, String) {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.0.as_bytes());
        to.extend_from_slice(self.1.as_bytes());
    }
    fn decode(bytes: &[u8]) -> Result<Self> {
        let (first, second) = bytes.split_at_checked(16).ok_or_else(damaged)?;
        Ok((Uuid::decode(first)?, String::decode(second)?))
    }
    fn public(&self) -> String {
        self.1.clone()
    }
}

/// Builds the value of an index entry from components whose byte order is their logical order.
#[derive(Clone, Debug, Default)]
pub struct IndexKey(Vec<u8>);

impl IndexKey {
    /// An empty value.
    pub fn new() -> Self {
        Self(Vec::with_capacity(32))
    }

    /// Appends an id (16 bytes).
    pub fn id(mut self, id: &Uuid) -> Self {
        self.0.extend_from_slice(id.as_bytes());
        self
    }

    /// Appends a timestamp (8 bytes); earlier ones sort first.
    pub fn moment(mut self, at: Timestamp) -> Self {
        self.0.extend_from_slice(&at.sortable());
        self
    }

    /// Appends a text of any length, terminated so that no encoded text is a prefix of another: each zero byte becomes
    /// `00 FF`, and `00 00` is added at the end.
    pub fn text(mut self, text: &str) -> Self {
        for byte in text.bytes() {
            self.0.push(byte);
            if byte == 0 {
                self.0.push(0xFF);
            }
        }
        self.0.extend_from_slice(&[0, 0]);
        self
    }

    /// The encoded index value.
    pub fn done(self) -> Vec<u8> {
        self.0
    }
}

impl From<IndexKey> for Vec<u8> {
    fn from(key: IndexKey) -> Self {
        key.0
    }
}

/// The prefix of all keys of one table in one tenant.
pub(crate) fn head(table: [u8; 2], tenant: TenantId) -> Vec<u8> {
    let mut key = Vec::with_capacity(HEAD + 48);
    key.extend_from_slice(&table);
    key.extend_from_slice(tenant.as_bytes());
    key
}

/// The complete key of a record.
pub(crate) fn record_key<K: RecordKey>(table: [u8; 2], tenant: TenantId, id: &K) -> Vec<u8> {
    let mut key = head(table, tenant);
    id.encode(&mut key);
    key
}

/// The key of an id in a table that has no [`Record`](crate::Record).
pub(crate) fn of_id(table: [u8; 2], tenant: TenantId, id: &Uuid) -> Vec<u8> {
    record_key(table, tenant, id)
}

/// Extracts the tenant from a key.
pub(crate) fn tenant(key: &[u8]) -> Result<TenantId> {
    let bytes = key.get(2..HEAD).ok_or_else(damaged)?;
    Ok(TenantId(Uuid::decode(bytes)?))
}
