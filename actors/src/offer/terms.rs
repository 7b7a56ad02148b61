//! What was decided for a user: by their tenant's administrators, and by themselves.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use providers::{Embedder, Keys, Model, ModelInfo, Models, Secret};
use storage::records::{Audience, ModelRule, ProviderKey, Tenant, User};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use super::money::{self, OverBudget};

/// Groups of the directory that a user is in: none are known before there is a directory.
const GROUPS: &[Uuid] = &[];

/// Whose choice a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The user's.
    User,
    /// The tenant's.
    Tenant,
    /// The installation's.
    Installation,
}

/// What was decided for a user, as far as there is anything.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    user: Uuid,
    preferred: Option<String>,
    /// Full ids of the models that the user marked.
    pub favourites: Vec<String>,
    default_model: Option<String>,
    default_embedding: Option<String>,
    /// By full id in small letters.
    rules: HashMap<String, Vec<Audience>>,
    keys: Keys,
    over: Option<OverBudget>,
}

impl Terms {
    /// Reads them. Where a tenant has decided nothing, that takes two rows.
    ///
    /// # Errors
    /// Those of the store; `Corrupt` where a key does not open.
    pub fn read(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<Self> {
        let account = reader.get::<User>(TenantId::SYSTEM, &user)?;
        let chosen = account.map(|row: Row<User>| row.body.preferences).unwrap_or_default();
        let Some(row) = reader.get::<Tenant>(TenantId::SYSTEM, &tenant.0)? else {
            let (preferred, favourites) = (chosen.default_model, chosen.favourite_models);
            return Ok(Self { user, preferred, favourites, ..<Self as Default>::default() });
        };
        let governed = row.governed;
        let rules = if governed.models { rules(reader, tenant)? } else { HashMap::new() };
        let barred = rules.iter().filter(|(_, audiences)| !all_have(audiences, user));
        let barred = barred.map(|(model, _)| model.clone()).collect();
        let (keys, origins) = if governed.keys { keys(reader, tenant)? } else { Default::default() };
        Ok(Self {
            user,
            preferred: chosen.default_model,
            favourites: chosen.favourite_models,
            default_model: row.body.default_model,
            default_embedding: row.body.default_embedding_model,
            rules,
            keys: Keys::bound(keys, origins, barred),
            over: match governed.budgets {
                true => money::over(reader, tenant, user, Timestamp::now())?,
                false => None,
            },
        })
    }

    /// Whether a model, named by its full id, is there for this user. Capitals are as small letters: a provider
    /// that has not told its models may answer to both.
    pub fn shows(&self, id: &str) -> bool {
        if self.rules.is_empty() {
            return true;
        }
        self.rules.get(&id.to_lowercase()).is_none_or(|audiences| all_have(audiences, self.user))
    }

    /// Whether a chat model is there for this user: it is shown, and somebody has a key for it.
    pub fn offers(&self, models: &Models, model: &ModelInfo) -> bool {
        let keyless = model.info_tags.iter().any(|tag| tag == "own_key");
        let has_key = || {
            let origin = models.origin(&model.provider).unwrap_or_default();
            self.keys.of(&model.provider, &origin).is_some()
        };
        self.shows(&model.id) && (!keyless || has_key())
    }

    /// A chat model that is there for this user.
    pub fn find(&self, models: &Models, id: &str) -> Option<Arc<Model>> {
        models.find(id).filter(|model| self.offers(models, &model.info))
    }

    /// The chat model that answers when nobody chose one, and whose choice it is: the user's, the tenant's,
    /// the installation's, or else the first. One that is not there for this user is passed over; where none
    /// is, the installation's answers all the same, as something has to.
    pub fn default(&self, models: &Models) -> (Arc<Model>, Choice) {
        let named = [(&self.preferred, Choice::User), (&self.default_model, Choice::Tenant)];
        let found = named.into_iter().find_map(|(id, whose)| Some((self.find(models, id.as_ref()?)?, whose)));
        found.unwrap_or_else(|| {
            let usual = models.default();
            if self.shows(&usual.info.id) {
                return (usual, Choice::Installation);
            }
            let first = models.list().into_iter().find_map(|model| self.find(models, &model.id));
            (first.unwrap_or(usual), Choice::Installation)
        })
    }

    /// The embedding model of new knowledge bases, found in the same way.
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

    /// The tenant's own keys.
    pub fn keys(&self) -> Keys {
        self.keys.clone()
    }

    /// Refuses where nothing more may be spent.
    ///
    /// # Errors
    /// Whose budget is used up.
    pub fn within_budget(&self) -> Result<(), OverBudget> {
        match &self.over {
            Some(over) => Err(over.clone()),
            None => Ok(()),
        }
    }
}

/// Whether a user is in all of these.
fn all_have(audiences: &[Audience], user: Uuid) -> bool {
    audiences.iter().all(|audience| audience.has(user, GROUPS))
}

/// Several rules are for one model if they differ in capitals alone; then all of them hold.
fn rules(reader: &Reader, tenant: TenantId) -> storage::Result<HashMap<String, Vec<Audience>>> {
    let mut rules: HashMap<String, Vec<Audience>> = HashMap::new();
    for row in reader.scan::<ModelRule>(tenant, Scan::table())?.items {
        rules.entry(row.id.to_lowercase()).or_default().push(row.body.audience);
    }
    Ok(rules)
}

/// The keys, and the origins that they were set for.
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
