//! Whom a feature is for.

use super::Audience;
use crate::growth::Growth;
use crate::record::Record;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a tenant's administrators decided on a feature. Its id is the feature's key; a feature without a rule is
/// everyone's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct FeatureRule {
    /// Who has it.
    pub audience: Audience,
}

impl Record for FeatureRule {
    type Id = String;
    const TABLE: [u8; 2] = *b"fr";
    const NAME: &'static str = "feature_rule";
    const GROWTH: Growth<Self> = Growth::OnePer("feature");
    const DECIDES: bool = true;
}
