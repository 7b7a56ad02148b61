//! The API tokens of service accounts. They are created, listed and revoked like those of people.

use actix_web::web::Data;
use domain::accounts::service_accounts::ServiceAccount;
use domain::accounts::tokens;
use storage::Reader;
use uuid::Uuid;

use crate::App;
use crate::api::auth::{
    ApiTokenList, ApiTokenResponse, CreateApiTokenRequest, CreatedApiTokenResponse, UpdateApiTokenBody,
    api_tokens,
};
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{
    Admin, Api, Created, Faults, IfMatch, Json, Loaded, Own, Paging, Path, Query, Refusal, Validate,
    Versioned, operations,
};
use serde::Deserialize;
use storage::records::ApiToken;
use storage::{Row, TenantId};
use utoipa::ToSchema;

/// An API token to create for a service account.
#[derive(Deserialize, ToSchema)]
#[serde(transparent)]
pub struct CreateServiceAccountApiTokenRequest(CreateApiTokenRequest);

impl Validate for CreateServiceAccountApiTokenRequest {
    fn validate(&self, faults: &mut Faults) {
        self.0.validate(faults);
    }
}

/// List the API tokens of a service account.
#[utoipa::path(get, path = "/api/tenant-admin/service-accounts/{user_id}/api-tokens", params(Paging))]
async fn list_service_account_api_tokens(
    account: Loaded<ServiceAccount, AdminRead, Admin>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ApiTokenList>> {
    api_tokens::list(&app, account.auth.tenant, account.user.id, &paging).await.map(Json)
}

/// Create an API token for a service account.
///
/// The response contains the token itself, which is only returned here. If the caller uses a token that is
/// limited to some scopes, the new token cannot have any others.
#[utoipa::path(post, path = "/api/tenant-admin/service-accounts/{user_id}/api-tokens")]
async fn create_service_account_api_token(
    account: Loaded<ServiceAccount, AdminWrite, Own<Admin>>,
    app: Data<App>,
    Json(new): Json<CreateServiceAccountApiTokenRequest>,
) -> Api<Created<CreatedApiTokenResponse>> {
    account.require_enabled()?;
    api_tokens::create(&app, &account.auth.caller(), account.user.id, new.0).await.map(Created)
}

/// Retrieve an API token of a service account.
#[utoipa::path(get, path = "/api/tenant-admin/service-accounts/{user_id}/api-tokens/{token_id}",
    params(("token_id" = Uuid, Path, description = "The id of the token.")))]
async fn get_service_account_api_token(
    account: Loaded<ServiceAccount, AdminRead, Admin>,
    app: Data<App>,
    Path((user, token)): Path<(Uuid, Uuid)>,
) -> Api<Versioned<ApiTokenResponse>> {
    let tenant = account.auth.tenant;
    let row = app.store.read(move |reader| find_token(reader, tenant, user, token)).await?;
    Ok(Versioned(row.into()))
}

/// Replace the name, scopes and expiry of an API token of a service account.
#[utoipa::path(put, path = "/api/tenant-admin/service-accounts/{user_id}/api-tokens/{token_id}",
    params(("token_id" = Uuid, Path, description = "The id of the token.")))]
async fn update_service_account_api_token(
    account: Loaded<ServiceAccount, AdminWrite, Own<Admin>>,
    app: Data<App>,
    Path((user, token)): Path<(Uuid, Uuid)>,
    seen: IfMatch,
    Json(new): Json<UpdateApiTokenBody>,
) -> Api<Versioned<ApiTokenResponse>> {
    let caller = account.auth.caller();
    let tenant = caller.tenant;
    app.store.read(move |reader| find_token(reader, tenant, user, token)).await?;
    api_tokens::update(&app, caller, token, seen, new).await.map(Versioned)
}

/// Revoke an API token of a service account.
///
/// The token is refused immediately. Revoking it again has no effect.
#[utoipa::path(post, path = "/api/tenant-admin/service-accounts/{user_id}/api-tokens/{token_id}/revoke",
    params(("token_id" = Uuid, Path, description = "The id of the token.")))]
async fn revoke_service_account_api_token(
    account: Loaded<ServiceAccount, AdminWrite, Admin>,
    app: Data<App>,
    Path((user, token)): Path<(Uuid, Uuid)>,
) -> Api<Versioned<ApiTokenResponse>> {
    let caller = account.auth.caller();
    let tenant = caller.tenant;
    app.store.read(move |reader| find_token(reader, tenant, user, token)).await?;
    api_tokens::revoke(&app, caller, token).await.map(Versioned)
}

/// Loads a token of this account. Tokens never change their owner, so the result stays valid.
fn find_token(reader: &Reader, tenant: TenantId, user: Uuid, token: Uuid) -> Api<Row<ApiToken>> {
    tokens::of_user(reader, tenant, user, token)?.ok_or_else(|| Refusal::not_found("API token"))
}

operations!(
    list_service_account_api_tokens,
    create_service_account_api_token,
    get_service_account_api_token,
    update_service_account_api_token,
    revoke_service_account_api_token
);
