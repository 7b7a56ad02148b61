//! The tenant's own API keys for providers.

use std::collections::BTreeMap;

use actix_web::web::Data;
use domain::administration;
use futures::future::join_all;
use providers::{Models, ProviderErrorKind, Secret};
use serde::{Deserialize, Serialize};
use storage::Tx;
use storage::records::ProviderKey;
use utoipa::ToSchema;

use crate::App;
use crate::http::scopes::AdminWrite;
use crate::http::{Admin, Api, Auth, Faults, Json, Own, Refusal, Validate, operations};

/// Maximum length of a key, in bytes.
const MAX_KEY_BYTES: usize = 4_096;
/// Maximum number of providers in a request.
const MAX_CONCURRENT: usize = 32;

/// Keys to use for this tenant instead of the installation's keys.
#[derive(Clone, Deserialize, ToSchema)]
pub struct UpdateProviderApiKeysRequest {
    /// The keys by provider name. `null` removes a key; providers that are not named keep theirs.
    #[schema(value_type = Object, example = json!({}))]
    pub keys: BTreeMap<String, Option<String>>,
}

impl Validate for UpdateProviderApiKeysRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.at_most("keys", self.keys.len(), MAX_CONCURRENT);
        for (provider, key) in &self.keys {
            let Some(key) = key else { continue };
            // The key is sent in an HTTP header.
            if key.is_empty() || key.len() > MAX_KEY_BYTES || !key.bytes().all(|byte| byte.is_ascii_graphic())
            {
                let msg = format!("must be 1 to {MAX_KEY_BYTES} visible ASCII characters without spaces");
                faults.add(["keys", provider], msg, "malformed");
            }
        }
    }
}

/// The result for the key of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKeyResult {
    /// The provider accepts the key, and it is stored.
    Works,
    /// The key could not be tested, and it is stored nevertheless.
    Untested,
    /// The key was removed, or there was none.
    Removed,
}

/// The result for one provider. The key itself is never returned.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProviderApiKeyResponse {
    pub provider: String,
    /// A part of the key, to recognise it by.
    pub masked: Option<String>,
    /// What happened to the key.
    pub result: ProviderKeyResult,
    /// Why the key could not be tested.
    pub detail: Option<String>,
}

/// The keys that were set or removed.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpdateProviderApiKeysResponse {
    /// The results, sorted by provider name.
    pub items: Vec<ProviderApiKeyResponse>,
}

/// Set the tenant's own API keys for providers.
///
/// Each key is first tested by requesting the provider's list of models. If a provider rejects its key, nothing
/// changes, and the response (422) names the key. Keys are stored encrypted, and no operation returns them.
#[utoipa::path(put, path = "/api/tenant-admin/provider-api-keys")]
async fn update_provider_api_keys(
    auth: Auth<AdminWrite, Own<Admin>>,
    app: Data<App>,
    Json(new): Json<UpdateProviderApiKeysRequest>,
) -> Api<Json<UpdateProviderApiKeysResponse>> {
    let items = tried(&app.models, &new.keys).await?;
    let (caller, models) = (auth.caller(), app.models.clone());
    let set = move |tx: &mut Tx| {
        administration::set_provider_keys(tx, &caller, &new.keys, |provider| models.origin(provider))
    };
    app.store.run(set).await?;
    Ok(Json(UpdateProviderApiKeysResponse { items }))
}

/// Tests all keys concurrently. Returns a fault for each key that its provider rejects.
async fn tried(models: &Models, keys: &BTreeMap<String, Option<String>>) -> Api<Vec<ProviderApiKeyResponse>> {
    let known = models.providers();
    let tried = keys.iter().map(|(provider, key)| async {
        let there = known.contains(provider);
        match key {
            // The key of a provider that no longer exists can still be removed.
            None => Ok(answer(provider, None, ProviderKeyResult::Removed, None)),
            Some(_) if !there => Err("there is no such provider".to_owned()),
            Some(key) => one(models, provider, key).await,
        }
    });
    let (mut faults, mut items) = (Faults::new("body"), Vec::new());
    for (provider, outcome) in keys.keys().zip(join_all(tried).await) {
        match outcome {
            Ok(item) => items.push(item),
            Err(why) => faults.add(["keys", provider], why, "refused"),
        }
    }
    let faults = faults.into_vec();
    if faults.is_empty() { Ok(items) } else { Err(Refusal::faulty(faults)) }
}

async fn one(models: &Models, provider: &str, key: &str) -> Result<ProviderApiKeyResponse, String> {
    let masked = Some(ProviderKey::mask(key));
    match models.try_key(provider, &Secret::from(key)).await {
        None => Err("there is no such provider".to_owned()),
        Some(Ok(_)) => Ok(answer(provider, masked, ProviderKeyResult::Works, None)),
        Some(Err(why)) if why.kind == ProviderErrorKind::Auth => {
            Err(format!("the provider refuses it: {}", why.message))
        }
        Some(Err(why)) => {
            Ok(answer(provider, masked, ProviderKeyResult::Untested, Some(why.message.to_string())))
        }
    }
}

fn answer(
    provider: &str,
    masked: Option<String>,
    result: ProviderKeyResult,
    detail: Option<String>,
) -> ProviderApiKeyResponse {
    ProviderApiKeyResponse { provider: provider.to_owned(), masked, result, detail }
}

operations!(update_provider_api_keys);
