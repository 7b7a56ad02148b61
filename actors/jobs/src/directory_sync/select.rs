//! Releasing the people of groups that are not selected any more.

use storage::TenantId;
use uuid::Uuid;

use super::directories::Directories;
use super::gone;

impl Directories {
    /// Deletes from the lists of people that these groups, which are deleted, have them as members.
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
