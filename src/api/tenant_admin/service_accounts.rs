//! Service accounts: members that are programs. They have no password, act by tokens alone, and outlive whoever
//! made them.

use std::sync::Arc;

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::records::{ApiToken, Membership, Role, Session, User, UserKind};
use storage::{Counted, Cursor, Page, Reader, Row, Scan, TenantId, Timestamp, Tx, new_id};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::api::auth::{ImpersonationResponse, api_tokens, impersonation};
use crate::api::conversations::sift;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{
    Admin, Api, Auth, Caller, Code, Created, Faults, Found, HasVersion, IfMatch, InSession, Json, Loadable,
    NoContent, Own, Paging, Query, Refusal, Validate, Versioned, list_of, operations,
};
use domain::accounts::NewUser;
use domain::accounts::members::require_admin;
use domain::audit::{Actor, audit};

const SYSTEM: TenantId = TenantId::SYSTEM;
/// What their addresses end with: no mail ever goes there.
const HOST: &str = "service-accounts.invalid";

/// A service account to be made.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateServiceAccountRequest {
    /// The name shown.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: String,
    /// What it may do in this tenant.
    #[serde(default)]
    pub role: Role,
}

impl Validate for CreateServiceAccountRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.name("display_name", &self.display_name);
    }
}

/// What somebody is to be called.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateUserDisplayNameRequest {
    /// The name shown.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: String,
}

impl Validate for UpdateUserDisplayNameRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.name("display_name", &self.display_name);
    }
}

/// A service account.
#[derive(Debug, Serialize, ToSchema)]
pub struct ServiceAccountResponse {
    /// Its id, which is a user's.
    pub id: Uuid,
    /// The name shown.
    pub display_name: String,
    /// Its address, which is made up. No mail goes there.
    pub email: String,
    /// Always `service_account`.
    pub kind: UserKind,
    /// What it may do in this tenant.
    pub role: Role,
    /// Whether it was deleted: it stays in the list for what it has done, and may do nothing any more.
    pub disabled: bool,
    /// How often it was written, from 1.
    pub version: u64,
    /// When it was made.
    pub created_at: Timestamp,
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

/// A service account of the caller's tenant.
pub struct ServiceAccount {
    /// The account.
    pub user: Row<User>,
    role: Role,
}

impl Loadable for ServiceAccount {
    const PARAM: &'static str = "user_id";
    const NAME: &'static str = "service account";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let member = reader.get::<Membership>(SYSTEM, &(id, caller.tenant.0))?;
        let Some(member) = member else { return Ok(None) };
        let user = reader.get::<User>(SYSTEM, &id)?.filter(|user| user.kind == UserKind::ServiceAccount);
        Ok(user.map(|user| Self { user, role: member.role }))
    }
}

impl From<ServiceAccount> for ServiceAccountResponse {
    fn from(ServiceAccount { user, role }: ServiceAccount) -> Self {
        let Row { id, version, created_at, body, .. } = user;
        let User { display_name, email, kind, disabled, .. } = body;
        Self { id, display_name, email, kind, role, disabled, version, created_at }
    }
}

/// Make a service account.
///
/// A member that is a program. It has no password and gets no mail; it acts by the API tokens that are made for it,
/// and stays when whoever made it goes.
#[utoipa::path(
    post,
    path = "/api/tenant-admin/service-accounts",
    operation_id = "tenant-admin.create_service_account"
)]
async fn create_service_account(
    auth: Auth<AdminWrite, Own<Admin>>,
    app: Data<App>,
    Json(new): Json<CreateServiceAccountRequest>,
) -> Api<Created<ServiceAccountResponse>> {
    let caller = auth.caller();
    app.identity.change(move |tx| create(tx, &caller, new.clone())).await.map(Created)
}

/// List the service accounts of the tenant.
///
/// With those that were deleted.
#[utoipa::path(
    get,
    path = "/api/tenant-admin/service-accounts",
    operation_id = "tenant-admin.list_service_accounts",
    params(Paging)
)]
async fn list_service_accounts(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ServiceAccountList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list(reader, &caller, &paging)).await.map(Json)
}

/// Rename a service account.
#[utoipa::path(
    patch,
    path = "/api/tenant-admin/service-accounts/{user_id}/display-name",
    operation_id = "tenant-admin.update_service_account_display_name"
)]
async fn update_service_account_display_name(
    account: Found<ServiceAccount, AdminWrite, Admin>,
    app: Data<App>,
    seen: IfMatch,
    Json(new): Json<UpdateUserDisplayNameRequest>,
) -> Api<Versioned<ServiceAccountResponse>> {
    let (caller, id) = (account.auth.caller(), account.user.id);
    app.store.run(move |tx| rename(tx, &caller, id, &seen, &new.display_name)).await.map(Versioned)
}

/// Delete a service account.
///
/// Its tokens and sessions end at once, and its automations stop. What it has made stays.
#[utoipa::path(
    delete,
    path = "/api/tenant-admin/service-accounts/{user_id}",
    operation_id = "tenant-admin.delete_service_account"
)]
async fn delete_service_account(
    account: Found<ServiceAccount, AdminWrite, Own<Admin>>,
    app: Data<App>,
) -> Api<NoContent> {
    let (caller, id) = (account.auth.caller(), account.user.id);
    app.identity.change(move |tx| disable(tx, &caller, id)).await.map(|()| NoContent)
}

/// Act as a service account.
///
/// Answers an access token that carries `act`, lasts an hour, can be renewed for eight by
/// `POST /api/auth/refresh-impersonation/`, and can mint nothing. Needs a session.
#[utoipa::path(
    post,
    path = "/api/tenant-admin/service-accounts/{user_id}/login-as",
    operation_id = "tenant-admin.login_as_service_account"
)]
async fn login_as_service_account(
    account: Found<ServiceAccount, AdminWrite, Own<InSession<Admin>>>,
    app: Data<App>,
) -> Api<Created<ImpersonationResponse>> {
    impersonation::log_in_as(&app, account.auth.caller(), account.user.id).await.map(Created)
}

fn create(tx: &mut Tx, caller: &Caller, new: CreateServiceAccountRequest) -> Api<ServiceAccountResponse> {
    require_admin(tx, caller)?;
    caller.may_appoint(new.role)?;
    let kept = accounts(tx, caller, None, usize::MAX)?.items.len() as u64;
    tx.require_place(Counted::ServiceAccounts, kept)?;
    let account = NewUser {
        email: format!("{}@{HOST}", new_id().simple()),
        display_name: new.display_name,
        kind: UserKind::ServiceAccount,
        platform_admin: false,
        tenant: caller.tenant.0,
        role: new.role,
        phc: None,
    };
    let user = account.insert(tx, Actor::from(caller))?;
    Ok(ServiceAccount { user, role: new.role }.into())
}

/// Service accounts of the caller's tenant, by their membership.
fn accounts(
    reader: &Reader,
    caller: &Caller,
    after: Option<Cursor>,
    limit: usize,
) -> storage::Result<Page<Row<Membership>>> {
    let tenant = caller.tenant.as_bytes().to_vec();
    let read = |after, limit| {
        let scan = Scan::index("by_tenant").prefix(tenant.clone()).after(after).limit(limit);
        reader.scan::<Membership>(SYSTEM, scan)
    };
    let wanted = |row: &Row<Membership>| {
        let user = reader.get::<User>(SYSTEM, &row.id.0)?;
        Ok(user.is_some_and(|user| user.kind == UserKind::ServiceAccount))
    };
    sift(after, limit, read, wanted)
}

fn list(reader: &Reader, caller: &Caller, paging: &Paging) -> Api<ServiceAccountList> {
    let after = paging.cursor.as_deref().map(Cursor::parse).transpose()?;
    let page = accounts(reader, caller, after, paging.limit as usize)?;
    let mut items = Vec::with_capacity(page.items.len());
    for member in &page.items {
        items.extend(ServiceAccount::load(reader, caller, member.id.0)?);
    }
    Ok(Page { items, next: page.next }.into())
}

/// The account within a transaction.
fn found(tx: &Tx, caller: &Caller, id: Uuid) -> Api<ServiceAccount> {
    ServiceAccount::load(tx, caller, id)?.ok_or_else(|| Refusal::not_found(ServiceAccount::NAME))
}

fn rename(tx: &mut Tx, caller: &Caller, id: Uuid, seen: &IfMatch, name: &str) -> Api<ServiceAccountResponse> {
    let ServiceAccount { mut user, role } = found(tx, caller, id)?;
    seen.check(user.version)?;
    user.display_name = name.to_owned();
    let user = tx.update(SYSTEM, user)?;
    note(tx, caller, "service_account.rename", id, &user)?;
    Ok(ServiceAccount { user, role }.into())
}

fn disable(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<()> {
    let ServiceAccount { mut user, .. } = found(tx, caller, id)?;
    if user.disabled {
        return Ok(());
    }
    let memberships = tx.scan::<Membership>(SYSTEM, Scan::table().prefix(id.as_bytes().to_vec()))?.items;
    match memberships.len() {
        // Where it works for another tenant, too, that tenant keeps it.
        2.. => {
            tx.delete::<Membership>(SYSTEM, &(id, caller.tenant.0))?;
            storage::notices::forget(tx, caller.tenant, id)?;
        }
        _ => {
            user.disabled = true;
            user = tx.update(SYSTEM, user)?;
        }
    }
    tx.forget_connections_of(caller.tenant, id)?;
    tx.forget_installations_of(caller.tenant, id)?;
    let own = |index| Scan::index(index).prefix(id.as_bytes().to_vec());
    for token in tx.scan::<ApiToken>(SYSTEM, own("by_user"))?.items {
        if token.tenant == caller.tenant.0 {
            api_tokens::revoke_in(tx, caller, token.id)?;
        }
    }
    for mut session in tx.scan::<Session>(SYSTEM, own("by_user"))?.items {
        if session.tenant == caller.tenant.0 && session.ended_at.is_none() {
            session.ended_at = Some(Timestamp::now());
            tx.update(SYSTEM, session)?;
        }
    }
    note(tx, caller, "service_account.delete", id, &user)?;
    Ok(())
}

fn note(tx: &mut Tx, caller: &Caller, action: &str, id: Uuid, user: &User) -> storage::Result<()> {
    let detail = json!({"display_name": user.display_name});
    audit(tx, caller.tenant, Actor::from(caller), action, format!("user {id}"), detail)
}

/// An account that a token is to be made for: one that was not deleted.
pub fn standing(account: &Found<ServiceAccount, AdminWrite, Own<Admin>>) -> Api<(Arc<Caller>, Uuid)> {
    match account.user.disabled {
        true => Err(Refusal::new(Code::Conflict).detail("the service account was deleted")),
        false => Ok((account.auth.caller(), account.user.id)),
    }
}

operations!(
    create_service_account,
    list_service_accounts,
    update_service_account_display_name,
    delete_service_account,
    login_as_service_account
);
