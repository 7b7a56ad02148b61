//! The audience that an object is visible to.

use super::{AudienceReason, Subject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The users to whom an object is visible.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// All members of the tenant.
    #[default]
    Everyone,
    #[serde(rename = "nobody")]
    NoOne,
    /// Only these users and the members of these groups.
    Only { users: Vec<Uuid>, groups: Vec<Uuid> },
}

impl Audience {
    /// Whether the audience includes a member.
    pub fn has(&self, subject: &Subject) -> bool {
        AudienceReason::new(self, subject).shows()
    }
}
