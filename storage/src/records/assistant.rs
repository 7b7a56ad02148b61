//! Assistants.

use super::{CatalogMetadata, Recovery};
use crate::authority::{Feature, Grant, Shared, Sharing, Visibility};
use crate::blobs::BlobId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// What answers a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssistantType {
    /// A model with a prompt and tools.
    #[default]
    Chat,
    Workflow,
}

/// A tool server that an assistant is connected to, by the Model Context Protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolServer {
    /// What the assistant calls it: lower-case letters, digits and dashes. Its tools are `<name>/<tool>`, and
    /// `mcp:<name>` has to be among the approved services before any of them is offered.
    #[schema(min_length = 1, max_length = 32, pattern = "^[a-z0-9-]+$", example = "tracker")]
    pub name: String,
    /// Where it listens (streamable HTTP).
    #[schema(max_length = 2000, example = "https://tracker.example/mcp")]
    pub url: String,
    /// The tools that may be used; all of them without a list.
    #[serde(default)]
    #[schema(max_items = 200)]
    pub tools: Option<Vec<String>>,
}

impl ToolServer {
    /// The service that stands for it among those that an assistant is approved for.
    pub fn service(&self) -> String {
        format!("mcp:{}", self.name)
    }

    /// Whether its tool of this name may be used.
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
    /// The model; without one, the user's or the tenant's default.
    pub model: Option<String>,
    /// Parameters passed to the model.
    #[schema(value_type = Object)]
    pub model_parameters: Map<String, Value>,
    /// The instructions that every conversation begins with.
    pub system_prompt: String,
    /// First messages offered to users.
    pub conversation_starters: Vec<String>,
    /// Skills it may use.
    pub skills: Vec<Uuid>,
    /// Built-in tools it may use.
    pub tools: Vec<String>,
    /// Tool servers it is connected to.
    pub tool_servers: Vec<ToolServer>,
    /// Knowledge bases it searches.
    pub knowledge_bases: Vec<Uuid>,
    /// Addresses of the pages it knows; each is a document of its own knowledge.
    pub web_links: Vec<String>,
    /// The knowledge base that holds its own files, texts and pages, once it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub own_knowledge: Option<Uuid>,
    /// The graph of a workflow assistant.
    #[schema(value_type = Option<Object>)]
    pub workflow: Option<Value>,
    /// What happens to its answers if the server stops during them.
    pub recovery: Option<Recovery>,
    /// External services that it, or its skills, were approved for.
    pub approved_external_services: Vec<String>,
    /// Who approved them. What its owner approved may use that owner's own logins; everybody else's, theirs too where
    /// others approved it, have to be lent to it by themselves.
    pub approved_by: Option<Uuid>,
    /// Its picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub avatar: Option<BlobId>,
    pub catalog: Option<CatalogMetadata>,
    pub category: Option<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Whose it is.
    pub owner: Uuid,
    /// Whether it answers.
    pub enabled: bool,
    /// Why it does not.
    pub disabled_reason: Option<String>,
    /// When it was put into the bin.
    pub deleted_at: Option<Timestamp>,
    /// Rights of others.
    pub grants: Vec<Grant>,
    /// The JSON Schema of its data items.
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
    /// Takes approvals back, but for those that are to stay.
    pub fn withdraw_services(&mut self, stays: impl Fn(&str) -> bool) {
        self.approved_external_services.retain(|service| stays(service));
        if self.approved_external_services.is_empty() {
            self.approved_by = None;
        }
    }

    /// Whether it may use the logins of this user at services without having been lent them: it is theirs, and so is
    /// what it was approved for.
    pub fn has_word_of(&self, user: Uuid) -> bool {
        self.owner == user && self.approved_by == Some(user)
    }
}

impl Feature {
    /// What working with an assistant of this type is part of.
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
    /// Its grants decide on what readers of its runs are shown.
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
