use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::secret::Secret;

/// A tenant's own keys by provider name, and the models that it hides from the caller. A tenant's key takes
/// precedence over the configured one; a hidden model is not used as a fallback either.
#[derive(Clone, Debug, Default)]
pub struct Keys(Option<Arc<TenantKeys>>);

#[derive(Clone, Debug, Default)]
struct TenantKeys {
    keys: BTreeMap<String, Secret>,
    origins: BTreeMap<String, String>,
    barred: BTreeSet<String>,
}

impl Keys {
    /// Creates a set of keys. `barred` contains the full ids of hidden models; their case does not matter.
    #[must_use]
    pub fn new(keys: BTreeMap<String, Secret>, barred: BTreeSet<String>) -> Self {
        let barred: BTreeSet<_> = barred.iter().map(|model| model.to_lowercase()).collect();
        Self::bound(keys, BTreeMap::new(), barred)
    }

    /// Creates a set in which some keys are bound to one origin (scheme, host and port), so that they are not sent to
    /// a provider whose base URL has changed.
    #[must_use]
    pub fn bound(
        keys: BTreeMap<String, Secret>,
        origins: BTreeMap<String, String>,
        barred: BTreeSet<String>,
    ) -> Self {
        let any = !keys.is_empty() || !barred.is_empty();
        Self(any.then(|| Arc::new(TenantKeys { keys, origins, barred })))
    }

    /// Returns the key for a provider at this origin.
    #[must_use]
    pub fn get(&self, provider: &str, origin: &str) -> Option<&Secret> {
        let tenant = self.0.as_ref()?;
        let fits = tenant.origins.get(provider).is_none_or(|bound| bound == origin);
        tenant.keys.get(provider).filter(|_| fits)
    }

    /// Whether a model, given by its full id, is hidden from the caller. Case does not matter, since a provider that
    /// has not listed its models may accept any spelling.
    #[must_use]
    pub fn bars(&self, model: &str) -> bool {
        self.0
            .as_ref()
            .is_some_and(|tenant| !tenant.barred.is_empty() && tenant.barred.contains(&model.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_ignores_case() {
        let keys = Keys::new(BTreeMap::new(), ["any/Plain".to_owned()].into());
        assert!(keys.bars("any/plain") && keys.bars("ANY/PLAIN") && !keys.bars("any/plain-2"));
        assert!(!Keys::default().bars("any/plain"));
    }
}
