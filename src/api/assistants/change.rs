//! Making, changing and binning assistants, and what they may refer to.

use std::sync::Arc;

use assist::RunContext;
use assist::data::{self, Schema};
use assist::offer::ModelChoices;
use assist::toolbox::BUILTIN_TOOLS;
use serde_json::Value;
use storage::records::{Assistant, GrantLevel, KnowledgeBase, Shared, Skill, ToolServer, Visibility};
use storage::{Reader, Record, Row, Timestamp, Tx};
use uuid::Uuid;

use super::schema::{CreateAssistantRequest, MessageResponse, PatchAssistantRequest};
use super::view::AssistantResponse;
use super::{access, links, references, tool_servers};
use crate::App;
use crate::api::sharing;
use crate::http::{Api, Caller, Faults, IfMatch, Patch, Refusal};

/// Data items that are named when a schema does not fit them.
const NAMED: usize = 5;

/// Makes an assistant of the caller's.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    run_context: &RunContext,
    new: CreateAssistantRequest,
) -> Api<AssistantResponse> {
    let new = PatchAssistantRequest::from(new);
    check(tx, caller, run_context, &new, &Assistant::default())?;
    let mut assistant = Assistant { owner: caller.user, ..Assistant::default() };
    apply(&mut assistant, new, Approvals::MayStay);
    tool_servers::hold_graph(&assistant)?;
    let row = tx.insert(caller.tenant, storage::new_id(), assistant)?;
    Ok(AssistantResponse::of(tx, row, caller)?)
}

/// What a request makes, but for its pages and whose it is; whether that may be is not asked.
pub fn body_of(new: CreateAssistantRequest) -> Assistant {
    let mut assistant = Assistant::default();
    apply(&mut assistant, PatchAssistantRequest::from(new), Approvals::MayStay);
    assistant
}

/// Changes an assistant that the caller may edit; who else may see it, only its owners change.
pub fn patch(
    tx: &mut Tx,
    caller: &Caller,
    run_context: &RunContext,
    id: Uuid,
    if_match: &IfMatch,
    new: PatchAssistantRequest,
) -> Api<AssistantResponse> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Editor)?;
    let before = row.body.clone();
    let approvals = Approvals::after_a_change_by(caller, &before);
    apply(&mut row.body, new.clone(), approvals);
    if (row.visibility, &row.grants) != (before.visibility, &before.grants) {
        access::require(&before, caller, GrantLevel::Owner)?;
    }
    fresh(&row, if_match, new.version)?;
    shared_no_more(&before, caller, &new)?;
    check(tx, caller, run_context, &new, &before)?;
    if new.workflow.as_set().is_some() || !matches!(new.tool_servers, Patch::Keep) {
        tool_servers::hold_graph(&row.body)?;
    }
    if let Some(schema) =
        row.data_schema.as_ref().filter(|schema| before.data_schema.as_ref() != Some(*schema))
    {
        hold_items(tx, caller, id, schema)?;
    }
    if row.tool_servers != before.tool_servers {
        let stay: Vec<_> = row.tool_servers.iter().map(|server| server.url.clone()).collect();
        tx.forget_connections_beyond(caller.tenant, id, &stay)?;
    }
    let row = tx.update(caller.tenant, row)?;
    Ok(AssistantResponse::of(tx, row, caller)?)
}

/// Refuses to call an assistant private that is left to those who have a grant.
fn shared_no_more(before: &Assistant, caller: &Caller, new: &PatchAssistantRequest) -> Api<()> {
    let private = matches!(new.visibility, Patch::Clear | Patch::Set(Visibility::Private));
    if !private || !new.grants.is_keep() || before.grants.is_empty() {
        return Ok(());
    }
    access::require(before, caller, GrantLevel::Owner)?;
    let why = "those who have a grant would still see it; send `\"grants\": []` along to take these away";
    Err(Refusal::invalid("body", ["visibility"], why, "conflicting"))
}

/// Refuses, with 412, a change that is meant for another version.
pub fn fresh(row: &Row<Assistant>, if_match: &IfMatch, version: Option<u64>) -> Api<()> {
    if_match.check(row.version)?;
    match version {
        Some(version) if version != row.version => Err(storage::Error::Stale("assistant").into()),
        _ => Ok(()),
    }
}

/// Refuses a schema that data items which are there do not fit; the first few of them are named.
fn hold_items(reader: &Reader, caller: &Caller, id: Uuid, schema: &Value) -> Api<()> {
    // That it is a schema was checked before.
    let Ok(schema) = Schema::read(schema) else { return Ok(()) };
    let mut faults = Faults::of("body");
    for (item, fault) in data::breaking(reader, caller.tenant, id, &schema, NAMED)? {
        faults.add(["data_schema"], format!("the data item {item} does not fit it: {fault}"), "broken");
    }
    faults.told()
}

/// Puts an assistant into the bin, and pauses its automations.
pub fn bin(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<MessageResponse> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    row.deleted_at = Some(Timestamp::now());
    jobs::automation::pause_of_assistant(tx, caller.tenant, id)?;
    let row = tx.update(caller.tenant, row)?;
    Ok(MessageResponse { message: format!("{:?} is in the bin", row.name) })
}

/// Has the assistant know exactly the pages that were given, if any were: that adds and removes
/// documents of its own knowledge, and so comes after the change itself.
pub async fn with_links(
    app: &App,
    caller: &Arc<Caller>,
    changed: AssistantResponse,
    links: Patch<Vec<String>>,
) -> Api<AssistantResponse> {
    let links = match links {
        Patch::Keep => return Ok(changed),
        Patch::Clear => Vec::new(),
        Patch::Set(links) => links,
    };
    if links == changed.assistant.web_links {
        return Ok(changed);
    }
    let id = changed.assistant.id;
    links::set(app, caller, id, &links).await?;
    let reader = caller.clone();
    let shown = app.store.read::<_, Refusal>(move |store| {
        let row = access::visible(store, &reader, id)?.ok_or_else(|| Refusal::not_found("assistant"))?;
        Ok(AssistantResponse::of(store, row, &reader)?)
    });
    shown.await
}

/// What becomes of approvals when the behaviour of an assistant changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Approvals {
    /// They stay, but for those that are always given anew.
    MayStay,
    /// All are taken back.
    End,
}

impl Approvals {
    /// Who could approve the changed assistant as well keeps what was approved. Everybody else would have what they
    /// wrote use approvals that were given for something else.
    fn after_a_change_by(caller: &Caller, before: &Assistant) -> Self {
        let owner = access::require(before, caller, GrantLevel::Owner).is_ok();
        match owner && caller.require_in_person().is_ok() {
            true => Self::MayStay,
            false => Self::End,
        }
    }
}

/// Everything but the pages, see [`with_links`].
fn apply(assistant: &mut Assistant, new: PatchAssistantRequest, approvals: Approvals) {
    let (before, graph) = (capabilities(assistant), assistant.workflow.clone());
    let behaviour = behaviour(assistant);
    new.name.apply_or_default(&mut assistant.name);
    new.description.apply_or_default(&mut assistant.description);
    new.kind.apply_or_default(&mut assistant.kind);
    new.model.apply(&mut assistant.model);
    new.model_parameters.apply_or_default(&mut assistant.model_parameters);
    new.system_prompt.apply_or_default(&mut assistant.system_prompt);
    new.conversation_starters.apply_or_default(&mut assistant.conversation_starters);
    new.skills.apply_or_default(&mut assistant.skills);
    new.tools.apply_or_default(&mut assistant.tools);
    new.tool_servers.apply_or_default(&mut assistant.tool_servers);
    new.knowledge_bases.apply_or_default(&mut assistant.knowledge_bases);
    new.workflow.apply(&mut assistant.workflow);
    new.recovery.apply(&mut assistant.recovery);
    new.category.apply(&mut assistant.category);
    new.visibility.apply_or_default(&mut assistant.visibility);
    new.grants.apply_or_default(&mut assistant.grants);
    new.data_schema.apply(&mut assistant.data_schema);
    assistant.name = assistant.name.trim().to_owned();
    // Who has a grant sees it, so it is not private, whatever is left out or sent along.
    if assistant.visibility == Visibility::Private && !assistant.grants.is_empty() {
        assistant.visibility = Visibility::Shared;
    }
    // What was approved was approved for what it could do then.
    if before != capabilities(assistant) {
        assistant.withdraw_services(|_| false);
    }
    if approvals == Approvals::End && behaviour != self::behaviour(assistant) {
        assistant.withdraw_services(|_| false);
    }
    // A graph says itself where it sends what it gets with its users' logins.
    if graph != assistant.workflow {
        assistant.withdraw_services(|service| !service.starts_with("service:"));
    }
}

/// What an assistant can do that is approved.
fn capabilities(assistant: &Assistant) -> (Vec<String>, Vec<Uuid>, Vec<ToolServer>) {
    (assistant.tools.clone(), assistant.skills.clone(), assistant.tool_servers.clone())
}

/// What decides on how approved services are used: the graph, what the model is told, and which model it is.
fn behaviour(assistant: &Assistant) -> Value {
    let Assistant { kind, workflow, system_prompt, model, model_parameters, knowledge_bases, .. } = assistant;
    serde_json::json!([kind, workflow, system_prompt, model, model_parameters, knowledge_bases])
}

/// All that is referred to must exist, and what is new must be visible to the caller. Every fault is
/// named.
fn check(
    reader: &Reader,
    caller: &Caller,
    run_context: &RunContext,
    new: &PatchAssistantRequest,
    before: &Assistant,
) -> Api<()> {
    let mut faults = Faults::of("body");
    let mut missing = |field: &str, at: Option<usize>, what: &str| {
        let at = at.map(|at| at.to_string());
        let loc = std::iter::once(field).chain(at.as_deref());
        faults.add(loc, format!("there is no such {what}"), "not_found");
    };
    if let Some(model) = new.model.as_set().filter(|model| before.model.as_ref() != Some(*model)) {
        let terms = ModelChoices::read(reader, caller.tenant, caller.user)?;
        if terms.find(&run_context.models, model).is_none() {
            missing("model", None, "model");
        }
    }
    for (at, tool) in new.tools.as_set().into_iter().flatten().enumerate() {
        if !BUILTIN_TOOLS.iter().any(|known| known.name == tool) {
            missing("tools", Some(at), "tool");
        }
    }
    for (at, skill) in new.skills.as_set().into_iter().flatten().enumerate() {
        if reachable::<Skill>(reader, caller, *skill, &before.skills)?.is_none() {
            missing("skills", Some(at), "skill");
        }
    }
    for (at, base) in new.knowledge_bases.as_set().into_iter().flatten().enumerate() {
        let found = reachable::<KnowledgeBase>(reader, caller, *base, &before.knowledge_bases)?;
        // What an assistant knows by itself belongs to that assistant.
        if found.is_none_or(|base| base.assistant_id.is_some()) {
            missing("knowledge_bases", Some(at), "knowledge base");
        }
    }
    tool_servers::require_private(&run_context.web, new, &mut faults);
    if let Some(graph) = new.workflow.as_set() {
        references::check(reader, caller, run_context, graph, before.workflow.as_ref(), &mut faults)?;
    }
    let grants = new.grants.as_set().map_or(&[][..], Vec::as_slice);
    sharing::check_grants(reader, caller.tenant, &before.grants, grants, &mut faults)?;
    faults.told()
}

/// A thing that an assistant may refer to: one that the caller may see, or that it refers to already,
/// so that those who share an assistant need not share all that it uses.
fn reachable<T>(
    reader: &Reader,
    caller: &Caller,
    id: Uuid,
    already: &[Uuid],
) -> storage::Result<Option<Row<T>>>
where
    T: Record<Id = Uuid> + Shared,
{
    match already.contains(&id) {
        true => reader.get::<T>(caller.tenant, &id),
        false => sharing::visible::<T>(reader, caller, id),
    }
}
