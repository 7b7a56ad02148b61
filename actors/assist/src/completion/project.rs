//! Instructions that a project adds to the answers in its conversations.

use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Project, Tenant};
use storage::{Reader, TenantId};
use uuid::Uuid;

/// The instructions of a conversation's project, as long as the user is a member of it: former members have no access
/// to the instructions, and must not obtain them through answers either.
pub(super) fn instructions(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    project: Option<Uuid>,
) -> storage::Result<Option<String>> {
    let Some(id) = project else { return Ok(None) };
    let Some(project) = reader.get::<Project>(tenant, &id)? else { return Ok(None) };
    let Some(subject) = Subject::read(reader, tenant, user)? else { return Ok(None) };
    let governed = reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?.governed;
    let has_projects = FeatureSet::load(reader, governed, &subject)?.contains(Feature::Projects);
    let counts = has_projects && project.member_level(&subject).is_some();
    Ok(counts.then_some(project.body.instructions))
}
