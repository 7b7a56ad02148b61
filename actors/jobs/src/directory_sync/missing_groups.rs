//! Handles groups that no longer exist in the directory.

use runs::event::directory::{DirectoryGroupDone, GroupOutcome};
use runs::{EpochStore, EventData};
use storage::records::{DirectoryPerson, Group, GroupListing, GroupMember, SyncCounts};
use storage::{Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::commit::{Stop, add_to_history, commit, fence};
use super::sync_run::SyncRun;

/// Number of consecutive complete runs that must miss a group before the group is emptied.
const MISSED: u32 = 2;
/// Maximum number of rows that one transaction removes.
const BATCH: usize = 500;

/// Decides about groups that no longer exist in the directory. Called in a run that could read all other groups. The first such
/// run only records that a group is missing. If all selected groups are missing, the directory's answer is not trusted, because
/// the directory may have been moved, or a different part of it may be visible.
pub(super) async fn check_missing_groups(sync_run: &mut SyncRun<'_>) -> Result<(), Stop> {
    let missing = sync_run.done.missing();
    let all = missing.len() > 1 && missing.len() == sync_run.done.outcomes.len();
    for id in missing {
        if sync_run.done.has_noted(id) {
            continue;
        }
        let tenant = sync_run.work.tenant;
        let read = sync_run.work.store.read(move |reader| {
            let row = reader.get::<Group>(tenant, &id)?;
            Ok::<_, storage::Error>((row, reader.get::<GroupListing>(tenant, &id)?))
        });
        let (Some(row), listing) = read.await? else { continue };
        if all && !sync_run.sync.force {
            let why = format!(
                "{:?} and all other selected groups are missing from the directory; nothing was changed",
                row.name
            );
            sync_run.pass_over(&row, GroupOutcome::Kept, why).await?;
            continue;
        }
        let missed = listing.map_or(0, |listing| listing.missing) + 1;
        if missed < MISSED && !sync_run.sync.force {
            note(sync_run, &row, missed).await?;
        } else {
            remove(sync_run, &row, missed).await?;
        }
    }
    Ok(())
}

/// Records that a group is missing.
async fn note(sync_run: &mut SyncRun<'_>, row: &Row<Group>, missed: u32) -> Result<(), Stop> {
    let (work, dry_run) = (sync_run.work, sync_run.sync.dry_run);
    let (tenant, run, group_id, name) = (work.tenant, work.run.id, row.id, row.name.clone());
    let why = format!(
        "{name:?} is missing from the directory; the next complete synchronisation that misses it empties it"
    );
    let counts = SyncCounts { groups_seen: 1, groups_failed: 1, ..SyncCounts::default() };
    let (outcome, detail) = (GroupOutcome::Missing, Some(why.clone()));
    let done = DirectoryGroupDone { group_id, name, outcome, counts, detail };
    commit(work, |tx| {
        fence(tx, tenant, run)?;
        add_to_history(tx, tenant, run, &counts, Some(why.clone()))?;
        if !dry_run && tx.get::<Group>(tenant, &group_id)?.is_some() {
            miss(tx, tenant, group_id, missed)?;
        }
        Ok(vec![EventData::DirectoryGroup(Box::new(done.clone())).into()])
    })
    .await?;
    sync_run.done.apply(&done);
    Ok(())
}

fn miss(tx: &mut Tx, tenant: TenantId, group: Uuid, missed: u32) -> storage::Result<()> {
    match tx.get::<GroupListing>(tenant, &group)? {
        Some(mut listing) => {
            listing.missing = missed;
            tx.update(tenant, listing).map(drop)
        }
        None => {
            let listing = GroupListing { missing: missed, ..GroupListing::default() };
            tx.insert(tenant, group, listing).map(drop)
        }
    }
}

/// Empties a group. The group remains selected, in case it reappears.
async fn remove(sync_run: &mut SyncRun<'_>, row: &Row<Group>, missed: u32) -> Result<(), Stop> {
    let (work, dry_run) = (sync_run.work, sync_run.sync.dry_run);
    let (tenant, run, id) = (work.tenant, work.run.id, row.id);
    let name = row.name.clone();
    commit(work, |tx| {
        fence(tx, tenant, run)?;
        let Some(mut row) = tx.get::<Group>(tenant, &id)? else { return Ok(Vec::new()) };
        let members = members(tx, tenant, id)?;
        let first = row.member_count > 0 || !members.is_empty() || missed == MISSED;
        let counts = SyncCounts {
            groups_seen: 1,
            groups_removed: u64::from(first),
            members_removed: members.len() as u64,
            ..SyncCounts::default()
        };
        let why = format!("{name:?} is missing from the directory and was emptied");
        add_to_history(tx, tenant, run, &counts, first.then(|| why.clone()))?;
        if !dry_run {
            for user in members {
                tx.delete::<GroupMember>(tenant, &(user, id))?;
            }
            row.member_count = 0;
            tx.update(tenant, row)?;
            miss(tx, tenant, id, missed)?;
            if let Some(mut listing) = tx.get::<GroupListing>(tenant, &id)? {
                listing.people = 0;
                tx.update(tenant, listing)?;
            }
        }
        let (outcome, detail) = (GroupOutcome::Removed, Some(why));
        let done = DirectoryGroupDone { group_id: id, name: name.clone(), outcome, counts, detail };
        Ok(vec![EventData::DirectoryGroup(Box::new(done)).into()])
    })
    .await?;
    if !dry_run {
        unlist(&work.store, tenant, id).await?;
    }
    sync_run.done.outcomes.insert(id, GroupOutcome::Removed);
    Ok(())
}

/// Returns the users in a group.
fn members(reader: &storage::Reader, tenant: TenantId, group: Uuid) -> storage::Result<Vec<Uuid>> {
    let scan = Scan::index("by_group").prefix(group.as_bytes().to_vec());
    Ok(reader.scan::<GroupMember>(tenant, scan)?.items.into_iter().map(|row| row.id.0).collect())
}

/// Removes all people from the list of a group.
pub(super) async fn unlist(store: &EpochStore, tenant: TenantId, group: Uuid) -> storage::Result<()> {
    let some = move |tx: &mut Tx| {
        let scan = Scan::index("by_group").prefix(group.as_bytes().to_vec()).limit(BATCH);
        let page = tx.scan::<DirectoryPerson>(tenant, scan)?;
        for mut row in page.items {
            row.groups.retain(|other| *other != group);
            match row.groups.is_empty() {
                true => drop(tx.delete::<DirectoryPerson>(tenant, &row.id)?),
                false => drop(tx.update(tenant, row)?),
            }
        }
        Ok::<_, storage::Error>(page.next.is_some())
    };
    while store.run(some).await? {}
    Ok(())
}
