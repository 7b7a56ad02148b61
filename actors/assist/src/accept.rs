//! Checks before a run of any kind is accepted: other live runs, access to the assistant, and the choice of the model.

use providers::Models;
use runs::StartError;
use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Assistant, Conversation, KnowledgeBase, Run, Shared, Skill};
use storage::{Row, Scan, TenantId, Tx};
use uuid::Uuid;

use crate::offer::ModelChoices;

/// The live run of a conversation. Each start updates the conversation's row in the same transaction, so that of two
/// concurrent starts, one conflicts, is retried and finds the other's run.
pub fn live_run(tx: &mut Tx, tenant: TenantId, conversation: Uuid) -> storage::Result<Option<Uuid>> {
    let prefix = conversation.as_bytes().to_vec();
    let scan = Scan::index("live_by_conversation").prefix(prefix).limit(1);
    Ok(tx.scan::<Run>(tenant, scan)?.items.first().map(|row| row.id))
}

/// Loads a conversation of the user.
pub fn conversation(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    id: Uuid,
) -> Result<Row<Conversation>, StartError> {
    let found = tx.get::<Conversation>(tenant, &id)?.filter(|row| row.owner == user);
    found.ok_or(StartError::NotFound("conversation"))
}

/// Loads an assistant that the user may see and that is enabled.
pub fn assistant(tx: &mut Tx, tenant: TenantId, user: Uuid, id: Uuid) -> Result<Row<Assistant>, StartError> {
    let subject = Subject::read(tx, tenant, user)?.ok_or(StartError::NotFound("assistant"))?;
    let visible = |row: &Row<Assistant>| row.level_of(&subject).is_some();
    let found = tx.get::<Assistant>(tenant, &id)?;
    let found = found.filter(|row| row.deleted_at.is_none() && visible(row));
    let found = found.ok_or(StartError::NotFound("assistant"))?;
    has_feature(tx, &subject, Feature::from_assistant_type(found.kind))?;
    enabled(&found)?;
    Ok(found)
}

/// Fails if the assistant is disabled.
pub fn enabled(assistant: &Assistant) -> Result<(), StartError> {
    match assistant.enabled {
        true => Ok(()),
        false => Err(StartError::AssistantDisabled(assistant.disabled_reason.clone())),
    }
}

/// Fails if the feature is switched off for the user, through whichever interface the request came.
fn has_feature(tx: &Tx, subject: &Subject, feature: Feature) -> Result<(), StartError> {
    match FeatureSet::read(tx, subject)?.contains(feature) {
        true => Ok(()),
        false => Err(StartError::FeatureDisabled(feature)),
    }
}

/// Checks that the skills and knowledge bases that a request names are visible to the user.
pub fn named(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    skills: Option<&[Uuid]>,
    bases: &[Uuid],
) -> Result<(), StartError> {
    if skills.is_none_or(<[Uuid]>::is_empty) && bases.is_empty() {
        return Ok(());
    }
    let subject = Subject::read(tx, tenant, user)?.ok_or(StartError::NotFound("membership"))?;
    if skills.is_some_and(|skills| !skills.is_empty()) {
        has_feature(tx, &subject, Feature::Skills)?;
    }
    if !bases.is_empty() {
        has_feature(tx, &subject, Feature::KnowledgeBases)?;
    }
    for id in skills.unwrap_or_default() {
        let skill = tx.get::<Skill>(tenant, id)?;
        let visible = skill.is_some_and(|row| row.level_of(&subject).is_some());
        visible.then_some(()).ok_or(StartError::NotFound("skill"))?;
    }
    for id in bases {
        let base = tx.get::<KnowledgeBase>(tenant, id)?.filter(|row| row.assistant_id.is_none());
        let visible = base.is_some_and(|row| row.level_of(&subject).is_some());
        visible.then_some(()).ok_or(StartError::NotFound("knowledge base"))?;
    }
    Ok(())
}

/// Selects the model: the request's model, or otherwise the first available one of the conversation's model (`stored`),
/// the assistant's, the user's, the tenant's and the default of the installation. Only the first is the user's explicit
/// choice; the others are skipped if they no longer exist or are not available to this user. Fails if the user's budget
/// for models is exhausted.
pub fn model(
    tx: &mut Tx,
    models: &Models,
    tenant: TenantId,
    user: Uuid,
    [requested, stored]: [Option<&str>; 2],
    assistant: Option<&Row<Assistant>>,
) -> Result<String, StartError> {
    let terms = ModelChoices::read(tx, tenant, user)?;
    let model = match requested {
        Some(named) => {
            let found = terms.find(models, named);
            found.ok_or_else(|| StartError::UnknownModel {
                model: named.to_owned(),
                omission: providers::omission(named),
            })?
        }
        None => {
            let named = [stored, assistant.and_then(|row| row.model.as_deref())];
            let found = named.into_iter().flatten().find_map(|name| terms.find(models, name));
            found.unwrap_or_else(|| terms.default(models).0)
        }
    };
    terms.within_budget()?;
    Ok(model.info.id.clone())
}
