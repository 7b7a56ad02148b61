//! The registry: which models there are right now.

mod call;
mod catalog;
mod chain;
mod discover;
mod model;
mod model_table;
pub(crate) mod prices;
mod probe;
mod reload;
mod section;
mod source;
mod span;
mod unavailable;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use tokio::sync::Mutex;

use crate::chat::{Keys, ProviderError};
use crate::config::{ConfigError, ProvidersConfig, Secret};
use crate::embed::{Embedder, EmbedderInfo, builtin};
use crate::media::{Media, MediaHandle, MediaInfo};
use crate::scribe::Scribe;
use crate::upstream::circuit::ProviderHealth;
pub use model::{Model, ModelInfo};
use model_table::{DefaultModels, ModelTable};
pub use prices::{
    ModelPrice, PriceFault, PriceFormat, PriceImport, PriceOrigin, PriceTable, PricedModel, read_prices,
};
pub use reload::Reloaded;
use reload::Running;
use section::Section;
pub use unavailable::UNAVAILABLE;

/// How long a provider may take to say whether a key is good.
const KEY_PATIENCE: Duration = Duration::from_secs(20);

/// All models. Reading is cheap; what providers list of themselves, and what probing finds, is
/// added in the background as long as the registry lives.
pub struct Models {
    model_table: RwLock<Arc<ModelTable>>,
    running: Mutex<Running>,
}

impl Models {
    /// Reads the configuration and returns at once; servers are asked in the background.
    ///
    /// Must be called within a Tokio runtime, which the background work then runs on.
    ///
    /// # Errors
    /// A fault of the configuration, naming the provider and the key.
    pub async fn load(config: &ProvidersConfig) -> Result<Arc<Self>, ConfigError> {
        let models = Self::empty(DefaultModels::default());
        models.reload(config).await?;
        Ok(models)
    }

    /// A registry of the built-in models alone.
    #[must_use]
    pub fn builtin() -> Arc<Self> {
        Self::empty(DefaultModels::default())
    }

    fn empty(wanted: DefaultModels) -> Arc<Self> {
        Arc::new(Self {
            model_table: RwLock::new(Arc::new(ModelTable::new(Self::built_in(true), wanted))),
            running: Mutex::default(),
        })
    }

    /// The models that need no network; the chat model among them only if `chats`.
    fn built_in(chats: bool) -> Section {
        let mut section = Section::new(u32::MAX, "builtin");
        if chats {
            let mut scribe = Model::new("builtin", crate::scribe::NAME, Arc::new(Scribe));
            scribe.info.name = "Scribe".to_owned();
            scribe.info.capability_tags.extend(["tools".to_owned(), "prefill".to_owned()]);
            scribe.info.info_tags.push("built-in".to_owned());
            section.models.push(Arc::new(scribe));
        }
        section.embedders.push(Arc::new(builtin()));
        #[cfg(feature = "builtin-media")]
        {
            section.put_media(crate::voice::offered());
            section.put_media(crate::ear::offered());
            section.put_media(crate::sketch::offered());
            section.put_media(crate::clip::offered());
        }
        section
    }

    /// Every model, in order of preference: configured ones, then probed ones, then the built-in.
    #[must_use]
    pub fn list(&self) -> Vec<ModelInfo> {
        self.model_table().list()
    }

    /// Finds a model by its full id, or by its bare name if only one provider has it.
    ///
    /// A provider that has not told its models yet is taken at any name under its own.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<Model>> {
        self.model_table().find(id)
    }

    /// The model that answers when none is chosen; there always is one. Where no provider has told its models and the
    /// built-in one is off, it has the tag [`UNAVAILABLE`] and refuses every request with the reason.
    #[must_use]
    pub fn default(&self) -> Arc<Model> {
        self.model_table().default()
    }

    /// Adds a model, or replaces the one of the same id. Added models are preferred to all others.
    pub fn add(&self, model: Model) {
        let mut model_table = self.model_table.write();
        *model_table = Arc::new(model_table.with_model(model));
    }

    /// Every embedding model, in the same order of preference.
    #[must_use]
    pub fn embedders(&self) -> Vec<EmbedderInfo> {
        self.model_table().embedders()
    }

    /// Finds an embedding model by its full id.
    ///
    /// A provider that has not told its models yet is taken at any name under its own.
    #[must_use]
    pub fn find_embedder(&self, id: &str) -> Option<Arc<Embedder>> {
        self.model_table().find_embedder(id)
    }

    /// The embedding model of new knowledge bases when none was chosen; there always is one. It
    /// may change as providers tell their models, unless the configuration names one.
    #[must_use]
    pub fn default_embedder(&self) -> Arc<Embedder> {
        self.model_table().default_embedder()
    }

    /// Takes another table of prices into use, unless it is older than the one that is. What begins from now on is paid by
    /// it; what configuration says of prices goes before it.
    pub fn set_prices(&self, prices: PriceTable) {
        let mut model_table = self.model_table.write();
        if prices.version >= model_table.prices().version {
            *model_table = Arc::new(model_table.with_prices(Arc::new(prices)));
        }
    }

    /// What each model costs that others run, and who says so.
    #[must_use]
    pub fn price_list(&self) -> Vec<PricedModel> {
        self.model_table().price_list()
    }

    /// Adds an embedding model, or replaces the one of the same id. Added ones are preferred.
    pub fn add_embedder(&self, embedder: Embedder) {
        let mut model_table = self.model_table.write();
        *model_table = Arc::new(model_table.with_embedder(embedder));
    }

    /// Every model of a kind (`dyn SpeechModel`, ...), in the same order of preference.
    #[must_use]
    pub fn list_media<M: Media + ?Sized>(&self) -> Vec<MediaInfo> {
        self.model_table().list_media::<M>()
    }

    /// Finds a model of a kind by its full id, or by its bare name if only one provider has it.
    #[must_use]
    pub fn find_media<M: Media + ?Sized>(&self, id: &str) -> Option<Arc<MediaHandle<M>>> {
        self.model_table().find_media(id)
    }

    /// The model of a kind that is used when none was chosen.
    #[must_use]
    pub fn default_media<M: Media + ?Sized>(&self) -> Option<Arc<MediaHandle<M>>> {
        self.model_table().default_media()
    }

    /// How each provider is that others run, in order of preference.
    #[must_use]
    pub fn health(&self) -> Vec<ProviderHealth> {
        self.model_table().sources().map(|source| source.host().circuit.health(&source.host().name)).collect()
    }

    /// The names of the providers that others run, in order of preference.
    #[must_use]
    pub fn providers(&self) -> Vec<String> {
        self.model_table().sources().map(|source| source.host().name.clone()).collect()
    }

    /// Whether a provider is asked only with a key of one's own, as the configuration has none.
    #[must_use]
    pub fn needs_key(&self, provider: &str) -> bool {
        self.model_table().source(provider).is_some_and(|source| source.host().needs_key())
    }

    /// The origin (scheme, host and port) that a provider's requests go to. None where there is no such provider.
    #[must_use]
    pub fn origin(&self, provider: &str) -> Option<String> {
        self.model_table().source(provider).map(|source| source.host().origin())
    }

    /// Tries a key by asking its provider for its models with it; tells how many there are. None where there
    /// is no such provider.
    ///
    /// # Errors
    /// The provider will not have it, or did not answer.
    pub async fn try_key(&self, provider: &str, key: &Secret) -> Option<Result<usize, ProviderError>> {
        let source = self.model_table().source(provider)?;
        let keys = Keys::new(BTreeMap::from([(provider.to_owned(), key.clone())]), Default::default());
        Some(source::list(&source, &keys, KEY_PATIENCE).await.map(|listed| listed.len()))
    }

    fn put(&self, section: Section) {
        let mut model_table = self.model_table.write();
        *model_table = Arc::new(model_table.with(section));
    }

    /// Notes why a provider has not told its models; nothing where it has.
    fn note_trouble(&self, provider: &str, trouble: ProviderError) {
        let mut model_table = self.model_table.write();
        if let Some(changed) = model_table.with_trouble(provider, trouble) {
            *model_table = Arc::new(changed);
        }
    }

    fn remove(&self, provider: &str) {
        let mut model_table = self.model_table.write();
        *model_table = Arc::new(model_table.without(provider));
    }

    fn model_table(&self) -> Arc<ModelTable> {
        Arc::clone(&self.model_table.read())
    }
}

/// Whether the configuration asks for the built-in chat model by its name.
fn names_scribe(config: &ProvidersConfig) -> bool {
    let id = format!("builtin/{}", crate::scribe::NAME);
    let mut fallbacks = config.providers.iter().flat_map(|provider| &provider.models);
    config.default_model.as_ref() == Some(&id) || fallbacks.any(|model| model.fallbacks.contains(&id))
}

impl model::FindModel for Models {
    fn find(&self, id: &str) -> Option<Arc<Model>> {
        Self::find(self, id)
    }
}

impl Drop for Models {
    fn drop(&mut self) {
        self.running.get_mut().abort();
    }
}

/// What to add to the refusal of a model that is not there: the feature that this build lacks, where the built-in models of
/// speech, transcripts, pictures and videos are left out of it.
#[must_use]
pub fn omission(model: &str) -> &'static str {
    let is_builtin = model.starts_with("builtin/") || !model.contains('/');
    match cfg!(feature = "builtin-media") || !is_builtin {
        true => "",
        false => {
            "; the built-in models of media are not part of this build, which lacks the feature `builtin-media`"
        }
    }
}
