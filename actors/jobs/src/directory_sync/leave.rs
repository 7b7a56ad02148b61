//! Handles members who were added by the directory and are no longer listed.

use runs::EventData;
use runs::event::directory::DirectoryMembersDone;
use storage::records::{DirectoryPerson, GroupMember, Membership, MembershipOrigin, Role, SyncCounts, User};
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::commit::{Stop, add_to_history, commit, fence};
use super::sync_run::SyncRun;

/// Maximum number of members that one transaction removes, together with their notifications.
const BATCH: usize = 20;
/// If at least this many members disappear and none remain, the directory's answer is not trusted.
const MIN_SUSPICIOUS_LOSS: usize = 5;

/// Ends the membership of users who were added by the directory and are no longer listed in any group. This happens only if
/// everything could be read, and never to administrators. Returns whether the removal was withheld.
pub(super) async fn leave(sync_run: &SyncRun<'_>) -> Result<bool, Stop> {
    let (work, sync) = (sync_run.work, &sync_run.sync);
    let whole = sync_run.done.is_whole() && sync_run.done.missing().is_empty();
    if !whole || sync_run.done.outcomes.is_empty() {
        return Ok(false);
    }
    let tenant = work.tenant;
    let (leavers, all) = work.store.read(move |reader| leavers(reader, tenant)).await?;
    if leavers.len() >= MIN_SUSPICIOUS_LOSS && leavers.len() == all && !sync.force {
        let why = format!(
            "none of the {all} members added by the directory is listed any more; they were not removed: a \
             synchronisation with `force` removes them"
        );
        tell_of(sync_run, SyncCounts::default(), Some(why)).await?;
        return Ok(true);
    }
    if sync.dry_run {
        let counts = SyncCounts { users_left: leavers.len() as u64, ..SyncCounts::default() };
        tell_of(sync_run, counts, None).await?;
        return Ok(false);
    }
    for some in leavers.chunks(BATCH) {
        let run = work.run.id;
        commit(work, |tx| {
            fence(tx, tenant, run)?;
            let mut counts = SyncCounts::default();
            for user in some {
                counts.users_left += u64::from(let_go(tx, tenant, *user, run)?);
            }
            add_to_history(tx, tenant, run, &counts, None)?;
            Ok(Vec::new())
        })
        .await?;
    }
    tell_of(sync_run, SyncCounts::default(), None).await?;
    Ok(false)
}

/// Returns the members to remove, and the number of all members added by the directory.
fn leavers(reader: &Reader, tenant: TenantId) -> storage::Result<(Vec<Uuid>, usize)> {
    let (mut leavers, mut all, mut after) = (Vec::new(), 0, None);
    loop {
        let scan = Scan::index("by_tenant").prefix(tenant.0.as_bytes().to_vec()).limit(1_000).after(after);
        let page = reader.scan::<Membership>(TenantId::SYSTEM, scan)?;
        for row in page.items {
            if row.origin != MembershipOrigin::Directory || row.role == Role::TenantAdmin {
                continue;
            }
            all += 1;
            if !is_listed(reader, tenant, row.id.0)? {
                leavers.push(row.id.0);
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok((leavers, all));
        }
    }
}

fn is_listed(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<bool> {
    let Some(user) = reader.get::<User>(TenantId::SYSTEM, &user)? else { return Ok(false) };
    Ok(DirectoryPerson::find(reader, tenant, &user.email)?.is_some())
}

/// Ends a membership if the conditions are still met.
fn let_go(tx: &mut Tx, tenant: TenantId, user: Uuid, sync: Uuid) -> storage::Result<bool> {
    let id = (user, tenant.0);
    let row = tx.get::<Membership>(TenantId::SYSTEM, &id)?;
    let fits = |row: &storage::Row<Membership>| {
        row.origin == MembershipOrigin::Directory && row.role != Role::TenantAdmin
    };
    if !row.as_ref().is_some_and(fits) || is_listed(tx, tenant, user)? {
        return Ok(false);
    }
    for row in tx.scan::<GroupMember>(tenant, Scan::table().prefix(user.as_bytes().to_vec()))?.items {
        tx.delete::<GroupMember>(tenant, &row.id)?;
    }
    storage::notices::forget(tx, tenant, user)?;
    tx.forget_connections_of(tenant, user)?;
    tx.forget_installations_of(tenant, user)?;
    super::commit::note(tx, tenant, "member.leave", user, sync)?;
    tx.delete::<Membership>(TenantId::SYSTEM, &id)
}

async fn tell_of(sync_run: &SyncRun<'_>, counts: SyncCounts, detail: Option<String>) -> Result<(), Stop> {
    let (work, tenant, run) = (sync_run.work, sync_run.work.tenant, sync_run.work.run.id);
    commit(work, |tx| {
        fence(tx, tenant, run)?;
        add_to_history(tx, tenant, run, &counts, detail.clone())?;
        let done = DirectoryMembersDone { counts, detail: detail.clone() };
        Ok(vec![EventData::DirectoryMembers(Box::new(done)).into()])
    })
    .await
}
