//! Who may use a model.

use crate::authority::{Because, Subject};
use crate::growth::Growth;
use crate::record::Record;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Whom something is shown to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// All of the tenant.
    #[default]
    Everyone,
    /// No one.
    Nobody,
    /// These alone.
    Only {
        /// Users.
        users: Vec<Uuid>,
        /// Groups.
        groups: Vec<Uuid>,
    },
}

impl Audience {
    /// Whether a member is among them.
    pub fn has(&self, standing: &Subject) -> bool {
        Because::of(self, standing).shows()
    }
}

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
