use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::secret::Secret;

/// A tenant's own keys, by the name of the provider, and the models that it hides from the caller. A key for a provider
/// is used instead of the configured one; a hidden model is not used as a fallback, either.
#[derive(Clone, Debug, Default)]
pub struct Keys(Option<Arc<TenantKeys>>);

#[derive(Clone, Debug, Default)]
struct TenantKeys {
    keys: BTreeMap<String, Secret>,
    origins: BTreeMap<String, String>,
    barred: BTreeSet<String>,
}

impl Keys {
    /// These keys, and the full ids of models that are kept from the caller, in whatever case they are written.
    #[must_use]
    pub fn new(keys: BTreeMap<String, Secret>, barred: BTreeSet<String>) -> Self {
        let barred: BTreeSet<_> = barred.iter().map(|model| model.to_lowercase()).collect();
        Self::bound(keys, BTreeMap::new(), barred)
    }

    /// The same, where some keys are for one origin (scheme, host and port) alone: a provider whose address has
    /// changed since must not get them.
    #[must_use]
    pub fn bound(
        keys: BTreeMap<String, Secret>,
        origins: BTreeMap<String, String>,
        barred: BTreeSet<String>,
    ) -> Self {
        let any = !keys.is_empty() || !barred.is_empty();
        Self(any.then(|| Arc::new(TenantKeys { keys, origins, barred })))
    }

    /// The key for a provider that is at this origin.
    #[must_use]
    pub fn get(&self, provider: &str, origin: &str) -> Option<&Secret> {
        let tenant = self.0.as_ref()?;
        let fits = tenant.origins.get(provider).is_none_or(|bound| bound == origin);
        tenant.keys.get(provider).filter(|_| fits)
    }

    /// Whether a model, named by its full id, is kept from the caller. Capitals are as small letters: a provider
    /// that has not told its models may answer to both.
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
    fn a_model_is_barred_in_every_case() {
        let keys = Keys::new(BTreeMap::new(), ["any/Plain".to_owned()].into());
        assert!(keys.bars("any/plain") && keys.bars("ANY/PLAIN") && !keys.bars("any/plain-2"));
        assert!(!Keys::default().bars("any/plain"));
    }
}
