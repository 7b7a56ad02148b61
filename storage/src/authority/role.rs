//! Roles of members.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a member may do in a tenant; each may all that the ones before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Uses what others created.
    #[default]
    User,
    /// Makes assistants, skills, knowledge bases and automations.
    Editor,
    /// Manages the tenant.
    TenantAdmin,
}
