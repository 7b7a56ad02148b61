//! Skills in the making.

use crate::record::{Growth, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// The state of a skill build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillDraftState {
    /// A run works on it.
    #[default]
    Building,
    /// It has passed its checks.
    Ready,
    /// No draft passed; `error` has the cause.
    Failed,
    /// It was stopped.
    Cancelled,
    /// It has become a skill.
    Published,
}

/// The result of calling a function of a draft once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SkillTrial {
    pub function: String,
    /// What it was given.
    #[schema(value_type = Value)]
    pub arguments: Value,
    /// What it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub result: Option<Value>,
    /// Why it gave nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether it could not do its work there, as it needs an external service that trials do not have.
    pub needs_service: bool,
}

/// A skill that a model drafts for an assistant. Its id is (assistant, job); a job is the run of
/// the same id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SkillDraft {
    /// The file it is to be, for example `invoices.skill`.
    pub skill_filename: String,
    /// The request.
    pub prompt: String,
    /// The skill that it is to be a new version of.
    pub base_skill_id: Option<Uuid>,
    pub state: SkillDraftState,
    /// Why it failed.
    pub error: Option<String>,
    /// The number of drafts.
    pub attempts: u32,
    /// Its texts and scripts by their path, as the last draft has them.
    pub files: BTreeMap<String, String>,
    /// What the checks of the last draft found.
    pub faults: Vec<String>,
    /// The results of calling the functions of the last draft.
    pub trials: Vec<SkillTrial>,
    /// A note on how it was built, if any.
    pub note: Option<String>,
    /// The skill it became.
    pub skill_id: Option<Uuid>,
    /// The user who requested it.
    pub created_by: Uuid,
    /// When it was done with.
    pub finished_at: Option<Timestamp>,
}

impl Record for SkillDraft {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"sd";
    const NAME: &'static str = "skill_draft";
    const GROWTH: Growth<Self> = Growth::metered(|_, row| Owner::User(row.created_by), "10 MiB each");
}
