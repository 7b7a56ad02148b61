//! The registry of available models.

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

/// Timeout for checking a key at its provider.
const KEY_TIMEOUT: Duration = Duration::from_secs(20);

/// The registry of all models. Lookups are cheap; the model lists of providers and the results of probing are added
/// in the background while the registry exists.
pub struct Models {
    model_table: RwLock<Arc<ModelTable>>,
    running: Mutex<Running>,
}

impl Models {
    /// Applies the configuration and returns immediately; servers are queried in the background.
    ///
    /// Must be called within a Tokio runtime, which runs the background tasks.
    ///
    /// # Errors
    /// Returns an error that names the provider and the key if the configuration is invalid.
    pub async fn load(config: &ProvidersConfig) -> Result<Arc<Self>, ConfigError> {
        let models = Self::empty(DefaultModels::default());
        models.reload(config).await?;
        Ok(models)
    }

    /// Creates a registry with only the built-in models.
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

    /// Returns the models that need no network; the chat model is included only if `chats` is true.
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

    /// Returns all models, in order of preference: configured ones, then probed ones, then the built-in one.
    #[must_use]
    pub fn list(&self) -> Vec<ModelInfo> {
        self.model_table().list()
    }

    /// Finds a model by its full id, or by its bare name if only one provider has it.
    ///
    /// If a provider has not listed its models yet, any name under the provider is accepted.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<Model>> {
        self.model_table().find(id)
    }

    /// Returns the model for requests that name none; there always is one. If no provider has listed a model and the
    /// built-in model is disabled, it has the tag [`UNAVAILABLE`] and refuses every request with the reason.
    #[must_use]
    pub fn default(&self) -> Arc<Model> {
        self.model_table().default()
    }

    /// Adds a model or replaces the one with the same id. Added models are preferred to all others.
    pub fn add(&self, model: Model) {
        let mut model_table = self.model_table.write();
        *model_table = Arc::new(model_table.with_model(model));
    }

    /// Returns all embedding models, in the same order of preference.
    #[must_use]
    pub fn embedders(&self) -> Vec<EmbedderInfo> {
        self.model_table().embedders()
    }

    /// Finds an embedding model by its full id.
    ///
    /// If a provider has not listed its models yet, any name under the provider is accepted.
    #[must_use]
    pub fn find_embedder(&self, id: &str) -> Option<Arc<Embedder>> {
        self.model_table().find_embedder(id)
    }

    /// Returns the embedding model for new knowledge bases that name none; there always is one. Unless the
    /// configuration names one, it may change as providers list their models.
    #[must_use]
    pub fn default_embedder(&self) -> Arc<Embedder> {
        self.model_table().default_embedder()
    }

    /// Replaces the price table unless the given one is older. Calls that begin afterwards are billed at the new
    /// prices; configured prices take precedence.
    pub fn set_prices(&self, prices: PriceTable) {
        let mut model_table = self.model_table.write();
        if prices.version >= model_table.prices().version {
            *model_table = Arc::new(model_table.with_prices(Arc::new(prices)));
        }
    }

    /// Returns the price of each external model and the price's origin.
    #[must_use]
    pub fn price_list(&self) -> Vec<PricedModel> {
        self.model_table().price_list()
    }

    /// Adds an embedding model or replaces the one with the same id. Added models are preferred to all others.
    pub fn add_embedder(&self, embedder: Embedder) {
        let mut model_table = self.model_table.write();
        *model_table = Arc::new(model_table.with_embedder(embedder));
    }

    /// Returns all models of a kind (`dyn SpeechModel`, ...), in the same order of preference.
    #[must_use]
    pub fn list_media<M: Media + ?Sized>(&self) -> Vec<MediaInfo> {
        self.model_table().list_media::<M>()
    }

    /// Finds a model of a kind by its full id, or by its bare name if only one provider has it.
    #[must_use]
    pub fn find_media<M: Media + ?Sized>(&self, id: &str) -> Option<Arc<MediaHandle<M>>> {
        self.model_table().find_media(id)
    }

    /// Returns the model of a kind for requests that name none.
    #[must_use]
    pub fn default_media<M: Media + ?Sized>(&self) -> Option<Arc<MediaHandle<M>>> {
        self.model_table().default_media()
    }

    /// Returns the health of each external provider, in order of preference.
    #[must_use]
    pub fn health(&self) -> Vec<ProviderHealth> {
        self.model_table().sources().map(|source| source.host().circuit.health(&source.host().name)).collect()
    }

    /// Returns the names of all external providers, in order of preference.
    #[must_use]
    pub fn providers(&self) -> Vec<String> {
        self.model_table().sources().map(|source| source.host().name.clone()).collect()
    }

    /// Whether a provider requires the caller's own key because the configuration has none.
    #[must_use]
    pub fn needs_key(&self, provider: &str) -> bool {
        self.model_table().source(provider).is_some_and(|source| source.host().needs_key())
    }

    /// Returns the origin (scheme, host and port) of a provider's requests. `None` if the provider does not exist.
    #[must_use]
    pub fn origin(&self, provider: &str) -> Option<String> {
        self.model_table().source(provider).map(|source| source.host().origin())
    }

    /// Checks a key by listing its provider's models with it, and returns their number. `None` if the provider does
    /// not exist.
    ///
    /// # Errors
    /// Returns an error if the provider rejects the key or does not respond.
    pub async fn try_key(&self, provider: &str, key: &Secret) -> Option<Result<usize, ProviderError>> {
        let source = self.model_table().source(provider)?;
        let keys = Keys::new(BTreeMap::from([(provider.to_owned(), key.clone())]), Default::default());
        Some(source::list(&source, &keys, KEY_TIMEOUT).await.map(|listed| listed.len()))
    }

    fn put(&self, section: Section) {
        let mut model_table = self.model_table.write();
        *model_table = Arc::new(model_table.with(section));
    }

    /// Records why a provider has not listed its models. Has no effect if it has listed them.
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

/// Whether the configuration names the built-in chat model explicitly.
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

/// Returns an addition to the error for an unknown model: names the feature that this build lacks if the built-in
/// models for speech, transcription, images and videos were left out of it.
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
