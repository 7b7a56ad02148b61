//! Which users may use a model.

use crate::authority::Audience;
use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The rule that a tenant's administrators set for a model of any kind. Its id is the model's, such
/// as `builtin/scribe`. A model without a rule is available to everyone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ModelRule {
    /// The users who may use the model.
    pub audience: Audience,
}

impl Record for ModelRule {
    type Id = String;
    const TABLE: [u8; 2] = *b"mr";
    const NAME: &'static str = "model_rule";
    const GROWTH: Growth<Self> = Growth::OnePer("model");
}
