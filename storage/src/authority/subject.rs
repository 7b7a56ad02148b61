//! The identity and memberships of a user in a tenant.

use std::sync::Arc;

use super::{Principal, PrincipalKind, Role};
use crate::ids::TenantId;
use uuid::Uuid;

/// A member of a tenant, with everything that grants and audiences depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The tenant in which the user acts.
    pub tenant: TenantId,
    /// The user's id.
    pub user: Uuid,
    /// The user's role in the tenant.
    pub role: Role,
    /// The groups of the directory that the user is in, in ascending order.
    pub groups: Arc<[Uuid]>,
    /// The teams that the user is in, in ascending order, either directly or through one of the groups.
    pub teams: Arc<[Uuid]>,
}

impl Subject {
    /// Whether the user is this principal or belongs to it.
    pub fn is(&self, principal: &Principal) -> bool {
        let Principal { kind, id } = principal;
        match kind {
            PrincipalKind::User => *id == self.user,
            PrincipalKind::Group => self.groups.contains(id),
            PrincipalKind::Team => self.teams.contains(id),
            PrincipalKind::Tenant => *id == self.tenant.0,
        }
    }

    /// Whether the user is an administrator of the tenant.
    pub fn is_admin(&self) -> bool {
        self.role == Role::TenantAdmin
    }
}
