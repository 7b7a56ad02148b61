use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::config::Secret;

/// What an asker's tenant brings along: its own keys, by the name of the provider, and the models that it
/// keeps from the asker. Where there is a key for the provider that is asked, it goes out instead of the key of
/// the configuration; a model that is kept from the asker does not answer as a fallback, either.
#[derive(Clone, Debug, Default)]
pub struct Keys(Option<Arc<Brought>>);

#[derive(Clone, Debug, Default)]
struct Brought {
    keys: BTreeMap<String, Secret>,
    barred: BTreeSet<String>,
}

impl Keys {
    /// These keys, and the full ids of models that are kept from the asker.
    #[must_use]
    pub fn new(keys: BTreeMap<String, Secret>, barred: BTreeSet<String>) -> Self {
        Self((!keys.is_empty() || !barred.is_empty()).then(|| Arc::new(Brought { keys, barred })))
    }

    /// The key for a provider.
    #[must_use]
    pub fn of(&self, provider: &str) -> Option<&Secret> {
        self.0.as_ref()?.keys.get(provider)
    }

    /// Whether a model, named by its full id, is kept from the asker.
    #[must_use]
    pub fn bars(&self, model: &str) -> bool {
        self.0.as_ref().is_some_and(|brought| brought.barred.contains(model))
    }
}
