use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::{Model, ModelInfo};
use crate::embed::{Embedder, EmbedderInfo};
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
    pub(super) embedders: Vec<Arc<Embedder>>,
    /// Set while the provider has not told its models: then any name is tried.
    pub(super) any: Option<Arc<OpenAi>>,
}

impl Section {
    pub(super) fn new(rank: u32, provider: &str) -> Self {
        Self { rank, provider: provider.to_owned(), models: Vec::new(), embedders: Vec::new(), any: None }
    }
}

/// The full ids that the configuration asks for.
#[derive(Clone, Default)]
pub(super) struct Wanted {
    pub(super) chat: Option<String>,
    pub(super) embedding: Option<String>,
}

/// An unchanging picture of all models; a change makes a new one, so readers never wait.
pub(super) struct Shelf {
    /// Sorted by rank; never empty, since the built-in section is always there.
    sections: Vec<Section>,
    wanted: Wanted,
    by_id: HashMap<String, Arc<Model>>,
    /// By bare name; `None` where several providers have it.
    by_name: HashMap<String, Option<Arc<Model>>>,
    default: Arc<Model>,
    default_embedder: Arc<Embedder>,
}

impl Shelf {
    /// The built-in section must have a model and an embedder.
    pub(super) fn new(builtin: Section, wanted: Wanted) -> Self {
        Self::of(vec![builtin], wanted)
    }

    fn of(mut sections: Vec<Section>, wanted: Wanted) -> Self {
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
            .chat
            .as_ref()
            .and_then(|id| by_id.get(id).cloned().or_else(|| untold(&sections, id)))
            .or_else(|| sections.iter().find_map(|s| s.models.first().cloned()))
            .expect("the built-in section is never empty");
        let default_embedder = wanted
            .embedding
            .as_ref()
            .and_then(|id| embedder(&sections, id))
            .or_else(|| sections.iter().find_map(|s| s.embedders.first().cloned()))
            .expect("the built-in section is never empty");
        Self { sections, wanted, by_id, by_name, default, default_embedder }
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
        self.changed(&model.info.provider.clone(), |section| {
            section.models.retain(|m| m.info.id != model.info.id);
            section.models.push(Arc::new(model));
        })
    }

    pub(super) fn with_embedder(&self, embedder: Embedder) -> Self {
        self.changed(&embedder.info.provider.clone(), |section| {
            section.embedders.retain(|e| e.info.id != embedder.info.id);
            section.embedders.push(Arc::new(embedder));
        })
    }

    /// The same with a change to one provider's section, which need not exist yet.
    fn changed(&self, provider: &str, change: impl FnOnce(&mut Section)) -> Self {
        let mut sections = self.sections.clone();
        match sections.iter_mut().find(|s| s.provider == provider) {
            Some(section) => change(section),
            None => {
                let mut section = Section::new(ADDED, provider);
                change(&mut section);
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

    pub(super) fn embedders(&self) -> Vec<EmbedderInfo> {
        let mark = |embedder: &Arc<Embedder>| {
            let is_default = embedder.info.id == self.default_embedder.info.id;
            EmbedderInfo { is_default, ..embedder.info.clone() }
        };
        self.sections.iter().flat_map(|s| &s.embedders).map(mark).collect()
    }

    pub(super) fn find_embedder(&self, id: &str) -> Option<Arc<Embedder>> {
        embedder(&self.sections, id)
    }

    pub(super) fn default_embedder(&self) -> Arc<Embedder> {
        Arc::clone(&self.default_embedder)
    }
}

/// The embedder of a full id. A provider that has not told its models yet is taken at any name.
fn embedder(sections: &[Section], id: &str) -> Option<Arc<Embedder>> {
    let told = sections.iter().flat_map(|s| &s.embedders).find(|e| e.info.id == id);
    let served = || untold_of(sections, id).map(|(openai, name)| Arc::new(Embedder::served(openai, name)));
    told.cloned().or_else(served)
}

/// A model of a provider that has not told its models yet.
fn untold(sections: &[Section], id: &str) -> Option<Arc<Model>> {
    untold_of(sections, id).map(|(openai, model)| Arc::new(Model::served(openai, model)))
}

/// The server that may have this model, if it has not told its models, and the model's name there.
fn untold_of<'a, 'b>(sections: &'a [Section], id: &'b str) -> Option<(&'a Arc<OpenAi>, &'b str)> {
    let (provider, model) = id.split_once('/')?;
    let section = sections.iter().find(|s| s.provider == provider)?;
    let openai = section.any.as_ref()?;
    (!model.is_empty()).then_some((openai, model))
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
        let models = Models::empty(Wanted { chat: Some("b/m".to_owned()), ..Wanted::default() });
        add(&models, "a", "m");
        assert_eq!(models.default().info.id, "a/m");
        add(&models, "b", "m");
        assert_eq!(models.default().info.id, "b/m");
    }
}
