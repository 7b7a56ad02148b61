//! Telling people something, in the transaction that makes it true.

use crate::error::Result;
use crate::ids::{TenantId, new_id};
use crate::record::Row;
use crate::records::Notice;
use crate::tx::Tx;

/// Leaves a notice for its user.
///
/// # Errors
/// Those of the store.
pub fn tell(tx: &mut Tx, tenant: TenantId, notice: Notice) -> Result<Row<Notice>> {
    tx.insert(tenant, new_id(), notice)
}
