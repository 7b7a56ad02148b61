//! New members of a tenant join the groups in which the directory lists them.

use crate::error::Result;
use crate::ids::TenantId;
use crate::records::{DirectoryPerson, Group, GroupMember};
use crate::tx::Tx;
use uuid::Uuid;

impl DirectoryPerson {
    /// Puts a person who has just become a member into the groups that list them.
    ///
    /// # Errors
    /// Those of the store.
    pub fn enrol(tx: &mut Tx, tenant: TenantId, user: Uuid, email: &str) -> Result<()> {
        let Some(person) = Self::find(tx, tenant, email)? else { return Ok(()) };
        for group in &person.groups {
            let id = (user, *group);
            if tx.get::<GroupMember>(tenant, &id)?.is_none() {
                tx.insert(tenant, id, GroupMember::default())?;
                let mut row = tx.require::<Group>(tenant, group)?;
                row.member_count += 1;
                tx.update(tenant, row)?;
            }
        }
        Ok(())
    }
}
