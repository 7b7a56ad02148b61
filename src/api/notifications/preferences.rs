//! How preferences for notifications are shown.

use serde::Serialize;
use std::collections::BTreeMap;
use storage::notices::{self, KINDS};
use storage::records::{ChannelChoice, Channels, NotificationPreferences};
use storage::{Reader, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Api, HasVersion};

/// A type of notification, and by which ways the caller is told of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationTypeResponse {
    #[serde(rename = "type")]
    #[schema(example = "automation.failed")]
    pub kind: &'static str,
    /// When it is told.
    pub description: &'static str,
    /// By which ways it is told by default.
    pub usual: Channels,
    /// By which ways the caller is told of it. Each way but the product needs an endpoint, too.
    pub channels: Channels,
}

/// What the caller chose, and what follows from it.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationPreferencesResponse {
    /// What was chosen, by type; `*` is for all types.
    pub preferences: BTreeMap<String, ChannelChoice>,
    pub types: Vec<NotificationTypeResponse>,
    /// How often this was written; 0 where nothing was chosen yet.
    pub version: u64,
}

impl HasVersion for NotificationPreferencesResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// The preferences of a user, and the channels that result from them.
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
