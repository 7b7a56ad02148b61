//! Models: the audience of each model, and the default models of a tenant.

use serde_json::json;
use storage::records::{Audience, ModelRule, Tenant};
use storage::{Reader, Row, Scan, TenantId, Tx};

use super::{audience, decide, tenant};
use crate::{Caller, Code, Refusal, Result};

/// The models of the installation. Implemented above this crate, where models are known.
pub trait InstalledModels {
    /// Returns the full id of the chat model with this name: the full id itself, or a name that is unique across
    /// providers.
    fn chat_model(&self, name: &str) -> Option<String>;

    /// Returns the full id of the embedding model with this name.
    fn embedding_model(&self, name: &str) -> Option<String>;

    /// Returns the full id of the model of any other kind with this name.
    fn media_model(&self, name: &str) -> Option<String>;

    /// Returns the full id of the default chat model.
    fn default_chat_model(&self) -> String;

    /// Returns the full id of the default embedding model.
    fn default_embedding_model(&self) -> String;
}

/// Who may use a model, and whether it is a default.
#[derive(Clone, Debug)]
pub struct ModelAudience {
    /// The model's full id.
    pub model_id: String,
    pub audience: Audience,
    /// Whether the model is a default of the tenant, which cannot be hidden.
    pub is_default: bool,
}

/// Returns the full id of a tenant's default chat model: its own choice if the model still exists, otherwise the default
/// of the installation.
pub fn default_model(tenant: &Tenant, models: &dyn InstalledModels) -> String {
    let own = tenant.default_model.as_deref().and_then(|name| models.chat_model(name));
    own.unwrap_or_else(|| models.default_chat_model())
}

/// Returns the full id of the embedding model of new knowledge bases: the tenant's own choice if the model still exists,
/// otherwise the default of the installation.
pub fn default_embedding_model(tenant: &Tenant, models: &dyn InstalledModels) -> String {
    let own = tenant.default_embedding_model.as_deref().and_then(|name| models.embedding_model(name));
    own.unwrap_or_else(|| models.default_embedding_model())
}

/// Returns the audience of the model with this name.
///
/// # Errors
/// `model_not_found` if neither a model nor a rule has this name.
pub fn model_audience(
    reader: &Reader,
    caller: &Caller,
    models: &dyn InstalledModels,
    name: &str,
) -> Result<ModelAudience> {
    let model_id = resolve(reader, caller, models, name)?;
    let tenant = reader.require::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)?;
    let audience = reader.get::<ModelRule>(caller.tenant, &model_id)?.map(|row| row.body.audience);
    let is_default = is_default(&tenant, models, &model_id);
    Ok(ModelAudience { model_id, audience: audience.unwrap_or_default(), is_default })
}

/// Sets the audience of a model.
///
/// # Errors
/// `model_not_found`; `invalid` for users and groups that do not exist; `is_default` if a default would be hidden.
pub fn set_model_audience(
    tx: &mut Tx,
    caller: &Caller,
    models: &dyn InstalledModels,
    name: &str,
    audience: Audience,
) -> Result<ModelAudience> {
    let id = resolve(tx, caller, models, name)?;
    audience::require_existence(tx, caller.tenant, &audience)?;
    let mut tenant = tenant(tx, caller)?;
    let is_default = is_default(&tenant, models, &id);
    if is_default && audience != Audience::Everyone {
        return Err(Refusal::new(Code::IsDefault)
            .detail(format!("{id} is a default model of this tenant; choose another default first")));
    }
    match (tx.get::<ModelRule>(caller.tenant, &id)?, &audience) {
        (Some(_), Audience::Everyone) => drop(tx.delete::<ModelRule>(caller.tenant, &id)?),
        (None, Audience::Everyone) => {}
        (Some(mut rule), audience) => {
            rule.audience = audience.clone();
            tx.update(caller.tenant, rule)?;
        }
        (None, audience) => {
            tx.insert(caller.tenant, id.clone(), ModelRule { audience: audience.clone() })?;
        }
    }
    tenant.governed.models = !tx.scan::<ModelRule>(caller.tenant, Scan::table().limit(1))?.items.is_empty();
    decide(tx, caller, tenant, "model.visibility", format!("model {id}"), json!(audience))?;
    Ok(ModelAudience { model_id: id, audience, is_default })
}

/// Sets the default chat model of the tenant. Without a name, the default of the installation is used.
///
/// # Errors
/// `invalid` for a model that does not exist; `is_default` for a model that is hidden from anyone.
pub fn set_default_model(
    tx: &mut Tx,
    caller: &Caller,
    models: &dyn InstalledModels,
    name: Option<&str>,
) -> Result<Row<Tenant>> {
    let mut tenant = tenant(tx, caller)?;
    tenant.default_model = find(name, |name| models.chat_model(name))?;
    let effective = default_model(&tenant, models);
    store_default(tx, caller, tenant, "tenant.default_model", effective)
}

/// Sets the embedding model of new knowledge bases. Without a name, the default of the installation is used.
///
/// # Errors
/// `invalid` for a model that does not exist; `is_default` for a model that is hidden from anyone.
pub fn set_default_embedding_model(
    tx: &mut Tx,
    caller: &Caller,
    models: &dyn InstalledModels,
    name: Option<&str>,
) -> Result<Row<Tenant>> {
    let mut tenant = tenant(tx, caller)?;
    tenant.default_embedding_model = find(name, |name| models.embedding_model(name))?;
    let effective = default_embedding_model(&tenant, models);
    store_default(tx, caller, tenant, "tenant.default_embedding_model", effective)
}

fn find(name: Option<&str>, find: impl Fn(&str) -> Option<String>) -> Result<Option<String>> {
    let missing = || Refusal::invalid("body", ["model"], "there is no such model", "not_found");
    name.map(|name| find(name).ok_or_else(missing)).transpose()
}

/// Stores a choice, unless the resulting default is hidden from anyone.
fn store_default(
    tx: &mut Tx,
    caller: &Caller,
    tenant: Row<Tenant>,
    action: &str,
    effective: String,
) -> Result<Row<Tenant>> {
    let rule = tx.get::<ModelRule>(caller.tenant, &effective)?;
    if rule.is_some_and(|rule| rule.audience != Audience::Everyone) {
        let why = format!("{effective} is hidden; show it to everyone first");
        return Err(Refusal::new(Code::IsDefault).detail(why));
    }
    let target = format!("tenant {}", tenant.id);
    Ok(decide(tx, caller, tenant, action, target, json!({"model": effective}))?)
}

fn is_default(tenant: &Tenant, models: &dyn InstalledModels, id: &str) -> bool {
    id == default_model(tenant, models) || id == default_embedding_model(tenant, models)
}

/// Returns the full id of a model of any kind. A model that has been removed from the installation is found by its rule.
fn resolve(reader: &Reader, caller: &Caller, models: &dyn InstalledModels, name: &str) -> Result<String> {
    let found =
        models.chat_model(name).or_else(|| models.embedding_model(name)).or_else(|| models.media_model(name));
    if let Some(id) = found {
        return Ok(id);
    }
    let rule = reader.get::<ModelRule>(caller.tenant, &name.to_owned())?;
    let missing = || Refusal::new(Code::ModelNotFound).detail(format!("there is no model {name:?}"));
    rule.map(|row| row.id).ok_or_else(missing)
}
