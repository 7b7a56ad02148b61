//! Creating and changing assistants.

use serde_json::{Map, Value};
use storage::records::{
    Assistant, AssistantType, CatalogMetadata, Grant, GrantLevel, Recovery, ToolServer, Visibility,
};
use storage::{BlobId, Row, Tx};
use uuid::Uuid;

use super::environment::Environment;
use super::{access, references};
use crate::{Caller, Faults, Patch, Precondition, Refusal, Result};

/// Number of data items that an error names if a new schema does not match them.
const NAMED_ITEMS: usize = 5;

/// The fields of an assistant that are set together. In a new assistant, a field that is not set gets its default.
///
/// The web pages of an assistant are not among these fields: they are documents, which runs add.
#[derive(Clone, Debug, Default)]
pub struct AssistantInput {
    /// Name of the assistant; surrounding white space is removed.
    pub name: Patch<String>,
    pub description: Patch<String>,
    pub kind: Patch<AssistantType>,
    /// The model. If cleared, the user's or the tenant's default.
    pub model: Patch<String>,
    pub model_parameters: Patch<Map<String, Value>>,
    pub system_prompt: Patch<String>,
    pub conversation_starters: Patch<Vec<String>>,
    pub skills: Patch<Vec<Uuid>>,
    /// Names of built-in tools.
    pub tools: Patch<Vec<String>>,
    pub tool_servers: Patch<Vec<ToolServer>>,
    pub knowledge_bases: Patch<Vec<Uuid>>,
    /// The graph of a workflow.
    pub workflow: Patch<Value>,
    pub recovery: Patch<Recovery>,
    pub category: Patch<String>,
    pub visibility: Patch<Visibility>,
    pub grants: Patch<Vec<Grant>>,
    /// The JSON Schema of the assistant's data items.
    pub data_schema: Patch<Value>,
}

impl AssistantInput {
    /// Returns the assistant that this input describes, without an owner and without checks.
    pub fn into_assistant(self) -> Assistant {
        let mut assistant = Assistant::default();
        self.apply(&mut assistant, Approvals::Keep);
        assistant
    }

    fn apply(self, assistant: &mut Assistant, approvals: Approvals) {
        let (capabilities, graph) = (capabilities(assistant), assistant.workflow.clone());
        let behaviour = behaviour(assistant);
        self.name.apply_or_default(&mut assistant.name);
        self.description.apply_or_default(&mut assistant.description);
        self.kind.apply_or_default(&mut assistant.kind);
        self.model.apply(&mut assistant.model);
        self.model_parameters.apply_or_default(&mut assistant.model_parameters);
        self.system_prompt.apply_or_default(&mut assistant.system_prompt);
        self.conversation_starters.apply_or_default(&mut assistant.conversation_starters);
        self.skills.apply_or_default(&mut assistant.skills);
        self.tools.apply_or_default(&mut assistant.tools);
        self.tool_servers.apply_or_default(&mut assistant.tool_servers);
        self.knowledge_bases.apply_or_default(&mut assistant.knowledge_bases);
        self.workflow.apply(&mut assistant.workflow);
        self.recovery.apply(&mut assistant.recovery);
        self.category.apply(&mut assistant.category);
        self.visibility.apply_or_default(&mut assistant.visibility);
        self.grants.apply_or_default(&mut assistant.grants);
        self.data_schema.apply(&mut assistant.data_schema);
        assistant.name = assistant.name.trim().to_owned();
        assistant.visibility = crate::sharing::with_grants(assistant.visibility, &assistant.grants);
        // Services were approved for what the assistant could do at that time.
        if capabilities != self::capabilities(assistant) {
            assistant.withdraw_services(|_| false);
        }
        if approvals == Approvals::Withdraw && behaviour != self::behaviour(assistant) {
            assistant.withdraw_services(|_| false);
        }
        // A graph determines where it sends the data that it receives with its users' logins.
        if graph != assistant.workflow {
            assistant.withdraw_services(|service| !service.starts_with("service:"));
        }
    }
}

/// What happens to approved services when the behaviour of an assistant changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Approvals {
    Keep,
    Withdraw,
}

impl Approvals {
    /// Callers who could approve the changed assistant keep the approvals. The changes of any other caller would use
    /// approvals that were given for something else.
    fn after_change_by(caller: &Caller, before: &Assistant) -> Self {
        let owner = access::require(before, caller, GrantLevel::Owner).is_ok();
        match owner && caller.require_in_person().is_ok() {
            true => Self::Keep,
            false => Self::Withdraw,
        }
    }
}

/// Returns the capabilities of an assistant that have to be approved.
fn capabilities(assistant: &Assistant) -> (Vec<String>, Vec<Uuid>, Vec<ToolServer>) {
    (assistant.tools.clone(), assistant.skills.clone(), assistant.tool_servers.clone())
}

/// Returns everything that determines how approved services are used: the graph, the instructions, the model, the
/// knowledge.
fn behaviour(assistant: &Assistant) -> Value {
    let Assistant { kind, workflow, system_prompt, model, model_parameters, knowledge_bases, .. } = assistant;
    serde_json::json!([kind, workflow, system_prompt, model, model_parameters, knowledge_bases])
}

/// Creates an assistant that the caller owns.
///
/// # Errors
/// `invalid` with every reference to an object that the caller cannot see.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    environment: &dyn Environment,
    input: AssistantInput,
) -> Result<Row<Assistant>> {
    references::check(tx, caller, environment, &input, &Assistant::default())?;
    let mut assistant = Assistant { owner: caller.user, ..Assistant::default() };
    input.apply(&mut assistant, Approvals::Keep);
    check_tools(environment, &assistant)?;
    Ok(tx.insert(caller.tenant, storage::new_id(), assistant)?)
}

/// Changes an assistant that the caller may edit. Only owners may change its visibility and grants. `version` is the
/// version in the request itself, which is checked in addition to the precondition.
///
/// # Errors
/// `not_found`, `not_allowed`; `stale` for another version; `invalid` with every reference to an object that the caller
/// cannot see, or for a schema that stored data items do not match.
pub fn change(
    tx: &mut Tx,
    caller: &Caller,
    environment: &dyn Environment,
    id: Uuid,
    (precondition, version): (&Precondition, Option<u64>),
    input: AssistantInput,
) -> Result<Row<Assistant>> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Editor)?;
    let before = row.body.clone();
    input.clone().apply(&mut row.body, Approvals::after_change_by(caller, &before));
    if (row.visibility, &row.grants) != (before.visibility, &before.grants) {
        access::require(&before, caller, GrantLevel::Owner)?;
    }
    precondition.check_both(version, "assistant", row.version)?;
    check_private(&before, caller, &input)?;
    references::check(tx, caller, environment, &input, &before)?;
    if input.workflow.as_set().is_some() || !input.tool_servers.is_keep() {
        check_tools(environment, &row.body)?;
    }
    if row.data_schema != before.data_schema
        && let Some(schema) = &row.data_schema
    {
        check_items(tx, caller, environment, id, schema)?;
    }
    if row.tool_servers != before.tool_servers {
        let urls: Vec<_> = row.tool_servers.iter().map(|server| server.url.clone()).collect();
        tx.forget_connections_beyond(caller.tenant, id, &urls)?;
    }
    Ok(tx.update(caller.tenant, row)?)
}

/// Sets the picture of an assistant that the caller may edit.
///
/// # Errors
/// `not_found`, `not_allowed`.
pub fn set_picture(tx: &mut Tx, caller: &Caller, id: Uuid, picture: BlobId) -> Result<Row<Assistant>> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Editor)?;
    if row.avatar.as_ref() != Some(&picture) {
        row.avatar = Some(picture);
        row = tx.update(caller.tenant, row)?;
    }
    Ok(row)
}

/// Replaces the catalog metadata of an assistant that the caller owns.
///
/// # Errors
/// `not_found`, `not_allowed`, `stale`.
pub fn set_catalog_metadata(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    metadata: CatalogMetadata,
) -> Result<Row<Assistant>> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    precondition.check(row.version)?;
    row.catalog = Some(metadata);
    Ok(tx.update(caller.tenant, row)?)
}

/// Refuses to make an assistant private while its grants stay.
fn check_private(before: &Assistant, caller: &Caller, input: &AssistantInput) -> Result<()> {
    let private = matches!(input.visibility, Patch::Clear | Patch::Set(Visibility::Private));
    if !private || !input.grants.is_keep() || before.grants.is_empty() {
        return Ok(());
    }
    access::require(before, caller, GrantLevel::Owner)?;
    let why = "users with a grant would still see it; to remove the grants, also send `\"grants\": []`";
    Err(Refusal::invalid("body", ["visibility"], why, "conflicting"))
}

fn check_tools(environment: &dyn Environment, assistant: &Assistant) -> Result<()> {
    match assistant.workflow.as_ref().and_then(|graph| environment.read_graph(graph)) {
        Some(graph) => references::check_graph_tools(assistant, &graph),
        None => Ok(()),
    }
}

/// Refuses a schema that the stored data items do not match.
fn check_items(
    tx: &Tx,
    caller: &Caller,
    environment: &dyn Environment,
    id: Uuid,
    schema: &Value,
) -> Result<()> {
    let mut faults = Faults::new("body");
    for (item, fault) in environment.mismatching_items(tx, caller.tenant, id, schema, NAMED_ITEMS)? {
        faults.add(["data_schema"], format!("the data item {item} does not match it: {fault}"), "broken");
    }
    faults.into_result()
}
