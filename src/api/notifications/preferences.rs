//! By which ways users are told what.

use serde::Serialize;
use std::collections::BTreeMap;
use storage::notices::{self, EVERY, KINDS, kind_of};
use storage::records::{ChannelChoice, Channels, NotificationPreferences};
use storage::{Reader, TenantId, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::schema::UpdateNotificationPreferencesBody;
use crate::http::{Api, Caller, Faults, HasVersion, IfMatch};

/// A type of notification, and by which ways the caller is told of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationTypeResponse {
    /// The type.
    #[serde(rename = "type")]
    #[schema(example = "automation.failed")]
    pub kind: &'static str,
    /// When it is told.
    pub description: &'static str,
    /// By which ways it is told where nobody has chosen.
    pub usual: Channels,
    /// By which ways the caller is told of it. Each way but the product needs an endpoint, too.
    pub channels: Channels,
}

/// What the caller chose, and what follows from it.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationPreferencesResponse {
    /// What was chosen, by type; `*` is for all types.
    pub preferences: BTreeMap<String, ChannelChoice>,
    /// All types.
    pub types: Vec<NotificationTypeResponse>,
    /// How often this was written; 0 where nothing was chosen yet.
    pub version: u64,
}

impl HasVersion for NotificationPreferencesResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// What a user chose.
pub fn show(reader: &Reader, tenant: TenantId, user: Uuid) -> Api<NotificationPreferencesResponse> {
    let row = reader.get::<NotificationPreferences>(tenant, &user)?;
    let (version, preferences) = row.map_or_else(Default::default, |row| (row.version, row.body.types));
    let types = KINDS.iter().map(|kind| {
        Ok(NotificationTypeResponse {
            kind: kind.name,
            description: kind.sentence,
            usual: kind.usual(),
            channels: notices::channels(reader, tenant, user, kind.name)?,
        })
    });
    Ok(NotificationPreferencesResponse { types: types.collect::<Api<_>>()?, preferences, version })
}

/// Replaces what the caller chose.
pub fn replace(
    tx: &mut Tx,
    caller: &Caller,
    if_match: &IfMatch,
    new: UpdateNotificationPreferencesBody,
) -> Api<NotificationPreferencesResponse> {
    let (tenant, user) = (caller.tenant, caller.user);
    let row = tx.get::<NotificationPreferences>(tenant, &user)?;
    let version = row.as_ref().map_or(0, |row| row.version);
    if_match.check(version)?;
    if new.version.is_some_and(|expected| expected != version) {
        return Err(storage::Error::Stale("notification preferences").into());
    }
    let mut types = new.preferences;
    types.retain(|_, choice| *choice != ChannelChoice::default());
    match row {
        Some(mut row) => {
            row.types = types;
            tx.update(tenant, row).map(drop)?;
        }
        None => drop(tx.insert(tenant, user, NotificationPreferences { types })?),
    }
    show(tx, tenant, user)
}

/// Finds fault with names that are no types of notifications.
pub fn refuse_strange<'a>(faults: &mut Faults, field: &str, names: impl IntoIterator<Item = &'a String>) {
    for name in names {
        if name != EVERY && kind_of(name).is_none() {
            faults.add([field, name], "is no type of notification", "unknown_value");
        }
    }
}
