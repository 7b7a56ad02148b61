use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::{Model, ModelInfo};
use crate::openai::OpenAi;

/// Models that were added by hand come before those of the configuration.
const ADDED: u32 = 0;
/// The rank of the first provider of the configuration.
pub(super) const FIRST_CONFIGURED: u32 = 1;

/// The models of one provider.
#[derive(Clone)]
pub(super) struct Section {
    /// The order of preference, smallest first.
    rank: u32,
    provider: String,
    pub(super) models: Vec<Arc<Model>>,
    /// Set while the provider has not told its models: then any name is tried.
    pub(super) any: Option<Arc<OpenAi>>,
}

impl Section {
    pub(super) fn new(rank: u32, provider: &str) -> Self {
        Self { rank, provider: provider.to_owned(), models: Vec::new(), any: None }
    }
}

/// An unchanging picture of all models; a change makes a new one, so readers never wait.
pub(super) struct Shelf {
    /// Sorted by rank; never empty, since the built-in section is always there.
    sections: Vec<Section>,
    /// The full id that the configuration asks for.
    wanted: Option<String>,
    by_id: HashMap<String, Arc<Model>>,
    /// By bare name; `None` where several providers have it.
    by_name: HashMap<String, Option<Arc<Model>>>,
    default: Arc<Model>,
}

impl Shelf {
    pub(super) fn new(builtin: Section, wanted: Option<String>) -> Self {
        Self::of(vec![builtin], wanted)
    }

    fn of(mut sections: Vec<Section>, wanted: Option<String>) -> Self {
        sections.sort_by_key(|s| s.rank);
        let mut by_id = HashMap::new();
        let mut by_name = HashMap::new();
        for model in sections.iter().flat_map(|s| &s.models) {
            by_id.insert(model.info.id.clone(), Arc::clone(model));
            match by_name.entry(model.upstream_id.clone()) {
                Entry::Vacant(free) => drop(free.insert(Some(Arc::clone(model)))),
                Entry::Occupied(mut taken) => drop(taken.insert(None)),
            }
        }
        let default = wanted
            .as_ref()
            .and_then(|id| by_id.get(id).cloned().or_else(|| untold(&sections, id)))
            .or_else(|| sections.iter().find_map(|s| s.models.first().cloned()))
            .expect("the built-in section is never empty");
        Self { sections, wanted, by_id, by_name, default }
    }

    pub(super) fn with(&self, section: Section) -> Self {
        let mut sections = self.others(&section.provider);
        sections.push(section);
        Self::of(sections, self.wanted.clone())
    }

    pub(super) fn without(&self, provider: &str) -> Self {
        Self::of(self.others(provider), self.wanted.clone())
    }

    pub(super) fn with_model(&self, model: Model) -> Self {
        let mut sections = self.sections.clone();
        let provider = model.info.provider.clone();
        for section in &mut sections {
            section.models.retain(|m| m.info.id != model.info.id);
        }
        match sections.iter_mut().find(|s| s.provider == provider) {
            Some(section) => section.models.push(Arc::new(model)),
            None => {
                let mut section = Section::new(ADDED, &provider);
                section.models.push(Arc::new(model));
                sections.push(section);
            }
        }
        Self::of(sections, self.wanted.clone())
    }

    fn others(&self, provider: &str) -> Vec<Section> {
        self.sections.iter().filter(|s| s.provider != provider).cloned().collect()
    }

    pub(super) fn list(&self) -> Vec<ModelInfo> {
        let mark = |model: &Arc<Model>| {
            let is_default = model.info.id == self.default.info.id;
            ModelInfo { is_default, ..model.info.clone() }
        };
        self.sections.iter().flat_map(|s| &s.models).map(mark).collect()
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<Model>> {
        let named = || self.by_name.get(id).cloned().flatten();
        self.by_id.get(id).cloned().or_else(named).or_else(|| untold(&self.sections, id))
    }

    pub(super) fn default(&self) -> Arc<Model> {
        Arc::clone(&self.default)
    }
}

/// A model of a provider that has not told its models yet.
fn untold(sections: &[Section], id: &str) -> Option<Arc<Model>> {
    let (provider, model) = id.split_once('/')?;
    let section = sections.iter().find(|s| s.provider == provider)?;
    let openai = section.any.as_ref()?;
    (!model.is_empty()).then(|| Arc::new(Model::served(openai, model)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Models;
    use crate::scribe::Scribe;

    fn add(models: &Models, provider: &str, name: &str) {
        models.add(Model::new(provider, name, Arc::new(Scribe)));
    }

    #[test]
    fn without_providers_the_scribe_is_all_there_is() {
        let models = Models::builtin();
        let all = models.list();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].id, "builtin/scribe");
        assert!(all[0].is_default);
        assert_eq!(models.default().info.id, "builtin/scribe");
        assert_eq!(models.find("scribe").unwrap().upstream_id, "scribe");
        assert!(models.find("builtin/other").is_none());
    }

    #[test]
    fn a_bare_name_is_found_while_it_is_unambiguous() {
        let models = Models::builtin();
        add(&models, "a", "org/large");
        assert_eq!(models.find("org/large").unwrap().info.id, "a/org/large");
        add(&models, "b", "org/large");
        assert!(models.find("org/large").is_none());
        assert_eq!(models.find("b/org/large").unwrap().info.id, "b/org/large");
        add(&models, "org", "large");
        assert_eq!(models.find("org/large").unwrap().info.provider, "org", "a full id wins");
    }

    #[test]
    fn adding_twice_replaces_and_the_default_is_marked_once() {
        let models = Models::builtin();
        add(&models, "a", "m");
        add(&models, "a", "m");
        add(&models, "a", "n");
        let ids: Vec<_> = models.list().iter().map(|m| (m.id.clone(), m.is_default)).collect();
        let expected = [("a/m", true), ("a/n", false), ("builtin/scribe", false)];
        assert_eq!(ids, expected.map(|(id, d)| (id.to_owned(), d)));
        models.remove("a");
        assert_eq!(models.default().info.id, "builtin/scribe");
    }

    #[test]
    fn the_wanted_default_is_taken_as_soon_as_it_is_there() {
        let models = Models::empty(Some("b/m".to_owned()));
        add(&models, "a", "m");
        assert_eq!(models.default().info.id, "a/m");
        add(&models, "b", "m");
        assert_eq!(models.default().info.id, "b/m");
    }
}
