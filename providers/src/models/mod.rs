//! The registry: which models there are right now.

mod discover;
mod probe;
mod shelf;

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use serde::Serialize;
use tokio::task::AbortHandle;
use utoipa::ToSchema;

use crate::chat::{ChatModel, Prices};
use crate::config::{ConfigError, ModelConfig, ProvidersConfig, check};
use crate::embed::{Embedder, EmbedderInfo, builtin};
use crate::openai::{Listed, OpenAi};
use crate::scribe::Scribe;
pub(crate) use probe::is_probed_name;
use shelf::{Section, Shelf, Wanted};

/// What is told of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModelInfo {
    /// `<provider>/<model>`, for example `builtin/scribe`.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// The provider's name.
    pub provider: String,
    /// What it can do: `chat`, `tools`, `vision`, `reasoning`, ...
    pub capability_tags: Vec<String>,
    /// What else is to know: `built-in`, `local`.
    pub info_tags: Vec<String>,
    /// Tokens that request and answer may have together.
    pub context_window: Option<u64>,
    /// Tokens an answer may have.
    pub max_output_tokens: Option<u64>,
    /// What it costs; zero where nobody said.
    pub prices: Prices,
    /// Whether it answers when nobody chose a model.
    pub is_default: bool,
}

/// A model that can be asked.
pub struct Model {
    /// What is told of it.
    pub info: ModelInfo,
    /// The provider's own id, which goes into [`crate::ChatRequest::model`].
    pub upstream_id: String,
    /// The way to it.
    pub chat: Arc<dyn ChatModel>,
}

impl Model {
    /// A model of which nothing but the way to it is known.
    pub fn new(provider: &str, upstream_id: impl Into<String>, chat: Arc<dyn ChatModel>) -> Self {
        let upstream_id = upstream_id.into();
        let info = ModelInfo {
            id: format!("{provider}/{upstream_id}"),
            name: upstream_id.clone(),
            provider: provider.to_owned(),
            capability_tags: vec!["chat".to_owned()],
            info_tags: Vec::new(),
            context_window: None,
            max_output_tokens: None,
            prices: Prices::default(),
            is_default: false,
        };
        Self { info, upstream_id, chat }
    }

    fn configured(openai: &Arc<OpenAi>, config: &ModelConfig) -> Result<Self, ConfigError> {
        let mut model = Self::served(openai, config.id.as_str());
        let info = &mut model.info;
        info.prices = config.prices()?;
        info.context_window = config.context_window;
        info.max_output_tokens = config.max_output_tokens;
        if let Some(name) = &config.name {
            info.name.clone_from(name);
        }
        if !config.tags.is_empty() {
            info.capability_tags.clone_from(&config.tags);
        }
        Ok(model)
    }

    fn listed(openai: &Arc<OpenAi>, listed: Listed) -> Self {
        let mut model = Self::served(openai, listed.id);
        model.info.context_window = listed.context_window;
        model
    }

    fn served(openai: &Arc<OpenAi>, id: impl Into<String>) -> Self {
        let mut model = Self::new(openai.name(), id, Arc::clone(openai) as Arc<dyn ChatModel>);
        if openai.is_local() {
            model.info.info_tags.push("local".to_owned());
        }
        model
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("info", &self.info)
            .field("upstream_id", &self.upstream_id)
            .finish_non_exhaustive()
    }
}

/// All models. Reading is cheap; what providers list of themselves, and what probing finds, is
/// added in the background as long as the registry lives.
pub struct Models {
    shelf: RwLock<Arc<Shelf>>,
    background: Mutex<Vec<AbortHandle>>,
}

impl Models {
    /// Reads the configuration and returns at once; servers are asked in the background.
    ///
    /// Must be called within a Tokio runtime, which the background work then runs on.
    ///
    /// # Errors
    /// A fault of the configuration, naming the provider and the key.
    pub async fn load(config: &ProvidersConfig) -> Result<Arc<Self>, ConfigError> {
        let checked = check(config)?;
        let models = Self::empty(Wanted {
            chat: config.default_model.clone(),
            embedding: config.default_embedding.clone(),
        });
        let mut known = Vec::new();
        for (rank, provider) in (shelf::FIRST_CONFIGURED..).zip(checked) {
            known.push((provider.name.clone(), provider.base_url.clone()));
            let configured = provider.models.clone();
            let openai = Arc::new(OpenAi::new(provider));
            let mut section = Section::new(rank, openai.name());
            for model in &configured {
                if model.chats() {
                    section.models.push(Arc::new(Model::configured(&openai, model)?));
                }
                if model.embeds() {
                    section.embedders.push(Arc::new(Embedder::configured(&openai, model)?));
                }
            }
            if configured.is_empty() {
                section.any = Some(Arc::clone(&openai));
                models.keep(discover::run(Arc::downgrade(&models), rank, openai));
            }
            models.put(section);
        }
        if config.probe_local {
            models.keep(probe::run(Arc::downgrade(&models), probe::targets(config, &known)));
        }
        Ok(models)
    }

    /// A registry of the built-in models alone.
    #[must_use]
    pub fn builtin() -> Arc<Self> {
        Self::empty(Wanted::default())
    }

    fn empty(wanted: Wanted) -> Arc<Self> {
        let mut scribe = Model::new("builtin", crate::scribe::NAME, Arc::new(Scribe));
        scribe.info.name = "Scribe".to_owned();
        scribe.info.capability_tags.extend(["tools".to_owned(), "prefill".to_owned()]);
        scribe.info.info_tags.push("built-in".to_owned());
        let mut section = Section::new(u32::MAX, "builtin");
        section.models.push(Arc::new(scribe));
        section.embedders.push(Arc::new(builtin()));
        Arc::new(Self {
            shelf: RwLock::new(Arc::new(Shelf::new(section, wanted))),
            background: Mutex::default(),
        })
    }

    /// Every model, in order of preference: configured ones, then probed ones, then the built-in.
    #[must_use]
    pub fn list(&self) -> Vec<ModelInfo> {
        self.shelf().list()
    }

    /// Finds a model by its full id, or by its bare name if only one provider has it.
    ///
    /// A provider that has not told its models yet is taken at any name under its own.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<Model>> {
        self.shelf().find(id)
    }

    /// The model that answers when nobody chose one; there always is one.
    #[must_use]
    pub fn default(&self) -> Arc<Model> {
        self.shelf().default()
    }

    /// Adds a model, or replaces the one of the same id. Added models are preferred to all others.
    pub fn add(&self, model: Model) {
        let mut shelf = self.shelf.write();
        *shelf = Arc::new(shelf.with_model(model));
    }

    /// Every embedding model, in the same order of preference.
    #[must_use]
    pub fn embedders(&self) -> Vec<EmbedderInfo> {
        self.shelf().embedders()
    }

    /// Finds an embedding model by its full id.
    ///
    /// A provider that has not told its models yet is taken at any name under its own.
    #[must_use]
    pub fn find_embedder(&self, id: &str) -> Option<Arc<Embedder>> {
        self.shelf().find_embedder(id)
    }

    /// The embedding model of new knowledge bases when nobody chose one; there always is one. It
    /// may change as providers tell their models, unless the configuration names one.
    #[must_use]
    pub fn default_embedder(&self) -> Arc<Embedder> {
        self.shelf().default_embedder()
    }

    /// Adds an embedding model, or replaces the one of the same id. Added ones are preferred.
    pub fn add_embedder(&self, embedder: Embedder) {
        let mut shelf = self.shelf.write();
        *shelf = Arc::new(shelf.with_embedder(embedder));
    }

    fn put(&self, section: Section) {
        let mut shelf = self.shelf.write();
        *shelf = Arc::new(shelf.with(section));
    }

    fn remove(&self, provider: &str) {
        let mut shelf = self.shelf.write();
        *shelf = Arc::new(shelf.without(provider));
    }

    fn shelf(&self) -> Arc<Shelf> {
        Arc::clone(&self.shelf.read())
    }

    fn keep(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.background.lock().push(tokio::spawn(work).abort_handle());
    }
}

impl Drop for Models {
    fn drop(&mut self) {
        for task in self.background.lock().drain(..) {
            task.abort();
        }
    }
}
