//! Which groups of the directory are chosen.

use domain::{Fault, Refusal};
use std::collections::BTreeSet;

use storage::records::{DirectoryGroup, DirectorySource, Governed, Group, GroupListing, GroupMember};
use storage::{Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::directories::Directories;
use super::gone;
use super::uses::{self, GroupUse};

/// Groups that a tenant may choose at most.
pub const MOST_CHOSEN: usize = 2_000;

/// What a choice changed.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    /// How many groups are chosen now.
    pub chosen: u64,
    /// Those that were not chosen before. Nobody is in them until they are synchronised.
    pub added: Vec<Row<Group>>,
    /// Those that are gone, with what names them.
    pub removed: Vec<(Row<Group>, Vec<GroupUse>)>,
}

/// Why a choice is refused; nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// These are no groups that the directory offers, by their places in what was asked.
    #[error("no such groups")]
    Unknown(Vec<usize>),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl Selected {
    /// Chooses these groups, by what the directory calls them, and no others. Groups that are not chosen any more go
    /// with all that made people members of them, in the same transaction.
    ///
    /// # Errors
    /// Some are unknown, or those of the store.
    pub fn choose(tx: &mut Tx, tenant: TenantId, wanted: &[String]) -> Result<Self, SelectError> {
        let source = tx.get::<DirectorySource>(tenant, &tenant.0)?;
        let offer = source.and_then(|source| source.offer);
        let before = tx.scan::<Group>(tenant, Scan::table())?.items;
        let chosen: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
        let kept: BTreeSet<String> = before.iter().map(|row| row.external_id.clone()).collect();
        let (mut new, mut unknown) = (Vec::new(), Vec::new());
        for (at, id) in wanted.iter().enumerate() {
            if kept.contains(id) || new.iter().any(|(other, _)| other == id) {
                continue;
            }
            let offered = offer.map(|offer| tx.get::<DirectoryGroup>(tenant, &(offer, id.clone())));
            match offered.transpose()?.flatten() {
                Some(row) => new.push((id.clone(), row)),
                None => unknown.push(at),
            }
        }
        if !unknown.is_empty() {
            return Err(SelectError::Unknown(unknown));
        }
        let mut selected = Self { chosen: chosen.len() as u64, ..Self::default() };
        for row in before.into_iter().filter(|row| !chosen.contains(row.external_id.as_str())) {
            let uses = uses::of_group(tx, tenant, row.id)?;
            remove(tx, tenant, row.id)?;
            selected.removed.push((row, uses));
        }
        for (external_id, offered) in new {
            let DirectoryGroup { name, description, .. } = offered.body;
            let group = Group { external_id, name, description, ..Group::default() };
            selected.added.push(tx.insert(tenant, Uuid::now_v7(), group)?);
        }
        let any = !chosen.is_empty();
        Governed::note(tx, tenant, |governed| governed.groups = any)?;
        Ok(selected)
    }
}

fn remove(tx: &mut Tx, tenant: TenantId, group: Uuid) -> storage::Result<()> {
    for user in gone::members(tx, tenant, group)? {
        tx.delete::<GroupMember>(tenant, &(user, group))?;
    }
    tx.delete::<GroupListing>(tenant, &group)?;
    tx.delete::<Group>(tenant, &group).map(drop)
}

impl Directories {
    /// Lets go of the people of groups that are not chosen any more.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn unlist(&self, tenant: TenantId, groups: &[Uuid]) -> storage::Result<()> {
        for group in groups {
            gone::unlist(&self.store().clone().into(), tenant, *group).await?;
        }
        Ok(())
    }
}

impl From<SelectError> for Refusal {
    fn from(why: SelectError) -> Self {
        match why {
            SelectError::Unknown(places) => Self::faulty(places.into_iter().map(unknown).collect()),
            SelectError::Storage(why) => why.into(),
        }
    }
}

fn unknown(at: usize) -> Fault {
    let msg = "the directory offers no such group; has its list been fetched?";
    Fault::new("body", ["group_ids", &at.to_string()], msg, "not_found")
}
