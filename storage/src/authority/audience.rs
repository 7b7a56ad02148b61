//! Whom something is shown to.

use super::{Because, Subject};
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
