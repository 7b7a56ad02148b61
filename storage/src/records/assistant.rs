//! Assistants and their settings.

use super::{CatalogMetadata, Recovery};
use crate::authority::{Feature, Grant, Shared, Sharing, Visibility};
use crate::blobs::BlobId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, RefBuilder, Schema, Type};
use uuid::Uuid;

/// The schema of a graph, which is described where graphs are read.
fn graph_or_null() -> Schema {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    let graph = RefBuilder::new().ref_location_from_schema_name("WorkflowGraph");
    let graph = graph.description(Some("The graph of a workflow assistant.")).build();
    OneOfBuilder::new().item(null).item(graph).into()
}

/// What responds to a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssistantType {
    /// A model with a prompt and tools.
    #[default]
    Chat,
    Workflow,
}

/// A tool server that an assistant is connected to through the Model Context Protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolServer {
    /// Name of the server within the assistant: lower-case letters, digits and dashes. Its tools are `<name>/<tool>`,
    /// and they are offered to the model only if `mcp:<name>` is among the approved services.
    #[schema(min_length = 1, max_length = 32, pattern = "^[a-z0-9-]+$", example = "tracker")]
    pub name: String,
    /// Endpoint of the server (streamable HTTP).
    #[schema(max_length = 2000, example = "https://tracker.example/mcp")]
    pub url: String,
    /// The tools that may be used; all tools if omitted.
    #[serde(default)]
    #[schema(max_items = 200)]
    pub tools: Option<Vec<String>>,
}

impl ToolServer {
    /// Returns the name of the server among the services that an assistant is approved for.
    pub fn service(&self) -> String {
        format!("mcp:{}", self.name)
    }

    /// Returns whether the tool with this name may be used.
    pub fn lets(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|name| name == tool))
    }
}

/// A configured assistant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Assistant {
    pub name: String,
    pub description: String,
    /// Chat or workflow.
    #[serde(rename = "type")]
    pub kind: AssistantType,
    /// The model. If omitted, the user's or the tenant's default.
    pub model: Option<String>,
    /// Parameters passed to the model.
    #[schema(value_type = Object)]
    pub model_parameters: Map<String, Value>,
    /// The instructions at the beginning of every conversation.
    pub system_prompt: String,
    /// First messages suggested to users.
    pub conversation_starters: Vec<String>,
    /// Skills that the assistant may use.
    pub skills: Vec<Uuid>,
    /// Built-in tools that the assistant may use.
    pub tools: Vec<String>,
    /// Tool servers that the assistant is connected to.
    pub tool_servers: Vec<ToolServer>,
    /// Knowledge bases that the assistant searches.
    pub knowledge_bases: Vec<Uuid>,
    /// URLs of web pages that the assistant knows. Each is a document of the assistant's own knowledge base.
    pub web_links: Vec<String>,
    /// The knowledge base with the assistant's own files, texts and pages, once it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub own_knowledge: Option<Uuid>,
    /// The graph of a workflow assistant.
    #[schema(schema_with = graph_or_null)]
    pub workflow: Option<Value>,
    /// What happens to its responses if the server stops during them.
    pub recovery: Option<Recovery>,
    /// External services that the assistant or its skills are approved for.
    pub approved_external_services: Vec<String>,
    /// The user who approved the external services. If this is the owner, the assistant may use the owner's logins.
    /// All other logins, including the owner's if another user approved the services, can be used only if the users
    /// they belong to agreed to it.
    pub approved_by: Option<Uuid>,
    /// Profile picture of the assistant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub avatar: Option<BlobId>,
    pub catalog: Option<CatalogMetadata>,
    pub category: Option<String>,
    /// Who may see the assistant.
    pub visibility: Visibility,
    /// The user who owns the assistant.
    pub owner: Uuid,
    /// Whether the assistant responds.
    pub enabled: bool,
    /// Why the assistant is disabled.
    pub disabled_reason: Option<String>,
    /// Time at which the assistant was moved to the bin.
    pub deleted_at: Option<Timestamp>,
    /// Permissions of other users, groups and teams.
    pub grants: Vec<Grant>,
    /// The JSON Schema of the assistant's data items.
    #[schema(value_type = Option<Object>)]
    pub data_schema: Option<Value>,
}

impl Default for Assistant {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            kind: AssistantType::default(),
            model: None,
            model_parameters: Map::new(),
            system_prompt: String::new(),
            conversation_starters: Vec::new(),
            skills: Vec::new(),
            tools: Vec::new(),
            tool_servers: Vec::new(),
            knowledge_bases: Vec::new(),
            web_links: Vec::new(),
            own_knowledge: None,
            workflow: None,
            recovery: None,
            approved_external_services: Vec::new(),
            approved_by: None,
            avatar: None,
            catalog: None,
            category: None,
            visibility: Visibility::default(),
            owner: Uuid::nil(),
            enabled: true,
            disabled_reason: None,
            deleted_at: None,
            grants: Vec::new(),
            data_schema: None,
        }
    }
}

impl Assistant {
    /// Withdraws the approvals except those for which `stays` returns `true`.
    pub fn withdraw_services(&mut self, stays: impl Fn(&str) -> bool) {
        self.approved_external_services.retain(|service| stays(service));
        if self.approved_external_services.is_empty() {
            self.approved_by = None;
        }
    }

    /// Returns whether the assistant may use this user's logins without a loan: the user owns the assistant and
    /// approved its services.
    pub fn has_approval_of(&self, user: Uuid) -> bool {
        self.owner == user && self.approved_by == Some(user)
    }
}

impl Feature {
    /// Returns the feature that covers work with an assistant of this type.
    pub const fn from_assistant_type(kind: AssistantType) -> Self {
        match kind {
            AssistantType::Workflow => Self::Workflows,
            AssistantType::Chat => Self::Assistants,
        }
    }
}

impl Record for Assistant {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"as";
    const NAME: &'static str = "assistant";
    /// The grants determine what readers of the assistant's runs may see.
    const DECIDES: bool = true;
    const GROWTH: Growth<Self> =
        Growth::metered(|_, row| Owner::User(row.owner), "each field has a maximum length");
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = Some(|body| body.avatar.iter().cloned().collect());
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"a1",
        name: "by_owner",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.owner).done()],
    }];
}

impl Shared for Assistant {
    fn sharing(&self) -> Sharing<'_> {
        Sharing { owner: self.owner, visibility: self.visibility, grants: &self.grants }
    }
}
