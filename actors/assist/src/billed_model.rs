//! Who answers a call of a model, and what that costs: a fallback may answer in the place of the one that is
//! asked.

use providers::{Model, Models, Prices, Usage};

/// The model that answers a call.
#[derive(Clone, Debug)]
pub struct BilledModel {
    /// Its full id.
    pub model: String,
    pub provider: String,
    prices: Prices,
}

impl BilledModel {
    /// The model that is asked: it answers unless the call says otherwise.
    pub fn new(model: &Model) -> Self {
        let info = &model.info;
        Self { model: info.id.clone(), provider: info.provider.clone(), prices: info.prices }
    }

    /// The one that a call names. The price of a model that is gone by now is unknown.
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

    /// What it costs, in thousand-millionths of a dollar.
    pub fn cost_nanos(&self, used: &Usage) -> u64 {
        self.prices.cost_nanos(used)
    }
}
