//! Who may use a model.

use crate::authority::Audience;
use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a tenant's administrators decided on a model of any kind. Its id is the model's, such as
/// `builtin/scribe`; a model without a rule is everyone's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ModelRule {
    /// Who may use it.
    pub audience: Audience,
}

impl Record for ModelRule {
    type Id = String;
    const TABLE: [u8; 2] = *b"mr";
    const NAME: &'static str = "model_rule";
    const GROWTH: Growth<Self> = Growth::OnePer("model");
}
