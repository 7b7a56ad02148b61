//! Deletion of installations together with the memberships they belong to.

use crate::error::Result;
use crate::ids::TenantId;
use crate::records::Installation;
use crate::scan::Scan;
use crate::tx::Tx;
use uuid::Uuid;

impl Tx {
    /// Deletes the installations of a user in a tenant, because a user who has left updates nothing any more. Objects
    /// that were created from them are retained.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn forget_installations_of(&mut self, tenant: TenantId, user: Uuid) -> Result<()> {
        let own = Scan::index("by_owner_package").prefix(user.as_bytes().to_vec());
        for row in self.scan::<Installation>(tenant, own)?.items {
            self.delete::<Installation>(tenant, &row.id)?;
        }
        Ok(())
    }
}
