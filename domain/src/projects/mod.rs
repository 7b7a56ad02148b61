//! Projects: conversations that share instructions, and the members who can read them.

mod change;
pub mod conversations;
mod list;
pub mod members;
mod promote;

use std::collections::BTreeSet;

use storage::Reader;
use storage::Scan;
use storage::authority::{Ground, Reason};
use storage::records::{GrantLevel, Principal, PrincipalKind, Project, Shared, UserKind};
use uuid::Uuid;

use crate::access::lacking;
use crate::{Caller, Result};

pub use change::{NewProject, UpdateProject, create, delete, update};
pub use list::list;
pub use promote::{TeamChoice, promote};

/// Returns the grounds on which the caller may read the conversations of a project. Administering the tenant is not such a
/// ground. Callers who can add themselves to any group or team, which are administrators and the service accounts whose
/// tokens they issue, must be members by name: for them, groups and teams do not count.
pub fn reading_grounds(project: &Project, caller: &Caller) -> Vec<Ground> {
    let by_name_alone = caller.is_admin() || caller.kind == UserKind::ServiceAccount;
    let counts = |ground: &Ground| match &ground.reason {
        Reason::Administers => false,
        Reason::Granted(principal) => !by_name_alone || principal.kind == PrincipalKind::User,
        Reason::Owns | Reason::TenantWide => true,
    };
    project.grounds_of(caller).into_iter().filter(counts).collect()
}

/// Requires that the caller is a member with at least this level. Managing the project does not make the caller a member.
///
/// # Errors
/// `not_allowed` otherwise.
pub fn require_member(project: &Project, caller: &Caller, least: GrantLevel) -> Result<()> {
    match reading_grounds(project, caller).into_iter().map(|ground| ground.level).max() {
        Some(level) if level >= least => Ok(()),
        level => Err(lacking(least, level)),
    }
}

/// Returns the projects with a grant for the caller, or for one of the caller's groups or teams.
pub(crate) fn granted_to(reader: &Reader, caller: &Caller) -> storage::Result<BTreeSet<Uuid>> {
    let groups = caller.groups.iter().map(|id| Principal { kind: PrincipalKind::Group, id: *id });
    let teams = caller.teams.iter().map(|id| Principal { kind: PrincipalKind::Team, id: *id });
    let mut ids = BTreeSet::new();
    for principal in std::iter::once(Principal::user(caller.user)).chain(groups).chain(teams) {
        let scan = Scan::index("by_principal").prefix(principal.index_key());
        ids.extend(reader.scan::<Project>(caller.tenant, scan)?.items.into_iter().map(|row| row.id));
    }
    Ok(ids)
}
