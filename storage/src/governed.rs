//! Keeps [`Governed`] consistent with the tables that it describes.

use crate::error::Result;
use crate::ids::TenantId;
use crate::records::{Governed, Tenant};
use crate::tx::Tx;

impl Governed {
    /// Records a change in a tenant's row, and writes the row if it differs.
    ///
    /// # Errors
    /// Returns an error if the store fails.
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
