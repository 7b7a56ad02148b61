//! External services and the caller's logins at them.

use std::collections::HashMap;

use actix_web::web::Data;
use serde::Serialize;
use storage::records::ServiceConnection;
use storage::{Reader, Scan, Timestamp};
use utoipa::ToSchema;

use crate::App;
use crate::config::ExternalServiceConfig;
use crate::http::scopes::AccountRead;
use crate::http::{Api, Auth, Caller, Json, operations};

/// The state of the caller's login at a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServiceStatus {
    /// The caller is logged in.
    Connected,
    /// The caller was logged in, and the login has expired.
    Expired,
    /// The caller is not logged in.
    Disconnected,
}

/// An external service.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalServiceResponse {
    /// The name of the service in the configuration.
    pub service: String,
    /// The name shown to users.
    pub display_name: String,
    pub description: Option<String>,
    /// The OAuth scopes that this server requests.
    pub scopes: Vec<String>,
    /// The state of the caller's login.
    pub status: ServiceStatus,
    /// The current or expired login, if there is one.
    pub connection: Option<ServiceLogin>,
}

/// A login at a service.
#[derive(Debug, Serialize, ToSchema)]
pub struct ServiceLogin {
    /// The account at the service, as the service names it.
    pub account: Option<String>,
    /// The OAuth scopes that the service granted.
    pub scopes: Vec<String>,
    /// When the login took place.
    pub connected_at: Timestamp,
    /// When the login expires. `null` if it can be renewed indefinitely.
    pub expires_at: Option<Timestamp>,
}

/// All configured services.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalServicesWithStatusResponse {
    /// The services, sorted by name.
    pub items: Vec<ExternalServiceResponse>,
}

/// The services at which the caller has logged in.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConnectedServicesResponse {
    /// The services, sorted by name. Includes services whose login has expired.
    pub items: Vec<ExternalServiceResponse>,
}

/// List external services with the state of the caller's logins.
#[utoipa::path(get, path = "/api/users/external-services")]
async fn get_external_services(
    auth: Auth<AccountRead>,
    app: Data<App>,
) -> Api<Json<ExternalServicesWithStatusResponse>> {
    let items = services(&app, &auth).await?;
    Ok(Json(ExternalServicesWithStatusResponse { items }))
}

/// List the external services at which the caller has logged in.
#[utoipa::path(get, path = "/api/users/connected-services")]
async fn get_user_connected_services(
    auth: Auth<AccountRead>,
    app: Data<App>,
) -> Api<Json<ConnectedServicesResponse>> {
    let mut items = services(&app, &auth).await?;
    items.retain(|service| service.status != ServiceStatus::Disconnected);
    Ok(Json(ConnectedServicesResponse { items }))
}

async fn services(app: &App, auth: &Auth<AccountRead>) -> Api<Vec<ExternalServiceResponse>> {
    let caller = auth.caller();
    let mut logins = app.store.read(move |reader| logins(reader, &caller)).await?;
    let configured = app.config.external_services.iter();
    Ok(configured.map(|(name, config)| shown(name, config, logins.remove(name))).collect())
}

fn logins(reader: &Reader, caller: &Caller) -> storage::Result<HashMap<String, ServiceConnection>> {
    let own = Scan::table().prefix(caller.user.as_bytes().to_vec());
    let rows = reader.scan::<ServiceConnection>(caller.tenant, own)?.items;
    Ok(rows.into_iter().map(|row| (row.id.1, row.body)).collect())
}

fn shown(
    name: &str,
    config: &ExternalServiceConfig,
    login: Option<ServiceConnection>,
) -> ExternalServiceResponse {
    let now = Timestamp::now();
    let status = match &login {
        None => ServiceStatus::Disconnected,
        Some(login) if login.is_over(now) => ServiceStatus::Expired,
        Some(_) => ServiceStatus::Connected,
    };
    let connection = login.map(|login| {
        let ServiceConnection { account, scopes, connected_at, expires_at, .. } = login;
        ServiceLogin { account, scopes, connected_at, expires_at }
    });
    ExternalServiceResponse {
        service: name.to_owned(),
        display_name: config.display_name.clone().unwrap_or_else(|| name.to_owned()),
        description: config.description.clone(),
        scopes: config.scopes.clone(),
        status,
        connection,
    }
}

operations!(get_external_services, get_user_connected_services);
