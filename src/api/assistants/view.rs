//! How assistants are shown.

use serde::Serialize;
use serde_json::Value;
use storage::records::{Assistant, AssistantType, CatalogMetadata, Visibility};
use storage::{Reader, Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::closed::{ClosedKnowledgeBase, closed};
use crate::api::images;
use crate::api::permissions::permissions;
use crate::http::{Caller, HasVersion, list_of, record_view};
use domain::assistants::access;

// An alias, as the schema macro does not take `Row<Assistant>` for a field.
type StoredAssistant = Row<Assistant>;

/// An assistant. Callers who may only use it are not shown its instructions, tools and knowledge.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantResponse {
    #[serde(flatten)]
    pub assistant: StoredAssistant,
    /// Where its picture is, if it has one; another picture has another address.
    pub avatar_url: Option<String>,
    /// What a run of a workflow is started with, by name, as its graph declares it.
    #[schema(value_type = Option<Object>)]
    pub workflow_inputs: Option<Value>,
    /// Its knowledge bases that are closed to some of those with whom it is shared, so that it answers them without;
    /// of those alone that the caller may read. Who may only use it is not told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed_knowledge_bases: Vec<ClosedKnowledgeBase>,
    /// What the caller may do with it.
    pub permissions: AssistantPermissions,
}

permissions! {
    /// What the caller may do with an assistant.
    AssistantPermissions
}

fn permissions_of(assistant: &Assistant, caller: &Caller) -> AssistantPermissions {
    access::level(assistant, caller).unwrap_or_default().into()
}

impl AssistantResponse {
    /// The assistant as this caller may see it.
    pub fn new(reader: &Reader, mut assistant: Row<Assistant>, caller: &Caller) -> storage::Result<Self> {
        let permissions = permissions_of(&assistant, caller);
        let (avatar_url, workflow_inputs) = (avatar_url(assistant.id, &assistant), inputs(&assistant));
        if !permissions.edit {
            conceal(&mut assistant);
        }
        let closed_knowledge_bases = closed(reader, caller, &assistant)?;
        // Both are left out of answers: they say where things lie, not what they are.
        assistant.own_knowledge = None;
        assistant.avatar = None;
        Ok(Self { assistant, avatar_url, workflow_inputs, closed_knowledge_bases, permissions })
    }
}

impl HasVersion for AssistantResponse {
    fn version(&self) -> u64 {
        self.assistant.version
    }
}

fn avatar_url(id: Uuid, assistant: &Assistant) -> Option<String> {
    images::address("/api/assistants", id, assistant.avatar.as_ref())
}

/// Who may run a workflow is told its inputs, without its graph.
fn inputs(assistant: &Assistant) -> Option<Value> {
    assistant.workflow.as_ref()?.get("inputs").cloned()
}

fn conceal(assistant: &mut Assistant) {
    *assistant = Assistant {
        system_prompt: String::new(),
        model_parameters: Default::default(),
        skills: Vec::new(),
        tools: Vec::new(),
        tool_servers: Vec::new(),
        knowledge_bases: Vec::new(),
        web_links: Vec::new(),
        workflow: None,
        approved_external_services: Vec::new(),
        approved_by: None,
        grants: Vec::new(),
        data_schema: None,
        ..assistant.clone()
    };
}

record_view! {
    /// An assistant as those who use it see it.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct AssistantPublicResponse
    from (row, permissions): (Row<Assistant>, AssistantPermissions), row.body => {
        /// The assistant's id.
        id: Uuid = row.id,
        /// The address of its picture.
        avatar_url: Option<String> = avatar_url(row.id, &row),
        /// The inputs of a run of a workflow, by name, as its graph declares them.
        #[schema(value_type = Option<Object>)]
        workflow_inputs: Option<Value> = inputs(&row),
        /// The name shown to users.
        name: String,
        description: String,
        /// Chat or workflow.
        #[serde(rename = "type")]
        kind: AssistantType,
        /// The model; without one, the user's or the tenant's default.
        model: Option<String>,
        /// First messages offered to users.
        conversation_starters: Vec<String>,
        /// What the catalog shows of it.
        catalog: Option<CatalogMetadata>,
        /// The category it is listed under.
        category: Option<String>,
        /// Who may see it.
        visibility: Visibility,
        /// The user who owns it.
        owner: Uuid,
        /// Whether it responds.
        enabled: bool,
        /// Why it does not.
        disabled_reason: Option<String>,
        /// How often it was written, from 1.
        version: u64 = row.version,
        /// When it was created.
        created_at: Timestamp = row.created_at,
        /// When it was last changed.
        updated_at: Timestamp = row.updated_at,
        /// When it was put into the bin.
        deleted_at: Option<Timestamp>,
        /// What the caller may do with it.
        permissions: AssistantPermissions = permissions,
    }
}

impl HasVersion for AssistantPublicResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

impl AssistantPublicResponse {
    /// The assistant as this caller may see it.
    pub fn new(row: Row<Assistant>, caller: &Caller) -> Self {
        let permissions = permissions_of(&row, caller);
        (row, permissions).into()
    }
}

list_of! {
    /// A page of assistants, oldest first.
    #[derive(Debug)]
    pub AssistantPublicResponseList of AssistantPublicResponse
}
