//! The directory of a tenant.

use serde_json::{Value, json};
use storage::records::{DirectorySource, ProviderKey};
use storage::{Row, Timestamp, Tx};
use uuid::Uuid;

use super::{already_running, running};
use crate::audit::{Actor, audit};
use crate::{Caller, Result};

/// A directory that has been opened successfully with its secret.
#[derive(Clone)]
pub struct NewDirectory {
    /// `ldap`, `scim` or `microsoft_graph`.
    pub kind: String,
    /// The address, for the audit log.
    pub url: String,
    /// Address and search settings, in the format of the kind.
    pub settings: Value,
    pub secret: String,
    /// Minutes between two synchronisations; `None` to synchronise only on request.
    pub every_minutes: Option<u32>,
}

/// Sets the directory of the caller's tenant. The list of groups of another directory is removed. Selected groups stay, and
/// are looked up in the new directory.
///
/// # Errors
/// `sync_running` while a synchronisation is running.
pub fn set_directory(tx: &mut Tx, caller: &Caller, new: NewDirectory) -> Result<Row<DirectorySource>> {
    let tenant = caller.tenant;
    let NewDirectory { kind, url, settings, secret, every_minutes } = new;
    let before = tx.get::<DirectorySource>(tenant, &tenant.0)?;
    if let Some(before) = &before
        && let Some(sync) = running(tx, tenant, before)?
    {
        return Err(already_running(sync));
    }
    let now = Timestamp::now();
    let mut source = DirectorySource {
        kind,
        settings,
        masked: ProviderKey::mask(&secret),
        set_by: caller.user,
        set_at: now,
        tested_at: Some(now),
        every_minutes,
        ..DirectorySource::default()
    };
    tx.put_secret(tenant, DirectorySource::SECRET, secret.as_bytes())?;
    let row = match before {
        Some(mut before) => {
            source.sync = before.sync;
            if before.settings == source.settings {
                (source.offer, source.offered) = (before.offer, before.offered);
                source.refreshed_at = before.refreshed_at;
            }
            before.body = source;
            tx.update(tenant, before)?
        }
        None => tx.insert(tenant, tenant.0, source)?,
    };
    let detail = json!({"kind": row.kind, "url": url, "every_minutes": row.every_minutes});
    let target = format!("directory {}", row.id);
    audit(tx, tenant, Actor::from(caller), "groups.directory.set", target, detail)?;
    Ok(row)
}

/// Deletes the directory of the caller's tenant and its secret. Groups and their members stay. Returns the running
/// synchronisation, which the caller has to cancel.
///
/// # Errors
/// Returns an error if storage fails.
pub fn forget_directory(tx: &mut Tx, caller: &Caller) -> Result<Option<Uuid>> {
    let tenant = caller.tenant;
    let Some(source) = tx.get::<DirectorySource>(tenant, &tenant.0)? else { return Ok(None) };
    let sync = running(tx, tenant, &source)?;
    tx.delete_secret(tenant, DirectorySource::SECRET)?;
    tx.delete::<DirectorySource>(tenant, &tenant.0)?;
    let target = format!("directory {tenant}");
    audit(tx, tenant, Actor::from(caller), "groups.directory.forget", target, json!({}))?;
    Ok(sync)
}
