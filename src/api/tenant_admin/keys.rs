//! The tenant's own keys for providers.

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

/// Longest key, in bytes.
const LONGEST: usize = 4_096;
/// Most providers at once.
const AT_ONCE: usize = 32;

/// Keys that are to be used for this tenant in the place of the installation's.
#[derive(Clone, Deserialize, ToSchema)]
pub struct UpdateProviderApiKeysRequest {
    /// By the name of the provider; `null` takes a key away, and providers that are not named keep theirs.
    #[schema(value_type = Object, example = json!({}))]
    pub keys: BTreeMap<String, Option<String>>,
}

impl Validate for UpdateProviderApiKeysRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.at_most("keys", self.keys.len(), AT_ONCE);
        for (provider, key) in &self.keys {
            let Some(key) = key else { continue };
            // It goes into a header.
            if key.is_empty() || key.len() > LONGEST || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
                let msg = format!("must be 1 to {LONGEST} visible ASCII characters without spaces");
                faults.add(["keys", provider], msg, "malformed");
            }
        }
    }
}

/// What became of the key of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKeyResult {
    /// The provider takes it; it is kept.
    Works,
    /// The provider did not say; it is kept all the same.
    Untested,
    /// There is none any more.
    Removed,
}

/// The key of one provider. The key itself is never told.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProviderApiKeyResponse {
    pub provider: String,
    /// Enough of the key to know it again.
    pub masked: Option<String>,
    /// What became of it.
    pub result: ProviderKeyResult,
    /// Why it could not be tested.
    pub detail: Option<String>,
}

/// The keys that were set or taken away.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpdateProviderApiKeysResponse {
    /// By the order of their names.
    pub items: Vec<ProviderApiKeyResponse>,
}

/// Set the tenant's own keys for providers.
///
/// Each is tried first, by asking its provider for its models. If a provider refuses one, nothing changes, and the
/// answer (422) tells which. Keys are kept encrypted, and told by no operation.
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

/// Tries all keys at the same time, and refuses with a fault for each that its provider rejects.
async fn tried(models: &Models, keys: &BTreeMap<String, Option<String>>) -> Api<Vec<ProviderApiKeyResponse>> {
    let known = models.providers();
    let tried = keys.iter().map(|(provider, key)| async {
        let there = known.contains(provider);
        match key {
            // A provider may be gone by now whose key is taken away.
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
