//! What a user of a tenant may ask of models: which of them there are for this user, the tenant's own keys,
//! and whether anything may still be spent.
//!
//! Code that calls a model on behalf of a user reads a [`ModelAccess`] first. Hiding a model and reaching a limit
//! concern what begins afterwards: what a model is saying already, it says to its end.

mod money;
mod terms;

use std::sync::Arc;

use providers::media::{Media, MediaHandle, MediaInfo};
use providers::{Embedder, EmbedderInfo, Keys, Model, ModelInfo, Models};
use runs::OverBudget;
use storage::{Reader, Store, TenantId};
use uuid::Uuid;

pub use money::spendable;
pub use terms::{Choice, ModelChoices};

/// What one user of a tenant may ask of models.
pub struct ModelAccess {
    models: Arc<Models>,
    terms: ModelChoices,
}

/// Reads what a user may ask of models.
///
/// # Errors
/// Those of the store.
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
    /// Reads it. A transaction that does so depends on the tenant's and the user's choices, and not on what
    /// others spend in the meantime.
    ///
    /// # Errors
    /// Those of the store.
    pub fn read(
        reader: &Reader,
        models: &Arc<Models>,
        tenant: TenantId,
        user: Uuid,
    ) -> storage::Result<Self> {
        Ok(Self { models: models.clone(), terms: ModelChoices::read(reader, tenant, user)? })
    }

    /// What was decided.
    pub fn terms(&self) -> &ModelChoices {
        &self.terms
    }

    /// The chat models there are for this user, in order of preference; the one that answers when none
    /// was chosen is marked.
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

    /// A chat model, by its full id, or by its bare name if only one provider has it; none where it is not
    /// there for this user.
    pub fn find(&self, id: &str) -> Option<Arc<Model>> {
        self.terms.find(&self.models, id)
    }

    /// The chat model that answers when none was chosen.
    pub fn default(&self) -> Arc<Model> {
        self.terms.default(&self.models).0
    }

    /// The model of a kind (`dyn SpeechModel`, ...) with this id, or the one that is used when none was chosen.
    pub fn media<M: Media + ?Sized>(&self, id: Option<&str>) -> Option<Arc<MediaHandle<M>>> {
        let shows = |found: &Arc<MediaHandle<M>>| self.terms.shows(&found.info.id);
        if let Some(id) = id {
            return self.models.find_media(id).filter(shows);
        }
        let usual = self.models.default_media().filter(shows);
        usual.or_else(|| self.list_media::<M>().iter().find_map(|info| self.models.find_media(&info.id)))
    }

    /// The models of a kind, in order of preference; the one that is used when none was chosen is marked.
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

    /// The embedding model with this full id, or the one of new knowledge bases.
    pub fn embedder(&self, id: Option<&str>) -> Option<Arc<Embedder>> {
        let shows = |found: &Arc<Embedder>| self.terms.shows(&found.info.id);
        match id {
            Some(id) => self.models.find_embedder(id).filter(shows),
            None => Some(self.terms.default_embedder(&self.models)),
        }
    }

    /// The embedding models, in order of preference; the one of new knowledge bases is marked.
    pub fn embedders(&self) -> Vec<EmbedderInfo> {
        let default = self.terms.default_embedder(&self.models).info.id.clone();
        let mark = |model: EmbedderInfo| EmbedderInfo { is_default: model.id == default, ..model };
        self.models.embedders().into_iter().filter(|model| self.terms.shows(&model.id)).map(mark).collect()
    }

    /// The tenant's own keys.
    pub fn keys(&self) -> Keys {
        self.terms.keys()
    }

    /// Refuses where nothing more may be spent.
    ///
    /// # Errors
    /// Whose budget is used up, and when it is renewed.
    pub fn within_budget(&self) -> Result<(), OverBudget> {
        self.terms.within_budget()
    }
}
