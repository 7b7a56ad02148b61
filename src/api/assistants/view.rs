//! Representation of assistants in responses.

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

// An alias, because the schema macro does not accept `Row<Assistant>` as the type of a field.
type StoredAssistant = Row<Assistant>;

/// An assistant. Callers who may only use it do not see its instructions, tools and knowledge.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantResponse {
    #[serde(flatten)]
    pub assistant: StoredAssistant,
    /// Address of the picture, if there is one. A new picture has a new address.
    pub avatar_url: Option<String>,
    /// Inputs of a workflow run, by name, as declared by the graph.
    #[schema(value_type = Option<Object>)]
    pub workflow_inputs: Option<Value>,
    /// Knowledge bases that some users of the assistant may not read, so that answers to them do not use these knowledge bases. Contains
    /// only knowledge bases that the caller may read. Empty for callers who may only use the assistant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed_knowledge_bases: Vec<ClosedKnowledgeBase>,
    /// Rights of the caller to the assistant.
    pub permissions: AssistantPermissions,
}

permissions! {
    /// Rights of a caller to an assistant.
    AssistantPermissions
}

fn permissions_of(assistant: &Assistant, caller: &Caller) -> AssistantPermissions {
    access::level(assistant, caller).unwrap_or_default().into()
}

impl AssistantResponse {
    /// Builds the representation that this caller may see.
    pub fn new(reader: &Reader, mut assistant: Row<Assistant>, caller: &Caller) -> storage::Result<Self> {
        let permissions = permissions_of(&assistant, caller);
        let (avatar_url, workflow_inputs) = (avatar_url(assistant.id, &assistant), inputs(&assistant));
        if !permissions.edit {
            conceal(&mut assistant);
        }
        let closed_knowledge_bases = closed(reader, caller, &assistant)?;
        // Both are internal storage locations and are left out of responses.
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

/// Users who may run a workflow see its inputs, but not its graph.
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
    /// The public view of an assistant.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct AssistantPublicResponse
    from (row, permissions): (Row<Assistant>, AssistantPermissions), row.body => {
        /// Id of the assistant.
        id: Uuid = row.id,
        /// Address of the picture.
        avatar_url: Option<String> = avatar_url(row.id, &row),
        /// Inputs of a workflow run, by name, as declared by the graph.
        #[schema(value_type = Option<Object>)]
        workflow_inputs: Option<Value> = inputs(&row),
        /// Name of the assistant, shown to users.
        name: String,
        description: String,
        /// Whether the assistant is a chat or a workflow.
        #[serde(rename = "type")]
        kind: AssistantType,
        /// Id of the model. If `null`, the default model of the user or the tenant is used.
        model: Option<String>,
        /// First messages that are offered to users.
        conversation_starters: Vec<String>,
        /// Catalog metadata of the assistant.
        catalog: Option<CatalogMetadata>,
        /// Category under which the assistant is listed.
        category: Option<String>,
        /// Who may see the assistant.
        visibility: Visibility,
        /// The user who owns the assistant.
        owner: Uuid,
        /// Whether the assistant responds.
        enabled: bool,
        /// Why the assistant is disabled.
        disabled_reason: Option<String>,
        /// Version of the assistant: how often it was written, from 1.
        version: u64 = row.version,
        /// When the assistant was created.
        created_at: Timestamp = row.created_at,
        /// When the assistant was last changed.
        updated_at: Timestamp = row.updated_at,
        /// When the assistant was moved to the bin.
        deleted_at: Option<Timestamp>,
        /// Rights of the caller to the assistant.
        permissions: AssistantPermissions = permissions,
    }
}

impl HasVersion for AssistantPublicResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

impl AssistantPublicResponse {
    /// Builds the representation that this caller may see.
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
