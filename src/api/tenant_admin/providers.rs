//! The state of the providers.

use actix_web::web::Data;
use providers::ProviderHealth;
use serde::Serialize;
use storage::Timestamp;
use storage::records::ProviderKey;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Json, operations};

/// The visible details of a key of the tenant's own.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnKey {
    /// A part of the key, to recognise it by.
    pub masked: String,
    /// The user who set the key.
    pub set_by: Uuid,
    /// When the key was set.
    pub set_at: Timestamp,
    /// Whether the key was set for a different address than the provider now has. Such a key is not used until
    /// an administrator sets it again.
    pub stale: bool,
}

impl OwnKey {
    fn from_key(key: ProviderKey, now: Option<&str>) -> Self {
        let ProviderKey { masked, set_by, set_at, origin } = key;
        let stale = origin.is_some_and(|origin| Some(origin.as_str()) != now);
        Self { masked, set_by, set_at, stale }
    }
}

/// A provider.
#[derive(Debug, Serialize, ToSchema)]
pub struct TenantProviderResponse {
    /// The health of the provider. Its last error is returned to platform administrators only, since it may
    /// have occurred in another tenant.
    #[serde(flatten)]
    pub health: ProviderHealth,
    /// Whether the provider can only be used with a key of the tenant's own.
    pub needs_key: bool,
    /// The tenant's own key, if there is one.
    pub own_key: Option<OwnKey>,
}

/// The providers.
#[derive(Debug, Serialize, ToSchema)]
pub struct TenantProvidersResponse {
    /// The providers, in order of preference.
    pub items: Vec<TenantProviderResponse>,
}

/// List the providers with their state and the tenant's own keys.
#[utoipa::path(get, path = "/api/tenant-admin/providers")]
async fn list_providers(auth: Auth<AdminRead, Admin>, app: Data<App>) -> Api<Json<TenantProvidersResponse>> {
    let (tenant, all, models) = (auth.tenant, auth.platform_admin, app.models.clone());
    let read = app.store.read(move |reader| {
        let mut items = Vec::new();
        for mut health in models.health() {
            health.last_error = health.last_error.filter(|_| all);
            let key = reader.get::<ProviderKey>(tenant, &health.provider)?.map(|row| row.body);
            let origin = models.origin(&health.provider);
            let own_key = key.map(|key| OwnKey::from_key(key, origin.as_deref()));
            let needs_key = models.needs_key(&health.provider);
            items.push(TenantProviderResponse { health, needs_key, own_key });
        }
        Api::Ok(TenantProvidersResponse { items })
    });
    read.await.map(Json)
}

operations!(list_providers);
