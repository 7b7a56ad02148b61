//! The people whom the directory lists, by email address, with or without an account.

use std::collections::BTreeMap;

use providers::directory::{ListedGroup, Person};
use runs::{EpochStore, Work};
use storage::records::{DirectoryPerson, Group};
use storage::{Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::commit::{Stop, fence};

/// Maximum number of rows that one transaction writes.
const BATCH: usize = 500;

/// The people whom a directory lists in a group.
#[derive(Clone, Debug, Default)]
pub(super) struct ListedMembers {
    /// The directory's description of the group. `None` if the group is unchanged.
    pub group: Option<ListedGroup>,
    /// Ids of the groups nested in the group.
    pub nested: Vec<String>,
    /// Names of all listed people, by email address.
    pub addresses: BTreeMap<String, String>,
    /// The email addresses of each person.
    pub people: Vec<Vec<String>>,
}

impl ListedMembers {
    pub fn new(group: ListedGroup, nested: Vec<String>, people: impl IntoIterator<Item = Person>) -> Self {
        let mut listed = Self { group: Some(group), nested, ..Self::default() };
        for person in people {
            for address in &person.addresses {
                listed.addresses.insert(address.clone(), person.name.clone());
            }
            listed.people.push(person.addresses);
        }
        listed
    }
}

/// Returns the stored list of a group's people: names by email address.
pub(super) fn listed_in(
    reader: &Reader,
    tenant: TenantId,
    group: Uuid,
) -> storage::Result<BTreeMap<String, String>> {
    let (mut found, mut after) = (BTreeMap::new(), None);
    loop {
        let scan = Scan::index("by_group").prefix(group.as_bytes().to_vec()).limit(1_000).after(after);
        let page = reader.scan::<DirectoryPerson>(tenant, scan)?;
        found.extend(page.items.into_iter().map(|row| (row.id, row.body.name)));
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// Stores the list of a group's people, and removes people who are no longer listed. The list is written in several transactions,
/// which is safe because being listed does not make anyone a member.
pub(super) async fn list(work: &Work, group: Uuid, listed: &ListedMembers) -> Result<(), Stop> {
    let tenant = work.tenant;
    let before =
        work.store.read(move |reader| listed_in(reader, tenant, group)).await.map_err(Stop::Storage)?;
    let mut changed: Vec<(String, Option<String>)> = Vec::new();
    for (address, name) in &listed.addresses {
        if before.get(address) != Some(name) {
            changed.push((address.clone(), Some(name.clone())));
        }
    }
    let removed = before.keys().filter(|address| !listed.addresses.contains_key(*address));
    changed.extend(removed.map(|address| (address.clone(), None)));
    write(work, group, changed).await
}

async fn write(work: &Work, group: Uuid, changed: Vec<(String, Option<String>)>) -> Result<(), Stop> {
    let (tenant, run) = (work.tenant, work.run.id);
    for some in changed.chunks(BATCH) {
        let some = some.to_vec();
        let written = work.store.run(move |tx| {
            fence(tx, tenant, run)?;
            if tx.get::<Group>(tenant, &group)?.is_none() {
                return Ok(());
            }
            for (address, name) in &some {
                set(tx, tenant, group, address, name.as_deref())?;
            }
            Ok(())
        });
        written.await.map_err(|why: Stop| why)?;
    }
    Ok(())
}

/// Records whether a person is listed in a group, and under which name.
fn set(tx: &mut Tx, tenant: TenantId, group: Uuid, address: &str, name: Option<&str>) -> storage::Result<()> {
    let row = tx.get::<DirectoryPerson>(tenant, &address.to_owned())?;
    match (row, name) {
        (Some(mut row), Some(name)) => {
            name.clone_into(&mut row.name);
            if let Err(at) = row.groups.binary_search(&group) {
                row.groups.insert(at, group);
            }
            tx.update(tenant, row).map(drop)
        }
        (None, Some(name)) => {
            let person = DirectoryPerson { name: name.to_owned(), groups: vec![group] };
            tx.insert(tenant, address.to_owned(), person).map(drop)
        }
        (Some(row), None) => without(tx, tenant, row, |other| *other != group),
        (None, None) => Ok(()),
    }
}

/// Removes groups from a person for which `stays` returns false. Deletes the person if no group remains.
fn without(
    tx: &mut Tx,
    tenant: TenantId,
    mut row: Row<DirectoryPerson>,
    stays: impl Fn(&Uuid) -> bool,
) -> storage::Result<()> {
    let before = row.groups.len();
    row.groups.retain(stays);
    match row.groups.len() {
        0 => tx.delete::<DirectoryPerson>(tenant, &row.id).map(drop),
        now if now == before => Ok(()),
        _ => tx.update(tenant, row).map(drop),
    }
}

/// Removes the lists of groups that are no longer selected.
pub(super) async fn sweep(store: &EpochStore, tenant: TenantId) -> storage::Result<()> {
    let mut after = None;
    loop {
        let from = after.take();
        let swept = store.run(move |tx| {
            let scan = Scan::table().limit(BATCH).after(from.clone());
            let page = tx.scan::<DirectoryPerson>(tenant, scan)?;
            for row in page.items {
                let mut chosen = Vec::with_capacity(row.groups.len());
                for group in &row.groups {
                    if tx.get::<Group>(tenant, group)?.is_some() {
                        chosen.push(*group);
                    }
                }
                without(tx, tenant, row, |group| chosen.contains(group))?;
            }
            Ok::<_, storage::Error>(page.next)
        });
        after = swept.await?;
        if after.is_none() {
            return Ok(());
        }
    }
}
