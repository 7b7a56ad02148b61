//! Skills that are being built.

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
    /// A run is building the skill.
    #[default]
    Building,
    /// The draft has passed its checks.
    Ready,
    /// No draft passed; `error` has the cause.
    Failed,
    /// The build was cancelled.
    Cancelled,
    /// The draft has become a skill.
    Published,
}

/// The result of calling a function of a draft once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SkillTrial {
    pub function: String,
    /// The arguments of the call.
    #[schema(value_type = Value)]
    pub arguments: Value,
    /// The result of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub result: Option<Value>,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
    /// Whether the function could not work because it needs an external service that is not available
    /// in trials.
    pub needs_service: bool,
}

/// A skill that a model drafts for an assistant. Its id is (assistant, job). The run of the job has the
/// same id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SkillDraft {
    /// Name of the resulting file, for example `invoices.skill`.
    pub skill_filename: String,
    /// The request.
    pub prompt: String,
    /// The skill of which this is to be a new version.
    pub base_skill_id: Option<Uuid>,
    pub state: SkillDraftState,
    /// Why the build failed.
    pub error: Option<String>,
    /// The number of drafts.
    pub attempts: u32,
    /// Texts and scripts of the last draft, by path.
    pub files: BTreeMap<String, String>,
    /// Problems that the checks of the last draft found.
    pub faults: Vec<String>,
    /// The results of calling the functions of the last draft.
    pub trials: Vec<SkillTrial>,
    /// A note on how it was built, if any.
    pub note: Option<String>,
    /// The skill that the draft was published as.
    pub skill_id: Option<Uuid>,
    /// The user who requested it.
    pub created_by: Uuid,
    /// Time at which the build ended.
    pub finished_at: Option<Timestamp>,
}

impl Record for SkillDraft {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"sd";
    const NAME: &'static str = "skill_draft";
    const GROWTH: Growth<Self> = Growth::metered(|_, row| Owner::User(row.created_by), "10 MiB each");
}
