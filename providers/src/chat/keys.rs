use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::Secret;

/// A tenant's own keys, by the name of the provider. Where there is one for the provider that is asked, it
/// goes out instead of the key of the configuration.
#[derive(Clone, Debug, Default)]
pub struct Keys(Option<Arc<BTreeMap<String, Secret>>>);

impl Keys {
    /// These keys.
    #[must_use]
    pub fn new(keys: BTreeMap<String, Secret>) -> Self {
        Self((!keys.is_empty()).then(|| Arc::new(keys)))
    }

    /// The key for a provider.
    #[must_use]
    pub fn of(&self, provider: &str) -> Option<&Secret> {
        self.0.as_ref()?.get(provider)
    }
}
