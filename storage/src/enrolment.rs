//! Adds new members of a tenant to the groups in which the directory lists them.

use crate::error::Result;
use crate::ids::TenantId;
use crate::records::{DirectoryPerson, Group, GroupMember};
use crate::tx::Tx;
use uuid::Uuid;

impl DirectoryPerson {
    /// Adds a person who has just become a member to the groups that list the person.
    ///
    /// # Errors
    /// Returns an error if the store fails.
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
