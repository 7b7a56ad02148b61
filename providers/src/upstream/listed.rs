//! An entry of a provider's model list.

use crate::config::ModelConfig;

/// A model as a server lists it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModelListing {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    pub(crate) context_window: Option<u64>,
    pub(crate) max_output_tokens: Option<u64>,
    /// The model's capabilities, if the server lists them.
    pub(crate) tags: Vec<String>,
}

impl ModelListing {
    /// Creates an entry of which only the id is known.
    pub(crate) fn id(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Converts the entry to a model configuration.
    pub(crate) fn config(self) -> ModelConfig {
        let Self { id, name, context_window, max_output_tokens, tags } = self;
        ModelConfig { name, context_window, max_output_tokens, tags, ..ModelConfig::id(id) }
    }
}
