//! Service accounts: members that are programs.

use actix_web::web::Data;
use domain::accounts::service_accounts::{self, NewServiceAccount, ServiceAccount};
use serde::{Deserialize, Serialize};
use storage::records::{Role, UserKind};
use storage::{Cursor, Reader, Timestamp, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::api::auth::{ImpersonationResponse, impersonation};
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{
    Admin, Api, Auth, Caller, Created, Faults, HasVersion, IfMatch, InSession, Json, Loadable, Loaded,
    NoContent, Own, Paging, Query, Validate, Versioned, list_of, operations, record_view,
};

/// A service account to create.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateServiceAccountRequest {
    /// The name shown to users.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: String,
    /// The role in this tenant.
    #[serde(default)]
    pub role: Role,
}

impl Validate for CreateServiceAccountRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.name("display_name", &self.display_name);
    }
}

/// A new display name.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateUserDisplayNameRequest {
    /// The name shown to users.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: String,
}

impl Validate for UpdateUserDisplayNameRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.name("display_name", &self.display_name);
    }
}

record_view! {
    /// A service account.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct ServiceAccountResponse from account: ServiceAccount, account.user.body => {
        /// The id of the account, which is a user id.
        id: Uuid = account.user.id,
        /// The name shown to users.
        display_name: String,
        /// The email address, which is generated. No email is sent to it.
        email: String,
        /// Always `service_account`.
        kind: UserKind,
        /// The role in this tenant.
        role: Role = account.role,
        /// Whether the account was deleted. A deleted account has no access, but stays in the list as the
        /// author of its past actions.
        disabled: bool,
        /// The version of the account, which starts at 1 and increases with every change.
        version: u64 = account.user.version,
        /// When the account was created.
        created_at: Timestamp = account.user.created_at,
    }
}

impl HasVersion for ServiceAccountResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

list_of! {
    /// The service accounts of the tenant.
    pub ServiceAccountList of ServiceAccountResponse
}

impl Loadable for ServiceAccount {
    const PARAM: &'static str = "user_id";
    const NAME: &'static str = "service account";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(service_accounts::find(reader, caller, id)?)
    }
}

/// Create a service account.
///
/// A service account is a member that is a program. It has no password and receives no email. It acts through
/// API tokens that are created for it, and remains when its creator leaves.
#[utoipa::path(post, path = "/api/tenant-admin/service-accounts")]
async fn create_service_account(
    auth: Auth<AdminWrite, Own<Admin>>,
    app: Data<App>,
    Json(new): Json<CreateServiceAccountRequest>,
) -> Api<Created<ServiceAccountResponse>> {
    let caller = auth.caller();
    let new = NewServiceAccount { display_name: new.display_name, role: new.role };
    let account = app.identity.change(move |tx| service_accounts::create(tx, &caller, new.clone())).await?;
    Ok(Created(account.into()))
}

/// List the service accounts of the tenant.
///
/// Includes deleted accounts.
#[utoipa::path(get, path = "/api/tenant-admin/service-accounts", params(Paging))]
async fn list_service_accounts(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ServiceAccountList>> {
    let caller = auth.caller();
    let (after, limit) = (paging.cursor.as_deref().map(Cursor::parse).transpose()?, paging.limit as usize);
    let page = app.store.read(move |reader| service_accounts::list(reader, &caller, after, limit)).await?;
    Ok(Json(page.into()))
}

/// Rename a service account.
#[utoipa::path(patch, path = "/api/tenant-admin/service-accounts/{user_id}/display-name")]
async fn update_service_account_display_name(
    account: Loaded<ServiceAccount, AdminWrite, Admin>,
    app: Data<App>,
    seen: IfMatch,
    Json(new): Json<UpdateUserDisplayNameRequest>,
) -> Api<Versioned<ServiceAccountResponse>> {
    let (caller, id) = (account.auth.caller(), account.user.id);
    let precondition = seen.precondition();
    let rename =
        move |tx: &mut Tx| service_accounts::rename(tx, &caller, id, &precondition, &new.display_name);
    Ok(Versioned(app.store.run(rename).await?.into()))
}

/// Delete a service account.
///
/// Its tokens and sessions end immediately, and its automations stop. The objects that it created are retained.
#[utoipa::path(delete, path = "/api/tenant-admin/service-accounts/{user_id}")]
async fn delete_service_account(
    account: Loaded<ServiceAccount, AdminWrite, Own<Admin>>,
    app: Data<App>,
) -> Api<NoContent> {
    let (caller, id) = (account.auth.caller(), account.user.id);
    app.identity.change(move |tx| service_accounts::delete(tx, &caller, id)).await.map(|()| NoContent)
}

/// Act as a service account.
///
/// Returns an access token that carries `act` and is valid for an hour. `POST /api/auth/refresh-impersonation/`
/// can renew it for up to eight hours. The token cannot create other tokens. Requires a session.
#[utoipa::path(post, path = "/api/tenant-admin/service-accounts/{user_id}/login-as")]
async fn login_as_service_account(
    account: Loaded<ServiceAccount, AdminWrite, Own<InSession<Admin>>>,
    app: Data<App>,
) -> Api<Created<ImpersonationResponse>> {
    impersonation::log_in_as(&app, account.auth.caller(), account.user.id).await.map(Created)
}

operations!(
    create_service_account,
    list_service_accounts,
    update_service_account_display_name,
    delete_service_account,
    login_as_service_account
);
