//! Secrets, encrypted at rest.

use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys;
use crate::reader::Reader;
use crate::tables::SECRET;
use crate::tx::Tx;

impl Reader {
    /// Returns the secret with this name. `Err(Corrupt)` if it was written with another key.
    pub fn get_secret(&self, tenant: TenantId, name: &str) -> Result<Option<Vec<u8>>> {
        let key = keys::record_key(SECRET, tenant, &name.to_owned());
        let Some(sealed) = self.raw_get(&key)? else { return Ok(None) };
        let secrets = self.secrets.as_ref();
        let secrets = secrets.ok_or_else(|| Error::Invalid("secrets cannot be read here".into()))?;
        secrets.open(&key, &sealed).map(Some)
    }
}

impl Tx {
    /// Stores a secret under a name, replacing an earlier one.
    pub fn put_secret(&mut self, tenant: TenantId, name: &str, value: &[u8]) -> Result<()> {
        let key = keys::record_key(SECRET, tenant, &name.to_owned());
        let sealed = self.secrets.seal(&key, value)?;
        self.raw_put(key, sealed);
        Ok(())
    }

    /// Deletes a secret. Returns whether it existed.
    pub fn delete_secret(&mut self, tenant: TenantId, name: &str) -> Result<bool> {
        let key = keys::record_key(SECRET, tenant, &name.to_owned());
        let there = self.raw_get(&key)?.is_some();
        if there {
            self.raw_delete(key);
        }
        Ok(there)
    }
}
