//! How the providers are.

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

/// What may be told of a key of the tenant's own.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnKey {
    /// Enough of it to know it again.
    pub masked: String,
    /// Who set it.
    pub set_by: Uuid,
    /// When.
    pub set_at: Timestamp,
    /// Whether it was set for another address than the provider has now. Then it is not sent until an administrator
    /// sets it again.
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
    /// How it is. What its last failure was is told to platform administrators alone, as another tenant may
    /// have met it.
    #[serde(flatten)]
    pub health: ProviderHealth,
    /// Whether it is of use only with a key of the tenant's own.
    pub needs_key: bool,
    /// The tenant's own key, where there is one.
    pub own_key: Option<OwnKey>,
}

/// The providers.
#[derive(Debug, Serialize, ToSchema)]
pub struct TenantProvidersResponse {
    /// In order of preference.
    pub items: Vec<TenantProviderResponse>,
}

/// Show how the providers are, and which of them have a key of the tenant's own.
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
