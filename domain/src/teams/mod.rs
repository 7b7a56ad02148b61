//! Teams: users and groups that share objects with each other. Members of a team and administrators of the tenant can
//! see it; its owners and administrators of the tenant manage it.

mod change;
mod delete;
mod list;

use storage::Reader;
use storage::Row;
use storage::authority::{Ground, Reason};
use storage::records::{GrantLevel, Principal, Team};
use uuid::Uuid;

use crate::access::lacking;
use crate::{Caller, Refusal, Result};

pub use change::{
    MAX_MEMBERS, MAX_OWNERS, NewPrincipals, NewTeam, UpdateTeam, create, insert, set_members, set_owners,
    update,
};
pub use delete::{SharedObjects, delete};
pub use list::{list_all, list_own};

/// Returns the team with this id, if the caller may see it.
pub fn visible(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<Team>>> {
    let row = reader.get::<Team>(caller.tenant, &id)?;
    Ok(row.filter(|row| !grounds(row, caller).is_empty()))
}

/// Returns the reasons why the caller may see or manage a team.
pub fn grounds(team: &Team, caller: &Caller) -> Vec<Ground> {
    let administers = Ground { level: GrantLevel::Owner, reason: Reason::Administers };
    let of = |level, principals: &[Principal]| {
        let own = principals.iter().filter(|principal| caller.is(principal));
        own.map(|principal| Ground { level, reason: Reason::Granted(principal.clone()) }).collect::<Vec<_>>()
    };
    let named = [of(GrantLevel::Owner, &team.owners), of(GrantLevel::Viewer, &team.members)].concat();
    caller.is_admin().then_some(administers).into_iter().chain(named).collect()
}

/// Returns whether the caller may change the team, its owners and its members, and delete it.
pub fn may_manage(team: &Team, caller: &Caller) -> bool {
    grounds(team, caller).iter().any(|ground| ground.level == GrantLevel::Owner)
}

/// Returns a team that the caller manages.
///
/// # Errors
/// `not_found` if the caller may not see it, `not_allowed` if they are only a member.
fn managed(reader: &Reader, caller: &Caller, id: Uuid) -> Result<Row<Team>> {
    let row = visible(reader, caller, id)?.ok_or_else(|| Refusal::not_found("team"))?;
    match may_manage(&row, caller) {
        true => Ok(row),
        false => Err(lacking(GrantLevel::Owner, Some(GrantLevel::Viewer))),
    }
}
