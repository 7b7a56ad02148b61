//! Responses about notification preferences.

use serde::Serialize;
use std::collections::BTreeMap;
use storage::notices::{self, KINDS};
use storage::records::{ChannelChoice, Channels, NotificationPreferences};
use storage::{Reader, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Api, HasVersion};

/// A type of notification and the channels through which the caller receives it.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationTypeResponse {
    #[serde(rename = "type")]
    #[schema(example = "automation.failed")]
    pub kind: &'static str,
    /// The event that causes this notification.
    pub description: &'static str,
    /// The default channels.
    pub usual: Channels,
    /// The channels that apply to the caller. All channels except the product itself also require an endpoint.
    pub channels: Channels,
}

/// The caller's notification preferences and the channels that result from them.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationPreferencesResponse {
    /// The preferences by type. `*` applies to all types.
    pub preferences: BTreeMap<String, ChannelChoice>,
    pub types: Vec<NotificationTypeResponse>,
    /// The version of the preferences. 0 if none have been set.
    pub version: u64,
}

impl HasVersion for NotificationPreferencesResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// Loads the preferences of a user and the channels that result from them.
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
