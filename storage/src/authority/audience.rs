//! Whom something is shown to.

use super::{AudienceReason, Subject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The users that something is visible to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// All of the tenant.
    #[default]
    Everyone,
    #[serde(rename = "nobody")]
    NoOne,
    /// Only these.
    Only { users: Vec<Uuid>, groups: Vec<Uuid> },
}

impl Audience {
    /// Whether a member is among them.
    pub fn has(&self, standing: &Subject) -> bool {
        AudienceReason::new(self, standing).shows()
    }
}
