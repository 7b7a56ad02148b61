//! Skills.

use crate::record::Record;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Where a skill can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillUsableIn {
    /// In conversations.
    Chat,
    /// In workflows.
    Workflow,
    /// In both.
    #[default]
    Both,
}

/// Instructions, and functions, that assistants can use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Where it can be used.
    pub usable_in: SkillUsableIn,
    /// Whose it is.
    pub owner: Uuid,
}

impl Record for Skill {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"sk";
    const NAME: &'static str = "skill";
}
