//! External services, and whether the caller has logged in there.

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

/// How the caller stands with a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServiceStatus {
    /// Logged in.
    Connected,
    /// Logged in once, and not any more.
    Expired,
    /// Not logged in.
    Disconnected,
}

/// An external service.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalServiceResponse {
    /// Its name, as the settings have it.
    pub service: String,
    /// The name shown.
    pub display_name: String,
    pub description: Option<String>,
    /// What it is asked to allow.
    pub scopes: Vec<String>,
    /// How the caller stands with it.
    pub status: ServiceStatus,
    /// The login, if there is or was one.
    pub connection: Option<ServiceLogin>,
}

/// A login at a service.
#[derive(Debug, Serialize, ToSchema)]
pub struct ServiceLogin {
    /// As whom, in the words of the service.
    pub account: Option<String>,
    /// What the service allowed.
    pub scopes: Vec<String>,
    /// When the login took place.
    pub connected_at: Timestamp,
    /// Until when it holds; none where it is renewed for ever.
    pub expires_at: Option<Timestamp>,
}

/// All services that are configured.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExternalServicesWithStatusResponse {
    /// In the order of their names.
    pub items: Vec<ExternalServiceResponse>,
}

/// The services that the caller has logged in at.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConnectedServicesResponse {
    /// In the order of their names; also those whose login has expired.
    pub items: Vec<ExternalServiceResponse>,
}

/// List external services, and whether the caller has logged in there.
#[utoipa::path(get, path = "/api/users/external-services")]
async fn get_external_services(
    auth: Auth<AccountRead>,
    app: Data<App>,
) -> Api<Json<ExternalServicesWithStatusResponse>> {
    let items = services(&app, &auth).await?;
    Ok(Json(ExternalServicesWithStatusResponse { items }))
}

/// List the external services that the caller has logged in at.
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
