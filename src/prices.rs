//! Imported prices: from the store into the registry of models, and back.

use providers::{ModelPrice, Models, PriceImport, PriceTable};
use storage::records::{ListedPrice, PriceList};
use storage::{Reader, Row, Store, TenantId, Tx};
use uuid::Uuid;

/// The one row.
const ID: Uuid = Uuid::nil();

/// The table that was imported last, if ever one was.
pub(crate) fn stored(reader: &Reader) -> storage::Result<Option<Row<PriceList>>> {
    reader.get::<PriceList>(TenantId::SYSTEM, &ID)
}

/// Keeps a table in place of the one before. An empty one takes all imported prices away.
pub(crate) fn keep(tx: &mut Tx, read: &PriceImport, by: Option<Uuid>) -> storage::Result<Row<PriceList>> {
    let prices = read.prices.iter().map(|(model, price)| (model.clone(), listed(price))).collect();
    let list = PriceList { prices, by };
    match stored(tx)? {
        Some(row) => tx.update(TenantId::SYSTEM, Row { body: list, ..row }),
        None => tx.insert(TenantId::SYSTEM, ID, list),
    }
}

/// Takes the table that is kept into use.
pub(crate) fn apply(models: &Models, row: &Row<PriceList>) {
    let prices = row.prices.iter().map(|(model, price)| (model.clone(), priced(price))).collect();
    models.set_prices(PriceTable { version: row.version, prices });
}

/// Takes the table that is kept into use, if one is; for the start of a server.
pub(crate) fn load(store: &Store, models: &Models) -> storage::Result<()> {
    if let Some(row) = store.read_now(stored)? {
        apply(models, &row);
    }
    Ok(())
}

fn listed(price: &ModelPrice) -> ListedPrice {
    let ModelPrice { input_nanos, output_nanos, cached_nanos, cache_write_nanos, unit_nanos } = *price;
    ListedPrice {
        input: input_nanos,
        output: output_nanos,
        cached: cached_nanos,
        cache_write: cache_write_nanos,
        unit: unit_nanos,
    }
}

fn priced(price: &ListedPrice) -> ModelPrice {
    let ListedPrice { input, output, cached, cache_write, unit } = *price;
    ModelPrice {
        input_nanos: input,
        output_nanos: output,
        cached_nanos: cached,
        cache_write_nanos: cache_write,
        unit_nanos: unit,
    }
}
