//! Making, changing and binning assistants, and what they may refer to.

use actors::completion::BUILTIN_TOOLS;
use providers::Models;
use storage::records::{Assistant, Grant, GrantLevel, Membership, PrincipalKind, Skill};
use storage::{Reader, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::access;
use super::schema::{CreateAssistantRequest, MessageResponse, PatchAssistantRequest};
use super::view::AssistantResponse;
use crate::http::{Api, ApiError, Caller, Faults, IfMatch};

/// Makes an assistant of the caller's.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    models: &Models,
    new: CreateAssistantRequest,
) -> Api<AssistantResponse> {
    let new = PatchAssistantRequest::from(new);
    check(tx, caller, models, &new)?;
    let mut assistant = Assistant { owner: caller.user, ..Assistant::default() };
    apply(&mut assistant, new);
    let row = tx.insert(caller.tenant, storage::new_id(), assistant)?;
    Ok(AssistantResponse::of(row, caller))
}

/// Changes an assistant that the caller may edit; who else may see it, only its owners change.
pub fn patch(
    tx: &mut Tx,
    caller: &Caller,
    models: &Models,
    id: Uuid,
    if_match: &IfMatch,
    new: PatchAssistantRequest,
) -> Api<AssistantResponse> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Editor)?;
    if !new.grants.is_keep() || !new.visibility.is_keep() {
        access::require(&row, caller, GrantLevel::Owner)?;
    }
    if_match.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(storage::Error::Stale("assistant").into());
    }
    check(tx, caller, models, &new)?;
    apply(&mut row.body, new);
    let row = tx.update(caller.tenant, row)?;
    Ok(AssistantResponse::of(row, caller))
}

/// Puts an assistant into the bin, and pauses its automations.
pub fn bin(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<MessageResponse> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    row.deleted_at = Some(Timestamp::now());
    actors::automation::pause_of_assistant(tx, caller.tenant, id)?;
    let row = tx.update(caller.tenant, row)?;
    Ok(MessageResponse { message: format!("{:?} is in the bin", row.name) })
}

fn apply(assistant: &mut Assistant, new: PatchAssistantRequest) {
    let capabilities = (assistant.tools.clone(), assistant.skills.clone());
    new.name.apply_or_default(&mut assistant.name);
    new.description.apply_or_default(&mut assistant.description);
    new.kind.apply_or_default(&mut assistant.kind);
    new.model.apply(&mut assistant.model);
    new.model_parameters.apply_or_default(&mut assistant.model_parameters);
    new.system_prompt.apply_or_default(&mut assistant.system_prompt);
    new.conversation_starters.apply_or_default(&mut assistant.conversation_starters);
    new.skills.apply_or_default(&mut assistant.skills);
    new.tools.apply_or_default(&mut assistant.tools);
    new.knowledge_bases.apply_or_default(&mut assistant.knowledge_bases);
    new.web_links.apply_or_default(&mut assistant.web_links);
    new.workflow.apply(&mut assistant.workflow);
    new.recovery.apply(&mut assistant.recovery);
    new.category.apply(&mut assistant.category);
    new.visibility.apply_or_default(&mut assistant.visibility);
    new.grants.apply_or_default(&mut assistant.grants);
    new.data_schema.apply(&mut assistant.data_schema);
    assistant.name = assistant.name.trim().to_owned();
    // What was approved was approved for what it could do then.
    if capabilities != (assistant.tools.clone(), assistant.skills.clone()) {
        assistant.approved_external_services.clear();
    }
}

/// All that is referred to must exist. Every fault is named.
fn check(reader: &Reader, caller: &Caller, models: &Models, new: &PatchAssistantRequest) -> Api<()> {
    let mut faults = Faults::of("body");
    let mut missing = |field: &str, at: Option<usize>, what: &str| {
        let at = at.map(|at| at.to_string());
        let loc = std::iter::once(field).chain(at.as_deref());
        faults.add(loc, format!("there is no such {what}"), "not_found");
    };
    if new.model.as_set().is_some_and(|model| models.find(model).is_none()) {
        missing("model", None, "model");
    }
    for (at, tool) in new.tools.as_set().into_iter().flatten().enumerate() {
        if !BUILTIN_TOOLS.iter().any(|known| known.name == tool) {
            missing("tools", Some(at), "tool");
        }
    }
    for (at, skill) in new.skills.as_set().into_iter().flatten().enumerate() {
        if reader.get::<Skill>(caller.tenant, skill)?.is_none() {
            missing("skills", Some(at), "skill");
        }
    }
    for at in 0..new.knowledge_bases.as_set().map_or(0, Vec::len) {
        missing("knowledge_bases", Some(at), "knowledge base");
    }
    for (at, grant) in new.grants.as_set().into_iter().flatten().enumerate() {
        if !is_principal(reader, caller.tenant, grant)? {
            missing("grants", Some(at), "principal");
        }
    }
    let faults = faults.into_vec();
    if faults.is_empty() { Ok(()) } else { Err(ApiError::faulty(faults)) }
}

/// Whether a grant names someone of this tenant.
fn is_principal(reader: &Reader, tenant: TenantId, grant: &Grant) -> storage::Result<bool> {
    let id = grant.principal.id;
    match grant.principal.kind {
        PrincipalKind::Tenant => Ok(id == tenant.0),
        PrincipalKind::User => {
            let membership = reader.get::<Membership>(TenantId::SYSTEM, &(id, tenant.0))?;
            Ok(membership.is_some())
        }
        PrincipalKind::Group | PrincipalKind::Team => Ok(false),
    }
}
