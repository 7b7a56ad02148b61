//! Assistants.

use super::{Recovery, Role};
use crate::ids::TenantId;
use crate::keys::IndexKey;
use crate::record::{Index, Record};
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
    /// A workflow.
    Workflow,
}

/// Who may see an assistant beside its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Nobody.
    #[default]
    Private,
    /// Those with a grant.
    Shared,
    /// The whole tenant.
    Tenant,
}

/// What a principal may do; each may all that the ones before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantLevel {
    /// See and use.
    #[default]
    Viewer,
    /// Change.
    Editor,
    /// Share and delete.
    Owner,
}

/// What a grant is made to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalKind {
    /// One user.
    User,
    /// A group of the directory.
    Group,
    /// A team.
    Team,
    /// Everyone in the tenant.
    Tenant,
}

/// Who a grant is made to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Principal {
    /// User, group, team or tenant.
    pub kind: PrincipalKind,
    /// Its id.
    pub id: Uuid,
}

/// A right on a shared thing. Grants add up; nothing denies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grant {
    /// Who has it.
    pub principal: Principal,
    /// What it allows.
    pub level: GrantLevel,
}

/// A configured assistant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Assistant {
    /// Its name.
    pub name: String,
    /// What it is for.
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
    /// Knowledge bases it searches.
    pub knowledge_bases: Vec<Uuid>,
    /// Pages it knows.
    pub web_links: Vec<String>,
    /// The graph of a workflow assistant.
    #[schema(value_type = Option<Object>)]
    pub workflow: Option<Value>,
    /// What becomes of its answers when the server stops in their midst.
    pub recovery: Option<Recovery>,
    /// External services its skills were approved for.
    pub approved_external_services: Vec<String>,
    /// Its picture.
    pub avatar_url: Option<String>,
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
            knowledge_bases: Vec::new(),
            web_links: Vec::new(),
            workflow: None,
            recovery: None,
            approved_external_services: Vec::new(),
            avatar_url: None,
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

impl Record for Assistant {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"as";
    const NAME: &'static str = "assistant";
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"a1",
        name: "by_owner",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.owner).done()],
    }];
}

impl Assistant {
    /// What a member of its tenant may do with it; none where they may not even see it. Grants add
    /// up. Tenant administrators manage what is shared in the tenant, and nothing that is private.
    pub fn level_of(&self, tenant: TenantId, user: Uuid, role: Role) -> Option<GrantLevel> {
        let shared = self.visibility != Visibility::Private || !self.grants.is_empty();
        if self.owner == user || (shared && role == Role::TenantAdmin) {
            return Some(GrantLevel::Owner);
        }
        let applies = |grant: &&Grant| match grant.principal.kind {
            PrincipalKind::User => grant.principal.id == user,
            PrincipalKind::Tenant => grant.principal.id == tenant.0,
            PrincipalKind::Group | PrincipalKind::Team => false,
        };
        let granted = self.grants.iter().filter(applies).map(|grant| grant.level).max();
        let everyone = (self.visibility == Visibility::Tenant).then_some(GrantLevel::Viewer);
        granted.max(everyone)
    }
}
