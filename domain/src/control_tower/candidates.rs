//! Users who may become the owner of an assistant.

use serde::Serialize;
use storage::records::{Membership, Role, User, UserKind};
use storage::{Reader, Row, Scan, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::query::contains_words;
use crate::Result;

/// A user who may become the owner of an assistant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnershipCandidate {
    pub user_id: Uuid,
    /// Email address.
    pub email: String,
    /// Name shown to other users.
    pub display_name: String,
    /// Role in the tenant.
    pub role: Role,
}

/// Returns whether a user may become the owner of an assistant.
///
/// # Errors
/// Returns an error if storage fails.
pub fn may_own(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<bool> {
    let membership = reader.get::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?;
    let user = reader.get::<User>(TenantId::SYSTEM, &user)?;
    Ok(membership.zip(user).is_some_and(|(membership, user)| is_candidate(&membership, &user)))
}

fn is_candidate(membership: &Membership, user: &User) -> bool {
    membership.role >= Role::Editor && user.kind == UserKind::Human && !user.disabled
}

/// Returns all candidates of a tenant whose name or address contains the words of `search`, sorted by name.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list_candidates(
    reader: &Reader,
    tenant: TenantId,
    search: Option<&str>,
) -> Result<Vec<OwnershipCandidate>> {
    let mut candidates = Vec::new();
    let scan = Scan::index("by_tenant").prefix(tenant.0.as_bytes());
    let members: Vec<Row<Membership>> = reader.scan::<Membership>(TenantId::SYSTEM, scan)?.items;
    for membership in members.iter().filter(|row| row.role >= Role::Editor) {
        let Some(user) = reader.get::<User>(TenantId::SYSTEM, &membership.id.0)? else { continue };
        if is_candidate(membership, &user) && contains_words(search, &[&user.display_name, &user.email]) {
            let (user_id, role) = (user.id, membership.role);
            let User { email, display_name, .. } = user.body;
            candidates.push(OwnershipCandidate { user_id, email, display_name, role });
        }
    }
    candidates.sort_by_cached_key(|one| (one.display_name.to_lowercase(), one.user_id));
    Ok(candidates)
}
