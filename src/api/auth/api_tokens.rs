//! API tokens.

use super::token_schema::{
    ApiTokenList, ApiTokenResponse, CreateApiTokenRequest, CreatedApiTokenResponse, UpdateApiTokenBody,
};
use crate::App;
use crate::accounts::{Actor, NewToken, audit, check_life};
use crate::http::credentials::ApiSecret;
use crate::http::scopes::{AccountRead, AccountWrite};
use crate::http::{
    Api, ApiError, Area, Auth, Caller, Code, Created, Found, IfMatch, Json, Loadable, Paging, Query, Scope,
    ScopeSet, Versioned, operations,
};
use actix_web::web::Data;
use serde_json::json;
use storage::records::ApiToken;
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

pub(super) fn operations(area: &mut Area) {
    operations!(area; create_api_token with slash, get_api_tokens, get_api_token, update_api_token, revoke_api_token);
}

/// One of the caller's own API tokens.
struct OwnToken(Row<ApiToken>);

impl Loadable for OwnToken {
    const PARAM: &'static str = "token_id";
    const NAME: &'static str = "API token";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let token = reader.get::<ApiToken>(SYSTEM, &id)?;
        Ok(token.filter(|token| token.user == caller.user && token.tenant == caller.tenant.0).map(Self))
    }
}

/// Create an API token.
///
/// The answer holds the token itself, which is shown here and never again. It opens the tenant of
/// the caller. A token cannot make one that may do more than it may itself.
#[utoipa::path(post, path = "/api/auth/api-tokens", operation_id = "auth.create_api_token",
    responses((status = 201, description = "The token was made", body = CreatedApiTokenResponse)))]
async fn create_api_token(
    auth: Auth<AccountWrite>,
    app: Data<App>,
    Json(new): Json<CreateApiTokenRequest>,
) -> Api<Created<CreatedApiTokenResponse>> {
    auth.require_own_name()?;
    may_grant(&auth, new.scopes.as_deref())?;
    let (secret, days) =
        (ApiSecret::new(new_id()).map_err(|_| Code::Internal)?, app.config.auth.token_max_days);
    let token = secret.reveal();
    let actor = Actor { user: auth.user, act: auth.act };
    let CreateApiTokenRequest { name, scopes, expires_at } = new;
    let new = NewToken { tenant: auth.tenant.0, user: auth.user, name, scopes, expires_at };
    let row = app.store.run::<_, ApiError>(move |tx| new.clone().insert(tx, &secret, days, actor)).await?;
    Ok(Created(CreatedApiTokenResponse { token, kept: row.into() }))
}

/// Refuses scopes that the caller's own token lacks.
fn may_grant(caller: &Caller, scopes: Option<&[String]>) -> Api<()> {
    let Some(own) = caller.scopes else { return Ok(()) };
    let wanted = scopes.map(|names| names.iter().filter_map(|name| Scope::parse(name)).collect::<ScopeSet>());
    match wanted.is_some_and(|wanted| wanted.is_within(own)) {
        true => Ok(()),
        false => {
            Err(ApiError::new(Code::ScopeMissing).detail("a token grants no more than it may do itself"))
        }
    }
}

/// List the caller's API tokens in this tenant.
#[utoipa::path(get, path = "/api/auth/api-tokens/", operation_id = "auth.get_api_tokens",
    responses((status = 200, description = "The tokens, newest first", body = ApiTokenList)))]
async fn get_api_tokens(
    auth: Auth<AccountRead>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ApiTokenList>> {
    let prefix = [auth.user.as_bytes().as_slice(), auth.tenant.as_bytes()].concat();
    let scan = paging.scan(Scan::index("by_user").prefix(prefix).reverse())?;
    let page =
        app.store.read::<_, ApiError>(move |reader| Ok(reader.scan::<ApiToken>(SYSTEM, scan)?)).await?;
    Ok(Json(page.into()))
}

/// Get one of the caller's API tokens.
#[utoipa::path(get, path = "/api/auth/api-tokens/{token_id}", operation_id = "auth.get_api_token",
    responses((status = 200, description = "The token, without its secret", body = ApiTokenResponse)))]
async fn get_api_token(token: Found<OwnToken, AccountRead>) -> Api<Versioned<ApiTokenResponse>> {
    Ok(Versioned(token.it.0.into()))
}

/// Replace name, scopes and end of one of the caller's API tokens.
#[utoipa::path(put, path = "/api/auth/api-tokens/{token_id}/", operation_id = "auth.update_api_token",
    responses((status = 200, description = "The token as it is now", body = ApiTokenResponse)))]
async fn update_api_token(
    token: Found<OwnToken, AccountWrite>,
    app: Data<App>,
    seen: IfMatch,
    Json(new): Json<UpdateApiTokenBody>,
) -> Api<Versioned<ApiTokenResponse>> {
    let auth = token.auth;
    auth.require_own_name()?;
    may_grant(&auth, token.it.0.scopes.as_deref())?;
    may_grant(&auth, new.scopes.as_deref())?;
    let (id, caller, days) = (token.it.0.id, auth.caller(), app.config.auth.token_max_days);
    let row =
        app.identity.change::<_, ApiError>(move |tx| replace(tx, &caller, id, &new, &seen, days)).await?;
    Ok(Versioned(row.into()))
}

fn replace(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    new: &UpdateApiTokenBody,
    seen: &IfMatch,
    days: u32,
) -> Api<Row<ApiToken>> {
    let mut row = tx.require::<ApiToken>(SYSTEM, &id)?;
    seen.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(ApiError::new(Code::Stale).detail(format!("the version is now {}", row.version)));
    }
    if row.revoked_at.is_some() {
        return Err(ApiError::new(Code::Conflict).detail("the token was revoked"));
    }
    check_life(tx, row.tenant, new.expires_at, days)?;
    row.name = new.name.clone();
    row.scopes = new.scopes.clone();
    row.expires_at = new.expires_at;
    let row = tx.update(SYSTEM, row)?;
    note(tx, caller, "token.update", &row)?;
    Ok(row)
}

fn note(tx: &mut Tx, caller: &Caller, action: &str, row: &Row<ApiToken>) -> storage::Result<()> {
    let actor = Actor { user: caller.user, act: caller.act };
    let detail = json!({"name": row.name, "scopes": row.scopes, "expires_at": row.expires_at});
    audit(tx, caller.tenant, actor, action, format!("token {}", row.id), detail)
}

/// Revoke one of the caller's API tokens.
///
/// It is refused from this moment on. Revoking again changes nothing.
#[utoipa::path(post, path = "/api/auth/api-tokens/{token_id}/revoke/", operation_id = "auth.revoke_api_token",
    responses((status = 200, description = "The token, revoked", body = ApiTokenResponse)))]
async fn revoke_api_token(
    token: Found<OwnToken, AccountWrite>,
    app: Data<App>,
) -> Api<Versioned<ApiTokenResponse>> {
    let (id, caller) = (token.it.0.id, token.auth.caller());
    let row = app.identity.change::<_, ApiError>(move |tx| {
        let mut row = tx.require::<ApiToken>(SYSTEM, &id)?;
        if row.revoked_at.is_some() {
            return Ok(row);
        }
        row.revoked_at = Some(Timestamp::now());
        let row = tx.update(SYSTEM, row)?;
        note(tx, &caller, "token.revoke", &row)?;
        Ok(row)
    });
    Ok(Versioned(row.await?.into()))
}
