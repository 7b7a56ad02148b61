//! API tokens.

use super::token_schema::{
    ApiTokenList, ApiTokenResponse, CreateApiTokenRequest, CreatedApiTokenResponse, UpdateApiTokenBody,
};
use crate::App;
use crate::http::scopes::{AccountRead, AccountWrite};
use crate::http::{
    Api, Auth, Caller, Code, Created, Found, IfMatch, Json, Loadable, Own, Paging, Query, Refusal, Scope,
    ScopeSet, Versioned, operations,
};
use actix_web::web::Data;
use domain::accounts::NewToken;
use domain::accounts::tokens::check_expiry;
use domain::audit::{Actor, audit};
use domain::credentials::ApiSecret;
use serde_json::json;
use std::sync::Arc;
use storage::authority::{Ground, Subject};
use storage::records::ApiToken;
use storage::{Counted, Reader, Row, Scan, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

operations!(create_api_token with slash, get_api_tokens, get_api_token, update_api_token, revoke_api_token);

/// One of the caller's own API tokens.
struct OwnToken(Row<ApiToken>);

impl Loadable for OwnToken {
    const PARAM: &'static str = "token_id";
    const NAME: &'static str = "API token";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(of_user(reader, caller.tenant, caller.user, id)?.map(Self))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground::OWN])
    }
}

/// Create an API token.
///
/// The answer holds the token itself, which is shown here and never again. It opens the tenant of
/// the caller. A token cannot make one that may do more than it may itself.
#[utoipa::path(post, path = "/api/auth/api-tokens", operation_id = "auth.create_api_token")]
async fn create_api_token(
    auth: Auth<AccountWrite, Own>,
    app: Data<App>,
    Json(new): Json<CreateApiTokenRequest>,
) -> Api<Created<CreatedApiTokenResponse>> {
    let caller = auth.caller();
    create(&app, &caller, caller.user, new).await.map(Created)
}

/// Makes a token that acts as this user in the caller's tenant.
pub(crate) async fn create(
    app: &App,
    caller: &Caller,
    user: Uuid,
    new: CreateApiTokenRequest,
) -> Api<CreatedApiTokenResponse> {
    may_grant(caller, new.scopes.as_deref())?;
    let (secret, days) = (ApiSecret::new(new_id())?, app.config.auth.token_max_days);
    let (token, actor) = (secret.reveal(), Actor::from(caller));
    let CreateApiTokenRequest { name, scopes, expires_at } = new;
    let new = NewToken { tenant: caller.tenant.0, user, name, scopes, expires_at };
    let (own, by) = (caller.token_id, caller.standing.clone());
    let row = app.store.run::<_, Refusal>(move |tx| {
        outlives_none(tx, own, new.expires_at)?;
        // Whoever was sent away meanwhile leaves no token behind.
        Subject::read(tx, by.tenant, by.user)?.ok_or(Code::CredentialsInvalid)?;
        has_room(tx, by.tenant, user)?;
        new.clone().insert(tx, &secret, days, actor)
    });
    let row = row.await?;
    Ok(CreatedApiTokenResponse { token, kept: row.into() })
}

/// Refuses a token beyond the most that a user may have in a tenant. Revoked and expired ones make room.
fn has_room(tx: &mut Tx, tenant: TenantId, user: Uuid) -> Api<()> {
    let now = Timestamp::now();
    let prefix = [user.as_bytes().as_slice(), tenant.as_bytes()].concat();
    let scan = Scan::index("by_user").prefix(prefix);
    let kept = tx.count::<ApiToken>(SYSTEM, scan.clone())?;
    if kept < tx.most(Counted::ApiTokens) {
        return Ok(());
    }
    let rows = tx.scan::<ApiToken>(SYSTEM, scan)?.items;
    let is_over =
        |row: &Row<ApiToken>| row.revoked_at.is_some() || row.expires_at.is_some_and(|at| at <= now);
    let over: Vec<_> = rows.iter().filter(|row| is_over(row)).map(|row| row.id).collect();
    if over.is_empty() {
        return Ok(tx.require_place(Counted::ApiTokens, kept)?);
    }
    for id in over {
        tx.delete::<ApiToken>(SYSTEM, &id)?;
    }
    Ok(())
}

/// Refuses scopes that the caller's own token lacks.
fn may_grant(caller: &Caller, scopes: Option<&[String]>) -> Api<()> {
    let Some(own) = caller.scopes else { return Ok(()) };
    let wanted = scopes.map(|names| names.iter().filter_map(|name| Scope::parse(name)).collect::<ScopeSet>());
    match wanted.is_some_and(|wanted| wanted.is_within(own)) {
        true => Ok(()),
        false => Err(Refusal::new(Code::ScopeMissing).detail("a token grants no more than it may do itself")),
    }
}

/// Refuses an end that is later than that of the token which asks: it would go on in what it makes.
fn outlives_none(reader: &Reader, own: Option<Uuid>, expires_at: Option<Timestamp>) -> Api<()> {
    let own = own.map(|id| reader.require::<ApiToken>(SYSTEM, &id)).transpose()?;
    let Some(end) = own.and_then(|own| own.expires_at) else { return Ok(()) };
    if expires_at.is_some_and(|wanted| wanted <= end) {
        return Ok(());
    }
    let msg = format!("must be given and no later than {end}, when the token that asks for it ends");
    Err(Refusal::invalid("body", ["expires_at"], msg, "out_of_range"))
}

/// List the caller's API tokens in this tenant.
#[utoipa::path(get, path = "/api/auth/api-tokens/", operation_id = "auth.get_api_tokens")]
async fn get_api_tokens(
    auth: Auth<AccountRead>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ApiTokenList>> {
    list(&app, auth.tenant, auth.user, &paging).await.map(Json)
}

/// A page of the tokens that act as this user in the tenant.
pub(crate) async fn list(app: &App, tenant: TenantId, user: Uuid, paging: &Paging) -> Api<ApiTokenList> {
    let prefix = [user.as_bytes().as_slice(), tenant.as_bytes()].concat();
    let scan = paging.scan(Scan::index("by_user").prefix(prefix).reverse())?;
    let page = app.store.read::<_, Refusal>(move |reader| Ok(reader.scan::<ApiToken>(SYSTEM, scan)?));
    Ok(page.await?.into())
}

/// A token that acts as this user in the tenant.
pub(crate) fn of_user(reader: &Reader, tenant: TenantId, user: Uuid, id: Uuid) -> Api<Option<Row<ApiToken>>> {
    let token = reader.get::<ApiToken>(SYSTEM, &id)?;
    Ok(token.filter(|token| token.user == user && token.tenant == tenant.0))
}

/// Get one of the caller's API tokens.
#[utoipa::path(get, path = "/api/auth/api-tokens/{token_id}", operation_id = "auth.get_api_token")]
async fn get_api_token(token: Found<OwnToken, AccountRead>) -> Api<Versioned<ApiTokenResponse>> {
    Ok(Versioned(token.it.0.into()))
}

/// Replace name, scopes and end of one of the caller's API tokens.
#[utoipa::path(put, path = "/api/auth/api-tokens/{token_id}/", operation_id = "auth.update_api_token")]
async fn update_api_token(
    token: Found<OwnToken, AccountWrite, Own>,
    app: Data<App>,
    seen: IfMatch,
    Json(new): Json<UpdateApiTokenBody>,
) -> Api<Versioned<ApiTokenResponse>> {
    let (id, caller) = (token.it.0.id, token.auth.caller());
    update(&app, caller, id, seen, new).await.map(Versioned)
}

/// Replaces what a token of this id says of itself, for somebody who may.
pub(crate) async fn update(
    app: &App,
    caller: Arc<Caller>,
    id: Uuid,
    seen: IfMatch,
    new: UpdateApiTokenBody,
) -> Api<ApiTokenResponse> {
    let days = app.config.auth.token_max_days;
    let row = app.identity.change::<_, Refusal>(move |tx| replace(tx, &caller, id, &new, &seen, days));
    Ok(row.await?.into())
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
    may_grant(caller, row.scopes.as_deref())?;
    may_grant(caller, new.scopes.as_deref())?;
    seen.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(Refusal::new(Code::Stale).detail(format!("the version is now {}", row.version)));
    }
    if row.revoked_at.is_some() {
        return Err(Refusal::new(Code::Conflict).detail("the token was revoked"));
    }
    check_expiry(tx, row.tenant, new.expires_at, days)?;
    outlives_none(tx, caller.token_id, new.expires_at)?;
    row.name = new.name.clone();
    row.scopes = new.scopes.clone();
    row.expires_at = new.expires_at;
    let row = tx.update(SYSTEM, row)?;
    note(tx, caller, "token.update", &row)?;
    Ok(row)
}

fn note(tx: &mut Tx, caller: &Caller, action: &str, row: &Row<ApiToken>) -> storage::Result<()> {
    let actor = Actor::from(caller);
    let detail = json!({"name": row.name, "scopes": row.scopes, "expires_at": row.expires_at});
    audit(tx, caller.tenant, actor, action, format!("token {}", row.id), detail)
}

/// Revoke one of the caller's API tokens.
///
/// It is refused from this moment on. Revoking again changes nothing.
#[utoipa::path(
    post,
    path = "/api/auth/api-tokens/{token_id}/revoke/",
    operation_id = "auth.revoke_api_token"
)]
async fn revoke_api_token(
    token: Found<OwnToken, AccountWrite>,
    app: Data<App>,
) -> Api<Versioned<ApiTokenResponse>> {
    let (id, caller) = (token.it.0.id, token.auth.caller());
    revoke(&app, caller, id).await.map(Versioned)
}

/// Revokes a token of this id, for somebody who may.
pub(crate) async fn revoke(app: &App, caller: Arc<Caller>, id: Uuid) -> Api<ApiTokenResponse> {
    let row = app.identity.change::<_, Refusal>(move |tx| revoke_in(tx, &caller, id));
    Ok(row.await?.into())
}

/// Revokes a token within a transaction that changes rights.
pub(crate) fn revoke_in(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<Row<ApiToken>> {
    let mut row = tx.require::<ApiToken>(SYSTEM, &id)?;
    if row.revoked_at.is_some() {
        return Ok(row);
    }
    row.revoked_at = Some(Timestamp::now());
    let row = tx.update(SYSTEM, row)?;
    note(tx, caller, "token.revoke", &row)?;
    Ok(row)
}
