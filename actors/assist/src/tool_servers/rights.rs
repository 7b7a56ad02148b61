//! Determines which tool servers an assistant may use for a user.

use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Assistant, ToolServer};
use storage::{Reader, TenantId};
use uuid::Uuid;

/// Why a tool server may not be used for a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerDenial {
    /// Tool servers are switched off for the user.
    FeatureDisabled,
    /// The server is not approved for the assistant.
    NotApproved,
}

impl ServerDenial {
    /// Stable machine-readable code of the denial.
    pub fn code(self) -> &'static str {
        match self {
            Self::FeatureDisabled => "feature_disabled",
            Self::NotApproved => "not_approved",
        }
    }

    /// Description of the denial for people.
    pub fn message(self) -> &'static str {
        match self {
            Self::FeatureDisabled => "tool servers are switched off for this user",
            Self::NotApproved => "the tool server is not approved for this assistant",
        }
    }
}

/// The tool servers that an assistant is currently connected to, each with the reason if it may not be used. Empty if
/// the assistant is disabled or deleted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn connected(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    assistant: Uuid,
) -> storage::Result<Vec<(ToolServer, Option<ServerDenial>)>> {
    let usable = |row: &storage::Row<Assistant>| row.enabled && row.deleted_at.is_none();
    let Some(assistant) = reader.get::<Assistant>(tenant, &assistant)?.filter(usable) else {
        return Ok(Vec::new());
    };
    let Assistant { tool_servers, approved_external_services: services, .. } = assistant.body;
    if tool_servers.is_empty() {
        return Ok(Vec::new());
    }
    let Some(subject) = Subject::read(reader, tenant, user)? else { return Ok(Vec::new()) };
    let is_on = FeatureSet::read(reader, &subject)?.contains(Feature::Mcp);
    let barred = |server: &ToolServer| match (is_on, services.contains(&server.service())) {
        (false, _) => Some(ServerDenial::FeatureDisabled),
        (true, false) => Some(ServerDenial::NotApproved),
        (true, true) => None,
    };
    let with_bars = tool_servers.into_iter().map(|server| {
        let barred = barred(&server);
        (server, barred)
    });
    Ok(with_bars.collect())
}
