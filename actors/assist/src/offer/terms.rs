//! Decisions about models that apply to a user, made by the tenant's administrators and the user.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use providers::{Embedder, Keys, Model, ModelInfo, Models, Secret};
use runs::OverBudget;
use storage::authority::Subject;
use storage::records::{ModelRule, ProviderKey, Tenant, User};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use super::money;

/// Who chose a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The model is the user's choice.
    User,
    /// The model is the tenant's default.
    Tenant,
    /// The model is the default of the installation.
    Installation,
}

/// Why a chat model is not available to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailability {
    /// The visibility of the model excludes the user.
    NotVisible,
    /// The provider needs a key of the tenant, and the tenant has set none for its address.
    KeyMissing,
}

/// The decisions that apply to a user, where there are any.
#[derive(Clone, Debug, Default)]
pub struct ModelChoices {
    preferred: Option<String>,
    /// Full IDs of the models that the user marked as favourites.
    pub favourites: Vec<String>,
    default_model: Option<String>,
    default_embedding: Option<String>,
    /// The models that are not available to the user, by full ID in lower case.
    barred: HashSet<String>,
    keys: Keys,
    over: Option<OverBudget>,
}

impl ModelChoices {
    /// Reads the decisions. If the tenant has made none, this takes two row reads.
    ///
    /// # Errors
    /// Returns an error if the store fails, and `Corrupt` if a key cannot be decrypted.
    pub fn read(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<Self> {
        let account = reader.get_shared::<User>(TenantId::SYSTEM, &user)?;
        let chosen = account.map(|row: Arc<Row<User>>| {
            (row.preferences.default_model.clone(), row.preferences.favourite_models.clone())
        });
        let (preferred, favourites) = chosen.unwrap_or_default();
        let Some(row) = reader.get_shared::<Tenant>(TenantId::SYSTEM, &tenant.0)? else {
            return Ok(Self { preferred, favourites, ..<Self as Default>::default() });
        };
        let governed = row.governed;
        let barred = if governed.models { barred(reader, tenant, user)? } else { HashSet::new() };
        let (keys, origins) = if governed.keys { keys(reader, tenant)? } else { Default::default() };
        Ok(Self {
            preferred,
            favourites,
            default_model: row.default_model.clone(),
            default_embedding: row.default_embedding_model.clone(),
            keys: Keys::bound(keys, origins, barred.iter().cloned().collect()),
            barred,
            over: match governed.budgets {
                true => money::exhausted(reader, tenant, user, Timestamp::now())?,
                false => None,
            },
        })
    }

    /// Whether the model with this full ID is available to this user. IDs are compared ignoring case, because a
    /// provider without a list of its models may accept both.
    pub fn shows(&self, id: &str) -> bool {
        self.barred.is_empty() || !self.barred.contains(&id.to_lowercase())
    }

    /// Whether a chat model is available to this user: it is not hidden, and there is an API key for it.
    pub fn offers(&self, models: &Models, model: &ModelInfo) -> bool {
        self.unavailability(models, model).is_none()
    }

    /// Why a chat model is not available to this user.
    pub fn unavailability(&self, models: &Models, model: &ModelInfo) -> Option<Unavailability> {
        let keyless = model.info_tags.iter().any(|tag| tag == "own_key");
        let has_key = || {
            let origin = models.origin(&model.provider).unwrap_or_default();
            self.keys.get(&model.provider, &origin).is_some()
        };
        match (self.shows(&model.id), !keyless || has_key()) {
            (false, _) => Some(Unavailability::NotVisible),
            (true, false) => Some(Unavailability::KeyMissing),
            (true, true) => None,
        }
    }

    /// Whether the user's preferences name the model with this full ID.
    pub fn names(&self, id: &str) -> bool {
        self.preferred.iter().chain(&self.favourites).any(|named| named.eq_ignore_ascii_case(id))
    }

    /// Finds a chat model that is available to this user.
    pub fn find(&self, models: &Models, id: &str) -> Option<Arc<Model>> {
        models.find(id).filter(|model| self.offers(models, &model.info))
    }

    /// The chat model that is used by default, and who chose it: the user, the tenant, the installation, or otherwise
    /// the first model. Models that are not available to this user are skipped. If none is available, the
    /// installation's default is used nevertheless, because there must be one.
    pub fn default(&self, models: &Models) -> (Arc<Model>, Choice) {
        let named = [(&self.preferred, Choice::User), (&self.default_model, Choice::Tenant)];
        let found = named.into_iter().find_map(|(id, whose)| Some((self.find(models, id.as_ref()?)?, whose)));
        found.unwrap_or_else(|| {
            let usual = models.default();
            let answers = !usual.info.info_tags.iter().any(|tag| tag == providers::UNAVAILABLE);
            if answers && self.shows(&usual.info.id) {
                return (usual, Choice::Installation);
            }
            let first = models.list().into_iter().find_map(|model| self.find(models, &model.id));
            (first.unwrap_or(usual), Choice::Installation)
        })
    }

    /// The embedding model for new knowledge bases, selected in the same way.
    pub fn default_embedder(&self, models: &Models) -> Arc<Embedder> {
        let find = |id: &str| models.find_embedder(id).filter(|found| self.shows(&found.info.id));
        let named = self.default_embedding.as_deref().and_then(find);
        named.unwrap_or_else(|| {
            let usual = models.default_embedder();
            if self.shows(&usual.info.id) {
                return usual;
            }
            models.embedders().iter().find_map(|model| find(&model.id)).unwrap_or(usual)
        })
    }

    /// The tenant's own API keys.
    pub fn keys(&self) -> Keys {
        self.keys.clone()
    }

    /// Fails if the budget is exhausted.
    ///
    /// # Errors
    /// The exhausted budget.
    pub fn within_budget(&self) -> Result<(), OverBudget> {
        match &self.over {
            Some(over) => Err(over.clone()),
            None => Ok(()),
        }
    }
}

/// The models with a rule that excludes the user. Rules that differ only in the case of the model ID apply to the same
/// model, and all of them must be met. A user who is not a member of the tenant is excluded by every rule.
fn barred(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<HashSet<String>> {
    let subject = Subject::read(reader, tenant, user)?;
    let leaves_out = |rule: &ModelRule| subject.as_ref().is_none_or(|subject| !rule.audience.has(subject));
    let rules = reader.scan::<ModelRule>(tenant, Scan::table())?.items;
    Ok(rules.iter().filter(|row| leaves_out(row)).map(|row| row.id.to_lowercase()).collect())
}

/// The API keys, and the origins that they were set for.
fn keys(
    reader: &Reader,
    tenant: TenantId,
) -> storage::Result<(BTreeMap<String, Secret>, BTreeMap<String, String>)> {
    let (mut keys, mut origins) = (BTreeMap::new(), BTreeMap::new());
    for row in reader.scan::<ProviderKey>(tenant, Scan::table())?.items {
        let key = reader.get_secret(tenant, &ProviderKey::secret(&row.id))?;
        if let Some(key) = key.and_then(|key| String::from_utf8(key).ok()) {
            origins.extend(row.body.origin.map(|origin| (row.id.clone(), origin)));
            keys.insert(row.id, Secret::from(key));
        }
    }
    Ok((keys, origins))
}
