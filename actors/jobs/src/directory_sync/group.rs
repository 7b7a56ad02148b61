//! Synchronises one group with its directory, in one transaction.

use std::collections::BTreeSet;
use std::sync::Arc;

use runs::event::directory::{DirectoryGroupDone, GroupOutcome};
use runs::{EventData, Work};
use storage::records::{Group, GroupListing, GroupMember, GroupSync, Membership, SyncCounts, User, UserKind};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::commit::{Stop, add_to_history, commit, fence};
use super::people::{self, ListedMembers};

/// The changes to the members of a group.
#[derive(Debug, Default)]
struct Plan {
    add: Vec<Uuid>,
    remove: Vec<Uuid>,
    /// Number of members after the changes.
    members: u64,
}

/// Synchronises a group with the listed members. A dry run only reports the changes.
pub(super) async fn bring_up(
    work: &Work,
    sync: &GroupSync,
    group: Uuid,
    listed: ListedMembers,
) -> Result<(), Stop> {
    let (tenant, run, dry_run) = (work.tenant, work.run.id, sync.dry_run);
    let listed = Arc::new(listed);
    if !dry_run {
        people::list(work, group, &listed).await?;
    }
    let seen = listed.clone();
    let found = work.store.read(move |reader| candidates(reader, tenant, &seen)).await;
    let Candidates { found: candidates, unknown, doubted } = found.map_err(Stop::Storage)?;
    commit(work, |tx| {
        fence(tx, tenant, run)?;
        // The group may have been deselected by now.
        let Some(row) = tx.get::<Group>(tenant, &group)? else { return Ok(Vec::new()) };
        let plan = plan(tx, tenant, group, &listed, &candidates)?;
        let counts = counts(&row, &listed, &plan, unknown);
        let outcome = if listed.group.is_some() { GroupOutcome::Synced } else { GroupOutcome::Unchanged };
        let name = listed.group.as_ref().map_or(&row.name, |group| &group.name).clone();
        let warning = left_out(&name, &doubted);
        let done = DirectoryGroupDone { group_id: group, name, outcome, counts, detail: None };
        add_to_history(tx, tenant, run, &counts, warning)?;
        if !dry_run {
            apply(tx, tenant, row, &listed, &plan)?;
        }
        Ok(vec![EventData::DirectoryGroup(Box::new(done)).into()])
    })
    .await
}

/// The result of looking up the listed people.
#[derive(Debug, Default)]
struct Candidates {
    /// Listed people who are users.
    found: BTreeSet<Uuid>,
    /// Number of listed people who are not users.
    unknown: u64,
    /// Email addresses of members who signed up without verifying the address.
    doubted: Vec<String>,
}

/// Looks up the listed people. Only verified addresses count, so that a user who signed up with someone else's address is not
/// added to that person's groups.
fn candidates(reader: &Reader, tenant: TenantId, listed: &ListedMembers) -> storage::Result<Candidates> {
    let mut all = Candidates::default();
    for addresses in &listed.people {
        let mut known = false;
        for address in addresses {
            let user = User::by_email(reader, address)?;
            let Some(user) = user.filter(|user| user.kind == UserKind::Human) else { continue };
            let member = reader.get::<Membership>(TenantId::SYSTEM, &(user.id, tenant.0))?;
            // A directory is controlled by the administrators of one tenant. It cannot make anyone a member who has not agreed to
            // it.
            let fits = member.as_ref().is_some_and(|member| member.is_certain());
            if fits {
                all.found.insert(user.id);
            } else if member.is_some() {
                all.doubted.push(user.body.email);
            }
            known |= fits;
        }
        all.unknown += u64::from(!known);
    }
    Ok(all)
}

/// Builds the warning about members who were left out because their address is not verified.
fn left_out(group: &str, doubted: &[String]) -> Option<String> {
    let (first, more) = (doubted.first()?, doubted.len() - 1);
    let others = if more == 0 { String::new() } else { format!(" and {more} more") };
    Some(format!(
        "{group}: {first}{others} signed up here without a proof of the address, and so may be someone else; left \
         out until they are taken out of the tenant and invited"
    ))
}

/// Computes the changes that make the members of a group match the list. Earlier lookups are repeated only for users who are
/// added or removed.
fn plan(
    reader: &Reader,
    tenant: TenantId,
    group: Uuid,
    listed: &ListedMembers,
    candidates: &BTreeSet<Uuid>,
) -> storage::Result<Plan> {
    let scan = Scan::index("by_group").prefix(group.as_bytes().to_vec());
    let rows = reader.scan::<GroupMember>(tenant, scan)?.items;
    let present: BTreeSet<Uuid> = rows.iter().map(|row| row.id.0).collect();
    let mut plan = Plan::default();
    for user in candidates.iter().filter(|user| !present.contains(user)) {
        if !still_listed(reader, *user, listed)? {
            continue;
        }
        // The user may have left the tenant in the meantime.
        let member = reader.get::<Membership>(TenantId::SYSTEM, &(*user, tenant.0))?;
        if member.is_some_and(|member| member.is_certain()) {
            plan.add.push(*user);
        }
    }
    for user in &present {
        let member = reader.get::<Membership>(TenantId::SYSTEM, &(*user, tenant.0))?;
        let certain = member.is_some_and(|member| member.is_certain());
        let stays = certain && (candidates.contains(user) || still_listed(reader, *user, listed)?);
        if !stays {
            plan.remove.push(*user);
        }
    }
    plan.members = (present.len() + plan.add.len() - plan.remove.len()) as u64;
    Ok(plan)
}

fn still_listed(reader: &Reader, user: Uuid, listed: &ListedMembers) -> storage::Result<bool> {
    let row = reader.get::<User>(TenantId::SYSTEM, &user)?;
    let listed_at = |email: &str| User::spellings(email).iter().any(|it| listed.addresses.contains_key(it));
    Ok(row.is_some_and(|row| listed_at(&row.email)))
}

fn counts(row: &Row<Group>, listed: &ListedMembers, plan: &Plan, unknown: u64) -> SyncCounts {
    let renamed = listed.group.as_ref().is_some_and(|group| {
        row.synced_at.is_some() && (group.name != row.name || group.description != row.description)
    });
    SyncCounts {
        groups_seen: 1,
        groups_added: u64::from(row.synced_at.is_none()),
        groups_renamed: u64::from(renamed),
        groups_unchanged: u64::from(listed.group.is_none()),
        members_added: plan.add.len() as u64,
        members_removed: plan.remove.len() as u64,
        members_unknown: unknown,
        ..SyncCounts::default()
    }
}

fn apply(
    tx: &mut Tx,
    tenant: TenantId,
    mut row: Row<Group>,
    listed: &ListedMembers,
    plan: &Plan,
) -> storage::Result<()> {
    let group = row.id;
    for user in &plan.add {
        tx.insert(tenant, (*user, group), GroupMember::default())?;
    }
    for user in &plan.remove {
        tx.delete::<GroupMember>(tenant, &(*user, group))?;
    }
    if let Some(group_info) = &listed.group {
        row.name.clone_from(&group_info.name);
        row.description.clone_from(&group_info.description);
    }
    row.member_count = plan.members;
    row.synced_at = Some(Timestamp::now());
    tx.update(tenant, row)?;
    let people = listed.people.len() as u64;
    let before = tx.get::<GroupListing>(tenant, &group)?;
    match before {
        Some(mut before) => {
            if listed.group.is_some() {
                (before.people, before.nested) = (people, listed.nested.clone());
            }
            before.missing = 0;
            tx.update(tenant, before).map(drop)
        }
        None => {
            let listing = GroupListing { people, nested: listed.nested.clone(), missing: 0 };
            tx.insert(tenant, group, listing).map(drop)
        }
    }
}
