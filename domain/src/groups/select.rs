//! Selects the groups of the directory that are synchronised.

use std::collections::BTreeSet;

use serde_json::json;
use storage::records::{DirectoryGroup, DirectorySource, Governed, Group, GroupListing, GroupMember};
use storage::{IndexKey, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::uses::{self, GroupUse};
use crate::audit::{Actor, audit};
use crate::{Caller, Fault, Refusal, Result};

/// Maximum number of groups that a tenant may select.
pub const MAX_SELECTED: usize = 2_000;

/// The result of a selection.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Number of groups that are selected now.
    pub selected: u64,
    /// Groups that were not selected before. They have no members until they are synchronised.
    pub added: Vec<Row<Group>>,
    /// Groups that were deleted, with the objects that refer to them.
    pub removed: Vec<(Row<Group>, Vec<GroupUse>)>,
}

/// Selects exactly the groups with these ids in the directory. Groups that are no longer selected are deleted with their
/// memberships. Grants to them stay, without effect.
///
/// # Errors
/// `invalid` for groups that the directory does not offer.
pub fn select(tx: &mut Tx, caller: &Caller, external_ids: &[String]) -> Result<Selection> {
    let tenant = caller.tenant;
    let source = tx.get::<DirectorySource>(tenant, &tenant.0)?;
    let offer = source.and_then(|source| source.offer);
    let before = tx.scan::<Group>(tenant, Scan::table())?.items;
    let ids: BTreeSet<&str> = external_ids.iter().map(String::as_str).collect();
    let known: BTreeSet<String> = before.iter().map(|row| row.external_id.clone()).collect();
    let (mut new, mut faults) = (Vec::new(), Vec::new());
    for (at, id) in external_ids.iter().enumerate() {
        if known.contains(id) || new.iter().any(|(other, _)| other == id) {
            continue;
        }
        let offered = offer.map(|offer| tx.get::<DirectoryGroup>(tenant, &(offer, id.clone())));
        match offered.transpose()?.flatten() {
            Some(row) => new.push((id.clone(), row)),
            None => faults.push(unknown(at)),
        }
    }
    if !faults.is_empty() {
        return Err(Refusal::faulty(faults));
    }
    let mut selection = Selection { selected: ids.len() as u64, ..Selection::default() };
    for row in before.into_iter().filter(|row| !ids.contains(row.external_id.as_str())) {
        let uses = uses::of_group(tx, tenant, row.id)?;
        delete(tx, tenant, row.id)?;
        selection.removed.push((row, uses));
    }
    for (external_id, offered) in new {
        let DirectoryGroup { name, description, .. } = offered.body;
        let group = Group { external_id, name, description, ..Group::default() };
        selection.added.push(tx.insert(tenant, Uuid::now_v7(), group)?);
    }
    let any = !ids.is_empty();
    Governed::note(tx, tenant, |governed| governed.groups = any)?;
    let added: Vec<&str> = selection.added.iter().map(|row| row.name.as_str()).collect();
    let removed: Vec<&str> = selection.removed.iter().map(|(row, _)| row.name.as_str()).collect();
    let detail = json!({"selected": selection.selected, "added": added, "removed": removed});
    audit(tx, tenant, Actor::from(caller), "groups.select", format!("directory {tenant}"), detail)?;
    Ok(selection)
}

fn delete(tx: &mut Tx, tenant: TenantId, group: Uuid) -> storage::Result<()> {
    let members = Scan::index("by_group").prefix(IndexKey::new().id(&group).done());
    for row in tx.scan::<GroupMember>(tenant, members)?.items {
        tx.delete::<GroupMember>(tenant, &row.id)?;
    }
    tx.delete::<GroupListing>(tenant, &group)?;
    tx.delete::<Group>(tenant, &group).map(drop)
}

fn unknown(at: usize) -> Fault {
    let msg = "the directory offers no such group; has its list been fetched?";
    Fault::new("body", ["group_ids", &at.to_string()], msg, "not_found")
}
