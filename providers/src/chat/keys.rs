use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::secret::Secret;

/// What a caller's tenant brings along: its own keys, by the name of the provider, and the models that it
/// keeps from the caller. Where there is a key for the provider that is asked, it goes out instead of the key of
/// the configuration; a model that is kept from the caller does not answer as a fallback, either.
#[derive(Clone, Debug, Default)]
pub struct Keys(Option<Arc<Brought>>);

#[derive(Clone, Debug, Default)]
struct Brought {
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
        Self(any.then(|| Arc::new(Brought { keys, origins, barred })))
    }

    /// The key for a provider that is at this origin.
    #[must_use]
    pub fn of(&self, provider: &str, origin: &str) -> Option<&Secret> {
        let brought = self.0.as_ref()?;
        let fits = brought.origins.get(provider).is_none_or(|bound| bound == origin);
        brought.keys.get(provider).filter(|_| fits)
    }

    /// Whether a model, named by its full id, is kept from the caller. Capitals are as small letters: a provider
    /// that has not told its models may answer to both.
    #[must_use]
    pub fn bars(&self, model: &str) -> bool {
        self.0.as_ref().is_some_and(|brought| {
            !brought.barred.is_empty() && brought.barred.contains(&model.to_lowercase())
        })
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
