//! The users and groups for which a feature or a model is available.

use storage::records::{Audience, Principal, PrincipalKind};
use storage::{Reader, TenantId};

use crate::sharing::is_principal;
use crate::{Faults, Result};

/// Requires that all users and groups of an audience exist in the tenant.
///
/// # Errors
/// `invalid` with a fault for each user or group that does not exist.
pub(super) fn require_existence(reader: &Reader, tenant: TenantId, audience: &Audience) -> Result<()> {
    let Audience::Only { users, groups } = audience else { return Ok(()) };
    let mut faults = Faults::new("body");
    let named = [("users", PrincipalKind::User, users), ("groups", PrincipalKind::Group, groups)];
    for (field, kind, ids) in named {
        for id in ids {
            if !is_principal(reader, tenant, &Principal { kind, id: *id })? {
                faults.add([field], format!("there is no {id} in this tenant"), "not_found");
            }
        }
    }
    faults.into_result()
}
