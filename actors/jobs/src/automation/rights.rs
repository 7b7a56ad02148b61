//! Decides whether an automation may currently act on behalf of its owner.

use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Assistant, Automation, Shared, SkipReason};
use storage::{Reader, Row, TenantId};

/// Returns the reason why an automation may not run now, if there is one. Checked at every tick, because a run has the rights
/// that its owner has at that time.
pub(super) fn refusal(
    reader: &Reader,
    tenant: TenantId,
    automation: &Automation,
) -> storage::Result<Option<SkipReason>> {
    let owner = automation.owner;
    let Some(subject) = Subject::read(reader, tenant, owner)? else {
        return Ok(Some(SkipReason::OwnerDisabled));
    };
    let usable =
        |row: &Row<Assistant>| row.enabled && row.deleted_at.is_none() && row.level_of(&subject).is_some();
    let assistant = reader.get::<Assistant>(tenant, &automation.assistant_id)?.filter(usable);
    let Some(assistant) = assistant else { return Ok(Some(SkipReason::AssistantDisabled)) };
    let features = FeatureSet::read(reader, &subject)?;
    let needed = [Feature::Automations, Feature::from_assistant_type(assistant.kind)];
    Ok(match needed.into_iter().all(|feature| features.contains(feature)) {
        true => None,
        false => Some(SkipReason::FeatureDisabled),
    })
}
