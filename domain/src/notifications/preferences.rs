//! The channels through which a user is notified.

use std::collections::BTreeMap;

use storage::Tx;
use storage::notices::{EVERY, kind_of};
use storage::records::{ChannelChoice, NotificationPreferences};

use crate::{Caller, Precondition, Result};

/// All preferences of a user in a tenant.
#[derive(Clone, Debug)]
pub struct NewPreferences {
    /// The channels by type of notification; `*` applies to all types.
    pub types: BTreeMap<String, ChannelChoice>,
    /// The version that the caller has seen, if the body contains one; 0 if nothing is stored.
    pub version: Option<u64>,
}

/// Returns whether preferences can contain this type of notification: `*`, or a type that this server sends.
pub fn is_type(name: &str) -> bool {
    name == EVERY || kind_of(name).is_some()
}

/// Replaces the caller's preferences. Types without any choice are not stored.
///
/// # Errors
/// `stale` for another version.
pub fn set_preferences(
    tx: &mut Tx,
    caller: &Caller,
    precondition: &Precondition,
    new: NewPreferences,
) -> Result<()> {
    let row = tx.get::<NotificationPreferences>(caller.tenant, &caller.user)?;
    let version = row.as_ref().map_or(0, |row| row.version);
    precondition.check_both(new.version, "notification preferences", version)?;
    let mut types = new.types;
    types.retain(|_, choice| *choice != ChannelChoice::default());
    match row {
        Some(mut row) => {
            row.types = types;
            tx.update(caller.tenant, row)?;
        }
        None => drop(tx.insert(caller.tenant, caller.user, NotificationPreferences { types })?),
    }
    Ok(())
}
