//! Whether an automation may act for its owner now.

use storage::authority::{Feature, FeatureSet, Standing};
use storage::records::{Assistant, AssistantType, Automation, Shared, SkipReason, Tenant};
use storage::{Reader, Row, TenantId};

/// Why an automation may not run at this moment, if it may not. Asked at every tick: a run acts
/// with the rights that its owner has then.
pub(super) fn refusal(
    reader: &Reader,
    tenant: TenantId,
    automation: &Automation,
) -> storage::Result<Option<SkipReason>> {
    let owner = automation.owner;
    let Some(standing) = Standing::read(reader, tenant, owner)? else {
        return Ok(Some(SkipReason::OwnerDisabled));
    };
    let usable =
        |row: &Row<Assistant>| row.enabled && row.deleted_at.is_none() && row.level_of(&standing).is_some();
    let assistant = reader.get::<Assistant>(tenant, &automation.assistant_id)?.filter(usable);
    let Some(assistant) = assistant else { return Ok(Some(SkipReason::AssistantDisabled)) };
    let governed = reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?.governed;
    let features = FeatureSet::of(reader, governed, &standing)?;
    let needed = [Feature::Automations, feature_of(assistant.kind)];
    Ok(match needed.into_iter().all(|feature| features.contains(feature)) {
        true => None,
        false => Some(SkipReason::FeatureDisabled),
    })
}

/// What working with an assistant of this type is part of.
fn feature_of(kind: AssistantType) -> Feature {
    match kind {
        AssistantType::Workflow => Feature::Workflows,
        _ => Feature::Assistants,
    }
}
