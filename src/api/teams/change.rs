//! Making and changing teams.

use serde_json::{Value, json};
use storage::records::{Principal, Team, Tenant};
use storage::{Row, Scan, TenantId, Tx, new_id};
use uuid::Uuid;

use super::managed;
use super::schema::{
    CreateTeamBody, MEMBERS, OWNERS, TeamPrincipal, TeamPrincipalsBody, UpdateTeamBody, principals,
};
use super::view::TeamResponse;
use crate::accounts::{Actor, audit};
use crate::api::principals::{self as people, somebody};
use crate::http::{Api, Caller, Faults, IfMatch, Refusal};

/// Makes a team.
pub fn create(tx: &mut Tx, caller: &Caller, new: CreateTeamBody) -> Api<TeamResponse> {
    let mut owners = principals(&new.owners);
    let me = Principal::user(caller.user);
    if (owners.is_empty() || !caller.is_admin()) && !owners.contains(&me) {
        owners.insert(0, me);
    }
    let members = principals(&new.members);
    let mut faults = Faults::of("body");
    people::check(tx, caller.tenant, "owners", &[], &owners, &mut faults)?;
    people::check(tx, caller.tenant, "members", &[], &members, &mut faults)?;
    faults.at_most("owners", owners.len(), OWNERS);
    if faults.is_empty() && !somebody(tx, caller.tenant, &owners)? {
        faults.add(["owners"], NOBODY, "nobody");
    }
    faults.told()?;
    let (name, description) = (new.name.trim().to_owned(), new.description);
    let row = insert(tx, caller, Team { name, description, owners, members })?;
    Ok(TeamResponse::of(tx, row, caller)?)
}

/// Stores a new team, and that the tenant has any.
pub fn insert(tx: &mut Tx, caller: &Caller, team: Team) -> Api<Row<Team>> {
    say_whether_any(tx, caller.tenant, |_| Ok(true))?;
    let row = tx.insert(caller.tenant, new_id(), team)?;
    note(
        tx,
        caller,
        &row,
        "team.create",
        json!({"name": row.name, "owners": row.owners, "members": row.members}),
    )?;
    Ok(row)
}

/// Changes the name and the description.
pub fn patch(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    if_match: &IfMatch,
    new: UpdateTeamBody,
) -> Api<TeamResponse> {
    let mut row = fresh(tx, caller, id, if_match, new.version)?;
    let before = row.body.clone();
    new.name.apply_or_default(&mut row.name);
    new.description.apply(&mut row.description);
    row.name = row.name.trim().to_owned();
    if row.body != before {
        row = tx.update(caller.tenant, row)?;
        note(tx, caller, &row, "team.update", json!({"name": row.name, "description": row.description}))?;
    }
    Ok(TeamResponse::of(tx, row, caller)?)
}

/// Replaces the owners; somebody has to be left who can manage the team.
pub fn set_owners(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    if_match: &IfMatch,
    new: TeamPrincipalsBody,
) -> Api<TeamResponse> {
    let row = fresh(tx, caller, id, if_match, new.version)?;
    let owners = checked(tx, caller, &row.owners, &new.principals, OWNERS)?;
    if !somebody(tx, caller.tenant, &owners)? {
        return Err(Refusal::invalid("body", ["principals"], NOBODY, "nobody"));
    }
    replace(tx, caller, row, "team.owners", |team| &mut team.owners, owners)
}

/// Replaces the members beside the owners.
pub fn set_members(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    if_match: &IfMatch,
    new: TeamPrincipalsBody,
) -> Api<TeamResponse> {
    let row = fresh(tx, caller, id, if_match, new.version)?;
    let members = checked(tx, caller, &row.members, &new.principals, MEMBERS)?;
    replace(tx, caller, row, "team.members", |team| &mut team.members, members)
}

const NOBODY: &str = "nobody stands behind them who could manage the team";

/// Says in the tenant's row whether it has teams. It is written in any case: so the one who makes a team and the one
/// who deletes the last see each other.
///
/// The row is read before one looks: what a look did not find is not watched, and the row is.
pub fn say_whether_any(
    tx: &mut Tx,
    tenant: TenantId,
    any: impl FnOnce(&Tx) -> storage::Result<bool>,
) -> storage::Result<()> {
    let mut row = tx.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
    row.body.governed.teams = any(tx)?;
    tx.update(TenantId::SYSTEM, row).map(drop)
}

/// Whether the tenant has another team.
pub fn has_others(tx: &Tx, tenant: TenantId, id: Uuid) -> storage::Result<bool> {
    let two = tx.scan::<Team>(tenant, Scan::table().limit(2))?.items;
    Ok(two.iter().any(|row| row.id != id))
}

/// Writes down who changed a team.
pub fn note(
    tx: &mut Tx,
    caller: &Caller,
    row: &Row<Team>,
    action: &str,
    detail: Value,
) -> storage::Result<()> {
    audit(tx, caller.tenant, Actor::from(caller), action, format!("team {}", row.id), detail)
}

fn fresh(tx: &Tx, caller: &Caller, id: Uuid, if_match: &IfMatch, version: Option<u64>) -> Api<Row<Team>> {
    let row = managed(tx, caller, id)?;
    if_match.check(row.version)?;
    match version {
        Some(version) if version != row.version => Err(storage::Error::Stale("team").into()),
        _ => Ok(row),
    }
}

fn checked(
    tx: &Tx,
    caller: &Caller,
    before: &[Principal],
    named: &[TeamPrincipal],
    most: usize,
) -> Api<Vec<Principal>> {
    let mut faults = Faults::of("body");
    let principals = principals(named);
    faults.at_most("principals", principals.len(), most);
    people::check(tx, caller.tenant, "principals", before, &principals, &mut faults)?;
    faults.told()?;
    Ok(principals)
}

/// The same set again changes nothing.
fn replace(
    tx: &mut Tx,
    caller: &Caller,
    mut row: Row<Team>,
    action: &str,
    field: impl FnOnce(&mut Team) -> &mut Vec<Principal>,
    new: Vec<Principal>,
) -> Api<TeamResponse> {
    let old = field(&mut row.body);
    let same = old.len() == new.len() && new.iter().all(|principal| old.contains(principal));
    if !same {
        let detail = json!({"before": old, "after": new});
        *old = new;
        row = tx.update(caller.tenant, row)?;
        note(tx, caller, &row, action, detail)?;
    }
    Ok(TeamResponse::of(tx, row, caller)?)
}
