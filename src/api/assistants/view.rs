//! How assistants are shown.

use serde::Serialize;
use serde_json::Value;
use storage::records::{Assistant, AssistantType, CatalogMetadata, GrantLevel, Visibility};
use storage::{Reader, Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::closed::{ClosedKnowledgeBase, closed};
use crate::api::images;
use crate::http::{Caller, HasVersion, list_of};
use domain::assistants::access;

/// An assistant as it is kept.
pub type Kept = Row<Assistant>;

/// An assistant. Callers who may only use it are not shown its instructions, tools and knowledge.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantResponse {
    /// The assistant as it is kept.
    #[serde(flatten)]
    pub assistant: Kept,
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

/// What the caller may do with an assistant.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct AssistantPermissions {
    /// In one word.
    pub level: GrantLevel,
    /// Change it.
    pub edit: bool,
    /// Share it.
    pub share: bool,
    /// Delete it.
    pub delete: bool,
}

impl AssistantPermissions {
    fn of(assistant: &Assistant, caller: &Caller) -> Self {
        let level = access::level(assistant, caller).unwrap_or_default();
        let owner = level >= GrantLevel::Owner;
        Self { level, edit: level >= GrantLevel::Editor, share: owner, delete: owner }
    }
}

impl AssistantResponse {
    /// The assistant as this caller may see it.
    pub fn of(reader: &Reader, mut assistant: Row<Assistant>, caller: &Caller) -> storage::Result<Self> {
        let permissions = AssistantPermissions::of(&assistant, caller);
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

/// An assistant as those who use it see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantPublicResponse {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Chat or workflow.
    #[serde(rename = "type")]
    pub kind: AssistantType,
    /// The model.
    pub model: Option<String>,
    /// First messages offered to users.
    pub conversation_starters: Vec<String>,
    /// Its picture.
    pub avatar_url: Option<String>,
    /// What the catalog tells of it.
    pub catalog: Option<CatalogMetadata>,
    /// The shelf it stands on.
    pub category: Option<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Whose it is.
    pub owner: Uuid,
    /// Whether it answers.
    pub enabled: bool,
    /// Why it does not.
    pub disabled_reason: Option<String>,
    /// How often it was written, from 1.
    pub version: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was put into the bin.
    pub deleted_at: Option<Timestamp>,
    /// What a run of a workflow is started with, by name, as its graph declares it.
    #[schema(value_type = Option<Object>)]
    pub workflow_inputs: Option<Value>,
    /// What the caller may do with it.
    pub permissions: AssistantPermissions,
}

impl HasVersion for AssistantPublicResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

impl AssistantPublicResponse {
    /// The assistant as this caller may see it.
    pub fn of(row: Row<Assistant>, caller: &Caller) -> Self {
        let permissions = AssistantPermissions::of(&row, caller);
        let (avatar_url, workflow_inputs) = (avatar_url(row.id, &row), inputs(&row));
        let Row { id, version, created_at, updated_at, body } = row;
        Self {
            id,
            name: body.name,
            description: body.description,
            kind: body.kind,
            model: body.model,
            conversation_starters: body.conversation_starters,
            avatar_url,
            catalog: body.catalog,
            category: body.category,
            visibility: body.visibility,
            owner: body.owner,
            enabled: body.enabled,
            disabled_reason: body.disabled_reason,
            version,
            created_at,
            updated_at,
            deleted_at: body.deleted_at,
            workflow_inputs,
            permissions,
        }
    }
}

list_of! {
    /// A page of assistants, oldest first.
    #[derive(Debug)]
    pub AssistantPublicResponseList of AssistantPublicResponse
}
