//! The models of one provider.

use std::sync::{Arc, Weak};

use super::catalog;
use super::model::{FindModel, Model};
use super::prices::{PriceTable, PricedModel};
use super::source::{MediaModel, Source};
use crate::chat::ProviderError;
use crate::config::{ModelConfig, ProviderKind};
use crate::embed::Embedder;
use crate::media::{Media, MediaHandle, MediaModels};

/// The rank of models that were added programmatically; they precede those of the configuration.
pub(super) const ADDED: u32 = 0;
/// The rank of the first configured provider.
pub(super) const FIRST_CONFIGURED: u32 = 1;

/// The rank of the first probed local server; probed servers follow all configured providers.
pub(super) const FIRST_PROBED: u32 = 1 << 16;

/// The source of a provider's models, and the registry in which their fallbacks are looked up.
pub(super) type SourceHandle = (Arc<dyn Source>, Weak<dyn FindModel>);

/// The models of one provider.
#[derive(Clone)]
pub(super) struct Section {
    /// The order of preference, smallest first.
    pub(super) rank: u32,
    pub(super) provider: String,
    pub(super) models: Vec<Arc<Model>>,
    pub(super) embedders: Vec<Arc<Embedder>>,
    pub(super) media: MediaModels,
    /// The provider's source; `None` for models that were added programmatically.
    pub(super) source: Option<SourceHandle>,
    /// Whether the provider has not listed its models, so that any name is tried.
    pub(super) any: bool,
    /// Why the provider has not listed its models.
    pub(super) trouble: Option<ProviderError>,
    /// The models' configuration before it was completed from price tables.
    pub(super) known: Vec<ModelConfig>,
    pub(super) priced: Vec<PricedModel>,
}

impl Section {
    pub(super) fn new(rank: u32, provider: &str) -> Self {
        Self {
            rank,
            provider: provider.to_owned(),
            models: Vec::new(),
            embedders: Vec::new(),
            media: MediaModels::default(),
            source: None,
            any: false,
            trouble: None,
            known: Vec::new(),
            priced: Vec::new(),
        }
    }

    /// Creates a section from the known models of a source, completed from the catalogue.
    pub(super) fn from_source(
        rank: u32,
        source: &Arc<dyn Source>,
        known: Vec<ModelConfig>,
        models: Weak<dyn FindModel>,
    ) -> Self {
        Self::at(rank, (Arc::clone(source), models), known, &PriceTable::default())
    }

    /// Returns the same models with the prices of a table.
    pub(super) fn repriced(self, prices: &PriceTable) -> Self {
        let Some(way) = self.source.clone() else { return self };
        let Self { rank, known, any, trouble, .. } = self;
        let mut section = Self { any, trouble, ..Self::at(rank, way, known, prices) };
        // Models that were added programmatically.
        let is_new = |id: &str, known: &[ModelConfig]| known.iter().all(|model| model.id != id);
        let models = self.models.into_iter().filter(|model| is_new(&model.upstream_id, &section.known));
        section.models.extend(models);
        for embedder in self.embedders {
            if section.embedders.iter().all(|other| other.info.id != embedder.info.id) {
                section.embedders.push(embedder);
            }
        }
        section
    }

    fn at(rank: u32, way: SourceHandle, known: Vec<ModelConfig>, prices: &PriceTable) -> Self {
        let (source, models) = &way;
        let host = source.host();
        let mut section = Self::new(rank, &host.name);
        section.source = Some(way.clone());
        section.known.clone_from(&known);
        for known in known {
            let (known, origin) = catalog::priced(host, known, prices);
            section.priced.push(PricedModel::new(host, &known, origin));
            if known.chats() {
                section.models.push(Arc::new(Model::from_config(source, &known, models)));
            }
            if known.embeds() {
                section.embedders.extend(Embedder::from_source(source, &known).map(Arc::new));
            }
            for media in known.media().into_iter().filter_map(|kind| source.media(kind, &known.id)) {
                media.shelve(&mut section, &known, host.local);
            }
        }
        section
    }

    pub(super) fn put_media<M: Media + ?Sized>(&mut self, offered: MediaHandle<M>) {
        let model_table = M::models_mut(&mut self.media);
        model_table.retain(|other| other.info.id != offered.info.id);
        model_table.push(Arc::new(offered));
    }

    /// Whether the provider was found by probing for local servers.
    pub(super) fn is_probed(&self) -> bool {
        self.source.is_some() && self.rank >= FIRST_PROBED
    }

    /// Whether requests are possible without the caller's own key.
    pub(super) fn open_to_all(&self) -> bool {
        self.source.as_ref().is_none_or(|(source, _)| !source.host().needs_key())
    }

    /// Returns the source and the model name for an id of this provider if the provider has not listed its models.
    pub(super) fn unlisted<'a>(&self, id: &'a str) -> Option<(&SourceHandle, &'a str)> {
        let model = id.strip_prefix(self.provider.as_str())?.strip_prefix('/')?;
        let source = self.source.as_ref().filter(|_| self.any)?;
        is_plain(model, source.0.host().kind).then_some((source, model))
    }
}

/// Whether a name has its canonical spelling, so that access rules apply to it. A provider may accept other spellings
/// of the same name: with surrounding spaces, with redundant path segments, or percent-encoded.
pub(super) fn is_plain(model: &str, kind: ProviderKind) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '%' | '\\' | '?' | '#');
    let idle = |segment: &str| matches!(segment, "" | "." | "..");
    // Gemini prefixes names with this, and accepts names without it as equal.
    let prefixed = kind == ProviderKind::Gemini && model.starts_with("models/");
    !prefixed && !model.contains(odd) && !model.split('/').any(idle)
}

impl MediaModel {
    /// Adds the model to its provider's section, with its known properties.
    fn shelve(self, section: &mut Section, known: &ModelConfig, local: bool) {
        match self {
            Self::Speech(model) => section.put_media(offered(&section.provider, known, local, model)),
            Self::Transcription(model) => section.put_media(offered(&section.provider, known, local, model)),
            Self::Image(model) => section.put_media(offered(&section.provider, known, local, model)),
            Self::Video(model) => section.put_media(offered(&section.provider, known, local, model)),
        }
    }
}

fn offered<M: Media + ?Sized>(
    provider: &str,
    known: &ModelConfig,
    local: bool,
    model: Arc<M>,
) -> MediaHandle<M> {
    let mut offered = MediaHandle::new(provider, known.id.as_str(), model);
    let info = &mut offered.info;
    if let Some(name) = &known.name {
        info.name.clone_from(name);
    }
    if !known.tags.is_empty() {
        info.capability_tags.clone_from(&known.tags);
    }
    if local {
        info.info_tags.push("local".to_owned());
    }
    // Invalid prices were rejected when the configuration was loaded.
    info.unit_price_nanos = known.unit_price_nanos().ok().flatten().unwrap_or(0);
    offered
}
