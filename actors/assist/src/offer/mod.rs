//! Model access of a user: the available models, the tenant's own API keys, and the remaining budget.
//!
//! Code that calls a model on behalf of a user reads a [`ModelAccess`] first. Hiding a model and reaching a limit
//! affect calls that begin afterwards: an answer in progress is completed.

mod money;
mod terms;

use std::sync::Arc;

use providers::media::{Media, MediaHandle, MediaInfo};
use providers::{Embedder, EmbedderInfo, Keys, Model, ModelInfo, Models};
use runs::OverBudget;
use storage::{Reader, Store, TenantId};
use uuid::Uuid;

pub use money::spendable;
pub use terms::{Choice, ModelChoices, Unavailability};

/// The models that a user of a tenant may use, with API keys and budget.
pub struct ModelAccess {
    models: Arc<Models>,
    terms: ModelChoices,
}

/// Reads the model access of a user.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn offer(
    store: &Store,
    models: &Arc<Models>,
    tenant: TenantId,
    user: Uuid,
) -> storage::Result<ModelAccess> {
    let models = models.clone();
    store.read(move |reader| ModelAccess::read(reader, &models, tenant, user)).await
}

impl ModelAccess {
    /// Reads the model access within a transaction. The transaction then depends on the choices of the tenant and the
    /// user, and not on the concurrent spending of others.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn read(
        reader: &Reader,
        models: &Arc<Models>,
        tenant: TenantId,
        user: Uuid,
    ) -> storage::Result<Self> {
        Ok(Self { models: models.clone(), terms: ModelChoices::read(reader, tenant, user)? })
    }

    /// The choices of the tenant and the user.
    pub fn terms(&self) -> &ModelChoices {
        &self.terms
    }

    /// The chat models that are available to this user, in order of preference. The model that is used by default is
    /// marked.
    pub fn models(&self) -> Vec<ModelInfo> {
        let default = self.default().info.id.clone();
        let mark = |model: ModelInfo| ModelInfo { is_default: model.id == default, ..model };
        self.models
            .list()
            .into_iter()
            .filter(|model| self.terms.offers(&self.models, model))
            .map(mark)
            .collect()
    }

    /// The chat models that are not available to this user, in order of preference.
    pub fn unavailable_models(&self) -> Vec<(ModelInfo, Unavailability)> {
        let reason = |model: ModelInfo| Some((self.terms.unavailability(&self.models, &model)?, model));
        self.models.list().into_iter().filter_map(reason).map(|(reason, model)| (model, reason)).collect()
    }

    /// Finds a chat model by its full ID, or by its bare name if only one provider offers it. Returns `None` if it is
    /// not available to this user.
    pub fn find(&self, id: &str) -> Option<Arc<Model>> {
        self.terms.find(&self.models, id)
    }

    /// The chat model that is used by default.
    pub fn default(&self) -> Arc<Model> {
        self.terms.default(&self.models).0
    }

    /// The model of a kind (`dyn SpeechModel`, ...) with this ID, or the default one.
    pub fn media<M: Media + ?Sized>(&self, id: Option<&str>) -> Option<Arc<MediaHandle<M>>> {
        let shows = |found: &Arc<MediaHandle<M>>| self.terms.shows(&found.info.id);
        if let Some(id) = id {
            return self.models.find_media(id).filter(shows);
        }
        let usual = self.models.default_media().filter(shows);
        usual.or_else(|| self.list_media::<M>().iter().find_map(|info| self.models.find_media(&info.id)))
    }

    /// The models of a kind, in order of preference. The default model is marked.
    pub fn list_media<M: Media + ?Sized>(&self) -> Vec<MediaInfo> {
        let mut listed = self.models.list_media::<M>();
        listed.retain(|model| self.terms.shows(&model.id));
        if !listed.iter().any(|model| model.is_default)
            && let Some(first) = listed.first_mut()
        {
            first.is_default = true;
        }
        listed
    }

    /// The embedding model with this full ID, or the default for new knowledge bases.
    pub fn embedder(&self, id: Option<&str>) -> Option<Arc<Embedder>> {
        let shows = |found: &Arc<Embedder>| self.terms.shows(&found.info.id);
        match id {
            Some(id) => self.models.find_embedder(id).filter(shows),
            None => Some(self.terms.default_embedder(&self.models)),
        }
    }

    /// The embedding models, in order of preference. The default for new knowledge bases is marked.
    pub fn embedders(&self) -> Vec<EmbedderInfo> {
        let default = self.terms.default_embedder(&self.models).info.id.clone();
        let mark = |model: EmbedderInfo| EmbedderInfo { is_default: model.id == default, ..model };
        self.models.embedders().into_iter().filter(|model| self.terms.shows(&model.id)).map(mark).collect()
    }

    /// The tenant's own API keys.
    pub fn keys(&self) -> Keys {
        self.terms.keys()
    }

    /// Fails if the budget is exhausted.
    ///
    /// # Errors
    /// The exhausted budget, with the time of its renewal.
    pub fn within_budget(&self) -> Result<(), OverBudget> {
        self.terms.within_budget()
    }
}
