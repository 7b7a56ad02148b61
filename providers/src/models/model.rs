use std::sync::{Arc, Weak};

use serde::Serialize;
use utoipa::ToSchema;

use super::chain::Chain;
use super::source::Source;
use crate::chat::{ChatModel, Prices};
use crate::config::ModelConfig;

/// The description of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModelInfo {
    /// `<provider>/<model>`, for example `builtin/scribe`.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// The provider's name.
    pub provider: String,
    /// Capabilities: `chat`, `tools`, `vision`, `reasoning`, ...
    pub capability_tags: Vec<String>,
    /// Further properties: `built-in`, `local`, `own_key` (requires the caller's own key).
    pub info_tags: Vec<String>,
    /// Maximum number of tokens of request and response together.
    pub context_window: Option<u64>,
    /// Maximum number of tokens of a response.
    pub max_output_tokens: Option<u64>,
    /// The prices; zero if unknown.
    pub prices: Prices,
    /// Whether the model is used for requests that name none.
    pub is_default: bool,
}

/// A model that can be called.
pub struct Model {
    /// The description of the model.
    pub info: ModelInfo,
    /// The provider's own id, which goes into [`crate::ChatRequest::model`].
    pub upstream_id: String,
    /// The implementation, including its fallbacks if it has any.
    pub chat: Arc<dyn ChatModel>,
    direct: Option<Arc<dyn ChatModel>>,
}

/// Finds models by their full ids. Fallbacks are looked up when they are needed, since models come and go.
pub(super) trait FindModel: Send + Sync {
    fn find(&self, id: &str) -> Option<Arc<Model>>;
}

impl Model {
    /// Creates a model with default properties.
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
        Self { info, upstream_id, chat, direct: None }
    }

    /// Creates a model of a source from its configuration.
    pub(super) fn from_config(
        source: &Arc<dyn Source>,
        known: &ModelConfig,
        models: &Weak<dyn FindModel>,
    ) -> Self {
        let host = source.host();
        let direct = source.chat(known);
        let mut model = Self::new(&host.name, known.id.as_str(), Arc::clone(&direct));
        let info = &mut model.info;
        info.context_window = known.context_window;
        info.max_output_tokens = known.max_output_tokens;
        // Invalid prices were rejected when the configuration was loaded.
        info.prices = known.prices().ok().flatten().unwrap_or_default();
        if let Some(name) = &known.name {
            info.name.clone_from(name);
        }
        if !known.tags.is_empty() {
            info.capability_tags.clone_from(&known.tags);
            // A configuration that lists only `vision` implies `chat`.
            if !info.capability_tags.iter().any(|tag| tag == "chat") {
                info.capability_tags.insert(0, "chat".to_owned());
            }
        }
        if host.local {
            info.info_tags.push("local".to_owned());
        }
        if host.needs_key() {
            info.info_tags.push("own_key".to_owned());
        }
        if !known.fallbacks.is_empty() {
            let id = info.id.clone();
            model.chat =
                Arc::new(Chain::new(id, Arc::clone(&direct), known.fallbacks.clone(), models.clone()));
            model.direct = Some(direct);
        }
        model
    }

    /// Returns the implementation without fallbacks.
    pub(super) fn direct(&self) -> &Arc<dyn ChatModel> {
        self.direct.as_ref().unwrap_or(&self.chat)
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
