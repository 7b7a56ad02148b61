//! The imported price list, which all tenants share.

use std::collections::BTreeMap;

use serde_json::json;
use storage::records::{ListedPrice, PriceList};
use storage::{Reader, Row, TenantId, Tx};
use uuid::Uuid;

use crate::audit::{Actor, audit};
use crate::{Caller, Result};

/// The id of the only row.
const ID: Uuid = Uuid::nil();

/// Returns the list that was imported last.
pub fn price_list(reader: &Reader) -> storage::Result<Option<Row<PriceList>>> {
    reader.get::<PriceList>(TenantId::SYSTEM, &ID)
}

/// Replaces the list; an empty one removes all imported prices. `by` is the user, or `None` on the command line.
pub fn replace_price_list(
    tx: &mut Tx,
    prices: BTreeMap<String, ListedPrice>,
    by: Option<Uuid>,
) -> storage::Result<Row<PriceList>> {
    let list = PriceList { prices, by };
    match price_list(tx)? {
        Some(row) => tx.update(TenantId::SYSTEM, Row { body: list, ..row }),
        None => tx.insert(TenantId::SYSTEM, ID, list),
    }
}

/// Replaces the list on behalf of a caller. The audit record contains the number of prices that were `rounded`.
pub fn import_price_list(
    tx: &mut Tx,
    caller: &Caller,
    prices: BTreeMap<String, ListedPrice>,
    rounded: usize,
) -> Result<Row<PriceList>> {
    let detail = json!({"models": prices.len(), "rounded": rounded});
    audit(tx, caller.tenant, Actor::from(caller), "prices.import", "prices".to_owned(), detail)?;
    Ok(replace_price_list(tx, prices, Some(caller.user))?)
}
