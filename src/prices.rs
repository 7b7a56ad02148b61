//! Imported prices: between the store and the registry of models.

use domain::administration::price_list;
use providers::{ModelPrice, Models, PriceImport, PriceTable};
use std::collections::BTreeMap;
use storage::records::{ListedPrice, PriceList};
use storage::{Row, Store};

/// Converts an imported table to the list to be stored.
pub(crate) fn list_of(import: &PriceImport) -> BTreeMap<String, ListedPrice> {
    import.prices.iter().map(|(model, price)| (model.clone(), listed(price))).collect()
}

/// Applies the stored table to the models.
pub(crate) fn apply(models: &Models, row: &Row<PriceList>) {
    let prices = row.prices.iter().map(|(model, price)| (model.clone(), priced(price))).collect();
    models.set_prices(PriceTable { version: row.version, prices });
}

/// Applies the stored table, if there is one, when a server starts.
pub(crate) fn load(store: &Store, models: &Models) -> storage::Result<()> {
    if let Some(row) = store.read_now(price_list)? {
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
