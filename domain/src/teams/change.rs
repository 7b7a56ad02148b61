//! Creating and changing teams.

use serde_json::{Value, json};
use storage::records::{Principal, Team, Tenant};
use storage::{Row, Scan, TenantId, Tx, new_id};
use uuid::Uuid;

use super::managed;
use crate::audit::{Actor, audit};
use crate::principals::{check_existence, include_active_user};
use crate::{Caller, Faults, Patch, Precondition, Refusal, Result};

/// Maximum number of owners of a team.
pub const MAX_OWNERS: usize = 100;
/// Maximum number of members of a team, not counting its owners.
pub const MAX_MEMBERS: usize = 1_000;

/// The message for owners none of whom could manage the team.
const NO_ACTIVE_OWNER: &str = "include no active user who could manage the team";
/// The type of that fault, which clients know by this name.
const NO_ACTIVE_OWNER_TYPE: &str = "nobody";

/// A team to create.
#[derive(Clone, Debug)]
pub struct NewTeam {
    /// The name; surrounding white space is removed.
    pub name: String,
    pub description: Option<String>,
    /// The owners, without duplicates. The caller is added unless they administer the tenant and name other owners.
    pub owners: Vec<Principal>,
    /// The members apart from the owners, without duplicates.
    pub members: Vec<Principal>,
}

/// A change to a team's name and description.
#[derive(Clone, Debug, Default)]
pub struct UpdateTeam {
    /// The name; surrounding white space is removed.
    pub name: Patch<String>,
    pub description: Patch<String>,
    /// The version that the caller has seen, if the body contains one.
    pub version: Option<u64>,
}

/// All owners, or all members, of a team.
#[derive(Clone, Debug)]
pub struct NewPrincipals {
    /// The principals, without duplicates.
    pub principals: Vec<Principal>,
    /// The version that the caller has seen, if the body contains one.
    pub version: Option<u64>,
}

/// Creates a team.
///
/// # Errors
/// `invalid` for principals that do not exist, and for owners none of whom could manage the team.
pub fn create(tx: &mut Tx, caller: &Caller, new: NewTeam) -> Result<Row<Team>> {
    let NewTeam { name, description, mut owners, members } = new;
    let me = Principal::user(caller.user);
    if (owners.is_empty() || !caller.is_admin()) && !owners.contains(&me) {
        owners.insert(0, me);
    }
    let mut faults = Faults::new("body");
    check_existence(tx, caller.tenant, "owners", &[], &owners, &mut faults)?;
    check_existence(tx, caller.tenant, "members", &[], &members, &mut faults)?;
    faults.at_most("owners", owners.len(), MAX_OWNERS);
    if faults.is_empty() && !include_active_user(tx, caller.tenant, &owners)? {
        faults.add(["owners"], NO_ACTIVE_OWNER, NO_ACTIVE_OWNER_TYPE);
    }
    faults.into_result()?;
    insert(tx, caller, Team { name: name.trim().to_owned(), description, owners, members })
}

/// Stores a new team without further checks, and records that the tenant has teams.
pub fn insert(tx: &mut Tx, caller: &Caller, team: Team) -> Result<Row<Team>> {
    set_has_teams(tx, caller.tenant, |_| Ok(true))?;
    let row = tx.insert(caller.tenant, new_id(), team)?;
    record(
        tx,
        caller,
        &row,
        "team.create",
        json!({"name": row.name, "owners": row.owners, "members": row.members}),
    )?;
    Ok(row)
}

/// Changes the name and the description.
///
/// # Errors
/// `stale` for another version; `not_found` or `not_allowed` unless the caller manages the team.
pub fn update(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    new: UpdateTeam,
) -> Result<Row<Team>> {
    let mut row = current(tx, caller, id, precondition, new.version)?;
    let before = row.body.clone();
    new.name.apply_or_default(&mut row.name);
    new.description.apply(&mut row.description);
    row.name = row.name.trim().to_owned();
    if row.body != before {
        row = tx.update(caller.tenant, row)?;
        record(tx, caller, &row, "team.update", json!({"name": row.name, "description": row.description}))?;
    }
    Ok(row)
}

/// Replaces the owners. At least one active user who can manage the team must remain.
///
/// # Errors
/// `invalid` otherwise, and for principals that do not exist; `stale` for another version.
pub fn set_owners(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    new: NewPrincipals,
) -> Result<Row<Team>> {
    let row = current(tx, caller, id, precondition, new.version)?;
    check(tx, caller, &row.owners, &new.principals, MAX_OWNERS)?;
    if !include_active_user(tx, caller.tenant, &new.principals)? {
        return Err(Refusal::invalid("body", ["principals"], NO_ACTIVE_OWNER, NO_ACTIVE_OWNER_TYPE));
    }
    replace(tx, caller, row, "team.owners", |team| &mut team.owners, new.principals)
}

/// Replaces the members apart from the owners.
///
/// # Errors
/// `invalid` for principals that do not exist; `stale` for another version.
pub fn set_members(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    new: NewPrincipals,
) -> Result<Row<Team>> {
    let row = current(tx, caller, id, precondition, new.version)?;
    check(tx, caller, &row.members, &new.principals, MAX_MEMBERS)?;
    replace(tx, caller, row, "team.members", |team| &mut team.members, new.principals)
}

/// Records in the tenant's row whether the tenant has teams. The row is always written, so that of two concurrent
/// transactions, one that creates a team and one that deletes the last team, the second is retried.
///
/// The row is read before `has_teams` is called: a scan that finds nothing is not a dependency of the transaction, but
/// the row is.
pub(super) fn set_has_teams(
    tx: &mut Tx,
    tenant: TenantId,
    has_teams: impl FnOnce(&Tx) -> storage::Result<bool>,
) -> storage::Result<()> {
    let mut row = tx.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
    row.body.governed.teams = has_teams(tx)?;
    tx.update(TenantId::SYSTEM, row).map(drop)
}

/// Returns whether the tenant has a team other than this one.
pub(super) fn has_others(tx: &Tx, tenant: TenantId, id: Uuid) -> storage::Result<bool> {
    let two = tx.scan::<Team>(tenant, Scan::table().limit(2))?.items;
    Ok(two.iter().any(|row| row.id != id))
}

/// Adds an audit record about a team.
pub(super) fn record(
    tx: &mut Tx,
    caller: &Caller,
    row: &Row<Team>,
    action: &str,
    detail: Value,
) -> storage::Result<()> {
    audit(tx, caller.tenant, Actor::from(caller), action, format!("team {}", row.id), detail)
}

/// Returns the team that the caller manages, if its version is the one that the caller has seen.
fn current(
    tx: &Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    version: Option<u64>,
) -> Result<Row<Team>> {
    let row = managed(tx, caller, id)?;
    precondition.check_both(version, "team", row.version)?;
    Ok(row)
}

fn check(
    tx: &Tx,
    caller: &Caller,
    before: &[Principal],
    principals: &[Principal],
    most: usize,
) -> Result<()> {
    let mut faults = Faults::new("body");
    faults.at_most("principals", principals.len(), most);
    check_existence(tx, caller.tenant, "principals", before, principals, &mut faults)?;
    faults.into_result()
}

/// Replaces one of the lists. The same principals in another order are not a change.
fn replace(
    tx: &mut Tx,
    caller: &Caller,
    mut row: Row<Team>,
    action: &str,
    field: impl FnOnce(&mut Team) -> &mut Vec<Principal>,
    new: Vec<Principal>,
) -> Result<Row<Team>> {
    let old = field(&mut row.body);
    let is_same = old.len() == new.len() && new.iter().all(|principal| old.contains(principal));
    if !is_same {
        let detail = json!({"before": old, "after": new});
        *old = new;
        row = tx.update(caller.tenant, row)?;
        record(tx, caller, &row, action, detail)?;
    }
    Ok(row)
}
