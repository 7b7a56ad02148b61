//! Keys of assistants for tool servers. Some tool servers require a key in a header, the same for all users, instead of
//! a login.
//!
//! All keys of an assistant are stored as one secret, so that they can be deleted with it. Each key is bound to one
//! address, because sending it to another address would disclose it to strangers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::tx::Tx;

/// A key for a tool server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerKey {
    /// The header that contains the key verbatim; `None` for `Authorization: Bearer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The key's value.
    pub value: String,
}

impl std::fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerKey").field("header", &self.header).finish_non_exhaustive()
    }
}

/// Keys by server address.
type Keys = BTreeMap<String, ServerKey>;

fn name_of(assistant: Uuid) -> String {
    format!("server-keys/{assistant}")
}

impl Reader {
    /// Returns the key of an assistant for the tool server at this address.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn server_key(&self, tenant: TenantId, assistant: Uuid, url: &str) -> Result<Option<ServerKey>> {
        Ok(self.server_keys(tenant, assistant)?.remove(url))
    }

    /// Returns the addresses of the tool servers that an assistant has keys for.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn server_key_urls(&self, tenant: TenantId, assistant: Uuid) -> Result<Vec<String>> {
        Ok(self.server_keys(tenant, assistant)?.into_keys().collect())
    }

    fn server_keys(&self, tenant: TenantId, assistant: Uuid) -> Result<Keys> {
        let Some(json) = self.get_secret(tenant, &name_of(assistant))? else { return Ok(Keys::new()) };
        serde_json::from_slice(&json).map_err(|_| Error::Corrupt("the keys of an assistant".into()))
    }
}

impl Tx {
    /// Stores a key for the tool server at this address, replacing the previous one; `None` deletes it. Returns whether
    /// there was a previous key.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn set_server_key(
        &mut self,
        tenant: TenantId,
        assistant: Uuid,
        url: &str,
        key: Option<ServerKey>,
    ) -> Result<bool> {
        let mut keys = self.server_keys(tenant, assistant)?;
        let before = match key {
            Some(key) => keys.insert(url.to_owned(), key),
            None => keys.remove(url),
        };
        self.put_server_keys(tenant, assistant, &keys)?;
        Ok(before.is_some())
    }

    /// Deletes the keys of an assistant for all addresses except these.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn forget_server_keys_beyond(
        &mut self,
        tenant: TenantId,
        assistant: Uuid,
        urls: &[String],
    ) -> Result<()> {
        let mut keys = self.server_keys(tenant, assistant)?;
        keys.retain(|url, _| urls.contains(url));
        self.put_server_keys(tenant, assistant, &keys)
    }

    fn put_server_keys(&mut self, tenant: TenantId, assistant: Uuid, keys: &Keys) -> Result<()> {
        let name = name_of(assistant);
        if keys.is_empty() {
            return self.delete_secret(tenant, &name).map(drop);
        }
        let json = serde_json::to_vec(keys).map_err(|why| Error::Invalid(why.to_string()))?;
        self.put_secret(tenant, &name, &json)
    }
}
