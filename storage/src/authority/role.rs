//! Roles of members.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The role of a member in a tenant. Each role includes the rights of the previous ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Uses objects that others created.
    #[default]
    User,
    /// Creates assistants, skills, knowledge bases and automations.
    Editor,
    /// Manages the tenant.
    TenantAdmin,
}
