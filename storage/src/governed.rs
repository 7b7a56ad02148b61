//! Keeping [`Governed`] in step with the tables it describes.

use crate::error::Result;
use crate::ids::TenantId;
use crate::records::{Governed, Tenant};
use crate::tx::Tx;

impl Governed {
    /// Notes in a tenant's row what changed, and writes the row if that is news.
    ///
    /// # Errors
    /// Those of the store.
    pub fn note(tx: &mut Tx, tenant: TenantId, change: impl FnOnce(&mut Self)) -> Result<()> {
        let mut row = tx.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        let before = row.governed;
        change(&mut row.body.governed);
        if row.governed != before {
            tx.update(TenantId::SYSTEM, row)?;
        }
        Ok(())
    }
}
