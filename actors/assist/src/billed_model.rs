//! The model that answers a call and its prices: a fallback may answer in place of the requested model.

use providers::{Model, Models, Prices, Usage};

/// The model that answers a call, with its prices.
#[derive(Clone, Debug)]
pub struct BilledModel {
    /// Full ID of the model.
    pub model: String,
    pub provider: String,
    prices: Prices,
}

impl BilledModel {
    /// The requested model, which answers unless the call reports another one.
    pub fn new(model: &Model) -> Self {
        let info = &model.info;
        Self { model: info.id.clone(), provider: info.provider.clone(), prices: info.prices }
    }

    /// The model with this ID. If it no longer exists, its prices are unknown and count as zero.
    pub fn named(models: &Models, id: &str) -> Self {
        match models.find(id) {
            Some(model) => Self::new(&model),
            None => Self {
                model: id.to_owned(),
                provider: id.split('/').next().unwrap_or_default().to_owned(),
                prices: Prices::default(),
            },
        }
    }

    /// Cost of the usage in billionths of a dollar.
    pub fn cost_nanos(&self, used: &Usage) -> u64 {
        self.prices.cost_nanos(used)
    }
}
