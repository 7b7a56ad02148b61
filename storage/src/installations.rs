//! Installations that end with what they belong to.

use crate::error::Result;
use crate::ids::TenantId;
use crate::records::Installation;
use crate::scan::Scan;
use crate::tx::Tx;
use uuid::Uuid;

impl Tx {
    /// Forgets what a user has installed in a tenant: who has left updates nothing any more. What was made of it stays.
    ///
    /// # Errors
    /// Those of the store.
    pub fn forget_installations_of(&mut self, tenant: TenantId, user: Uuid) -> Result<()> {
        let own = Scan::index("by_owner_package").prefix(user.as_bytes().to_vec());
        for row in self.scan::<Installation>(tenant, own)?.items {
            self.delete::<Installation>(tenant, &row.id)?;
        }
        Ok(())
    }
}
