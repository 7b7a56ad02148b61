//! Removes the people of groups that are no longer selected.

use storage::TenantId;
use uuid::Uuid;

use super::directories::Directories;
use super::missing_groups;

impl Directories {
    /// Removes these deleted groups from the lists of people.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn unlist(&self, tenant: TenantId, groups: &[Uuid]) -> storage::Result<()> {
        for group in groups {
            missing_groups::unlist(&self.store().clone().into(), tenant, *group).await?;
        }
        Ok(())
    }
}
