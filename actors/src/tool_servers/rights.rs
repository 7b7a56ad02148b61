//! Which tool servers an assistant may use for somebody.

use storage::authority::{Feature, FeatureSet, Standing};
use storage::records::{Assistant, ToolServer};
use storage::{Reader, TenantId};
use uuid::Uuid;

/// The tool servers that an assistant is connected to and approved for, as things stand now. None where tool servers
/// are switched off for the user, or the assistant does not answer any more.
///
/// # Errors
/// Those of storage.
pub fn approved(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    assistant: Uuid,
) -> storage::Result<Vec<ToolServer>> {
    let usable = |row: &storage::Row<Assistant>| row.enabled && row.deleted_at.is_none();
    let Some(assistant) = reader.get::<Assistant>(tenant, &assistant)?.filter(usable) else {
        return Ok(Vec::new());
    };
    let Assistant { tool_servers, approved_external_services: services, .. } = assistant.body;
    let servers: Vec<ToolServer> =
        tool_servers.into_iter().filter(|server| services.contains(&server.service())).collect();
    if servers.is_empty() {
        return Ok(servers);
    }
    let Some(standing) = Standing::read(reader, tenant, user)? else { return Ok(Vec::new()) };
    match FeatureSet::read(reader, &standing)?.contains(Feature::Mcp) {
        true => Ok(servers),
        false => Ok(Vec::new()),
    }
}
