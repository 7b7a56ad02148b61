//! A tenant's own provider keys.

use std::collections::BTreeMap;

use serde_json::json;
use storage::records::ProviderKey;
use storage::{Scan, Timestamp, Tx};

use super::{decide, tenant};
use crate::{Caller, Result};

/// Stores keys by provider; `None` deletes a key. A row contains the masked form of a key, and a secret the key
/// itself. `origin` returns the address of a provider: a key is sent to no other address.
///
/// # Errors
/// Returns an error if storage fails.
pub fn set_provider_keys(
    tx: &mut Tx,
    caller: &Caller,
    keys: &BTreeMap<String, Option<String>>,
    origin: impl Fn(&str) -> Option<String>,
) -> Result<()> {
    let (mut set, mut removed) = (Vec::new(), Vec::new());
    for (provider, key) in keys {
        let name = ProviderKey::secret(provider);
        let before = tx.get::<ProviderKey>(caller.tenant, provider)?;
        let Some(key) = key else {
            tx.delete_secret(caller.tenant, &name)?;
            tx.delete::<ProviderKey>(caller.tenant, provider)?;
            removed.push(provider);
            continue;
        };
        let row = ProviderKey {
            masked: ProviderKey::mask(key),
            set_by: caller.user,
            set_at: Timestamp::now(),
            origin: origin(provider),
        };
        match before {
            Some(mut before) => {
                before.body = row;
                tx.update(caller.tenant, before)?;
            }
            None => drop(tx.insert(caller.tenant, provider.clone(), row)?),
        }
        tx.put_secret(caller.tenant, &name, key.as_bytes())?;
        set.push(provider);
    }
    let mut row = tenant(tx, caller)?;
    row.governed.keys = !tx.scan::<ProviderKey>(caller.tenant, Scan::table().limit(1))?.items.is_empty();
    let (target, detail) = (format!("tenant {}", caller.tenant), json!({"set": set, "removed": removed}));
    decide(tx, caller, row, "tenant.provider_keys", target, detail)?;
    Ok(())
}
