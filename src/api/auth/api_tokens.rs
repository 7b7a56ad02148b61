//! Operations on the caller's API tokens.

use super::token_schema::{
    ApiTokenList, ApiTokenResponse, CreateApiTokenRequest, CreatedApiTokenResponse, UpdateApiTokenBody,
};
use crate::App;
use crate::http::scopes::{AccountRead, AccountWrite};
use crate::http::{
    Api, Auth, Caller, Created, IfMatch, Json, Loadable, Loaded, Own, Paging, Query, Refusal, Versioned,
    operations,
};
use actix_web::web::Data;
use domain::accounts::NewToken;
use domain::accounts::tokens::{self, UpdateToken};
use domain::credentials::ApiSecret;
use std::sync::Arc;
use storage::authority::Ground;
use storage::records::ApiToken;
use storage::{Reader, Row, Scan, TenantId, Tx, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

operations!(create_api_token with slash, get_api_tokens, get_api_token, update_api_token, revoke_api_token);

/// One of the caller's own API tokens.
struct OwnToken(Row<ApiToken>);

impl Loadable for OwnToken {
    const PARAM: &'static str = "token_id";
    const NAME: &'static str = "API token";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(tokens::of_user(reader, caller.tenant, caller.user, id)?.map(Self))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground::OWN])
    }
}

/// Create an API token.
///
/// The response contains the token itself, which is never shown again. The token is valid for the tenant of the caller. A token cannot
/// create another token with more rights than its own.
#[utoipa::path(post, path = "/api/auth/api-tokens")]
async fn create_api_token(
    auth: Auth<AccountWrite, Own>,
    app: Data<App>,
    Json(new): Json<CreateApiTokenRequest>,
) -> Api<Created<CreatedApiTokenResponse>> {
    let caller = auth.caller();
    create(&app, &caller, caller.user, new).await.map(Created)
}

/// Creates a token that acts as this user in the caller's tenant.
pub(crate) async fn create(
    app: &App,
    caller: &Caller,
    user: Uuid,
    new: CreateApiTokenRequest,
) -> Api<CreatedApiTokenResponse> {
    let (secret, days) = (ApiSecret::new(new_id())?, app.config.auth.token_max_days);
    let (token, caller) = (secret.reveal(), caller.clone());
    let CreateApiTokenRequest { name, scopes, expires_at } = new;
    let new = NewToken { tenant: caller.tenant.0, user, name, scopes, expires_at };
    let create = move |tx: &mut Tx| tokens::create(tx, &caller, &secret, days, new.clone());
    let row = app.store.run(create).await?;
    Ok(CreatedApiTokenResponse { token, stored: row.into() })
}

/// List the caller's API tokens in this tenant.
#[utoipa::path(get, path = "/api/auth/api-tokens/")]
async fn get_api_tokens(
    auth: Auth<AccountRead>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ApiTokenList>> {
    list(&app, auth.tenant, auth.user, &paging).await.map(Json)
}

/// Returns a page of the tokens that act as this user in the tenant.
pub(crate) async fn list(app: &App, tenant: TenantId, user: Uuid, paging: &Paging) -> Api<ApiTokenList> {
    let prefix = [user.as_bytes().as_slice(), tenant.as_bytes()].concat();
    let scan = paging.scan(Scan::index("by_user").prefix(prefix).reverse())?;
    let page = app.store.read::<_, Refusal>(move |reader| Ok(reader.scan::<ApiToken>(SYSTEM, scan)?));
    Ok(page.await?.into())
}

/// Retrieve one of the caller's API tokens.
#[utoipa::path(get, path = "/api/auth/api-tokens/{token_id}")]
async fn get_api_token(token: Loaded<OwnToken, AccountRead>) -> Api<Versioned<ApiTokenResponse>> {
    Ok(Versioned(token.it.0.into()))
}

/// Replace the name, scopes and expiry of one of the caller's API tokens.
#[utoipa::path(put, path = "/api/auth/api-tokens/{token_id}/")]
async fn update_api_token(
    token: Loaded<OwnToken, AccountWrite, Own>,
    app: Data<App>,
    seen: IfMatch,
    Json(new): Json<UpdateApiTokenBody>,
) -> Api<Versioned<ApiTokenResponse>> {
    let (id, caller) = (token.it.0.id, token.auth.caller());
    update(&app, caller, id, seen, new).await.map(Versioned)
}

/// Replaces the name, scopes and expiry of a token. The calling function must have checked that the caller may change it.
pub(crate) async fn update(
    app: &App,
    caller: Arc<Caller>,
    id: Uuid,
    seen: IfMatch,
    new: UpdateApiTokenBody,
) -> Api<ApiTokenResponse> {
    let (days, precondition) = (app.config.auth.token_max_days, seen.precondition());
    let UpdateApiTokenBody { name, scopes, expires_at, version } = new;
    let new = UpdateToken { name, scopes, expires_at, version };
    let replace = move |tx: &mut Tx| tokens::replace(tx, &caller, id, &precondition, days, new.clone());
    Ok(app.identity.change(replace).await?.into())
}

/// Revoke one of the caller's API tokens.
///
/// The token is refused from this moment on. The operation is idempotent.
#[utoipa::path(post, path = "/api/auth/api-tokens/{token_id}/revoke/")]
async fn revoke_api_token(
    token: Loaded<OwnToken, AccountWrite>,
    app: Data<App>,
) -> Api<Versioned<ApiTokenResponse>> {
    let (id, caller) = (token.it.0.id, token.auth.caller());
    revoke(&app, caller, id).await.map(Versioned)
}

/// Revokes a token. The calling function must have checked that the caller may change it.
pub(crate) async fn revoke(app: &App, caller: Arc<Caller>, id: Uuid) -> Api<ApiTokenResponse> {
    Ok(app.identity.change(move |tx| tokens::revoke(tx, &caller, id)).await?.into())
}
