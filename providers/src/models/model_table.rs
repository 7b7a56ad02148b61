//! An immutable snapshot of all models of all providers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::model::{Model, ModelInfo};
use super::prices::{PriceTable, PricedModel};
use super::section::{ADDED, Section};
use super::source::Source;
use super::{catalog, unavailable};
use crate::chat::ProviderError;
use crate::config::ModelConfig;
use crate::embed::{Embedder, EmbedderInfo};
use crate::media::{Media, MediaHandle, MediaInfo};

/// The full ids of the default models in the configuration.
#[derive(Clone, Default)]
pub(super) struct DefaultModels {
    pub(super) chat: Option<String>,
    pub(super) embedding: Option<String>,
}

/// An immutable snapshot of all models. Each change creates a new snapshot, so readers never wait.
pub(super) struct ModelTable {
    /// Sorted by rank; never empty, since the built-in section is always present and has an embedder.
    sections: Vec<Section>,
    wanted: DefaultModels,
    prices: Arc<PriceTable>,
    by_id: HashMap<String, Arc<Model>>,
    /// By bare name; `None` if several providers have a model of this name.
    by_name: HashMap<String, Option<Arc<Model>>>,
    default: Arc<Model>,
    default_embedder: Arc<Embedder>,
}

impl ModelTable {
    /// Creates a table of the built-in section, which must have an embedder.
    pub(super) fn new(builtin: Section, wanted: DefaultModels) -> Self {
        Self::from_sections(vec![builtin], wanted, Arc::default())
    }

    fn from_sections(mut sections: Vec<Section>, wanted: DefaultModels, prices: Arc<PriceTable>) -> Self {
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
            .and_then(|id| by_id.get(id).cloned().or_else(|| unlisted(&sections, &prices, id)))
            .or_else(|| sections.iter().filter(|s| s.open_to_all()).find_map(|s| s.models.first().cloned()));
        let default = default.unwrap_or_else(|| {
            let troubles = sections.iter().filter_map(|s| Some((s.provider.as_str(), s.trouble.as_ref()?)));
            let none = Arc::new(unavailable::instead(troubles));
            by_id.insert(none.info.id.clone(), Arc::clone(&none));
            none
        });
        let default_embedder = wanted
            .embedding
            .as_ref()
            .and_then(|id| embedder(&sections, &prices, id))
            .or_else(|| {
                sections.iter().filter(|s| s.open_to_all()).find_map(|s| s.embedders.first().cloned())
            })
            .expect("the built-in section always has an embedder");
        Self { sections, wanted, prices, by_id, by_name, default, default_embedder }
    }

    pub(super) fn with(&self, section: Section) -> Self {
        let mut sections = self.others(&section.provider);
        sections.push(section.repriced(&self.prices));
        self.of_these(sections)
    }

    /// Returns a copy with the reason why a provider has not listed its models; `None` if it has listed them.
    pub(super) fn with_trouble(&self, provider: &str, trouble: ProviderError) -> Option<Self> {
        let mut sections = self.sections.clone();
        let section = sections.iter_mut().find(|s| s.provider == provider && s.trouble.is_some())?;
        section.trouble = Some(trouble);
        Some(self.of_these(sections))
    }

    pub(super) fn without(&self, provider: &str) -> Self {
        self.of_these(self.others(provider))
    }

    /// Returns a copy for another configuration: keeps the external sections that `stays` accepts, and adds `new`.
    pub(super) fn reconfigured(
        &self,
        stays: impl Fn(&Section) -> bool,
        new: Vec<Section>,
        wanted: DefaultModels,
    ) -> Self {
        let replaced = |section: &Section| new.iter().any(|other| other.provider == section.provider);
        let stays = |section: &&Section| section.source.is_none() || stays(section);
        let remaining: Vec<_> =
            self.sections.iter().filter(stays).filter(|section| !replaced(section)).cloned().collect();
        let new = new.into_iter().map(|section| section.repriced(&self.prices));
        Self::from_sections(remaining.into_iter().chain(new).collect(), wanted, Arc::clone(&self.prices))
    }

    /// Whether a configured provider has, or may have, chat models that do not require the caller's own key.
    pub(super) fn chats_for_all(&self) -> bool {
        let configured = |section: &&Section| section.source.is_some() && !section.is_probed();
        let chats = |section: &Section| section.open_to_all() && (section.any || !section.models.is_empty());
        self.sections.iter().filter(configured).any(chats)
    }

    /// Returns a copy with the prices of another table.
    pub(super) fn with_prices(&self, prices: Arc<PriceTable>) -> Self {
        let sections = self.sections.iter().map(|section| section.clone().repriced(&prices));
        Self::from_sections(sections.collect(), self.wanted.clone(), prices)
    }

    pub(super) fn prices(&self) -> &PriceTable {
        &self.prices
    }

    pub(super) fn price_list(&self) -> Vec<PricedModel> {
        self.sections.iter().flat_map(|section| &section.priced).cloned().collect()
    }

    fn of_these(&self, sections: Vec<Section>) -> Self {
        Self::from_sections(sections, self.wanted.clone(), Arc::clone(&self.prices))
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

    /// Returns a copy with a change to one provider's section, which is created if it does not exist.
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
        self.of_these(sections)
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
        self.by_id.get(id).cloned().or_else(named).or_else(|| unlisted(&self.sections, &self.prices, id))
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
        embedder(&self.sections, &self.prices, id)
    }

    pub(super) fn default_embedder(&self) -> Arc<Embedder> {
        Arc::clone(&self.default_embedder)
    }

    /// Iterates over all models of a media kind.
    fn media<M: Media + ?Sized>(&self) -> impl Iterator<Item = &Arc<MediaHandle<M>>> {
        self.sections.iter().flat_map(|section| M::models(&section.media))
    }

    pub(super) fn list_media<M: Media + ?Sized>(&self) -> Vec<MediaInfo> {
        let default = self.default_media::<M>().map(|offered| offered.info.id.clone());
        let mark = |offered: &Arc<MediaHandle<M>>| {
            let is_default = default.as_ref() == Some(&offered.info.id);
            MediaInfo { is_default, ..offered.info.clone() }
        };
        self.media::<M>().map(mark).collect()
    }

    /// Finds a model by full id, or by a bare name that only one provider has.
    pub(super) fn find_media<M: Media + ?Sized>(&self, id: &str) -> Option<Arc<MediaHandle<M>>> {
        if let Some(found) = self.media::<M>().find(|offered| offered.info.id == id) {
            return Some(Arc::clone(found));
        }
        let mut named = self.media::<M>().filter(|offered| offered.upstream_id == id);
        named.next().filter(|_| named.next().is_none()).cloned()
    }

    pub(super) fn default_media<M: Media + ?Sized>(&self) -> Option<Arc<MediaHandle<M>>> {
        let open = self.sections.iter().filter(|section| section.open_to_all());
        open.flat_map(|section| M::models(&section.media)).next().cloned()
    }

    /// Iterates over the sources of all external providers.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Arc<dyn Source>> {
        self.sections.iter().filter_map(|section| section.source.as_ref()).map(|(source, _)| source)
    }

    pub(super) fn source(&self, provider: &str) -> Option<Arc<dyn Source>> {
        self.sources().find(|source| source.host().name == provider).cloned()
    }
}

/// Finds an embedder by full id. If a provider has not listed its models yet, any name is accepted.
fn embedder(sections: &[Section], prices: &PriceTable, id: &str) -> Option<Arc<Embedder>> {
    let listed = sections.iter().flat_map(|s| &s.embedders).find(|e| e.info.id == id);
    let served = || {
        let ((source, _), name) = sections.iter().find_map(|section| section.unlisted(id))?;
        let (known, _) = catalog::priced(source.host(), ModelConfig::id(name), prices);
        Embedder::from_source(source, &known).map(Arc::new)
    };
    listed.cloned().or_else(served)
}

/// Finds a model of a provider that has not listed its models yet. Names are compared with known models without case,
/// since the provider may accept both spellings.
fn unlisted(sections: &[Section], prices: &PriceTable, id: &str) -> Option<Arc<Model>> {
    let found = sections.iter().find_map(|section| Some((section, section.unlisted(id)?)));
    let (section, ((source, models), name)) = found?;
    if let Some(listed) = section.models.iter().find(|model| model.upstream_id.eq_ignore_ascii_case(name)) {
        return Some(Arc::clone(listed));
    }
    let (known, _) = catalog::priced(source.host(), ModelConfig::id(name), prices);
    Some(Arc::new(Model::from_config(source, &known, models)))
}

#[cfg(test)]
#[path = "model_table_tests.rs"]
mod tests;
